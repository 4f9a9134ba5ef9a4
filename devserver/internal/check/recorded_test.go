package check

import (
	"fmt"
	"net/http"
	"os"
	"regexp"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/tabernetes/tabernetes/core/wellknown"
	"github.com/tabernetes/tabernetes/devserver/internal/cluster"
	"github.com/tabernetes/tabernetes/devserver/internal/seed"
)

// writeRecording writes the history of a cluster into a file: objects are applied, later versions of them too, but
// those behind a minus are deleted.
func writeRecording(t *testing.T, name string, texts ...string) {
	t.Helper()
	c, err := cluster.Open(cluster.Options{})
	if err != nil {
		t.Fatal(err)
	}
	defer c.Close()
	s := &server{Client: seed.Client{API: c}}
	ask := func(method, path, content, body string) *cluster.Answer {
		t.Helper()
		r, err := http.NewRequestWithContext(t.Context(), method, path, strings.NewReader(body))
		if err != nil {
			t.Fatal(err)
		}
		r.Header.Set("Content-Type", content)
		a := cluster.Ask(c, r)
		if a.Code >= 300 {
			t.Fatalf("%s %s: %s", method, path, &a.Body)
		}
		return a
	}
	for _, text := range texts {
		if text == "later" {
			ask(http.MethodPost, wellknown.ControlPlane+"/advance", "application/json", `{"seconds":7200}`)
			continue
		}
		text, deleted := strings.CutPrefix(text, "-")
		manifests, findings := parse([]source{{name: "a", text: []byte(text)}})
		if len(findings) > 0 {
			t.Fatal(findings)
		}
		m := manifests[0]
		resource, err := s.Find(t.Context(), m.APIVersion, m.Kind)
		if err != nil || resource == nil {
			t.Fatal(m, err)
		}
		path := resource.Path(m.APIVersion, "default", m.Name)
		switch {
		case deleted:
			ask(http.MethodDelete, path, "application/json", "")
		case strings.Contains(text, "status:"):
			ask(http.MethodPatch, path+"/status", "application/merge-patch+json", string(m.body))
		default:
			ask(http.MethodPatch, path+"?force=true&fieldManager=a", "application/apply-patch+yaml", string(m.body))
		}
	}
	snapshot := ask(http.MethodGet, wellknown.ControlPlane+"/snapshot", "", "")
	if err := os.WriteFile(name, snapshot.Body.Bytes(), 0o600); err != nil {
		t.Fatal(err)
	}
}

// TestRecorded tries the writes of a cluster's history with policies that it did not have.
func TestRecorded(t *testing.T) {
	write(t, "policies.yaml", limited, "none.yaml", config, "damaged", "not a recording")
	replicas := func(name string, n int) string {
		return fmt.Sprintf(strings.NewReplacer("name: web", "name: "+name, "spec:\n  sel", "spec:\n  replicas: %d\n  sel",
			"image: i", "image: ok/i").Replace(deployment), n)
	}
	const params = "apiVersion: v1\nkind: ConfigMap\nmetadata: {name: most}\ndata: {most: \"%d\"}\n"
	kept := strings.Replace(replicas("kept", 1), "name: kept", "name: kept, labels: {keep: \"yes\"}", 1)
	writeRecording(t, "cluster.tabernetes", fmt.Sprintf(params, 2), replicas("old", 9), "later", fmt.Sprintf(params, 5),
		replicas("web", 3), replicas("web", 6), replicas("web", 4), replicas("web", 4)+"status: {replicas: 2}\n", kept,
		"-"+kept)
	place := regexp.MustCompile(`\d{4}-\d\d-\d\dT\d\d:\d\d:\d\dZ, revision \d+`)
	const refusal = "deployments.apps \"%s\" is forbidden: ValidatingAdmissionPolicy 'few' with binding 'few' denied " +
		"request: %s\n"
	refused := func(verb, name, why string) string {
		return "policies.yaml:1: error: Deployment default/" + name + ": " + verb + " at PLACE: " +
			fmt.Sprintf(refusal, name, why)
	}
	hour := refused("update", "web", "at most 5") + refused("delete", "kept", "it is kept")
	for _, c := range []struct {
		since time.Duration
		want  string // of the lines of errors and the summary
	}{
		{0, refused("create", "old", "at most 5") + hour + "6 writes: 3 accepted, 3 refused; 3 errors, 0 warnings\n"},
		{time.Hour, hour + "5 writes: 3 accepted, 2 refused; 2 errors, 0 warnings\n"},
	} {
		r, err := Recorded(t.Context(), RecordedOptions{File: "cluster.tabernetes", Since: c.since,
			Policies: []string{"policies.yaml"}})
		if err != nil {
			t.Fatal(err)
		}
		got := ""
		for _, f := range r.Findings {
			if f.Severity == Error {
				got += fmt.Sprintf("%s:%d: error: %s\n", f.File, f.Line, f.text())
			}
		}
		got = place.ReplaceAllString(got, "PLACE") + r.Summary() + "\n"
		if got != c.want {
			t.Errorf("since %v:\n%s\nnot\n%s", c.since, got, c.want)
		}
	}
	for _, c := range []struct{ file, policies, want string }{
		{"none", "policies.yaml", "none: no such file or directory"},
		{"damaged", "policies.yaml", "damaged: it is no recording of a cluster: the frame at byte 0: its head is damaged"},
		{"cluster.tabernetes", "none.yaml", "none.yaml: no admission policy is there"},
	} {
		_, err := Recorded(t.Context(), RecordedOptions{File: c.file, Policies: []string{c.policies}})
		if err == nil || err.Error() != c.want {
			t.Errorf("%v, not %s", err, c.want)
		}
	}

	// What is tried of a damaged file is said.
	text, err := os.ReadFile("cluster.tabernetes")
	if err != nil {
		t.Fatal(err)
	}
	text[len(text)/2] ^= 0xff
	if err := os.WriteFile("half", text, 0o600); err != nil {
		t.Fatal(err)
	}
	r, err := Recorded(t.Context(), RecordedOptions{File: "half", Policies: []string{"policies.yaml"}})
	if err != nil || !slices.ContainsFunc(r.Notes, func(note string) bool {
		return strings.HasPrefix(note, "half is damaged, and only what is before that was tried: ")
	}) {
		t.Errorf("%+v, %v", r, err)
	}
}
