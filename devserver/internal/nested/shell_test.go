package nested

import (
	"bufio"
	"encoding/json"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
)

// A terminal is a terminal of the page, in Node.
type terminal struct {
	t     *testing.T
	in    *json.Encoder
	lines *bufio.Scanner
}

// An order is what a terminal is to do: testdata/sh.mjs says what its fields mean.
type order struct {
	Session   int      `json:"session,omitempty"`
	Text      string   `json:"text,omitempty"`
	Interrupt string   `json:"interrupt,omitempty"`
	Lines     []string `json:"lines,omitempty"`
	Complete  string   `json:"complete,omitempty"`
}

// An outcome is its result.
type outcome struct {
	Status     int
	Dir, Out   string
	Exited     bool
	Notes      []string
	Start, End int
	Items      []struct{ Text, Description string }
}

// newTerminal starts the page's kernel with the program.
func newTerminal(t *testing.T) *terminal {
	t.Helper()
	p := newProgram(t)
	c := exec.CommandContext(t.Context(), "node", filepath.Join(filepath.Dir(p.args[0]), "sh.mjs"), p.args[1],
		p.args[2])
	c.Env = append(os.Environ(), "KUBERNETES_MASTER="+p.url)
	c.Stderr = t.Output()
	in, err := c.StdinPipe()
	if err != nil {
		t.Fatal(err)
	}
	out, err := c.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := c.Start(); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		_ = in.Close() // it ends then
		if err := c.Wait(); err != nil && t.Context().Err() == nil {
			t.Error(err)
		}
	})
	lines := bufio.NewScanner(out)
	lines.Buffer(nil, 16<<20)
	return &terminal{t, json.NewEncoder(in), lines}
}

// do has an order carried out.
func (tt *terminal) do(o order) (r outcome) {
	tt.t.Helper()
	if err := tt.in.Encode(o); err != nil {
		tt.t.Fatal(err)
	}
	if !tt.lines.Scan() {
		tt.t.Fatalf("%+v: the terminal has ended: %v", o, tt.lines.Err())
	}
	if err := json.Unmarshal(tt.lines.Bytes(), &r); err != nil {
		tt.t.Fatal(err)
	}
	return r
}

// TestShell runs inputs in a terminal, one after another.
func TestShell(t *testing.T) {
	tt := newTerminal(t)
	const manifest = "apiVersion: v1\nkind: ConfigMap\nmetadata: {name: NAME}\ndata: {key: before}\n"
	for _, c := range []struct {
		order
		out    string // all that is printed
		status int
	}{
		{order{Text: "kubectl get pods"}, "No resources found in default namespace.\n", 0},
		{order{Text: "k get ns -o name | grep kube | sort -r | head -1"}, "namespace/kube-system\n", 0},
		{order{Text: "cat <<EOF | kubectl apply -f -\n" + named(manifest, "one") + "EOF"}, "configmap/one created\n",
			0},
		{order{Text: "kubectl apply -f - <<EOF\n" + named(manifest, "one") + "EOF"}, "configmap/one unchanged\n", 0},
		{order{Text: "kubectl apply -f -", Lines: strings.Split(strings.TrimSpace(named(manifest, "typed")), "\n")},
			"configmap/typed created\n", 0},
		{order{Text: "X=$(kubectl get cm one -o jsonpath={.data.key}) && echo \"<$X>\""}, "<before>\n", 0},
		{order{Text: "kubectl get cm nothing || echo $?"},
			"Error from server (NotFound): configmaps \"nothing\" not found\n1\n", 0},
		{order{Text: "kubectl get cm one -o json > one.json; jq -r .data.key one.json; wc -l < one.json"},
			"before\n17\n", 0},
		{order{Text: "for i in a b; do kubectl create cm $i; done"}, "configmap/a created\nconfigmap/b created\n", 0},
		{order{Text: "kubectl get cm a b -o name | xargs kubectl delete"},
			"configmap \"a\" deleted from default namespace\nconfigmap \"b\" deleted from default namespace\n", 0},
		{order{Text: "kubectl edit cm one; kubectl get cm one -o jsonpath={.data.key}"},
			"configmap/one edited\nafter", 0},
		{order{Text: "sed 's/after/again/' <(kubectl get cm one -o yaml) | kubectl diff -f - | grep --color=never '^[-+] '"},
			"-  key: after\n+  key: again\n", 0},
		{order{Text: "ls /tmp"}, "", 0},
		{order{Text: "curl -s /api/v1/namespaces/default/configmaps/one | jq -r .data.key"}, "after\n", 0},
		{order{Text: "curl -s -w '%{http_code}\\n' -o /dev/null http://localhost:8001/nothing"}, "404\n", 0},
		{order{Text: "curl https://example.com; echo $?"},
			"curl: (6) Could not resolve host: example.com: from here only the cluster " +
				"of the page can be reached, by its paths (curl /api) or as localhost\n6\n", 0},
		{order{Text: "kubectl get cm one -w -o name", Interrupt: "configmap/one\n"}, "configmap/one\n", 130},
		{order{Text: "kubectl get cm one -w -o name | cat -n", Interrupt: "one\n"}, "     1\tconfigmap/one\n", 130},
		{order{Text: "curl -sN '/api/v1/configmaps?watch=1' | " +
			"jq --unbuffered -r 'select(.object.metadata.name == \"one\").type'",
			Interrupt: "ADDED\n"}, "ADDED\n", 130},
		{order{Text: "while :; do echo turn; sleep 1000; done", Interrupt: "turn"}, "turn\n", 130},
		{order{Text: "echo busy; while :; do :; done", Interrupt: "busy"}, "busy\n", 130},
		{order{Text: "cat", Lines: []string{"first", "second"}}, "first\nsecond\n", 0},
		{order{Text: "read a b; echo $b $a", Lines: []string{"x y"}}, "y x\n", 0},
		{order{Text: "nosuch; echo $?"}, "bash: nosuch: command not found\n127\n", 0},
		{order{Text: "echo 'echo $1' > s.sh; chmod +x s.sh; ./s.sh arg; sh -c 'exit 3'"}, "arg\n", 3},
		{order{Text: "mkdir d && cd d && pwd"}, "/home/user/d\n", 0},
		{order{Session: 2, Text: "pwd; echo [$X]"}, "/home/user\n[]\n", 0},
		{order{Text: "kubectl port-forward svc/web 80; kubectl apply -f https://k8s.io/x.yaml"},
			"No node runs pods in this cluster: it is an API server, and pods stay as they are stored. " +
				"On a cluster with machines the " +
				"kubelet passes connections on to the pod, and kubectl listens on your machine, which a page cannot.\n" +
				"A page can open connections to its own cluster only. " +
				"Download the file on your machine and drop it into this window, " +
				"or type it in: kubectl apply -f - <<EOF, the manifest, and a line with EOF.\n", 1},
		{order{Text: "export LONG=$(seq 3000); kubectl version --client | head -1"}, "Client Version: v1.36.3\n", 0},
		{order{Text: "exit 3"}, "", 3},
	} {
		r := tt.do(c.order)
		if r.Out != c.out || r.Status != c.status {
			t.Errorf("%s\nprinted %q, %d\nand not %q, %d", c.Text, r.Out, r.Status, c.out, c.status)
		}
		if exits := c.Text == "exit 3"; r.Exited != exits {
			t.Errorf("%s: exited is %v", c.Text, r.Exited)
		}
	}
}

// TestNotes wants what a wait waits for to be said beside its output.
func TestNotes(t *testing.T) {
	tt := newTerminal(t)
	for _, c := range []struct {
		order
		out, note string
	}{
		{order{Text: "kubectl create deployment web --image=x"}, "deployment.apps/web created\n",
			"The Deployment is stored"},
		{order{Text: "kubectl rollout status deployment/web", Interrupt: "observed...\n"},
			"Waiting for deployment spec update to be observed...\n", "Nothing reconciles Deployments"},
		{order{Text: "kubectl get deployment web -o name"}, "deployment.apps/web\n", ""},
	} {
		r := tt.do(c.order)
		if note := strings.Join(r.Notes, "\n"); r.Out != c.out || !strings.HasPrefix(note, c.note) || c.note == "" &&
			note != "" {
			t.Errorf("%s: %q, beside it %q", c.Text, r.Out, note)
		}
	}
}

// TestCompletes asks kubectl in the shell's instance for completions, with the cluster's names.
func TestCompletes(t *testing.T) {
	tt := newTerminal(t)
	tt.do(order{Text: "kubectl create cm ä-no; kubectl create cm abc; touch file.yaml"})
	for line, want := range map[string]string{
		"kubectl get configmaps a":              "abc",
		"kubectl get -n kube-p":                 "kube-public",
		"kubectl rollo":                         "rollout",
		"kubectl get configm":                   "configmaps",
		"kubectl create -f ":                    "file.yaml",
		"kubectl get pods --field-sel":          "--field-selector",
		"echo ä | kubectl describe cm abc | gr": "grep",
	} {
		r := tt.do(order{Complete: line})
		if len(r.Items) != 1 || r.Items[0].Text != want {
			t.Errorf("%s: %v, and not %s", line, r.Items, want)
		} else if typed := string([]rune(line)[r.Start:]); !strings.HasPrefix(want, typed) {
			t.Errorf("%s: it takes the place of %q", line, typed)
		}
	}
}
