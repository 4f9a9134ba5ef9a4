//go:build !js

package lessons_test

import (
	"os"
	"strings"
	"testing"

	"github.com/tabernetes/tabernetes/web/lesson"
	"github.com/tabernetes/tabernetes/web/lesson/markdown"
	"github.com/tabernetes/tabernetes/web/lessons"
)

func load(t *testing.T) map[string]*lesson.Lesson {
	t.Helper()
	all, err := lessons.All()
	if err != nil {
		t.Fatal(err)
	}
	if len(all) < 4 {
		t.Fatalf("%d lessons", len(all))
	}
	out := map[string]*lesson.Lesson{}
	for _, l := range all {
		out[l.ID] = l
	}
	return out
}

// TestRender renders what the page's build renders.
func TestRender(t *testing.T) {
	rendered, err := markdown.Load(os.DirFS("."))
	if err != nil {
		t.Fatal(err)
	}
	var b strings.Builder
	if err := lesson.Pane(rendered).Render(t.Context(), &b); err != nil {
		t.Fatal(err)
	}
	for _, l := range load(t) {
		if !strings.Contains(b.String(), `id="lesson-`+l.ID+`"`) {
			t.Errorf("lesson %s is not on the page", l.ID)
		}
	}
	for _, bad := range []string{"<script", "style=", "onclick"} {
		if strings.Contains(b.String(), bad) {
			t.Errorf("%s on the page: the content security policy forbids it", bad)
		}
	}
}

// TestSolutions plays every lesson with its own solutions, twice: the second
// time the cluster is no longer fresh, as for a learner who starts over. No step
// passes before something is done for it.
func TestSolutions(t *testing.T) {
	for id, l := range load(t) {
		t.Run(id, func(t *testing.T) {
			t.Parallel()
			p := newPlayer(t, cluster(t), l)
			for range 2 {
				for i := range l.Steps {
					p.solve(i)
				}
				p.session.ResetAll()
				if n := p.passed(); n != 0 {
					t.Fatalf("%d steps are passed after starting over", n)
				}
			}
		})
	}
}

// TestOneAfterTheOther plays all lessons on one cluster, in order.
func TestOneAfterTheOther(t *testing.T) {
	all, err := lessons.All()
	if err != nil {
		t.Fatal(err)
	}
	c := cluster(t)
	for _, l := range all {
		p := newPlayer(t, c, l)
		for i := range l.Steps {
			p.solve(i)
		}
	}
}

// newPod is a pod that nothing else knows of.
const newPod = `{"metadata": {"generateName": "x-"}, "spec": {"containers": [{"name": "a", "image": "b"}]}}`

// What lesson 4 is about: a ConfigMap that is read through two watch caches.
const (
	configMaps = "/api/v1/namespaces/default/configmaps"
	theLight   = configMaps + "/{{created.response.body.metadata.name}}"
	greenLight = `{"metadata": {"generateName": "x-"}, "data": {"colour": "green"}}`
	blueLight  = "PATCH " + theLight + "\nContent-Type: application/merge-patch+json\n\n" + `{"data": {"colour": "blue"}}`
	notOlder   = "GET " + configMaps + "?resourceVersionMatch=NotOlderThan&resourceVersion={{changed.response.body.metadata.resourceVersion}}"
)

// caches is a request that sets how the caches follow.
func caches(replicas string) string {
	return "PATCH /apis/sandbox.tabernetes.dev/v1/controlplanes/default\nContent-Type: application/merge-patch+json\n\n" +
		`{"spec": {"cache": {"replicas": [` + replicas + `]}}}`
}

// at is the rest of a request that asks a certain API server.
func at(replica string) string { return "\nTabernetes-Replica: " + replica }

// An attempt is what a learner may well do when a step comes next, the first
// being 1.
type attempt struct {
	lesson     string
	step       int
	what, http string
	// miss is in what somebody is told whose attempt does not pass.
	miss string
}

// do makes the attempt.
func (a attempt) do(t *testing.T, p *player) {
	t.Helper()
	requests, err := lesson.ParseHTTP(a.http, 1)
	if err != nil {
		t.Fatal(err)
	}
	for i := range requests {
		p.send(&requests[i])
	}
}

var wrong = []attempt{
	{lesson: "list-then-watch", step: 1, what: "another type", http: "GET /api/v1/namespaces/default/configmaps"},
	{lesson: "list-then-watch", step: 1, what: "a watch at once", http: "GET /api/v1/namespaces/default/pods?watch=1", miss: "Leave watch out"},
	{lesson: "list-then-watch", step: 1, what: "one page", http: "GET /api/v1/namespaces/default/pods?limit=1", miss: "Leave limit out"},
	{lesson: "list-then-watch", step: 1, what: "a single pod that is not there", http: "GET /api/v1/namespaces/default/pods/x"},
	{lesson: "list-then-watch", step: 1, what: "a bad query", http: "GET /api/v1/namespaces/default/pods?labelSelector=a%3Db%2C", miss: "answered 400"},
	{lesson: "list-then-watch", step: 2, what: "listing again", http: "GET /api/v1/namespaces/default/pods?resourceVersion={{list.response.body.metadata.resourceVersion}}", miss: "Add watch=1"},
	{lesson: "list-then-watch", step: 2, what: "no version", http: "GET /api/v1/namespaces/default/pods?watch=1", miss: "has no resourceVersion"},
	{lesson: "list-then-watch", step: 2, what: "version 0", http: "GET /api/v1/namespaces/default/pods?watch=1&resourceVersion=0", miss: "does not start at the version"},
	{lesson: "list-then-watch", step: 2, what: "another namespace", http: "GET /api/v1/namespaces/kube-system/pods?watch=1&resourceVersion={{list.response.body.metadata.resourceVersion}}", miss: "Watch the path that you listed"},
	{lesson: "list-then-watch", step: 3, what: "an invalid pod", http: `POST /api/v1/namespaces/default/pods` + "\n\n" + `{"metadata": {"name": "x"}, "spec": {}}`, miss: "answered 422"},
	{lesson: "list-then-watch", step: 3, what: "a pod in another namespace", http: "POST /api/v1/namespaces/kube-public/pods\n\n" + newPod},
	{lesson: "list-then-watch", step: 3, what: "a dry run", http: "POST /api/v1/namespaces/default/pods?dryRun=All\n\n" + newPod},
	{lesson: "list-then-watch", step: 4, what: "only a deletion", http: "# @name x\nPOST /api/v1/namespaces/default/pods\n\n" + newPod + "\n###\nDELETE /api/v1/namespaces/default/pods/{{x.response.body.metadata.name}}"},
	{lesson: "list-then-watch", step: 4, what: "only a change", http: "PATCH /api/v1/namespaces/default/pods/{{created.response.body.metadata.name}}\nContent-Type: application/merge-patch+json\n\n{\"metadata\": {\"labels\": {\"a\": \"b\"}}}"},
	{lesson: "list-then-watch", step: 5, what: "resuming from the list", miss: "not the version of the last event",
		http: "POST /api/v1/namespaces/default/pods\n\n" + newPod + "\n###\nGET /api/v1/namespaces/default/pods?watch=1&resourceVersion={{list.response.body.metadata.resourceVersion}}"},
	{lesson: "list-then-watch", step: 5, what: "starting over", miss: "started over instead",
		http: "POST /api/v1/namespaces/default/pods\n\n" + newPod + "\n###\nGET /api/v1/namespaces/default/pods?watch=1"},
	{lesson: "list-then-watch", step: 5, what: "listing instead", miss: "Resuming needs watch=1",
		http: "POST /api/v1/namespaces/default/pods\n\n" + newPod + "\n###\nGET /api/v1/namespaces/default/pods"},
	{lesson: "list-then-watch", step: 6, what: "with a version", http: "GET /api/v1/namespaces/default/pods?watch=1&resourceVersion=0", miss: "Leave it away"},
	{lesson: "410-gone", step: 2, what: "a watch from now on", miss: "Start the watch at the version",
		http: "# @name c\nPOST /api/v1/namespaces/default/pods\n\n" + newPod + "\n###\nGET /api/v1/namespaces/default/pods?watch=1&resourceVersion={{c.response.body.metadata.resourceVersion}}"},
	{lesson: "410-gone", step: 3, what: "a bad revision", http: "POST /apis/sandbox.tabernetes.dev/v1/controlplanes/default/compact\n\n{\"revision\": -1}", miss: "answered 4"},
	{lesson: "410-gone", step: 4, what: "a watch without a version", http: "GET /api/v1/namespaces/default/pods?watch=1", miss: "Start from the version of your first list"},
	{lesson: "410-gone", step: 4, what: "a list", http: "GET /api/v1/namespaces/default/pods", miss: "Open a watch"},
	{lesson: "410-gone", step: 5, what: "trying again", http: "GET /api/v1/namespaces/default/pods?watch=1&resourceVersion={{list.response.body.metadata.resourceVersion}}", miss: "List first"},
	{lesson: "410-gone", step: 6, what: "from the old version again", http: "GET /api/v1/namespaces/default/pods?watch=1&resourceVersion={{list.response.body.metadata.resourceVersion}}", miss: "second list"},
	{lesson: "410-gone", step: 7, what: "an exact state that is there", http: "GET /api/v1/namespaces/default/pods?resourceVersion={{relist.response.body.metadata.resourceVersion}}&resourceVersionMatch=Exact", miss: "answered 200, not 410"},
	{lesson: "410-gone", step: 8, what: "a watch without bookmarks", http: "GET /api/v1/namespaces/default/pods?watch=1&resourceVersion={{proof.response.body.metadata.resourceVersion}}", miss: "allowWatchBookmarks"},

	{lesson: "paging", step: 1, what: "too few pods", http: "POST /api/v1/namespaces\n\n{\"metadata\": {\"name\": \"paging\"}}\n###\n# @repeat 5\nPOST /api/v1/namespaces/paging/pods\n\n{\"metadata\": {\"name\": \"pod-000{{$index}}\"}, \"spec\": {\"containers\": [{\"name\": \"a\", \"image\": \"b\"}]}}\n###\nGET /api/v1/namespaces/paging/pods?limit=1", miss: "not exactly 1,253"},
	{lesson: "paging", step: 2, what: "no limit", http: "GET /api/v1/namespaces/paging/pods", miss: "limit=500"},
	{lesson: "paging", step: 2, what: "another limit", http: "GET /api/v1/namespaces/paging/pods?limit=100", miss: "limit=500"},
	{lesson: "paging", step: 2, what: "an old state of version 0, which ignores the limit", http: "GET /api/v1/namespaces/paging/pods?limit=500&resourceVersion=0", miss: "length is 1253"},
	{lesson: "paging", step: 3, what: "a pod of the first page", http: "DELETE /api/v1/namespaces/paging/pods/pod-0001", miss: "after pod-1000"},
	{lesson: "paging", step: 3, what: "a pod that is not there", http: "DELETE /api/v1/namespaces/paging/pods/pod-9999", miss: "answered 404"},
	{lesson: "paging", step: 4, what: "the first page again", http: "GET /api/v1/namespaces/paging/pods?limit=500", miss: "Add continue="},
	{lesson: "paging", step: 4, what: "a smaller page", http: "GET /api/v1/namespaces/paging/pods?limit=100&continue={{page1.response.body.metadata.continue}}", miss: "does not have 500"},
	{lesson: "paging", step: 4, what: "a made-up token", http: "GET /api/v1/namespaces/paging/pods?limit=500&continue=abc", miss: "answered 400"},
	{lesson: "paging", step: 5, what: "the first token once more", http: "GET /api/v1/namespaces/paging/pods?limit=500&continue={{page1.response.body.metadata.continue}}", miss: "not the token of the second page"},
	{lesson: "paging", step: 5, what: "a list begun after the deletion", miss: "not the token of the second page",
		http: "# @name p1\nGET /api/v1/namespaces/paging/pods?limit=500\n###\n# @name p2\nGET /api/v1/namespaces/paging/pods?limit=500&continue={{p1.response.body.metadata.continue}}\n###\nGET /api/v1/namespaces/paging/pods?limit=500&continue={{p2.response.body.metadata.continue}}"},
	{lesson: "paging", step: 6, what: "the last page again", http: "GET /api/v1/namespaces/paging/pods?limit=500&continue={{page2.response.body.metadata.continue}}", miss: "Leave continue away"},
	{lesson: "paging", step: 7, what: "without compacting", http: "GET /api/v1/namespaces/paging/pods?limit=500&continue={{page1.response.body.metadata.continue}}"},
	{lesson: "paging", step: 8, what: "the expired token again", http: "GET /api/v1/namespaces/paging/pods?limit=500&continue={{page1.response.body.metadata.continue}}", miss: "answered 410"},

	{lesson: "stale-reads", step: 1, what: "freezing before there is anything", http: caches(`{}, {"frozen": true}`) + "\n###\nPOST " + configMaps + "\n\n" + greenLight},
	{lesson: "stale-reads", step: 1, what: "freezing both", http: "POST " + configMaps + "\n\n" + greenLight + "\n###\n" + caches(`{"frozen": true}, {"frozen": true}`), miss: "freezes C0 as well"},
	{lesson: "stale-reads", step: 1, what: "freezing the only one", http: caches("{}") + "\n###\nPOST " + configMaps + "\n\n" + greenLight + "\n###\n" + caches(`{"frozen": true}`), miss: "Have two"},
	{lesson: "stale-reads", step: 2, what: "the present", http: blueLight + "\n###\nGET " + theLight + at("1"), miss: "Say resourceVersion=0"},
	{lesson: "stale-reads", step: 2, what: "the server that keeps up", http: "GET " + theLight + "?resourceVersion=0" + at("0"), miss: "Ask C1"},
	{lesson: "stale-reads", step: 3, what: "the present, then the past", http: "GET " + theLight + at("0") + "\n###\nGET " + theLight + "?resourceVersion=0" + at("1")},
	{lesson: "stale-reads", step: 3, what: "from old to new", http: "GET " + theLight + "?resourceVersion=0" + at("1") + "\n###\nGET " + theLight + "?resourceVersion=0" + at("0")},
	{lesson: "stale-reads", step: 3, what: "always the same server", http: "GET " + theLight + "?resourceVersion=0" + at("0") + "\n###\nGET " + theLight + "?resourceVersion=0" + at("0"), miss: "not older"},
	{lesson: "stale-reads", step: 4, what: "no match", http: "GET " + configMaps + "?resourceVersion={{changed.response.body.metadata.resourceVersion}}" + at("0"), miss: "Say resourceVersionMatch"},
	{lesson: "stale-reads", step: 4, what: "twice the server that has it", http: notOlder + at("0") + "\n###\n" + notOlder + at("0"), miss: "Ask C1"},
	{lesson: "stale-reads", step: 4, what: "the version before", http: "GET " + configMaps + "?resourceVersionMatch=NotOlderThan&resourceVersion={{created.response.body.metadata.resourceVersion}}" + at("1"), miss: "Ask C1, whose cache"},
	{lesson: "stale-reads", step: 5, what: "a version that is there", http: notOlder + at("0"), miss: "this one is there"},
	{lesson: "stale-reads", step: 6, what: "any version", http: "GET " + configMaps + "?resourceVersion=0" + at("1"), miss: "Leave it away"},
	{lesson: "stale-reads", step: 6, what: "the server that keeps up", http: "GET " + configMaps + at("0"), miss: "Ask C1"},
	{lesson: "stale-reads", step: 7, what: "a list", http: "GET " + configMaps + "?resourceVersion=0" + at("1"), miss: "Add watch=1"},
	{lesson: "stale-reads", step: 7, what: "the server that keeps up", http: "GET " + configMaps + "?watch=1&resourceVersion=0" + at("0"), miss: "Watch at C1"},
	{lesson: "stale-reads", step: 7, what: "freezing once more", http: "GET " + configMaps + "?watch=1&resourceVersion=0" + at("1") + "\n###\n" + caches(`{}, {"frozen": true}`), miss: "still frozen"},
}

var right = []attempt{
	{lesson: "list-then-watch", step: 1, what: "all namespaces", http: "GET /api/v1/pods"},
	{lesson: "list-then-watch", step: 2, what: "listing once more, then watching from there",
		http: "# @name again\nGET /api/v1/namespaces/default/pods\n###\nGET /api/v1/namespaces/default/pods?watch=true&resourceVersion={{again.response.body.metadata.resourceVersion}}"},
}

// TestWrongAttempts makes all wrong attempts on the way through each lesson.
// None passes, each is told why, and the solution passes after them.
func TestWrongAttempts(t *testing.T) {
	for id, l := range load(t) {
		t.Run(id, func(t *testing.T) {
			t.Parallel()
			p := newPlayer(t, cluster(t), l)
			for i := range l.Steps {
				for _, a := range wrong {
					if a.lesson != id || a.step != i+1 {
						continue
					}
					a.do(t, p)
					if p.passed() > i {
						t.Fatalf("step %d, %q, passes with %s", i+1, l.Steps[i].Title, a.what)
					}
					if miss := p.session.Step(i).Miss; !strings.Contains(miss, a.miss) {
						t.Errorf("step %d, %s: told %q, want %q in it", i+1, a.what, miss, a.miss)
					}
				}
				p.solve(i)
			}
		})
	}
}

// TestOtherWays passes steps by other means than the lesson's own.
func TestOtherWays(t *testing.T) {
	all := load(t)
	for _, a := range right {
		t.Run(a.what, func(t *testing.T) {
			t.Parallel()
			p := newPlayer(t, cluster(t), all[a.lesson])
			for i := range a.step - 1 {
				p.solve(i)
			}
			a.do(t, p)
			p.await(a.step)
		})
	}
}
