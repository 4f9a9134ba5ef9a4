//go:build !js

package stage

import (
	"context"
	"strings"
	"testing"
	"time"

	"github.com/tabernetes/tabernetes/web/app"
	"github.com/tabernetes/tabernetes/web/objects"
	"github.com/tabernetes/tabernetes/web/revisions"
)

// text returns what the line says, without its tags.
func (v RolloutView) text() string {
	var b strings.Builder
	if err := RolloutLine(v).Render(context.Background(), &b); err != nil {
		return err.Error()
	}
	out, in := "", false
	for _, r := range b.String() {
		switch {
		case r == '<':
			in = true
		case r == '>':
			in = false
		case !in:
			out += string(r)
		}
	}
	return strings.Join(strings.Fields(out), " ")
}

func TestReplicasOfWorkloads(t *testing.T) {
	for _, test := range []struct {
		cells map[string]string
		want  string
		boxes int
	}{
		{map[string]string{"Ready": "3/5", "Up-to-date": "5"}, "web: 3 of 5 ready", 5},
		{map[string]string{"Ready": "3/3", "Up-to-date": "1"}, "web: 3 of 3 ready, 1 up to date", 3},
		{map[string]string{"Ready": "0/0", "Up-to-date": "0"}, "web: 0 of 0 ready", 0},
		{map[string]string{"Ready": "1/2"}, "web: 1 of 2 ready", 2},                               // a StatefulSet
		{map[string]string{"Desired": "2", "Current": "2", "Ready": "1"}, "web: 1 of 2 ready", 2}, // a ReplicaSet
		{map[string]string{"Completions": "1/3", "Status": "Running"}, "web: 1 of 3 complete", 3}, // a Job
		{map[string]string{"Completions": "0/1 of 2", "Status": "Running"}, "web: 0 of 2 complete", 2},
		{map[string]string{"Ready": "7/40", "Up-to-date": "40"}, "web: 7 of 40 ready", 2}, // a bar, and what is full of it
	} {
		have := replicasOf([]objects.TableRow{{Name: "web", Cells: test.cells}})
		if got := (RolloutView{Name: "web", Have: have}).Words(); got != test.want {
			t.Errorf("%v: %q, want %q", test.cells, got, test.want)
		}
		if n := strings.Count(have.boxes(), "<rect"); n != test.boxes {
			t.Errorf("%v: %d boxes, want %d", test.cells, n, test.boxes)
		}
	}
	if got := (RolloutView{Name: "web", Have: replicasOf(nil)}).Words(); got != "web: deleted" {
		t.Error(got)
	}
}

// TestRolloutLine wants what was written for a Deployment, and how far it is, as it is and as it was.
func TestRolloutLine(t *testing.T) {
	play(t, func(t *testing.T, p *panel, s *paper) {
		asked, ready := []string{}, "1/2"
		answers := map[string]string{
			"/api": `{"versions":["v1"]}`,
			"/apis": `{"groups":[{"name":"apps","versions":[{"groupVersion":"apps/v1","version":"v1"}],` +
				`"preferredVersion":{"groupVersion":"apps/v1","version":"v1"}}]}`,
			"/apis/apps/v1": `{"groupVersion":"apps/v1","resources":[{"name":"deployments","kind":"Deployment",` +
				`"namespaced":true,"verbs":["get","list","watch"]}]}`,
		}
		p.Page.Serve = func(r app.Request) (app.Response, error) {
			if body, ok := answers[r.Path]; ok {
				return app.Response{Status: 200, Body: body}, nil
			}
			if !strings.HasPrefix(r.Path, "/apis/apps/v1/namespaces/default/deployments?") {
				return app.Response{Status: 404}, nil
			}
			asked = append(asked, r.Path)
			now := ready
			if strings.Contains(r.Path, "Exact") {
				now = "0/2"
			}
			return app.Response{Status: 200, Body: `{"columnDefinitions":[{"name":"Name"},{"name":"Ready"}],"rows":[` +
				`{"cells":["web","` + now + `"],"object":{"metadata":{"name":"web"}}}]}`}, nil
		}
		p.Discover()
		if p.Page.Shows("st-rollout") != "" {
			t.Error("without programs: " + p.Page.Shows("st-rollout"))
		}
		commit := func(rev int64, verb revisions.Verb, resource, name, request string) {
			c := revisions.Commit{Revision: rev, Time: begin.Add(time.Duration(rev) * time.Second), Verb: verb, Version: "v1",
				Resource: resource, Namespace: "default", Name: name, Request: request}
			if resource != "pods" && resource != "leases" {
				c.Group = "apps"
			}
			app.Emit(p.Bus, revisions.Frame{Commit: &c})
		}
		says := func(want string) {
			t.Helper()
			p.later()
			p.renderRows()
			found, _ := p.findRollout()
			v := p.scene.rolloutView(found, p.rollout.have)
			if got := v.text(); got != want {
				t.Errorf("%q, want %q", got, want)
			}
		}
		commit(11, revisions.Added, "deployments", "web", "page.7")
		commit(12, revisions.Added, "replicasets", "web-1", "kube-controller-manager/deployment~11")
		commit(13, revisions.Added, "pods", "web-1-a", "kube-controller-manager/replicaset~12")
		commit(14, revisions.Modified, "pods", "web-1-a", "kube-scheduler/scheduler~13~binding")
		commit(15, revisions.Modified, "deployments", "web", "kube-controller-manager/deployment~12~status")
		says("web: 1 of 2 ready, 5 writes by 3 clients in 4.0 s chain of a Pod web-1-a Replay")
		commit(16, revisions.Modified, "leases", "manager", "kube-controller-manager/leader-election~0")
		says("web: 1 of 2 ready, 5 writes by 3 clients in 4.0 s chain of a Pod web-1-a Replay")
		if len(asked) != 1 {
			t.Errorf("asked %q", asked)
		}
		p.hold([]string{"kube-scheduler"})
		says("web: 1 of 2 ready, while kube-scheduler is paused, 5 writes by 3 clients in 4.0 s " +
			"chain of a Pod web-1-a Replay")
		ready = "2/2"
		commit(17, revisions.Modified, "deployments", "web", "kube-controller-manager/deployment~14~status")
		p.choose(13)
		p.draws()
		says("web: 2 of 2 ready, 6 writes by 3 clients in 6.0 s chain of web-1-a Replay")

		p.Travel(12)
		says("web: 0 of 2 ready, 2 writes by 2 clients in 1.0 s Replay")
		if last := asked[len(asked)-1]; !strings.HasSuffix(last, "&resourceVersion=12&resourceVersionMatch=Exact") {
			t.Error(last)
		}
		p.Travel(10)
		p.later()
		if got := p.Page.Shows("st-rollout"); got != "" {
			t.Error("before it began: " + got)
		}
	})
}
