package history

import (
	"os/exec"
	"strings"
	"testing"
	"time"

	"github.com/tabernetes/tabernetes/core/wellknown"
	"github.com/tabernetes/tabernetes/web/tap"
)

func TestClassify(t *testing.T) {
	for _, c := range []struct{ method, url, want string }{
		{"GET", "/api/v1/pods", "list pods"},
		{"GET", "/api/v1/pods?watch=1", "watch pods"},
		{"GET", "/api/v1/pods?watch=false", "list pods"},
		{"GET", "/api/v1/pods?watch", "watch pods"},
		{"GET", "/api/v1/namespaces", "list namespaces"},
		{"GET", "/api/v1/namespaces/a", "get namespaces a"},
		{"PUT", "/api/v1/namespaces/a/finalize", "update namespaces/finalize a"},
		{"GET", "/api/v1/namespaces/a/pods", "list a pods"},
		{"DELETE", "/api/v1/namespaces/a/pods", "deletecollection a pods"},
		{"DELETE", "/api/v1/namespaces/a/pods/p", "delete a pods p"},
		{"POST", "/api/v1/namespaces/a/pods/p/eviction", "create a pods/eviction p"},
		{"PATCH", "/apis/apps/v1/namespaces/a/deployments/d", "patch a deployments.apps d"},
		{"GET", "/api/v1/watch/namespaces/a/pods/p", "watch a pods p"},
		{"POST", wellknown.ControlPlane + "/compact", "create controlplanes.sandbox.tabernetes.dev/compact default"},
		{"GET", "/version", "get"},
		{"GET", "/apis/apps/v1", "get"},
		{"GET", "/api/v1", "get"},
		{"GET", "/api", "get"},
		{"GET", "/api//", "get"},
		{"GET", "%zz", "get"},
	} {
		i := Classify(c.method, c.url)
		got := i.Verb
		if i.Namespace != "" {
			got += " " + i.Namespace
		}
		if i.Resource != "" {
			got += " " + i.GroupResource()
		}
		if i.Subresource != "" {
			got += "/" + i.Subresource
		}
		if i.Name != "" {
			got += " " + i.Name
		}
		if got != c.want {
			t.Errorf("%s %s: got %q, want %q", c.method, c.url, got, c.want)
		}
	}
}

func FuzzClassify(f *testing.F) {
	f.Add("GET", "/api/v1/watch")
	f.Add("GET", "/apis/a/b//?watch=&x=%zz")
	f.Fuzz(func(t *testing.T, method, url string) {
		Classify(method, url)
		c := Call{Method: method, URL: url, Body: url}
		c.Curl(Server{})
		c.Kubectl(Server{})
		c.Fetch()
		e := Entry{URL: url, Info: Classify(method, url)}
		if n := e.Prefix(); n < 0 || n > len(url) || n > 0 && url[n-1] != '/' {
			t.Errorf("prefix of %q: %d", url, n)
		}
		Query(url)
	})
}

var start = time.Date(2026, 1, 2, 3, 4, 5, 0, time.UTC)

func at(ms int) time.Time { return start.Add(time.Duration(ms) * time.Millisecond) }

func TestLogFollowsARequest(t *testing.T) {
	var l Log
	l.Add(tap.Event{Type: tap.Request, ID: 1, Time: at(0), Method: "GET", URL: "/api/v1/pods?watch=1"})
	e := l.Get(1)
	if e.Phase != Pending || !e.Live() || e.Duration(at(7)) != 7*time.Millisecond {
		t.Errorf("made: %+v", e)
	}
	l.Add(tap.Event{Type: tap.Head, ID: 1, Time: at(3), Status: 200,
		Header: []tap.Field{{Name: "Content-Type", Value: "application/json"}}})
	l.Add(tap.Event{Type: tap.Chunk, ID: 1, Time: at(4), Text: "{}\n{"})
	l.Add(tap.Event{Type: tap.Chunk, ID: 1, Time: at(5), Text: "}\n"})
	if e.Phase != Streaming || e.Events != 2 || e.Size != 6 || e.Text() != "{}\n{}\n" ||
		e.Get("content-type") != "application/json" {
		t.Errorf("streaming: %+v", e)
	}
	l.Add(tap.Event{Type: tap.Fail, ID: 1, Time: at(9), Aborted: true})
	if e.Phase != Aborted || e.Live() || e.Duration(at(50)) != 9*time.Millisecond {
		t.Errorf("aborted: %+v", e)
	}
	if l.Add(tap.Event{Type: tap.Chunk, ID: 1, Text: "late"}) != nil || l.Add(tap.Event{Type: tap.End, ID: 2}) != nil {
		t.Error("events of no living request changed something")
	}
}

func TestLogForgetsLargeBodiesOfRequests(t *testing.T) {
	var l Log
	big, small := strings.Repeat("x", 1<<20), strings.Repeat("y", smallBody)
	for id := 1; id <= 100; id++ {
		body := big
		if id%2 == 0 {
			body = small
		}
		l.Add(tap.Event{Type: tap.Request, ID: id, Method: "POST", URL: "/api/v1/namespaces/a/configmaps", Body: body})
		l.Add(tap.Event{Type: tap.Chunk, ID: id, Text: small})
		l.Add(tap.Event{Type: tap.End, ID: id})
	}
	if l.bytes > maxBytes {
		t.Errorf("%d bytes kept", l.bytes)
	}
	if e := l.Get(1); e.Body != "" || !e.Bodyless {
		t.Errorf("the oldest body has %d bytes", len(e.Body))
	}
	if e := l.Get(2); e.Body != small || e.Bodyless {
		t.Errorf("a small body has %d bytes", len(e.Body))
	}
	if e := l.Get(99); e.Body != big || e.Bodyless || e.Text() != small {
		t.Errorf("one of the newest has %d and %d bytes", len(e.Body), len(e.Text()))
	}
	l.Add(tap.Event{Type: tap.Request, ID: 101, Method: "PUT", URL: "/x", Body: strings.Repeat("x", maxBytes+1)})
	for range maxBytes>>20 + 1 {
		l.Add(tap.Event{Type: tap.Chunk, ID: 101, Text: big})
	}
	l.Add(tap.Event{Type: tap.End, ID: 101})
	if e := l.Get(101); !e.Bodyless || !e.Trimmed || e.Text() != "" || e.Size != maxBytes+1<<20 {
		t.Errorf("what is too large by itself is kept: %d and %d bytes", len(e.Body), len(e.Text()))
	}
	l.Clear()
	if l.bytes != 0 {
		t.Errorf("after Clear: %d bytes", l.bytes)
	}
}

func TestLogIsBounded(t *testing.T) {
	var l Log
	big := strings.Repeat("x", 3<<20)
	l.Add(tap.Event{Type: tap.Request, ID: 1, Method: "GET", URL: "/api/v1/pods?watch=1"})
	for id := 2; id < maxEntries+100; id++ {
		l.Add(tap.Event{Type: tap.Request, ID: id, Method: "GET", URL: "/api/v1/pods"})
		if id%100 == 0 {
			l.Add(tap.Event{Type: tap.Chunk, ID: id, Text: big})
		}
		l.Add(tap.Event{Type: tap.End, ID: id})
	}
	if l.Len() != maxEntries || l.Get(1) == nil || l.Get(2) != nil {
		t.Errorf("%d entries, first %v", l.Len(), l.Entries()[0])
	}
	if l.bytes > maxBytes {
		t.Errorf("%d bytes kept", l.bytes)
	}
	last, first := l.Get(2000), l.Get(200)
	if last.Text() != big || !first.Trimmed || first.Text() != "" || first.Size != len(big) {
		t.Error("the newest body must be kept, the oldest not")
	}
	line := strings.Repeat("y", 1023) + "\n"
	for range 3 * maxStream / len(line) {
		l.Add(tap.Event{Type: tap.Chunk, ID: 1, Text: line})
	}
	w := l.Get(1)
	if !w.Trimmed || len(w.Text()) > maxStream || len(w.Text())%len(line) != 0 || w.Events != 3*maxStream/len(line) {
		t.Errorf("stream keeps %d bytes of %d", len(w.Text()), w.Size)
	}
	l.Clear()
	if l.Len() != 1 || l.Get(1) == nil || l.bytes != len(w.Text()) {
		t.Errorf("after Clear: %d entries, %d bytes", l.Len(), l.bytes)
	}
}

const server = "http://127.0.0.1:8080"

func TestCopyAs(t *testing.T) {
	merge := []tap.Field{{Name: "content-type", Value: "application/merge-patch+json"}, {Name: "user-agent", Value: "x"},
		{Name: "accept", Value: "*/*"}}
	for name, c := range map[string]struct {
		call                 Call
		curl, kubectl, fetch string
	}{
		"get": {
			Call{Method: "GET", URL: "/api/v1/namespaces/a/pods/p"},
			"curl " + server + "/api/v1/namespaces/a/pods/p",
			"kubectl --server " + server + " get pods/p -n a -o json",
			`await fetch("/api/v1/namespaces/a/pods/p")`,
		},
		"page": {
			Call{Method: "GET", URL: "/apis/apps/v1/deployments?limit=5&labelSelector=a%3Db"},
			"curl '" + server + "/apis/apps/v1/deployments?limit=5&labelSelector=a%3Db'",
			"kubectl --server " + server + " get deployments.apps -A -l a=b --chunk-size 5",
			`await fetch("/apis/apps/v1/deployments?limit=5&labelSelector=a%3Db")`,
		},
		"exact": {
			Call{Method: "GET", URL: "/api/v1/pods?resourceVersion=5&resourceVersionMatch=Exact"},
			"curl '" + server + "/api/v1/pods?resourceVersion=5&resourceVersionMatch=Exact'",
			"kubectl --server " + server + " get --raw '/api/v1/pods?resourceVersion=5&resourceVersionMatch=Exact'",
			`await fetch("/api/v1/pods?resourceVersion=5&resourceVersionMatch=Exact")`,
		},
		"watch": {
			Call{Method: "GET", URL: "/api/v1/nodes?watch=1"},
			"curl -N '" + server + "/api/v1/nodes?watch=1'",
			"kubectl --server " + server + " get --raw '/api/v1/nodes?watch=1'",
			`await fetch("/api/v1/nodes?watch=1")`,
		},
		"create": {
			Call{Method: "POST", URL: "/api/v1/namespaces", Body: `{"metadata":{"name":"it's"}}`,
				Header: []tap.Field{{Name: "content-type", Value: "application/json"}}},
			"curl " + server + "/api/v1/namespaces \\\n  -H 'content-type: application/json' \\\n  --data-binary " +
				"'{\"metadata\":{\"name\":\"it'\\''s\"}}'",
			"kubectl --server " + server +
				" create --raw /api/v1/namespaces -f - <<'EOF'\n{\"metadata\":{\"name\":\"it's\"}}\nEOF",
			"await fetch(\"/api/v1/namespaces\", {\n  method: \"POST\",\n  headers: {\n    \"content-type\": " +
				"\"application/json\",\n  },\n  body: \"{\\\"metadata\\\":{\\\"name\\\":\\\"it's\\\"}}\",\n})",
		},
		"patch": {
			Call{Method: "PATCH", URL: "/api/v1/namespaces/a/pods/p/status", Body: "{}", Header: merge},
			"curl -X PATCH " + server + "/api/v1/namespaces/a/pods/p/status \\\n  -H 'content-type: " +
				"application/merge-patch+json' \\\n  --data-binary '{}'",
			"kubectl --server " + server + " patch pods/p -n a --subresource status --type merge -p '{}'",
			"await fetch(\"/api/v1/namespaces/a/pods/p/status\", {\n  method: \"PATCH\",\n  headers: {\n    " +
				"\"content-type\": \"application/merge-patch+json\",\n  },\n  body: \"{}\",\n})",
		},
		"apply": {
			Call{Method: "PATCH", URL: "/api/v1/namespaces/a/pods/p?fieldManager=me&force=true", Body: "kind: Pod\n",
				Header: []tap.Field{{Name: "content-type", Value: "application/apply-patch+yaml"}}},
			"curl -X PATCH '" + server + "/api/v1/namespaces/a/pods/p?fieldManager=me&force=true' \\\n  -H 'content-type: " +
				"application/apply-patch+yaml' \\\n  --data-binary 'kind: Pod\n'",
			"kubectl --server " + server +
				" apply --server-side -n a --field-manager me --force-conflicts -f - <<'EOF'\nkind: Pod\nEOF",
			"await fetch(\"/api/v1/namespaces/a/pods/p?fieldManager=me&force=true\", {\n  method: \"PATCH\",\n  headers: " +
				"{\n    \"content-type\": \"application/apply-patch+yaml\",\n  },\n  body: \"kind: Pod\\n\",\n})",
		},
		"delete": {
			Call{Method: "DELETE", URL: "/api/v1/nodes/n"},
			"curl -X DELETE " + server + "/api/v1/nodes/n",
			"kubectl --server " + server + " delete nodes/n",
			"await fetch(\"/api/v1/nodes/n\", {\n  method: \"DELETE\",\n})",
		},
		"delete all": {
			Call{Method: "DELETE", URL: "/api/v1/namespaces/a/pods"},
			"curl -X DELETE " + server + "/api/v1/namespaces/a/pods",
			"kubectl --server " + server + " delete pods -n a --all",
			"await fetch(\"/api/v1/namespaces/a/pods\", {\n  method: \"DELETE\",\n})",
		},
		"odd": {
			Call{Method: "OPTIONS", URL: "/api"},
			"curl -X OPTIONS " + server + "/api",
			"# kubectl cannot send OPTIONS /api\ncurl -X OPTIONS " + server + "/api",
			"await fetch(\"/api\", {\n  method: \"OPTIONS\",\n})",
		},
	} {
		if got := c.call.Curl(Server{Origin: server}); got != c.curl {
			t.Errorf("%s: curl\n%s\nwant\n%s", name, got, c.curl)
		}
		if got := c.call.Kubectl(Server{Origin: server}); got != c.kubectl {
			t.Errorf("%s: kubectl\n%s\nwant\n%s", name, got, c.kubectl)
		}
		if got := c.call.Fetch(); got != c.fetch {
			t.Errorf("%s: fetch\n%s\nwant\n%s", name, got, c.fetch)
		}
	}
}

// A body must come out of the shell as it went in.
func TestShellQuotes(t *testing.T) {
	sh, err := exec.LookPath("sh")
	if err != nil {
		t.Skip("no shell here")
	}
	for _, s := range []string{"", "a b", "it's", "$HOME `x` \\ \"", "a\nb", "!*?~#", "-n"} {
		out, err := exec.Command(sh, "-c", "printf '%s|' "+shell(s)).Output()
		if err != nil || string(out) != s+"|" {
			t.Errorf("%q came out as %q (%v)", s, out, err)
		}
	}
}

// A command that cannot reach the tab's cluster says so first, and is still a command.
func TestCopyFromTheTab(t *testing.T) {
	const note = "# The request went to the cluster inside a browser tab, which "
	c := Call{Method: "OPTIONS", URL: "/api"}
	in := Server{Origin: server, InTab: true}
	for _, got := range []string{c.Curl(in), c.Kubectl(in)} {
		if !strings.HasPrefix(got, note) || !strings.HasSuffix(got, "\ncurl -X OPTIONS "+server+"/api") ||
			strings.Count(got, note) != 1 {
			t.Errorf("got %s", got)
		}
	}
	sh, err := exec.LookPath("sh")
	if err != nil {
		t.Skip("no shell here")
	}
	for _, got := range []string{c.Curl(in), c.Kubectl(in)} {
		out, err := exec.Command(sh, "-c", "curl() { echo \"$@\"; }\n"+got).Output()
		if want := "-X OPTIONS " + server + "/api\n"; err != nil || string(out) != want {
			t.Errorf("the shell makes of %s: %s (%v)", got, out, err)
		}
	}
}

// TestWrote wants an entry to have the revisions that its request made, whether they or the tap come first, and the
// answer's word for them once there is one.
func TestWrote(t *testing.T) {
	var l Log
	request := func(id int) { l.Add(tap.Event{Type: tap.Request, ID: id, Method: "POST", URL: "/api/v1/pods"}) }
	made := func(id int) string { return spans(l.Get(id).Source.Wrote) }
	request(1)
	if e := l.Wrote(1, 30); e == nil || e.ID != 1 || made(1) != "30" {
		t.Errorf("%+v", e)
	}
	if l.Wrote(2, 31) != nil || l.Wrote(2, 32) != nil {
		t.Error("it is not known yet")
	}
	request(2)
	l.Add(tap.Event{Type: tap.Fail, ID: 2, Err: "lost"})
	l.Wrote(2, 34)
	if made(2) != "31, 32, 34" {
		t.Error(made(2))
	}
	// The answer says it all.
	l.Add(tap.Event{Type: tap.Head, ID: 1, Status: 201, Source: &tap.Source{Rule: "write", Wrote: []Span{{First: 30,
		Last: 30}}}})
	if l.Wrote(1, 30) != nil || made(1) != "30" {
		t.Error(made(1))
	}
	request(3)
	l.Wrote(3, 40)
	l.Add(tap.Event{Type: tap.Head, ID: 3, Status: 201})
	if made(3) != "40" {
		t.Errorf("the server says nothing of it: %s", made(3))
	}
	if l.Wrote(-5, 41) != nil {
		t.Error("a request of another page")
	}
}
