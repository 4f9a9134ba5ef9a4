package seed

import (
	"crypto/rand"
	"net/http"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/tabernetes/tabernetes/core"
	"github.com/tabernetes/tabernetes/core/clock"
)

// writeSeed writes files, given as name and text, and returns their directory.
func writeSeed(t *testing.T, files ...string) string {
	t.Helper()
	dir := t.TempDir()
	for i := 0; i < len(files); i += 2 {
		if err := os.WriteFile(filepath.Join(dir, files[i]), []byte(files[i+1]), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	return dir
}

func newTestCluster(t *testing.T, o core.Options) *core.Cluster {
	t.Helper()
	o.Clock, o.Rand = clock.Real(), rand.Reader
	c, err := core.New(o)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = c.Close() }) // which may find that its storage has crashed
	return c
}

const widgets = `# of no use
---
apiVersion: example.com/v1
kind: Widget
metadata: {name: big}
spec: {size: 3}
---
apiVersion: apps/v1
kind: Deployment
metadata: {name: web, namespace: shop}
spec:
  selector: {matchLabels: {app: web}}
  template:
    metadata: {labels: {app: web}}
    spec: {containers: [{name: c, image: i}]}
---
# nothing here
---
apiVersion: v1
kind: List
items:
- {apiVersion: v1, kind: ConfigMap, metadata: {name: a, namespace: shop}, data: {k: v}}
- {apiVersion: v1, kind: ConfigMap, metadata: {name: b}, data: {text: "---"}}
`

const definitions = `{"apiVersion": "v1", "kind": "Namespace", "metadata": {"name": "shop"}}
{"apiVersion": "apiextensions.k8s.io/v1", "kind": "CustomResourceDefinition",
 "metadata": {"name": "widgets.example.com"}, "spec": {
  "group": "example.com", "scope": "Namespaced", "names": {"plural": "widgets", "kind": "Widget"},
  "versions": [{"name": "v1", "served": true, "storage": true, "schema": {"openAPIV3Schema": {
    "type": "object", "properties": {"spec": {"type": "object", "x-kubernetes-preserve-unknown-fields": true}}}}}]}}`

// TestSeed plants twice: what the second finds as it wants it, it leaves as it is.
func TestSeed(t *testing.T) {
	dir := writeSeed(t, "a.yaml", widgets, "b.json", definitions, "notes.txt", "not a manifest")
	cluster := newTestCluster(t, core.Options{})
	paths := []string{
		"/apis/example.com/v1/namespaces/default/widgets/big", "/apis/apps/v1/namespaces/shop/deployments/web",
		"/api/v1/namespaces/shop/configmaps/a", "/api/v1/namespaces/default/configmaps/b",
	}
	var first []string
	for range 2 {
		manifests, err := Read([]string{dir})
		if err != nil {
			t.Fatal(err)
		}
		s := &seeder{Client{API: cluster}}
		if err := s.applyAll(t.Context(), manifests); err != nil {
			t.Fatal(err)
		}
		var now []string
		for _, path := range paths {
			answer, err := s.Do(t.Context(), http.MethodGet, path, nil)
			if err != nil {
				t.Fatal(err)
			}
			text := answer.Body.String()
			if answer.Code != http.StatusOK ||
				!strings.Contains(text, `"manager":"tabernetes-seed","operation":"Apply"`) {
				t.Errorf("%s: %d %s", path, answer.Code, text)
			}
			now = append(now, text)
		}
		if first == nil {
			first = now
		}
		for i := range paths {
			if now[i] != first[i] {
				t.Errorf("the second time changed\n%s\nto\n%s", first[i], now[i])
			}
		}
	}
}

// TestSeedAsAdministrator applies where nobody else may.
func TestSeedAsAdministrator(t *testing.T) {
	cluster := newTestCluster(t, core.Options{Authorization: "RBAC", WithoutCredentials: "Anonymous",
		Tokens: []core.Token{{Token: "secret", User: "root", Groups: []string{"system:masters"}}}})
	manifests, err := parseManifests("x", []byte(`{"apiVersion": "v1", "kind": "ConfigMap", "metadata": {"name": "a"}}`))
	if err != nil {
		t.Fatal(err)
	}
	if err := Apply(t.Context(), cluster, "secret", manifests); err != nil {
		t.Error(err)
	}
	if err := Apply(t.Context(), cluster, "", manifests); err == nil ||
		!strings.Contains(err.Error(), `User "system:anonymous" cannot`) {
		t.Errorf("without a token: %v", err)
	}
}

func TestSeedRefuses(t *testing.T) {
	const good = "apiVersion: v1\nkind: ConfigMap\nmetadata: {name: a}\n"
	cluster := newTestCluster(t, core.Options{})
	for _, c := range []struct{ text, want string }{
		{good + "---\n" + good + "data: {n: 1}\n", `bad.yaml, document 2: ConfigMap a: `},
		{good + "---\n" + strings.Replace(good, "ConfigMap", "Gadget", 1),
			"bad.yaml, document 2: Gadget a: there is no resource of kind Gadget in version v1"},
		{strings.Replace(good, "v1", "example.com/v1", 1), "bad.yaml, document 1: ConfigMap a: there is no resource"},
		{strings.Replace(good, "a}", "a, namespace: none}", 1), `document 1: ConfigMap a: namespaces "none" not found`},
		{strings.Replace(good, "{name: a}", "{generateName: a-}", 1), "document 1: metadata.name is missing"},
		{"---\n" + good + "---\nkind: [\n", "bad.yaml, document 2: "},
		{good + "kind: Secret\n", "document 1: "},
		{"- a list\n", "document 1: it is not a manifest"},
		{good + "dat: {}\n", ".dat: field not declared in schema"},
		{`{"apiVersion": "v1", "kind": "ConfigMap", "metadata": {"name": "a"}} {"kind":`, "bad.yaml, document 2: "},
		{"apiVersion: v1\nkind: List\nitems:\n- kind: Pod\n", "document 1, item 1: apiVersion is missing"},
	} {
		manifests, err := Read([]string{filepath.Join(writeSeed(t, "bad.yaml", c.text), "bad.yaml")})
		if err == nil {
			err = Apply(t.Context(), cluster, "", manifests)
		}
		if err == nil || !strings.HasPrefix(err.Error(), "--seed: ") || !strings.Contains(err.Error(), c.want) {
			t.Errorf("%q: %v", c.text, err)
		}
	}
	if _, err := Read([]string{writeSeed(t)}); err == nil || !strings.Contains(err.Error(), "has no files") {
		t.Errorf("an empty directory: %v", err)
	}
	if _, err := Read([]string{filepath.Join(t.TempDir(), "none.yaml")}); err == nil {
		t.Error("a file that is not there is no error")
	}
}
