package stage

import (
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/a-h/templ"

	"github.com/tabernetes/tabernetes/web/panels/stage/timeline"
	"github.com/tabernetes/tabernetes/web/revisions"
	"github.com/tabernetes/tabernetes/web/tap"
)

// rolled is a Deployment from kubectl apply to a Pod that runs, as its commits say.
func rolled() *world {
	w := &world{Model: timeline.New(&tap.Log{})}
	w.Page = "page"
	w.state(1, 0, 1)
	commit := func(rev int64, verb revisions.Verb, resource, request string) {
		w.Frame(revisions.Frame{Commit: &revisions.Commit{Revision: rev, Verb: verb, Group: groupOf(resource), Version: "v1",
			Resource: resource, Time: begin.Add(time.Duration(rev) * time.Second), Namespace: "default", Name: "web",
			Request: request}})
	}
	commit(5, revisions.Modified, "leases", "kube-controller-manager/leader-election~0")
	commit(6, revisions.Added, "deployments", "page.7")
	commit(7, revisions.Added, "replicasets", "kube-controller-manager/deployment~6")
	commit(8, revisions.Modified, "deployments", "kube-controller-manager/deployment~7~status")
	commit(9, revisions.Added, "pods", "kube-controller-manager/replicaset~7")
	commit(10, revisions.Modified, "pods", "kube-scheduler/scheduler~9~binding")
	commit(11, revisions.Modified, "pods", "kubelets/~10~status")
	commit(12, revisions.Modified, "replicasets", "kube-controller-manager/replicaset~11~status")
	w.state(12, 0, 12)
	return w
}

// groupOf returns the API group of a type.
func groupOf(resource string) string {
	if resource == "deployments" || resource == "replicasets" {
		return "apps"
	}
	return ""
}

// ofPrograms are the rows of all that a model knows, opened or not.
func ofPrograms(m *timeline.Model, open bool) []shownRow {
	p := &panel{ofCluster: ofCluster{model: m, cam: NewCamera()}, parts: map[string]bool{"kube-controller-manager": open}}
	p.layout.grow, p.layout.program = 1, ProgramUnits
	p.cam.View = View{Left: 1, PerRev: 40, Width: 4000}
	p.onScreen = p.look()
	return p.programRows()
}

// programs adds the rows of programs to the cases of TestGolden.
func programs(t *testing.T, cases map[string]templ.Component) {
	w := rolled()
	sc := w.scene(700, 44)
	sc.Chosen, sc.Chain = Chosen{Rev: 9}, w.Programs.Chain(9)
	for _, open := range []bool{false, true} {
		top, all := 0.0, ""
		rows := ofPrograms(w.Model, open)
		links := sc.links(rows, 0)
		if n := len(links); n != 6 {
			t.Errorf("open %v: %d links", open, n)
		}
		for _, r := range rows {
			all += `<g id="` + r.id + `">` + sc.Written(r.written, links, top, r.units) + `</g>`
			top += r.units
			cases["program/head-"+r.id] = ProgramHead(sc.ProgramView(r.written))
		}
		cases[fmt.Sprint("program/open-", open)] = svg(all)
	}
	r, ok := w.Rollout(0, 12)
	if !ok {
		t.Error("no rollout")
	}
	sc.Held = map[string]int64{"kube-scheduler": 11, "kubelets": 11}
	have := replicas{known: true, ready: 1, wanted: 3, word: "ready", updated: -1}
	cases["program/rollout"] = RolloutLine(sc.rolloutView(r, have))
}

// A cluster without programs has no row of theirs, nor one of what the page writes.
func TestNoPrograms(t *testing.T) {
	w := busy()
	if rows := ofPrograms(w.Model, true); len(rows) > 0 {
		t.Errorf("%d rows", len(rows))
	}
}

func TestChainsAreSaid(t *testing.T) {
	w := rolled()
	sc := w.scene(700, 44)
	for rev, want := range map[int64]string{
		6:  "6 created the deployments `web`.",
		9:  "9 created the pods `web`, by replicaset of kube-controller-manager, after 7.",
		11: "11 changed the pods `web`, by kubelets, after 10.",
	} {
		kind := func(o timeline.Object) string { return o.Resource }
		if got := sc.NarrateRevision(rev, kind).Text; got != want {
			t.Errorf("%d: %q, want %q", rev, got, want)
		}
	}
	p := &panel{ofCluster: ofCluster{model: w.Model}, scene: *sc}
	const want = "6 deployments → 7 replicasets → 9 pods → 10 pods bound → 11 pods status → 12 replicasets status."
	if got := p.sayChain(10); !strings.Contains(got, want) {
		t.Errorf("got %q", got)
	}
	if got := p.sayChain(10); !strings.HasPrefix(got, "One after another, in 6.0 s: 6 ") {
		t.Errorf("got %q", got)
	}
	if got := p.sayChain(5); got != "" {
		t.Errorf("a renewal has the chain %q", got)
	}
}

func TestWritesBeforeAPause(t *testing.T) {
	w := rolled()
	sc := w.scene(700, 44)
	sc.Held = map[string]int64{"kube-controller-manager": 8, "kube-scheduler": 11}
	for name, want := range map[string]int64{
		"kube-controller-manager": 12, // it wrote that before it was paused, of which the page learned first
		"kube-scheduler":          11,
		"kubelets":                0,
	} {
		if got := sc.heldSince(&written{program: &timeline.Program{Name: name, Marks: ofProgram(w, name)}}); got != want {
			t.Errorf("%s is paused since %d, want %d", name, got, want)
		}
	}
}

// ofProgram returns what a program wrote.
func ofProgram(w *world, name string) timeline.Series {
	for _, p := range w.Programs.List {
		if p.Name == name {
			return p.Marks
		}
	}
	return timeline.Series{}
}

func TestSecondReplicas(t *testing.T) {
	for _, test := range []struct {
		view ProgramView
		want string
	}{
		{ProgramView{Name: "kube-scheduler"}, "kube-scheduler"},
		{ProgramView{Name: "kube-scheduler-2"}, "replica 2"},
		{ProgramView{Name: "part-2", Of: "kube-scheduler"}, "part-2"},
	} {
		if got := test.view.shown(); got != test.want {
			t.Errorf("%+v is shown as %q, want %q", test.view, got, test.want)
		}
	}
}
