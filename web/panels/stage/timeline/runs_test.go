package timeline

import (
	"fmt"
	"strings"
	"testing"

	"github.com/tabernetes/tabernetes/core/source"
	"github.com/tabernetes/tabernetes/web/revisions"
	"github.com/tabernetes/tabernetes/web/tap"
)

// commitOf returns the commit at a revision by who makes it: o the server by itself, a its controller that fills in a
// ClusterRole, n controllers in a new namespace, r a program that renews a Lease, e one that reports an Event, - nobody
// whom the page knows, O another user who writes what servers write, P another page.
func commitOf(who rune, rev int64) revisions.Commit {
	c := revisions.Commit{Revision: rev, Verb: revisions.Added, Resource: "configmaps", Namespace: "a", Name: "a"}
	switch who {
	case 'o', 'O':
		c.Group, c.Resource, c.Namespace, c.Name = "rbac.authorization.k8s.io", "clusterroles", "", "system:node"
	case 'a':
		c.Verb, c.Group, c.Resource, c.Namespace = revisions.Modified, "rbac.authorization.k8s.io", "clusterroles", ""
		c.Name = "admin"
	case 'n':
		c.Name = "kube-root-ca.crt"
	case 'r':
		c.Verb, c.Group, c.Resource = revisions.Modified, "coordination.k8s.io", "leases"
		c.User = "system:node:a"
	case 'e':
		c.Resource, c.Request = "events", "kubelets/~7"
	}
	switch who {
	case 'O':
		c.User = "ada"
	case 'P':
		c.Request = "other.1"
	}
	return c
}

// play makes commits from a revision on, each by one letter: s a setup, l a lesson, and those of commitOf.
func (w *world) play(first int64, commits string) {
	w.Page = "page"
	for i, who := range commits {
		c := commitOf(who, first+int64(i))
		if origin, ours := map[rune]string{'s': "setup", 'l': "lesson"}[who]; ours {
			c.Request = fmt.Sprintf("page.%d", i+1)
			w.Tap(tap.Event{Type: tap.Request, ID: i + 1, Method: "POST", URL: "/api/v1/namespaces", Origin: origin})
		}
		w.Frame(revisions.Frame{Commit: &c})
	}
}

// said returns the runs as text.
func (w *world) said() string {
	var all []string
	for _, r := range w.Runs() {
		kind := ""
		if r.Start() {
			kind += " start"
		}
		if r.Setup {
			kind += " setup"
		}
		if r.Renewed > 0 {
			kind += " renewed"
		}
		if r.Reported > 0 {
			kind += " reported"
		}
		all = append(all, fmt.Sprintf("%d–%d%s", r.First, r.Last, kind))
	}
	return strings.Join(all, ", ")
}

func TestRuns(t *testing.T) {
	for _, test := range []struct {
		first   int64
		commits string
		want    string
	}{
		{60, "", ""},
		{60, "l--l", ""},
		{60, "s", ""},
		{60, "ss-s--l", "60–63 setup"},
		{60, "sls", ""},
		{60, "l-ss-lss", "62–63 setup, 66–67 setup"},
		{60, "ssnn-l", "60–63 setup"},
		{60, "sPs", ""},
		// A cluster begins, and continues with a setup or without.
		{2, "ooo", "2–4 start"},
		{2, "ooo-l", "2–4 start"},
		{2, "oool", "2–4 start"},
		{2, "oos-sn-", "2–7 start setup"},
		{2, "ool", ""},
		// The same commits later: a switch, by a lever or by anybody else.
		{60, "looooaal", "61–66"},
		{60, "-oooooo", "61–66"},
		{60, "oo-oo", ""},
		{60, "lOOOO", ""},
		{2, "ooo-looool", "2–4 start, 7–10"},
		{2, "ooosl-oaol", "2–5 start setup, 8–10"},
		// A setup that makes a switch is one.
		{60, "lsoooo-sl", "61–67 setup"},
		{60, "ss-ooo-l", "60–61 setup, 63–65"},
		{60, "ss-ooo-s", "60–67 setup"},
		// Programs renew their Leases.
		{60, "rr", ""},
		{60, "lrrrl", "61–63 renewed"},
		{60, "rrr-rrrr", "60–62 renewed, 64–67 renewed"},
		{60, "rrlrr", ""},
		{60, "rrooorrr", "62–64, 65–67 renewed"},
		{2, "ooorrr", "2–4 start, 5–7 renewed"},
		{60, "ssrrrs", "60–65 setup"},
		// And report what they have done.
		{60, "leeel", "61–63 reported"},
		{60, "leerl", "61–63 renewed reported"},
		{60, "lee-ee", ""},
	} {
		w := newWorld()
		w.play(test.first, test.commits)
		if got := w.said(); got != test.want {
			t.Errorf("%d %s: got %q, want %q", test.first, test.commits, got, test.want)
		}
		slow := newWorld() // asked after each commit
		for i := range test.commits {
			slow.play(test.first, test.commits[:i+1])
			slow.Runs()
		}
		if got := slow.said(); got != test.want {
			t.Errorf("%d %s, commit by commit: got %q, want %q", test.first, test.commits, got, test.want)
		}
	}
}

// After a reload the commits do not say which request has made them. The answers that the page has kept do, which may
// come before the commits or after them.
func TestRunsAfterAReload(t *testing.T) {
	for _, late := range []bool{false, true} {
		w := newWorld()
		commits := func() {
			for rev := range int64(6) {
				c := commitOf('-', 60+rev)
				w.Frame(revisions.Frame{Commit: &c})
			}
			w.Runs()
		}
		if late {
			commits()
		}
		for i, origin := range []string{"lesson", "setup", "setup", "setup", "console"} {
			rev := 60 + int64(i)
			w.Tap(tap.Event{Type: tap.Request, ID: i + 1, Method: "POST", URL: "/api/v1/namespaces", Origin: origin})
			w.Tap(tap.Event{Type: tap.Head, ID: i + 1, Status: 201,
				Source: &tap.Source{Rule: "write", Wrote: []source.Span{{First: rev, Last: rev}}}})
		}
		if !late {
			commits()
		}
		if got := w.said(); got != "61–63 setup" {
			t.Errorf("the commits come first %v: %q", late, got)
		}
	}
}

// A user sees some of what the cluster has made for itself.
func TestTheStartHasHiddenRevisions(t *testing.T) {
	w := newWorld()
	w.play(2, "oo")
	w.play(145, "-")
	if got := w.said(); got != "2–144 start" {
		t.Error(got)
	}
}

// Others' objects that have such names are no server's, and the newest runs are kept.
func TestRunsAreBounded(t *testing.T) {
	for _, o := range []Object{
		{"rbac.authorization.k8s.io", "clusterroles", "", "mine"},
		{"rbac.authorization.k8s.io", "roles", "default", "admins"},
		{"", "members", "", "ada-x"}, {"", "configmaps", "kube-system", "mine"}, {"", "secrets", "default", "default"},
	} {
		if ownObject(o) {
			t.Errorf("every cluster has %v", o)
		}
	}
	w := newWorld()
	w.play(60, strings.Repeat("lss", 200))
	if all := w.Runs(); len(all) != keptRuns || all[len(all)-1].Last != 60+599 {
		t.Errorf("%d are kept, up to %v", len(all), all[len(all)-1])
	}
}
