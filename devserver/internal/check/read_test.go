package check

import (
	"fmt"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
)

// TestInputs checks where manifests come from, and what cannot be read.
func TestInputs(t *testing.T) {
	write(t, "dir/a.yaml", config, "dir/b/c.yml", space, "dir/.git/x.yaml", "a: b: c", "dir/values.yaml", "replicas: 1\n",
		"dir/chart/Chart.yaml", "apiVersion: v2\nname: x\n", "dir/kustomization.yaml", "resources: [a.yaml]\n",
		"dir/x.txt", "a: b: c",
		"empty/x.txt", "", "crds/w.yaml", widgets,
		"crds/bad.txt", strings.Replace(widgets, "storage: true", "storage: false", 1),
		"bad.yaml", config+"---\na: b: c\n", "policies/p.yaml", policy, "w.yaml", widget, "none.yaml", "# nothing\n",
		"many.yaml", strings.Replace(deployment, "spec:\n", "spec:\n  replicas: 9\n", 1))
	served := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if r.URL.Path != "/a.yaml" {
			http.NotFound(w, r)
			return
		}
		fmt.Fprint(w, config+"dat: {}\n")
	}))
	defer served.Close()
	const good = "1 manifest: 1 accepted, 0 refused; 0 errors, 0 warnings"
	for _, c := range []struct {
		name string
		o    Options
		want string
	}{
		{"a directory", Options{Paths: []string{"dir", "dir/a.yaml"}}, "2 manifests: 2 accepted"},
		{"kustomize's", Options{Paths: []string{"dir"}}, "note: dir/kustomization.yaml is for kustomize"},
		{"the standard input", Options{Paths: []string{"-"}, In: strings.NewReader(config +
			"dat: 1\n")}, "stdin:4: error: ConfigMap a: dat: "},
		{"a URL", Options{Paths: []string{served.URL + "/a.yaml"}}, "/a.yaml:4: error: ConfigMap a: dat: "},
		{"a URL that is not there", Options{Paths: []string{served.URL +
			"/b.yaml"}}, "/b.yaml: the server answers 404 Not Found\n"},
		{"no file", Options{Paths: []string{"x.yaml"}}, "error: x.yaml: no such file or directory\n"},
		{"a directory that is a file", Options{Paths: []string{"w.yaml/x"}}, "error: w.yaml/x: not a directory\n"},
		{"a directory without manifests", Options{Paths: []string{"empty"}}, "error: empty: no file below it ends in"},
		{"nothing in a file", Options{Paths: []string{"none.yaml"}}, "error: no manifests are there\n"},
		{"definitions", Options{Paths: []string{"w.yaml"}, Definitions: []string{"crds"}}, good},
		{"no definitions",
			Options{Paths: []string{"w.yaml"}, Definitions: []string{"dir"}},
			"error: dir: no CustomResourceDefinition is there\n"},
		{"a definition that is refused", Options{Paths: []string{"w.yaml"}, Definitions: []string{"crds/bad.txt"}},
			"error: crds/bad.txt:8: CustomResourceDefinition widgets.example.com: spec.versions: Invalid value"},
		{"definitions that are not YAML", Options{Paths: []string{"w.yaml"}, Definitions: []string{"bad.yaml"}},
			"error: bad.yaml:5: it is not YAML: mapping values are not allowed in this context\n"},
		{"definitions of the standard input",
			Options{Paths: []string{"w.yaml"}, Definitions: []string{"-"}, In: strings.NewReader(widgets)},
			"error: the standard input can be read once"},
		{"skipped",
			Options{Paths: []string{"w.yaml"}, SkipUnknown: true},
			"1 manifest: 0 accepted, 0 refused, 1 skipped; 0 errors, 0 warnings\n"},
		{"policies",
			Options{Paths: []string{"many.yaml"}, Policies: []string{"policies"}}, "denied request: at most five\n"},
		{"context", Options{Paths: []string{"w.yaml"}, Context: []string{"crds"}}, good},
		{"no namespaces", Options{Paths: []string{"-"}, NamespacesMustExist: true,
			In: strings.NewReader(strings.Replace(config, "a}",
				"a,\n  namespace: shop}", 1))}, `stdin:4: error: ConfigMap shop/a: namespaces "shop" not found`},
	} {
		if got := printed(t, c.o); !strings.Contains(got, c.want) {
			t.Errorf("%s: %q, without %q", c.name, got, c.want)
		}
	}
}
