package history

import (
	"os/exec"
	"strings"
	"testing"
	"time"

	"github.com/tabernetes/tabernetes/web/tap"
)

func FuzzClassify(f *testing.F) {
	f.Add("GET", "/api/v1/watch")
	f.Add("GET", "/apis/a/b//?watch=&x=%zz")
	f.Fuzz(func(t *testing.T, method, url string) {
		tap.Classify(method, url)
		c := Call{Method: method, URL: url, Body: url}
		c.Curl(Server{})
		c.Kubectl(Server{})
		c.Fetch()
		e := tap.Exchange{URL: url, Info: tap.Classify(method, url)}
		if n := Prefix(&e); n < 0 || n > len(url) || n > 0 && url[n-1] != '/' {
			t.Errorf("prefix of %q: %d", url, n)
		}
		Query(url)
	})
}

var start = time.Date(2026, 1, 2, 3, 4, 5, 0, time.UTC)

func at(ms int) time.Time { return start.Add(time.Duration(ms) * time.Millisecond) }

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
		"patch with options": {
			Call{Method: "PATCH", URL: "/api/v1/nodes/n?fieldManager=me&dryRun=All", Body: "{}", Header: merge},
			"curl -X PATCH '" + server + "/api/v1/nodes/n?fieldManager=me&dryRun=All' \\\n  -H 'content-type: " +
				"application/merge-patch+json' \\\n  --data-binary '{}'",
			"kubectl --server " + server + " patch nodes/n --field-manager me --dry-run=server --type merge -p '{}'",
			"await fetch(\"/api/v1/nodes/n?fieldManager=me&dryRun=All\", {\n  method: \"PATCH\",\n  headers: {\n    " +
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
