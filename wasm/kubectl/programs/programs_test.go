package programs

import (
	"context"
	"io"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// run runs a program in a directory, and returns what it printed, its errors, and its status.
func run(t *testing.T, dir, stdin string, args ...string) (out, problems string, status int) {
	t.Helper()
	var stdout, stderr strings.Builder
	c := &Call{Args: args, Dir: dir, Env: []string{"A=1", "USER=user", "KUBERNETES_MASTER=http://tab.example"},
		Stdin: strings.NewReader(stdin), Stdout: &stdout, Stderr: &stderr, Names: Names}
	c.Run = func(ctx context.Context, inner *Call) int {
		if !Find(inner.Args[0]) {
			_, _ = io.WriteString(inner.Stdout, strings.Join(inner.Args, " ")+"\n")
			return len(inner.Args) % 2
		}
		inner.Run, inner.Names = c.Run, Names
		return Run(ctx, inner)
	}
	status = Run(t.Context(), c)
	return stdout.String(), stderr.String(), status
}

// files makes files in a new directory: name and content, in turn.
func files(t *testing.T, list ...string) string {
	t.Helper()
	dir := t.TempDir()
	for i := 0; i < len(list); i += 2 {
		file := filepath.Join(dir, list[i])
		if err := os.MkdirAll(filepath.Dir(file), 0o700); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(file, []byte(list[i+1]), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	return dir
}

const fruit = "banana 3\napple 10\ncherry 2\napple 10\n"

// TestPrograms runs programs as a table: what GNU's print for the same.
func TestPrograms(t *testing.T) {
	dir := files(t, "a", "one\ntwo\nthree\n", "b", "two\nfour\n", "d/x", "deep two\n", "j.json",
		`{"b":[1,{"c":"x"}],"a":null}`,
		"p.jq", ".b[0]")
	for _, c := range []struct {
		line, stdin string
		out         string
		status      int
		problems    string
	}{
		{line: "cat", stdin: "x", out: "x"},
		{line: "uname", out: "js\n"},
		{line: "uname -a", out: "js tab wasm wasm browser\n"},
		{line: "uname -mr", out: "wasm wasm\n"},
		{line: "hostname", out: "tab\n"},
		{line: "id", out: "uid=1000(user) gid=1000(user) groups=1000(user)\n"},
		{line: "id -un", out: "user\n"},
		{line: "rev", stdin: "abc\näb\n", out: "cba\nbä\n"},
		{line: "nl", stdin: "a\n\nb\n", out: "     1\ta\n       \n     2\tb\n"},
		{line: "nl -b a", stdin: "a\n\n", out: "     1\ta\n     2\t\n"},
		{line: "paste -sd,", stdin: "1\n2\n3\n", out: "1,2,3\n"},
		{line: "paste a b", out: "one\ttwo\ntwo\tfour\nthree\t\n"},
		{line: "md5sum", stdin: "x\n", out: "401b30e3b8b5d629635a5c613cdb7919  -\n"},
		{line: "sha256sum b", out: "544920d0a807f2063cab7e188f05ccdc21192d69a40efd42e0b05c9c49efcd37  b\n"},
		{line: "envsubst", stdin: "a: $A ${A}b $NONE $1 $\n", out: "a: 1 1b  $1 $\n"},
		{line: "envsubst $B", stdin: "$A $B", out: "$A "},
		{line: "realpath", problems: "realpath: missing operand\n", status: 1},
		{line: "cat -n a", out: "     1\tone\n     2\ttwo\n     3\tthree\n"},
		{line: "cat a nothing b", out: "one\ntwo\nthree\ntwo\nfour\n", status: 1,
			problems: "cat: nothing: No such file or directory\n"},
		{line: "cat d", status: 1, problems: "cat: d: Is a directory\n"},
		{line: "cat -Q", status: 1, problems: "cat: invalid option -- 'Q'\n"},
		{line: "cat -s", stdin: "a\n\n\nb\n", out: "a\n\nb\n"},
		{line: "head -n 1 a", out: "one\n"},
		{line: "head -2 a", out: "one\ntwo\n"},
		{line: "head -n -1 a", out: "one\ntwo\n"},
		{line: "head -c 4 a", out: "one\n"},
		{line: "head -n1 a b", out: "==> a <==\none\n\n==> b <==\ntwo\n"},
		{line: "head -n x a", status: 1, problems: "head: invalid number of lines: ‘x’\n"},
		{line: "tail -n 1 a", out: "three\n"},
		{line: "tail -n +2 a", out: "two\nthree\n"},
		{line: "tail -c 3 b", out: "ur\n"},
		{line: "tail -f a", status: 1,
			problems: "tail: -f follows no files here. What changes in the cluster is followed by kubectl get -w\n"},
		{line: "wc a", out: " 3  3 14 a\n"},
		{line: "wc -l", stdin: "a\nb\n", out: "2\n"},
		{line: "wc", stdin: "a b\n", out: "      1       2       4\n"},
		{line: "wc -l a b", out: " 3 a\n 2 b\n 5 total\n"},
		{line: "uniq -c", stdin: "a\na\nb\n", out: "      2 a\n      1 b\n"},
		{line: "uniq -d", stdin: "a\na\nb\n", out: "a\n"},
		{line: "uniq -u", stdin: "a\na\nb\n", out: "b\n"},
		{line: "cut -d: -f2", stdin: "a:b:c\nx\n", out: "b\nx\n"},
		{line: "cut -d: -f1,3- -s", stdin: "a:b:c:d\nx\n", out: "a:c:d\n"},
		{line: "cut -c1-2", stdin: "äöü\n", out: "äö\n"},
		{line: "cut -f0", status: 1, problems: "cut: invalid field value ‘0’\n"},
		{line: "sort", stdin: fruit, out: "apple 10\napple 10\nbanana 3\ncherry 2\n"},
		{line: "sort -u", stdin: fruit, out: "apple 10\nbanana 3\ncherry 2\n"},
		{line: "sort -k2 -n", stdin: fruit, out: "cherry 2\nbanana 3\napple 10\napple 10\n"},
		{line: "sort -rnk2,2", stdin: fruit, out: "apple 10\napple 10\nbanana 3\ncherry 2\n"},
		{line: "sort -t: -k2", stdin: "b:1\na:2\nc:0\n", out: "c:0\nb:1\na:2\n"},
		{line: "sort -h", stdin: "1Gi\n2K\n10\n", out: "10\n2K\n1Gi\n"},
		{line: "sort -V", stdin: "v1.10\nv1.9\n", out: "v1.9\nv1.10\n"},
		{line: "sort -r", stdin: "a\nb\n", out: "b\na\n"},
		{line: "tr a-z A-Z", stdin: "abc\n", out: "ABC\n"},
		{line: "tr -d [:digit:]", stdin: "a1b2\n", out: "ab\n"},
		{line: "tr -s a", stdin: "baab\n", out: "bab\n"},
		{line: `tr \n ,`, stdin: "a\nb\n", out: "a,b,"},
		{line: "seq 3", out: "1\n2\n3\n"},
		{line: "seq 2 2 6", out: "2\n4\n6\n"},
		{line: "seq 3 -1 1", out: "3\n2\n1\n"},
		{line: "seq 0 0.5 1", out: "0.0\n0.5\n1.0\n"},
		{line: "seq -s, 3", status: 1, problems: "seq: invalid option '-s,'\n"},
		{line: "seq 2 1"},
		{line: "basename /a/b.yaml .yaml", out: "b\n"},
		{line: "dirname /a/b.yaml", out: "/a\n"},
		{line: "base64", stdin: "hello\n", out: "aGVsbG8K\n"},
		{line: "base64 -w0", stdin: "hello\n", out: "aGVsbG8K"},
		{line: "base64 -d", stdin: "aGVs\nbG8=\n", out: "hello"},
		{line: "base64 -d", stdin: "%%", status: 1, problems: "base64: invalid input\n"},
		{line: "env X=2 env", out: "A=1\nUSER=user\nKUBERNETES_MASTER=http://tab.example\nX=2\n"},
		{line: "env -u A -i B=2 printenv B", out: "2\n"},
		{line: "date -u -d @0 +%Y-%m-%dT%H:%M:%S.%N%%", out: "1970-01-01T00:00:00.000000000%\n"},
		{line: "date -u -d 2026-11-26T18:00:00Z", out: "Thu Nov 26 18:00:00 UTC 2026\n"},
		{line: "xargs", stdin: "a 'b c'\nd\n", out: "echo a b c d\n"},
		{line: "xargs -n1 kubectl get", stdin: "a b\n", out: "kubectl get a\nkubectl get b\n", status: 123},
		{line: "xargs -I{} kubectl get {} -o=name", stdin: "a b\nc\n",
			out: "kubectl get a b -o=name\nkubectl get c -o=name\n"},
		{line: "xargs -r kubectl", stdin: ""},
		{line: "which kubectl cat k nosuch", out: "/bin/cat\n", status: 1},
		{line: "column -t", stdin: "a bb c\naaa b c\n", out: "a    bb  c\naaa  b   c\n"},
		{line: "tac a", out: "three\ntwo\none\n"},
		{line: "ls", out: "a\nb\nd\nj.json\np.jq\n"},
		{line: "ls -F d a", out: "a\n\nd:\nx\n"},
		{line: "ls nothing", status: 2, problems: "ls: cannot access 'nothing': No such file or directory\n"},
		{line: "find . -name x", out: "./d/x\n"},
		{line: "sed s/o/0/", stdin: "foo\n", out: "f0o\n"},
		{line: "sed s/o/0/g", stdin: "foo\n", out: "f00\n"},
		{line: "sed s/o/0/2", stdin: "foo\n", out: "fo0\n"},
		{line: `sed -E s/(a+)(b)/\2[\1]&$/`, stdin: "aab\n", out: "b[aa]aab$\n"},
		{line: `sed s/\(a*\)b/\1/`, stdin: "aab\n", out: "aa\n"},
		{line: "sed -n 2p a", out: "two\n"},
		{line: "sed -n $p a", out: "three\n"},
		{line: "sed 1d a", out: "two\nthree\n"},
		{line: "sed /two/,$d a", out: "one\n"},
		{line: "sed 2,3!d a", out: "two\nthree\n"},
		{line: "sed 1q a", out: "one\n"},
		{line: "sed -e s/one/1/ -e /two/d a", out: "1\nthree\n"},
		{line: "sed s,a,/,", stdin: "a\n", out: "/\n"},
		{line: "sed y/a/b/ a", status: 1,
			problems: "sed: -e expression #1, char 1: the command `y' is not known here: " +
				"s, d, p, q, a, i, c and = are\n"},
		{line: "diff a a"},
		{line: "diff a b", out: "1d0\n< one\n3c2\n< three\n---\n> four\n", status: 1},
		{line: "diff -q a b", out: "Files a and b differ\n", status: 1},
		{line: "diff --label A --label B -u a b", out: "--- A\n+++ B\n@@ -1,3 +1,2 @@\n-one\n two\n-three\n+four\n",
			status: 1},
		{line: "diff -u0 a b", status: 2, problems: "diff: invalid option -- '0'\n"},
		{line: "diff a nothing", status: 2, problems: "diff: nothing: No such file or directory\n"},
		{line: "jq . j.json", out: "{\n  \"a\": null,\n  \"b\": [\n    1,\n    {\n      \"c\": \"x\"\n    }\n  ]\n}\n"},
		{line: "jq -c . j.json", out: `{"a":null,"b":[1,{"c":"x"}]}` + "\n"},
		{line: "jq -r .b[1].c j.json", out: "x\n"},
		{line: "jq .b[1].c j.json", out: "\"x\"\n"},
		{line: "jq -f p.jq j.json", out: "1\n"},
		{line: "jq -n --arg x 1 --argjson y 2 [$x,$y] -c", out: "[\"1\",2]\n"},
		{line: "jq -n -c $ARGS.positional --args a b", out: "[\"a\",\"b\"]\n"},
		{line: "jq -c -s .", stdin: "1 2\n", out: "[1,2]\n"},
		{line: "jq -R .", stdin: "a\nb\n", out: "\"a\"\n\"b\"\n"},
		{line: "jq -c -n [inputs]", stdin: "1 2\n", out: "[1,2]\n"},
		{line: "jq -e .a j.json", out: "null\n", status: 1},
		{line: "jq -j .[]", stdin: `["a","b"]`, out: "ab"},
		{line: "jq --tab .", stdin: "[1]", out: "[\n\t1\n]\n"},
		{line: "jq --indent 1 .", stdin: "[1]", out: "[\n 1\n]\n"},
		{line: "jq -C -c .", stdin: "1", out: "\x1b[0;39m1\x1b[0m\n"},
		{line: "jq .", stdin: "[]", out: "[]\n"},
		{line: "jq .", stdin: "{}", out: "{}\n"},
		{line: "jq .", stdin: "100000000000000000000", out: "100000000000000000000\n"},
		{line: "jq -c --slurpfile s j.json -n $s[0].a", out: "null\n"},
		{line: "jq -r $ENV.A -n", out: "1\n"},
		{line: "vi", status: 1, problems: "vi: name a file: vi FILE opens it in the page's editor\n"},
		{line: "vim -R a", out: "edit " + dir + "/a\n"},
		{line: "helm list", status: 1, problems: refused["helm"] + "\n"},
		{line: "timeout 5 kubectl get", out: "kubectl get\n"},
		{line: "clear", out: "\x1b[H\x1b[2J"},
		{line: "curl example.com", status: 6,
			problems: "curl: (6) Could not resolve host: example.com: from here only the cluster of the " +
				"page can be reached, by its paths (curl /api) or as localhost\n"},
	} {
		out, problems, status := run(t, dir, c.stdin, strings.Fields(strings.ReplaceAll(c.line, "'", ""))...)
		if out != c.out || problems != c.problems || status != c.status {
			t.Errorf("%s\nprinted  %q\nand not  %q\nerrors   %q\nand not  %q\nstatus %d, and not %d",
				c.line, out, c.out, problems, c.problems, status, c.status)
		}
	}
}

// TestFiles changes files, and looks at what there is then.
func TestFiles(t *testing.T) {
	dir := files(t, "a", "1", "d/x", "2")
	for _, c := range []struct {
		line, problems string
		status         int
		want           string // find's output, without the directory
	}{
		{line: "mkdir e", want: ". a d d/x e"},
		{line: "mkdir e", status: 1, problems: "mkdir: cannot create directory ‘e’: File exists\n",
			want: ". a d d/x e"},
		{line: "mkdir -p e/f/g", want: ". a d d/x e e/f e/f/g"},
		{line: "rmdir e/f", status: 1, problems: "rmdir: failed to remove 'e/f': Directory not empty\n",
			want: ". a d d/x e e/f e/f/g"},
		{line: "rm e", status: 1, problems: "rm: cannot remove 'e': Is a directory\n", want: ". a d d/x e e/f e/f/g"},
		{line: "rm -r e", want: ". a d d/x"},
		{line: "rm nothing", status: 1, problems: "rm: cannot remove 'nothing': No such file or directory\n",
			want: ". a d d/x"},
		{line: "rm -f nothing", want: ". a d d/x"},
		{line: "cp a b", want: ". a b d d/x"},
		{line: "cp d e", status: 1, problems: "cp: -r not specified; omitting directory 'd'\n", want: ". a b d d/x"},
		{line: "cp -r d e", want: ". a b d d/x e e/x"},
		{line: "cp a", status: 1, problems: "cp: missing destination file operand after 'a'\n",
			want: ". a b d d/x e e/x"},
		{line: "cp a b e", want: ". a b d d/x e e/a e/b e/x"},
		{line: "mv e/a c", want: ". a b c d d/x e e/b e/x"},
		{line: "mv a b c", status: 1, problems: "mv: target 'c': Not a directory\n", want: ". a b c d d/x e e/b e/x"},
		{line: "rm -rf e b c", want: ". a d d/x"},
		{line: "touch n", want: ". a d d/x n"},
		{line: "tee m", want: ". a d d/x m n"},
		{line: "sort -o s a", want: ". a d d/x m n s"},
	} {
		_, problems, status := run(t, dir, "", strings.Fields(c.line)...)
		if problems != c.problems || status != c.status {
			t.Errorf("%s: %q, %d", c.line, problems, status)
		}
		out, _, _ := run(t, dir, "", "find")
		got := strings.Join(strings.Fields(strings.ReplaceAll(out, "./", "")), " ")
		if got != c.want {
			t.Errorf("%s: %s, and not %s", c.line, got, c.want)
		}
	}
	if _, problems, status := run(t, dir, "", "chmod", "u+x,go-r", "a"); status != 0 {
		t.Error(problems)
	}
	if info, err := os.Stat(filepath.Join(dir, "a")); err != nil || info.Mode().Perm() != 0o700 {
		t.Error(info.Mode(), err)
	}
	if out, _, _ := run(t, dir, "", "ls", "-l", "a"); !strings.HasPrefix(out, "-rwx------ 1 user user 1 ") {
		t.Errorf("%q", out)
	}
	if _, _, status := run(t, dir, "", "sed", "-i", "s/1/one/", "a"); status != 0 {
		t.Error(status)
	}
	if out, _, _ := run(t, dir, "", "cat", "a"); out != "one" {
		t.Errorf("%q", out)
	}
}

// TestRefused wants each program that is not here to say so in a sentence.
func TestRefused(t *testing.T) {
	for name, text := range refused {
		if _, problems, status := run(t, "/", "", name); status != 1 || problems != text+"\n" ||
			!strings.HasSuffix(text, ".") && !strings.HasSuffix(text, ").") {
			t.Errorf("%s: %q, %d", name, problems, status)
		}
	}
	out, _, _ := run(t, "/", "", "help")
	for _, name := range Names() {
		if shown := strings.Contains(out, " "+name+" ") || strings.Contains(out,
			" "+name+"\n"); shown == Refused(name) && name != "help" {
			t.Errorf("help shows %s: %v", name, shown)
		}
	}
}

// TestEnds wants programs to end when nobody reads them, and when they are interrupted.
func TestEnds(t *testing.T) {
	r, w := io.Pipe()
	if err := r.Close(); err != nil {
		t.Fatal(err)
	}
	if status := Run(t.Context(), &Call{Args: []string{"yes"}, Stdout: w, Stderr: io.Discard}); status != brokenPipe {
		t.Errorf("nobody reads: %d", status)
	}
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	for _, args := range [][]string{{"yes"}, {"sleep", "1000"}, {"cat"}, {"seq", "1000000"}} {
		c := &Call{Args: args, Stdin: strings.NewReader("x"), Stdout: io.Discard, Stderr: io.Discard}
		if status := Run(ctx, c); status != interrupted {
			t.Errorf("%v: %d", args, status)
		}
	}
}

// TestFault wants a fault of a program to end that program alone.
func TestFault(t *testing.T) {
	all["faulty"] = func(*Call) int { panic("out of cheese") }
	defer delete(all, "faulty")
	if _, problems, status := run(t, "/", "", "faulty"); status != faulty ||
		problems != "faulty: this program has a fault: out of cheese\n" {
		t.Errorf("%q, %d", problems, status)
	}
}

// TestStreams wants lines of a pipe to be written on as they come.
func TestStreams(t *testing.T) {
	for _, args := range [][]string{{"cat"}, {"cat", "-n"}, {"grep", "x"}, {"sed", "s/a/b/"}, {"head", "-5"}, {"tr",
		"a", "b"},
		{"cut", "-c1"}, {"jq", "-R", "."}, {"tee"}, {"uniq", "-c"}} {
		inR, inW := io.Pipe()
		outR, outW := io.Pipe()
		done := make(chan int)
		go func() {
			done <- Run(t.Context(), &Call{Args: args, Stdin: inR, Stdout: outW, Stderr: io.Discard})
			_ = outW.Close()
		}()
		data := make([]byte, 20)
		for _, line := range []string{"x1\n", "x2\n", "x3\n"} {
			if _, err := io.WriteString(inW, line); err != nil {
				t.Fatal(err)
			}
			if args[0] == "uniq" && line == "x1\n" {
				continue // it has to see the next one
			}
			n, err := outR.Read(data)
			want := line[:2]
			switch args[0] {
			case "uniq":
				want = string([]byte{'x', line[1] - 1})
			case "cut":
				want = "x"
			}
			if !strings.Contains(string(data[:n]), want) || err != nil {
				t.Errorf("%v: %q, %v, and not %q", args, data[:n], err, want)
			}
		}
		go func() { _, _ = io.Copy(io.Discard, outR) }()
		if err := inW.Close(); err != nil {
			t.Fatal(err)
		}
		if status := <-done; status != 0 {
			t.Errorf("%v: %d", args, status)
		}
	}
}
