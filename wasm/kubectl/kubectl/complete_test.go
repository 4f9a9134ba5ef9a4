package kubectl

import (
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// TestComplete completes what needs no server, and what one says; without one nothing is completed, and nothing fails.
func TestComplete(t *testing.T) {
	t.Setenv("HOME", t.TempDir())
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		w.Header().Set("Content-Type", "application/json")
		answer := map[string]string{
			"/api":  `{"kind":"APIVersions","versions":["v1"]}`,
			"/apis": `{"kind":"APIGroupList","apiVersion":"v1","groups":[]}`,
			"/api/v1": `{"kind":"APIResourceList","groupVersion":"v1","resources":[` +
				`{"name":"namespaces","singularName":"namespace",` +
				`"namespaced":false,"kind":"Namespace","verbs":["get","list"],"shortNames":["ns"]}]}`,
			"/api/v1/namespaces": `{"kind":"NamespaceList","apiVersion":"v1","items":[{"metadata":{"name":"blue"}},` +
				`{"metadata":{"name":"green"}}]}`,
		}[r.URL.Path]
		if answer == "" {
			w.WriteHeader(http.StatusNotFound)
		}
		_, _ = w.Write([]byte(answer))
	}))
	config := filepath.Join(t.TempDir(), "config")
	text := "clusters: [{name: c, cluster: {server: " + server.URL +
		"}}]\ncontexts: [{name: c, context: {cluster: c}}]\n" +
		"current-context: c\n"
	if err := os.WriteFile(config, []byte(text), 0o600); err != nil {
		t.Fatal(err)
	}
	env := []string{"KUBECONFIG=" + config}
	for words, want := range map[string]string{
		"roll":                "rollout\t",
		"get|--names":         "--namespace\t",
		"apply|-f|":           "json\nyaml\nyml\n:8\n",
		"get|name":            "namespaces",
		"get|ns|b":            "blue\n:4\n",
		"get|ns|-n|":          "blue\ngreen\n:4\n",
		"get|nosuch|":         ":4\n",
		"config|use-context|": "c\n",
	} {
		if got := Complete(strings.Split(words, "|"), env); !strings.Contains(got, want) {
			t.Errorf("%s: %q, and not %q", words, got, want)
		}
	}
	server.Close()
	if got := Complete([]string{"get", "ns", ""}, env); strings.Contains(got, "blue") || got == "" {
		t.Errorf("without a server: %q", got)
	}
}
