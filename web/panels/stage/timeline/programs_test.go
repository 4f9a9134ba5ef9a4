package timeline

import (
	"fmt"
	"slices"
	"testing"

	"github.com/tabernetes/tabernetes/web/revisions"
)

// rollout is a Deployment of two replicas, from kubectl apply to ready, as its commits say.
func rollout(m *Model) {
	m.Page = "page"
	commit := func(rev int64, resource, name, request string) { write(m, rev, resource, name, request) }
	commit(38, "leases", "kube-controller-manager", "kube-controller-manager/leader-election~0")
	commit(41, "deployments", "web", "page.7")
	commit(42, "replicasets", "web-1", "kube-controller-manager/deployment~41")
	commit(43, "deployments", "web", "kube-controller-manager/deployment~42")
	commit(44, "pods", "web-1-a", "kube-controller-manager/replicaset~42")
	commit(45, "events", "web-1", "kube-controller-manager/replicaset~42")
	commit(46, "pods", "web-1-b", "kube-controller-manager/replicaset~42")
	commit(47, "pods", "web-1-b", "kube-scheduler/scheduler~46")
	commit(48, "pods", "web-1-a", "kube-scheduler/scheduler~44")
	commit(49, "pods", "web-1-b", "kubelets/~47")
	commit(50, "configmaps", "other", "page.8")
	commit(51, "replicasets", "web-1", "kube-controller-manager/replicaset~49")
	commit(52, "deployments", "web", "kube-controller-manager/deployment~51")
}

func TestChains(t *testing.T) {
	m := newWorld()
	rollout(m.Model)
	p := &m.Programs
	for rev, want := range map[int64][]int64{
		41: {41, 42, 46, 47, 49, 51, 52},
		46: {41, 42, 46, 47, 49, 51, 52},
		44: {41, 42, 44, 48},
		52: {41, 42, 46, 47, 49, 51, 52},
		45: nil, // Events are not counted
		50: nil,
		99: nil,
	} {
		if got := p.Chain(rev); !slices.Equal(got, want) {
			t.Errorf("the chain of %d is %v, want %v", rev, got, want)
		}
	}
	said := ""
	for _, program := range p.List {
		said += fmt.Sprint(program.Name, " ", program.Marks.Len(), "+", program.Beats)
		for _, w := range program.Writers {
			said += fmt.Sprint(" ", w.Name, " ", w.Marks.Len())
		}
		said += "\n"
	}
	const want = "kube-controller-manager 6+2 deployment 3 replicaset 3\nkube-scheduler 2+0 scheduler 2\nkubelets 1+0\n"
	if said != want {
		t.Errorf("got %s, want %s", said, want)
	}
	if p.Own.Len() != 2 || m.Recent(0) == 0 {
		t.Errorf("the page wrote %d", p.Own.Len())
	}
}

// write has a request write an object: of the group apps, if it is a workload.
func write(m *Model, rev int64, resource, name, request string) {
	c := revisions.Commit{Revision: rev, Verb: revisions.Modified, Resource: resource, Namespace: "default", Name: name,
		Request: request}
	if resource == "deployments" || resource == "replicasets" {
		c.Group = "apps"
	}
	m.Frame(revisions.Frame{Commit: &c})
}

// A program that says that it came after what it wrote itself, or later, leads round in no circle.
func TestChainsOfWrongLinks(t *testing.T) {
	m := newWorld()
	for i, after := range []int64{5, 6, 9} {
		m.Frame(revisions.Frame{Commit: &revisions.Commit{Revision: 5 + int64(i), Resource: "pods", Name: "a",
			Request: fmt.Sprint("p/c~", after)}})
	}
	if got := m.Programs.Chain(7); got != nil {
		t.Errorf("got %v", got)
	}
}

func TestSecondReplicaIsBelowTheFirst(t *testing.T) {
	m := newWorld()
	for rev, program := range []string{"other", "kubelets", "kube-controller-manager-2", "kube-scheduler",
		"kube-controller-manager"} {
		m.Frame(revisions.Frame{Commit: &revisions.Commit{Revision: int64(rev + 10), Verb: revisions.Modified,
			Resource: "pods", Name: "a", Request: program + "/~0"}})
	}
	var got []string
	for _, p := range m.Programs.List {
		got = append(got, p.Name)
	}
	if want := []string{"kube-controller-manager", "kube-controller-manager-2", "kube-scheduler", "kubelets",
		"other"}; !slices.Equal(got, want) {
		t.Errorf("%v, want %v", got, want)
	}
}
