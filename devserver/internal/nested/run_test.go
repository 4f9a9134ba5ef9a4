package nested

import (
	"bufio"
	"bytes"
	"context"
	"crypto/rand"
	"errors"
	"io/fs"
	"net/http"
	"net/http/httptest"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/tabernetes/tabernetes/core"
	"github.com/tabernetes/tabernetes/core/clock"
	"github.com/tabernetes/tabernetes/core/openapi"
)

// A program is kubectl as it is built, in Node, with a cluster.
type program struct {
	args []string // of the process, before the command's own
	url  string
}

// newProgram builds kubectl, and starts a cluster.
func newProgram(t *testing.T) program {
	t.Helper()
	return program{append(inNode(t, Kubectl), "kubectl"), newServer(t)}
}

// inNode builds a program, and returns the arguments of Node by which it runs: those of the program, beginning with its
// name, come after them.
func inNode(t *testing.T, p Program) []string {
	t.Helper()
	if os.Getenv("TABERNETES_LONG") == "" {
		t.Skipf("builds %s, which takes minutes: make test-%[1]s-long", p.Name)
	}
	root, err := filepath.Abs("../../..")
	if err != nil {
		t.Fatal(err)
	}
	binary, err := Binary(t.Context(), Options{
		Program: p, Root: root, Cache: filepath.Join(root, ".cache"), Progress: t.Output(),
	})
	if err != nil {
		t.Fatal(err)
	}
	file := filepath.Join(t.TempDir(), p.Name+".wasm")
	if err := os.WriteFile(file, binary, 0o600); err != nil {
		t.Fatal(err)
	}
	goroot, err := exec.CommandContext(t.Context(), "go", "env", "GOROOT").Output()
	if err != nil {
		t.Fatal(err)
	}
	script := filepath.Join(strings.TrimSpace(string(goroot)), "lib", "wasm", "wasm_exec.js")
	run := filepath.Join(root, "devserver", "internal", "nested", "testdata", "run.mjs")
	return []string{run, script, file}
}

// newServer serves a new cluster, and returns its URL.
func newServer(t *testing.T) string {
	t.Helper()
	cluster, err := core.New(core.Options{
		Clock: clock.Real(), Rand: rand.Reader, Build: "test", OpenAPIv2: openapi.V2, Controllers: true,
	})
	if err != nil {
		t.Fatal(err)
	}
	server := httptest.NewServer(cluster)
	t.Cleanup(func() {
		if err := cluster.Close(); err != nil { // first: it ends the streams
			t.Error(err)
		}
		server.Close()
	})
	return server.URL
}

// command returns a command of kubectl.
func (p program) command(ctx context.Context, args ...string) *exec.Cmd {
	c := exec.CommandContext(ctx, "node", append(append([]string{}, p.args...), args...)...)
	c.Env = append(os.Environ(), "KUBERNETES_MASTER="+p.url)
	return c
}

// run runs a command, and returns what it printed and its exit status.
func (p program) run(t *testing.T, stdin string, args ...string) (out, problems string, status int) {
	t.Helper()
	ctx, cancel := context.WithTimeout(t.Context(), 5*time.Minute)
	defer cancel()
	var stdout, stderr bytes.Buffer
	c := p.command(ctx, args...)
	c.Stdin, c.Stdout, c.Stderr = strings.NewReader(stdin), &stdout, &stderr
	err := c.Run()
	if failed := new(exec.ExitError); err != nil && !errors.As(err, &failed) {
		t.Fatal(err)
	}
	return stdout.String(), stderr.String(), c.ProcessState.ExitCode()
}

const (
	configMap = "apiVersion: v1\nkind: ConfigMap\nmetadata: {name: NAME}\ndata: {key: value}\n"
	pod       = `{"apiVersion":"v1","kind":"Pod","metadata":{"name":"NAME"},` +
		`"spec":{"containers":[{"name":"c","image":"i"}]}}`
)

// named returns a manifest with a name.
func named(manifest, name string) string { return strings.ReplaceAll(manifest, "NAME", name) }

// TestRun runs commands, one after another.
func TestRun(t *testing.T) {
	p := newProgram(t)
	for _, c := range []struct {
		command, stdin string
		out, problems  string // what is printed has to have this in it, and has to be empty for ""
		status         int
	}{
		{command: "version --client", out: "Client Version: v1.36.3\nKustomize Version: v5."},
		{command: "get pods", problems: "No resources found in default namespace.\n"},
		{command: "create -f -", stdin: named(configMap, "one"), out: "configmap/one created\n"},
		{command: "create -f -", stdin: named(configMap, "one"), status: 1,
			problems: `Error from server (AlreadyExists): error when creating "STDIN": configmaps "one" already exists`},
		{command: "apply -f -", stdin: named(configMap, "two"), out: "configmap/two created\n"},
		{command: "apply -f -", stdin: named(configMap, "two"), out: "configmap/two unchanged\n"},
		{command: "apply --server-side -f -", stdin: named(configMap, "three"), out: "configmap/three serverside-applied\n"},
		{command: "create -f -", stdin: named(pod, "web"), out: "pod/web created\n"},
		{command: "get pods", out: "NAME   READY   STATUS    RESTARTS   AGE\nweb    0/1     Pending   0          "},
		{command: "get cm one -o go-template={{.data.key}}", out: "value"},
		{command: "get cm one -o jsonpath={.data}", out: `{"key":"value"}`},
		{command: "describe pod web", out: "QoS Class:        BestEffort\n"},
		{command: "label pod web tier=front", out: "pod/web labeled\n"},
		{command: "explain configmap.data", out: "FIELD: data <map[string]string>\n"},
		{command: "explain events --api-version=v9", status: 1,
			problems: `error: couldn't find resource for "/v9, Resource=events"`},
		{command: "get --help", out: "Usage:\n  kubectl get "},
		{command: "help rollout", out: "Available Commands:\n  history"},
		{command: "options", out: "--request-timeout="},
		{command: "get pod nothing", problems: `Error from server (NotFound): pods "nothing" not found`, status: 1},
		{command: "get -f nothing.yaml", problems: `error: the path "nothing.yaml" does not exist`, status: 1},
		{command: "nothing", problems: `error: unknown command "nothing" for "kubectl"`, status: 1},
		{command: "delete pod web --now", out: `pod "web" deleted`},
	} {
		out, problems, status := p.run(t, c.stdin, strings.Fields(c.command)...)
		if status != c.status {
			t.Errorf("%s: exit status %d, and not %d", c.command, status, c.status)
		}
		for got, want := range map[string]string{"output\n" + out: c.out, "errors\n" + problems: c.problems} {
			_, text, _ := strings.Cut(got, "\n")
			if !strings.Contains(text, want) || want == "" && text != "" && c.status == 0 {
				t.Errorf("%s: %s, and not %q", c.command, got, want)
			}
		}
	}
}

var (
	action     = regexp.MustCompile(`\{\{[^}]*\}\}`)
	selected   = regexp.MustCompile(`\.([A-Z]\w*)`)
	methodCase = regexp.MustCompile(`case "(\w+)":\n\t\treturn v\.MethodByName\("(\w+)"\)\n`)
	// fields are what templates name that is no method, and what Go code has in double braces.
	fields = strings.Fields("Aliases Document Example FieldPath GVR Group GroupID ID Kind LabelSelectorOpExists Long " +
		"MajorMinor Port Recursive Resource Short Title Version")
)

// TestMethods wants every method that a template of kubectl or cobra names to be one that templates can call.
func TestMethods(t *testing.T) {
	newProgram(t) // gathers the sources
	text, err := os.ReadFile("../../../wasm/kubectl/patches/methods.txt")
	if err != nil {
		t.Fatal(err)
	}
	callable := map[string]bool{}
	for _, m := range methodCase.FindAllStringSubmatch(string(text), -1) {
		if callable[m[1]] = true; m[1] != m[2] {
			t.Errorf("%s is taken for %s", m[2], m[1])
		}
	}
	named := map[string]bool{}
	for _, dir := range strings.Fields("k8s.io/kubectl k8s.io/component-base k8s.io/cli-runtime github.com/spf13/cobra") {
		dir = filepath.Join("../../../.cache/kubectl/module/vendor", filepath.FromSlash(dir))
		err := filepath.WalkDir(dir, func(file string, _ fs.DirEntry, err error) error {
			if ext := filepath.Ext(file); err != nil || ext != ".go" && ext != ".tmpl" {
				return err
			}
			source, err := os.ReadFile(file)
			for _, a := range action.FindAllString(string(source), -1) {
				for _, m := range selected.FindAllStringSubmatch(a, -1) {
					named[m[1]] = true
				}
			}
			return err
		})
		if err != nil {
			t.Fatal(err)
		}
	}
	for name := range named {
		if !callable[name] && !slices.Contains(fields, name) {
			t.Errorf("a template names %s, which templates cannot call, and which is no known field", name)
		}
	}
	for name := range callable {
		if !named[name] {
			t.Errorf("no template names %s", name)
		}
	}
}

// TestOrigin wants kubectl to take the origin of the page for the server, if nothing else says where that is.
func TestOrigin(t *testing.T) {
	p := newProgram(t)
	c := p.command(t.Context(), "get", "namespaces", "--output=name")
	c.Env = append(os.Environ(), "KUBERNETES_MASTER=", "ORIGIN="+p.url)
	c.Stderr = t.Output()
	if out, err := c.Output(); err != nil || !strings.HasPrefix(string(out), "namespace/default\n") {
		t.Errorf("%q, %v", out, err)
	}
}

// TestWatch has kubectl print an event that happens while it watches.
func TestWatch(t *testing.T) {
	p := newProgram(t)
	create := func(name string) {
		t.Helper()
		r, err := http.Post(p.url+"/api/v1/namespaces/default/pods", "application/json", strings.NewReader(named(pod, name)))
		if err != nil {
			t.Fatal(err)
		}
		if r.Body.Close(); r.StatusCode != http.StatusCreated {
			t.Fatal(r.Status)
		}
	}
	create("first")
	ctx, cancel := context.WithTimeout(t.Context(), 5*time.Minute)
	defer cancel()
	c := p.command(ctx, "get", "pods", "--watch")
	out, err := c.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	c.Stderr = t.Output()
	if err := c.Start(); err != nil {
		t.Fatal(err)
	}
	lines := bufio.NewScanner(out)
	for _, name := range []string{"NAME", "first", "second"} {
		if name == "second" {
			create(name) // now it watches, or will from the list's revision on
		}
		if !lines.Scan() || !strings.HasPrefix(lines.Text(), name+" ") {
			t.Errorf("a line is %q, and not that of %s", lines.Text(), name)
		}
	}
	cancel()
	_ = c.Wait() // it was killed
}
