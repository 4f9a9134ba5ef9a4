package shell

import (
	"io"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/tabernetes/tabernetes/wasm/kubectl/programs"
)

// A terminal is one of a shell, in a test: its output is read from a pipe.
type terminal struct {
	t     *testing.T
	shell *Shell
	id    int
	dir   string
	out   *os.File
	lines *os.File
}

// openTerminal opens a session in a new directory.
func openTerminal(t *testing.T, s *Shell, id int) *terminal {
	t.Helper()
	pipe := func() (*os.File, *os.File) {
		r, w, err := os.Pipe()
		if err != nil {
			t.Fatal(err)
		}
		t.Cleanup(func() { _, _ = r.Close(), w.Close() })
		return r, w
	}
	in, lines := pipe()
	out, stdout := pipe()
	dir := t.TempDir()
	s.Open(id, Options{Env: []string{"HOME=" + dir, "PATH=/nowhere"}, Dir: dir, Stdin: in, Stdout: stdout,
		Stderr: stdout})
	t.Cleanup(func() { s.Close(id) })
	return &terminal{t, s, id, dir, out, lines}
}

// run runs an input, and returns what it printed.
func (tt *terminal) run(text string) (string, Result) {
	tt.t.Helper()
	r := tt.shell.Run(tt.id, 1, text)
	session := tt.shell.session(tt.id)
	if _, err := session.o.Stdout.WriteString("\x00"); err != nil {
		tt.t.Fatal(err)
	}
	return tt.until("\x00"), r
}

// until reads until a text comes.
func (tt *terminal) until(text string) string {
	tt.t.Helper()
	var all strings.Builder
	data := make([]byte, 4096)
	for {
		n, err := tt.out.Read(data)
		if err != nil {
			tt.t.Fatal(err)
		}
		all.Write(data[:n])
		if before, _, found := strings.Cut(all.String(), text); found {
			return strings.ReplaceAll(before, tt.dir, "~")
		}
	}
}

// TestRun runs inputs one after another in one session: what bash prints for them.
func TestRun(t *testing.T) {
	tt := openTerminal(t, &Shell{}, 1)
	for _, c := range []struct {
		text, out string
		status    int
	}{
		{"echo a 'b  c' \"d\"", "a b  c d\n", 0},
		{"echo one | cat -n", "     1\tone\n", 0},
		{"printf '%s\\n' b a | sort | head -1", "a\n", 0},
		{"nosuch", "bash: nosuch: command not found\n", 127},
		{"nosuch; echo $?", "bash: nosuch: command not found\n127\n", 0},
		{"false && echo no || echo yes", "yes\n", 0},
		{"echo x > f; cat f; cat < f >> g; cat g", "x\nx\n", 0},
		{"cat < nothing", "bash: nothing: No such file or directory\n", 1},
		{"echo x > nothing/f", "bash: nothing/f: No such file or directory\n", 1},
		{"cat nothing 2> /dev/null; echo $?", "1\n", 0},
		{"cat nothing 2>&1 | grep -c directory", "1\n", 0},
		{"X=$(echo 1; echo 2); echo \"$X\"", "1\n2\n", 0},
		{"echo $((1 + 2)) ${X:0:1} ${#X} ${Y:-none}", "3 1 3 none\n", 0},
		{"for i in a b; do echo $i; done", "a\nb\n", 0},
		{"for ((i = 0; i < 2; i++)); do echo $i; done", "0\n1\n", 0},
		{"i=0; while [ $i -lt 2 ]; do i=$((i+1)); echo $i; done", "1\n2\n", 0},
		{"if test -f f; then echo yes; else echo no; fi", "yes\n", 0},
		{"case abc in a*) echo a;; *) echo other;; esac", "a\n", 0},
		{"f() { echo f $1; return 3; }", "", 0},
		{"f x", "f x\n", 3},
		{"cat <<EOF\n$((1+1)) $X\nEOF", "2 1\n2\n", 0},
		{"cat <<'EOF'\n$X\nEOF", "$X\n", 0},
		{"cat <<< word", "word\n", 0},
		{"mkdir d; cd d; pwd; cd ..; echo *", "~/d\nd f g\n", 0},
		{"cd nothing", "bash: cd: nothing: No such file or directory\n", 1},
		{"cd f", "bash: cd: f: Not a directory\n", 1},
		{"cd -; cd ~; pwd", "~/d\n~\n", 0},
		{"export A=1; env | grep ^A=", "A=1\n", 0},
		{"B=2; env | grep ^B=", "", 1},
		{"C=3 env | grep ^C=", "C=3\n", 0},
		{"alias ll='ls -1'", "", 0},
		{"ll", "d\nf\ng\n", 0},
		{"set -o pipefail; false | true; echo $?; set +o pipefail", "1\n", 0},
		{"! true; echo $?", "1\n", 0},
		{"(exit 4); echo $?", "4\n", 0},
		{"sh -c 'echo $0 $1' a b", "gosh b\n", 0},
		{"echo 'echo script $1; exit 5' > s.sh; sh s.sh x", "script x\n", 5},
		{"./s.sh", "bash: ./s.sh: Permission denied\n", 126},
		{"chmod +x s.sh; ./s.sh y", "script y\n", 5},
		{"./nothing.sh", "bash: ./nothing.sh: No such file or directory\n", 127},
		{"echo 'echo piped' | bash", "piped\n", 0},
		{"seq 3 | xargs -n1 echo n", "n 1\nn 2\nn 3\n", 0},
		{"echo 2 1 | tr ' ' '\\n' | sort | while read n; do echo got $n; done", "got 1\ngot 2\n", 0},
		{"echo a; echo )",
			"bash: syntax error near unexpected token `)': a command can only contain words and redirects; " +
				"encountered `)`\n", 2},
		{"type echo if cat f nosuch",
			"echo is a shell builtin\nif is a shell keyword\ncat is /bin/cat\nf is a function\n" +
				"bash: type: nosuch: not found\n", 1},
		{"command -v cat kubectl cd", "/bin/cat\n/bin/kubectl\ncd\n", 0},
		{"type -t k f", "file\nfunction\n", 0},
		{"echo x | /usr/bin/cat", "x\n", 0},
		{"yes | head -2", "y\ny\n", 0},
		{"echo \"$(echo \"nested $(echo deep)\")\"", "nested deep\n", 0},
		{"watch -n 0.1 -g 'echo $RANDOM' > /dev/null; echo $?", "0\n", 0},
	} {
		out, r := tt.run(c.text)
		if out != c.out || r.Status != c.status {
			t.Errorf("%s\nprinted %q, %d\nand not %q, %d", c.text, out, r.Status, c.out, c.status)
		}
	}
	if _, r := tt.run("cd d"); r.Dir != filepath.Join(tt.dir, "d") || r.Exited {
		t.Errorf("%+v", r)
	}
	if out, r := tt.run("exit 3; echo no"); r.Status != 3 || !r.Exited || out != "" {
		t.Errorf("%+v, %q", r, out)
	}
}

// TestSessions wants sessions to have their own variables, and none to be there after it is closed.
func TestSessions(t *testing.T) {
	s := &Shell{}
	a, b := openTerminal(t, s, 1), openTerminal(t, s, 2)
	a.run("X=a")
	b.run("X=b; cd /")
	if out, _ := a.run("echo $X; pwd"); out != "a\n~\n" {
		t.Errorf("%q", out)
	}
	s.Resize(1, 100, 20)
	if out, _ := a.run("env | grep -e COLUMNS -e LINES -e TABERNETES"); out !=
		"COLUMNS=100\nLINES=20\nTABERNETES_SESSION=1\nTABERNETES_COMMAND=1\n" {
		t.Errorf("%q", out)
	}
	s.Close(1)
	if r := s.Run(1, 1, "true"); r.Status != 1 {
		t.Errorf("%+v", r)
	}
}

// TestInterrupt wants an interrupt to end each of what can run, and the session to continue.
func TestInterrupt(t *testing.T) {
	tt := openTerminal(t, &Shell{}, 1)
	for _, text := range []string{
		"echo now; sleep 1000; echo no", "echo now; while :; do :; done", "echo now; sleep 1000 | cat; echo no",
		"for i in 1 2; do echo now; sleep 1000; done", "echo now; watch -t sleep 1000",
		"echo now; sh -c 'sleep 1000; echo no'",
		"echo now; yes > /dev/null", "f() { echo now; sleep 1000; }; f; echo no", "X=$(echo now >&2; sleep 1000); echo no",
		"echo now; for ((;;)); do x=1; done",
	} {
		done := make(chan Result)
		go func() { done <- tt.shell.Run(1, 1, text) }()
		tt.until("now\n")
		tt.shell.Interrupt(1, false)
		if r := <-done; r.Status != Interrupted || r.Exited {
			t.Errorf("%s: %+v", text, r)
		}
		if out, r := tt.run("echo again"); strings.TrimPrefix(out, "\n") != "again\n" || r.Status != 0 {
			t.Errorf("after %s: %q, %+v", text, out, r)
		}
	}
}

// TestJobs wants what runs in the background to outlive an input and an interrupt, and to end with the session.
func TestJobs(t *testing.T) {
	asked, interrupted, ended := make(chan bool), make(chan bool), make(chan bool)
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		close(asked)
		<-interrupted
		_, _ = io.WriteString(w, "after the interrupt\n")
		w.(http.Flusher).Flush()
		<-r.Context().Done()
		close(ended)
	}))
	defer server.Close()
	tt := openTerminal(t, &Shell{}, 1)
	if out, r := tt.run("export KUBERNETES_MASTER=" + server.URL +
		"; curl /watch & echo started"); out != "[1] g1\nstarted\n" || r.Status != 0 {
		t.Errorf("%q, %+v", out, r)
	}
	<-asked
	tt.shell.Interrupt(1, false)
	close(interrupted)
	tt.until("after the interrupt\n")
	tt.shell.Close(1)
	<-ended
}

func TestIncomplete(t *testing.T) {
	for text, want := range map[string]bool{
		"echo": false, "echo 'a": true, "echo \"a": true, "for i in a": true, "for i in a; do echo": true, "cat <<EOF": true,
		"cat <<EOF\na": true, "cat <<EOF\na\nEOF": false, "echo \\": true, "echo \\\\": false, "echo a |": true, "a &&": true,
		"if true; then": true, "f() {": true, "echo )": false, "$(echo": true, "": false, "# x": false, "a | b": false,
	} {
		if got := Incomplete(text); got != want {
			t.Errorf("%q: %v", text, got)
		}
	}
}

func TestExplain(t *testing.T) {
	for text, want := range map[string]string{
		"echo )":      "syntax error near unexpected token `)': ",
		"fi":          "syntax error near unexpected token `fi': ",
		"echo 'a":     "syntax error: unexpected end of file: ",
		"for i in a;": "syntax error: unexpected end of file: ",
	} {
		if _, err := parse(text); err == nil || !strings.HasPrefix(explain(err), want) {
			t.Errorf("%s: %v", text, err)
		}
	}
}

func TestCommands(t *testing.T) {
	for text, want := range map[string]string{
		"kubectl get pods -n 'my ns' | grep \"x y\"":    "kubectl,get,pods,-n,my ns grep,x y",
		"for i in 1 2; do kubectl get $i -o yaml; done": "kubectl,get",
		"echo $(curl /api)":                             "echo curl,/api",
		"X=1 k get cm":                                  "k,get,cm",
		"$X a":                                          "",
		"echo 'a":                                       "",
	} {
		var all []string
		for _, words := range Commands(text) {
			all = append(all, strings.Join(words, ","))
		}
		if got := strings.Join(all, " "); got != want {
			t.Errorf("%s: %s, and not %s", text, got, want)
		}
	}
}

// TestRunProgram runs programs for others.
func TestRunProgram(t *testing.T) {
	var out, problems strings.Builder
	c := &programs.Call{Args: []string{"nosuch"}, Stdout: &out, Stderr: &problems}
	if status := (&Shell{}).RunProgram(t.Context(), c); status != 127 ||
		problems.String() != "bash: nosuch: command not found\n" {
		t.Errorf("%d, %q", status, problems.String())
	}
	c.Args = []string{"/bin/seq", "2"}
	if status := (&Shell{}).RunProgram(t.Context(), c); status != 0 || out.String() != "1\n2\n" {
		t.Errorf("%d, %q", status, out.String())
	}
}

func TestNames(t *testing.T) {
	names := Names()
	for _, want := range []string{"kubectl", "edit", "history", "sh", "cat", "jq", "helm"} {
		if !slices.Contains(names, want) {
			t.Errorf("%s is none of %v", want, names)
		}
	}
}
