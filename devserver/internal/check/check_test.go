package check

import (
	"bytes"
	"flag"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
)

var update = flag.Bool("update", false, "write what is printed to testdata")

// write writes files, given as name and text, into a new directory, which the test works in.
func write(t *testing.T, files ...string) {
	t.Helper()
	t.Chdir(t.TempDir())
	more(t, files...)
}

func more(t *testing.T, files ...string) {
	t.Helper()
	for i := 0; i < len(files); i += 2 {
		if err := os.MkdirAll(filepath.Dir(files[i]), 0o700); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(files[i], []byte(files[i+1]), 0o600); err != nil {
			t.Fatal(err)
		}
	}
}

// printed returns a report as text.
func printed(t *testing.T, o Options) string {
	t.Helper()
	r, err := Run(t.Context(), o)
	if err != nil {
		return "error: " + err.Error() + "\n"
	}
	var out strings.Builder
	if err := text(&out, r); err != nil {
		t.Fatal(err)
	}
	return out.String()
}

const (
	deployment = `apiVersion: apps/v1
kind: Deployment
metadata: {name: web}
spec:
  selector:
    matchLabels: {app: web}
  template:
    metadata: {labels: {app: web}}
    spec:
      containers:
      - name: c
        image: i
`
	widgets = `apiVersion: apiextensions.k8s.io/v1
kind: CustomResourceDefinition
metadata: {name: widgets.example.com}
spec:
  group: example.com
  scope: Namespaced
  names: {plural: widgets, kind: Widget}
  versions:
  - name: v1
    served: true
    storage: true
    schema:
      openAPIV3Schema:
        type: object
        properties:
          spec: {type: object, properties: {size: {type: integer, maximum: 9}}}
`
	widget = "apiVersion: example.com/v1\nkind: Widget\nmetadata: {name: w}\nspec: {size: 3}\n"
	config = "apiVersion: v1\nkind: ConfigMap\nmetadata: {name: a}\n"
	space  = "apiVersion: v1\nkind: Namespace\nmetadata: {name: shop}\n"
	policy = `apiVersion: admissionregistration.k8s.io/v1
kind: ValidatingAdmissionPolicy
metadata: {name: few}
spec:
  matchConstraints:
    resourceRules: [{apiGroups: [apps], apiVersions: [v1], operations: [CREATE, UPDATE], resources: [deployments]}]
  validations: [{expression: object.spec.replicas <= 5, message: at most five}]
---
apiVersion: admissionregistration.k8s.io/v1
kind: ValidatingAdmissionPolicyBinding
metadata: {name: few}
spec: {policyName: few, validationActions: [Deny]}
`
	bounded = `apiVersion: admissionregistration.k8s.io/v1
kind: ValidatingAdmissionPolicy
metadata: {name: named}
spec:
  paramKind: {apiVersion: v1, kind: ConfigMap}
  matchConstraints:
    resourceRules: [{apiGroups: [""], apiVersions: [v1], operations: [CREATE, UPDATE], resources: [configmaps]}]
  validations: [{expression: object.metadata.name == params.data.name}]
---
apiVersion: admissionregistration.k8s.io/v1
kind: ValidatingAdmissionPolicyBinding
metadata: {name: named}
spec:
  policyName: named
  validationActions: [Deny]
  paramRef: {name: names, namespace: default, parameterNotFoundAction: Deny}
---
apiVersion: v1
kind: ConfigMap
metadata: {name: names}
data: {name: b}
`
	quota = `apiVersion: v1
kind: ResourceQuota
metadata: {name: q}
spec: {hard: {pods: "1"}}
`
	pod = "apiVersion: v1\nkind: Pod\nmetadata: {name: NAME}\nspec: {containers: [{name: c, image: i}]}\n"
)

func indented(text string) string { return strings.ReplaceAll(text, "\n", "\n  ") }

// TestFindings checks what is said of manifests in the file a.yaml.
func TestFindings(t *testing.T) {
	for _, c := range []struct {
		name, text string
		want       []string // beginnings of the lines, without the file; the last one is the summary
	}{
		{"good", deployment, []string{"1 manifest: 1 accepted, 0 refused; 0 errors, 0 warnings"}},
		{"wrong type", strings.Replace(deployment, "spec:\n", "spec:\n  replicas: apples\n", 1),
			[]string{"5: error: Deployment web: spec.replicas: expected numeric",
				"1 manifest: 0 accepted, 1 refused; 1 error"}},
		{"unknown fields, all of them", strings.Replace(deployment, "image: i",
			"image: i\n        imagee: j\n        a: 1", 1),
			[]string{"13: error: Deployment web: spec.template.spec.containers[0].imagee: unknown field",
				"14: error: Deployment web: spec.template.spec.containers[0].a: unknown field", "1 manifest: "}},
		{"several causes", strings.Replace(deployment, "image: i", "imagePullPolicy: Now", 1),
			[]string{"11: error: Deployment web: spec.template.spec.containers[0].image: Required value",
				"12: error: Deployment web: spec.template.spec.containers[0].imagePullPolicy: Unsupported value: \"Now\"",
				"1 manif"}},
		{"keys of a list", strings.Replace(deployment, "image: i",
			"image: i\n        ports:\n        - {containerPort: 80}\n        - containerPort: 81\n          hostPort: x", 1),
			[]string{"16: error: Deployment web: spec.template.spec.containers[name=\"c\"]." +
				`ports[containerPort=81,protocol="TCP"].hostPort: expected numeric`, "1 manif"}},
		{"comments before, and the second document", "# one\n---\n# two\n" + config + "---\n\n" + config + "dat: {}\n",
			[]string{"11: warning: ConfigMap a: metadata.name: the name exists twice, also in a.yaml:6",
				"12: error: ConfigMap a: dat: unknown field", "2 manifests: 1 accepted, 1 refused; 1 error, 1 warning"}},
		{"broken in the middle", config + "---\na: b: c\n---\n" + config + "dat: {}\n",
			[]string{"5: error: it is not YAML: mapping values are not allowed", "9: warning: ",
				"10: error: ConfigMap a: dat: ", "2 manifests"}},
		{"a template", "apiVersion: v1\nkind: {{ .Values.kind }}\n",
			[]string{"1: error: it is not YAML: ", "0 manifests: 0 accepted, 0 refused; 1 error"}},
		{"a key twice", config + "data: {a: b}\ndata: {c: d}\n",
			[]string{`5: error: key "data" already set in map`, "1 manifest: 1 accepted"}},
		{"a List", "apiVersion: v1\nkind: List\nitems:\n- " + indented(config) + "dat: {}\n- {apiVersion: v1}\n",
			[]string{"7: error: ConfigMap a: dat: unknown", "8: error: kind is missing", "1 manif"}},
		{"JSON", "{\"apiVersion\": \"v1\",\n\"kind\": \"ConfigMap\",\n\"metadata\": {\"name\": \"a\"},\n\"dat\": 1}",
			[]string{"4: error: ConfigMap a: dat: unknown", "1 manif"}},
		{"an alias of what it is in", config + "data: &d {a: *d}\n",
			[]string{"1: error: it is not YAML: anchor 'd' value contains itself", "0 manif"}},
		{"no manifest", "- a\n", []string{"1: error: it is not a manifest", "0 manif"}},
		{"no kind", "apiVersion: v1\n", []string{"1: error: kind is missing", "0 manif"}},
		{"no name", "apiVersion: v1\nkind: ConfigMap\nmetadata:\n  labels: {}\n",
			[]string{"3: error: ConfigMap: metadata.name is missing", "0 manif"}},
		{"a name that is a number", "apiVersion: v1\nkind: ConfigMap\nmetadata:\n  name: 1\n",
			[]string{"4: error: metadata.name: it is a number, not a text", "0 manif"}},
		{"a generated name", strings.Replace(config, "name:", "generateName:", 1) + "data: {a: 1}\n",
			[]string{"4: error: ConfigMap a: data: cannot unmarshal number into string", "1 manif"}},
		{"a removed version", "kind: Ingress\napiVersion: extensions/v1beta1\nmetadata: {name: a}\n",
			[]string{`2: error: Ingress a: no matches for kind "Ingress" in version "extensions/v1beta1"; ` +
				"it is served in networking.k8s.io/v1",
				"1 manif"}},
		{"a deprecated version", "apiVersion: v1\nkind: Endpoints\nmetadata: {name: a}\n",
			[]string{"1: warning: Endpoints a: v1 Endpoints is deprecated", "1 manifest: 1 accepted"}},
		{"a warning of a field", strings.Replace(deployment, "containers:",
			"nodeSelector: {beta.kubernetes.io/os: linux}\n      containers:", 1),
			[]string{"10: warning: Deployment web: spec.template.spec.nodeSelector[beta.kubernetes.io/os]: deprecated since",
				"1 manif"}},
		{"without a definition", widget,
			[]string{`1: error: Widget w: no matches for kind "Widget" in version "example.com/v1"; if a definition`,
				"1 manif"}},
		{"definitions first", strings.Replace(widget, "3", "30", 1) + "---\n" + widgets,
			[]string{"4: error: Widget w: spec.size: Invalid value: 30: spec.size in body should be less than or equal to 9",
				"2 manif"}},
		{"a definition that is refused", widget + "---\n" + strings.Replace(widgets, "storage: true",
			"storage: false", 1),
			[]string{`1: error: Widget w: no matches for kind "Widget" in version "example.com/v1"; ` +
				"its definition is refused (a.yaml:6)",
				"6: error: CustomResourceDefinition widgets.example.com: status.storedVersions: Invalid value: null",
				"13: error: CustomResourceDefinition widgets.example.com: spec.versions: Invalid value",
				"2 manifests: 0 accepted"}},
		{"names that another definition has", widgets + "---\n" + strings.ReplaceAll(widgets, "widgets", "others"),
			[]string{`24: error: CustomResourceDefinition others.example.com: spec.names: "WidgetList" is already in use`,
				"2 manif"}},
		{"namespaces first", strings.Replace(config, "a}", "a, namespace: shop}", 1) + "---\n" +
			space, []string{"2 manifests: 2 accepted"}},
		{"a namespace that is refused", strings.Replace(config, "a}", "a, namespace: Shop}", 1) + "---\n" +
			strings.Replace(space, "shop", "Shop", 1),
			[]string{`3: error: ConfigMap Shop/a: namespaces "Shop" not found; it is refused (a.yaml:5)`,
				`7: error: Namespace Shop: metadata.name: Invalid value: "Shop"`, "2 manifests: 0 accepted"}},
		{"a namespace that is assumed", strings.Replace(config, "a}", "a, namespace: default}\n---\n"+
			strings.Replace(config, "a}", "a, namespace: shop}", 1), 1),
			[]string{"note: namespace shop is not among the manifests; it was assumed to exist",
				"2 manifests: 2 accepted"}},
		{"a policy", strings.Replace(deployment, "spec:\n", "spec:\n  replicas: 9\n", 1) + "---\n" + policy,
			[]string{"1: error: Deployment web: deployments.apps \"web\" is forbidden: " +
				"ValidatingAdmissionPolicy 'few' with binding 'few' denied request: at most five", "3 manif"}},
		{"parameters before their policies, and nothing else", config + "---\n" + bounded,
			[]string{"1: error: ConfigMap a: configmaps \"a\" is forbidden: ValidatingAdmissionPolicy 'named' with binding " +
				"'named' denied request: failed expression: object.metadata.name == params.data.name", "4 manif"}},
		{"a policy of custom resources", widgets + "---\n" + widget + "---\n" + strings.NewReplacer("apps", "example.com",
			"deployments", "widgets", "spec.replicas <= 5", "spec.size > 5").Replace(policy),
			[]string{"18: error: Widget w: widgets.example.com \"w\" is forbidden: ", "4 manif"}},
		{"a quota", strings.ReplaceAll(pod, "NAME", "a") + "---\n" + strings.ReplaceAll(pod, "NAME", "b") +
			"---\n" + quota,
			[]string{"6: error: Pod b: pods \"b\" is forbidden: exceeded quota: q, " +
				"requested: pods=1, used: pods=1, limited: pods=1", "3 manif"}},
		{"the same name, other selectors", deployment + "---\n" + strings.ReplaceAll(deployment, "app: web",
			"app: other"),
			[]string{"16: warning: Deployment web: metadata.name: the name exists twice",
				"2 manifests: 2 accepted, 0 refused"}},
		{"webhooks are not called",
			"apiVersion: admissionregistration.k8s.io/v1\nkind: ValidatingWebhookConfiguration\n" +
				"metadata: {name: a}\nwebhooks:\n- name: a.example.com\n  sideEffects: None\n" +
				"  clientConfig: {url: \"https://a.example.com\"}\n" +
				"  admissionReviewVersions: [v1]\n" +
				"  rules: [{apiGroups: [''], apiVersions: [v1], operations: ['*'], resources: [configmaps]}]\n---\n" + config,
			[]string{"2 manifests: 2 accepted"}},
	} {
		t.Run(c.name, func(t *testing.T) {
			write(t, "a.yaml", c.text)
			got := strings.Split(strings.TrimSuffix(printed(t, Options{Paths: []string{"a.yaml"}}), "\n"), "\n")
			same := len(got) == len(c.want)
			for i := 0; same && i < len(got); i++ {
				same = strings.HasPrefix(strings.TrimPrefix(got[i], "a.yaml:"), c.want[i])
			}
			if !same {
				t.Errorf("%s\nnot\n%s", strings.Join(got, "\n"), strings.Join(c.want, "\n"))
			}
		})
	}
}

// TestOld checks updates of what is in git.
func TestOld(t *testing.T) {
	if _, err := exec.LookPath("git"); err != nil {
		t.Skip("git is not installed")
	}
	write(t, "k8s/a.yaml", deployment, "k8s/sub/.hidden/b.yaml", "a: b: c",
		"k8s/sub/c.yaml", config+"immutable: true\n", "k8s/bad.yaml", config+"dat: 1\n")
	for _, args := range [][]string{{"init", "-q"}, {"add", "."},
		{"-c", "user.name=a", "-c", "user.email=a@example.com", "commit", "-q", "-m", "a"}} {
		if out, err := exec.Command("git", args...).CombinedOutput(); err != nil {
			t.Fatalf("git %s: %v: %s", args[0], err, out)
		}
	}
	more(t, "k8s/a.yaml", strings.ReplaceAll(deployment, "app: web", "app: other"), "k8s/new.yaml", space,
		"k8s/sub/c.yaml", config+"data: {a: b}\nimmutable: true\n",
		"k8s/bad.yaml", strings.Replace(config, "{name: a}", "{name: b}", 1))
	for _, c := range []struct {
		paths []string
		old   string
		want  []string
	}{
		{[]string{"k8s"}, "HEAD", []string{"k8s/a.yaml:5: error: Deployment web: spec.selector: Invalid value: ",
			"k8s/sub/c.yaml:4: error: ConfigMap a: data: Forbidden: field is immutable when `immutable` is set",
			"note: k8s/bad.yaml@HEAD:4: ConfigMap a: dat: unknown field: nothing is compared with it",
			"4 manifests: 2 accepted, 2 refused; 2 errors"}},
		{[]string{"k8s/a.yaml"}, "HEAD", []string{"k8s/a.yaml:5: error: Deployment web: spec.selector: ",
			"field is immutable"}},
		{[]string{"k8s/new.yaml"}, "HEAD", []string{"1 manifest: 1 accepted"}},
		{[]string{"k8s"}, "nowhere", []string{`error: --old: git has no commit "nowhere" for k8s`}},
		{[]string{"k8s"}, "--exec=x", []string{`error: --old: git has no commit "--exec=x" for k8s`}},
		{[]string{"-"}, "HEAD", []string{"error: --old compares files and directories: - has no older version"}},
	} {
		got := printed(t, Options{Paths: c.paths, Old: c.old, In: strings.NewReader("")})
		for _, want := range c.want {
			if !strings.Contains(got, want) {
				t.Errorf("%q at %s: %s\nwithout %s", c.paths, c.old, got, want)
			}
		}
	}
}

// TestFormats compares what each format prints with its file in testdata.
func TestFormats(t *testing.T) {
	dir, err := filepath.Abs("testdata")
	if err != nil {
		t.Fatal(err)
	}
	write(t, "a b.yaml", strings.Replace(deployment, "image: i", "imagePullPolicy: \"100%,\\nof\"", 1)+"---\na: b: c\n",
		"c.yaml", "apiVersion: v1\nkind: Endpoints\nmetadata: {name: a, namespace: shop}\n---\n"+widget)
	r, err := Run(t.Context(), Options{Paths: []string{"."}, SkipUnknown: true})
	if err != nil {
		t.Fatal(err)
	}
	inFormats(t, r, dir, "")
}

// inFormats compares a report in each format with the file of a directory that a prefix and the format name; -update
// writes it.
func inFormats(t *testing.T, r *Report, dir, prefix string) {
	t.Helper()
	for name, format := range Formats {
		var out bytes.Buffer
		if err := format(&out, r); err != nil {
			t.Fatal(err)
		}
		file := filepath.Join(dir, prefix+name+".golden")
		if *update {
			if err := os.WriteFile(file, out.Bytes(), 0o600); err != nil {
				t.Fatal(err)
			}
		}
		want, err := os.ReadFile(file)
		if err != nil {
			t.Fatal(err)
		}
		if !bytes.Equal(out.Bytes(), want) {
			t.Errorf("%s:\n%s\nnot\n%s", name, &out, want)
		}
	}
}

// BenchmarkRun checks a thousand manifests.
func BenchmarkRun(b *testing.B) {
	var text strings.Builder
	for i := range 1000 {
		fmt.Fprintf(&text, "---\n%s", strings.Replace(deployment, "name: web", fmt.Sprint("name: web-", i), 1))
	}
	for b.Loop() {
		r, err := Run(b.Context(), Options{Paths: []string{"-"}, In: strings.NewReader(text.String())})
		if err != nil || r.Failed() || len(r.Results) != 1000 {
			b.Fatal(err, r.Summary())
		}
	}
}
