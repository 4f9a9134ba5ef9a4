package programs

import (
	"strings"
	"testing"
)

const lines = "Alpha one\nbeta two\ngamma one.two\n\nALPHA 3\nlast a+b\n"

func TestGrep(t *testing.T) {
	dir := files(t, "f", lines, "g", "beta\n", "d/h", "alpha\n", "p", "one\n^last\n")
	for _, c := range []struct {
		args     []string
		out      string
		status   int
		problems string
	}{
		{[]string{"one", "f"}, "Alpha one\ngamma one.two\n", 0, ""},
		{[]string{"-i", "alpha", "f"}, "Alpha one\nALPHA 3\n", 0, ""},
		{[]string{"-v", "a", "f"}, "\nALPHA 3\n", 0, ""},
		{[]string{"-n", "beta", "f"}, "2:beta two\n", 0, ""},
		{[]string{"-c", "one", "f"}, "2\n", 0, ""},
		{[]string{"-c", "nothing", "f"}, "0\n", 1, ""},
		{[]string{"-o", "o[nx]e", "f"}, "one\none\n", 0, ""},
		{[]string{"-q", "one", "f"}, "", 0, ""},
		{[]string{"nothing", "f"}, "", 1, ""},
		{[]string{"-w", "two", "f"}, "beta two\ngamma one.two\n", 0, ""},
		{[]string{"-x", "beta two", "f"}, "beta two\n", 0, ""},
		{[]string{"-F", "a+b", "f"}, "last a+b\n", 0, ""},
		{[]string{"a+b", "f"}, "last a+b\n", 0, ""},
		{[]string{`lx*p\|last`, "f"}, "Alpha one\nlast a+b\n", 0, ""},
		{[]string{"-E", "(beta|last) ", "f"}, "beta two\nlast a+b\n", 0, ""},
		{[]string{"-E", `a{1}\b two`, "f"}, "beta two\n", 0, ""},
		{[]string{"-P", `\d`, "f"}, "ALPHA 3\n", 0, ""},
		{[]string{"[[:digit:]]", "f"}, "ALPHA 3\n", 0, ""},
		{[]string{"[]3]", "f"}, "ALPHA 3\n", 0, ""},
		{[]string{"^$", "f"}, "\n", 0, ""},
		{[]string{"-e", "beta", "-e", "last", "f"}, "beta two\nlast a+b\n", 0, ""},
		{[]string{"-f", "p", "f"}, "Alpha one\ngamma one.two\nlast a+b\n", 0, ""},
		{[]string{"-m1", "one", "f"}, "Alpha one\n", 0, ""},
		{[]string{"beta", "f", "g"}, "f:beta two\ng:beta\n", 0, ""},
		{[]string{"-h", "beta", "f", "g"}, "beta two\nbeta\n", 0, ""},
		{[]string{"-l", "beta", "f", "g"}, "f\ng\n", 0, ""},
		{[]string{"-L", "two", "f", "g"}, "g\n", 0, ""},
		{[]string{"-r", "alpha", "d"}, "d/h:alpha\n", 0, ""},
		{[]string{"-rn", "alpha"}, "d/h:1:alpha\n", 0, ""},
		{[]string{"-r", "--include=h", "a", "."}, "./d/h:alpha\n", 0, ""},
		{[]string{"-A1", "beta", "f"}, "beta two\ngamma one.two\n", 0, ""},
		{[]string{"-B1", "-n", "beta", "f"}, "1-Alpha one\n2:beta two\n", 0, ""},
		{[]string{"-C1", "ALPHA", "f"}, "\nALPHA 3\nlast a+b\n", 0, ""},
		{[]string{"-A1", "-E", "Alpha|ALPHA", "f"}, "Alpha one\nbeta two\n--\nALPHA 3\nlast a+b\n", 0, ""},
		{[]string{"--color=always", "bet", "g"}, colourMatch + "bet" + colourEnd + "a\n", 0, ""},
		{[]string{"beta", "nothing"}, "", 2, "grep: nothing: No such file or directory\n"},
		{[]string{"beta", "d"}, "", 2, "grep: d: Is a directory\n"},
		{[]string{"-Z", "x"}, "", 2, "grep: invalid option -- 'Z'\n"},
		{nil, "", 2, "grep: a pattern is missing: grep [-i] [-v] [-n] [-E] PATTERN [FILE…]\n"},
	} {
		out, problems, status := run(t, dir, "", append([]string{"grep"}, c.args...)...)
		if out != c.out || status != c.status || problems != c.problems {
			t.Errorf("grep %q: %q, %q, %d, and not %q, %q, %d", c.args, out, problems, status, c.out, c.problems,
				c.status)
		}
	}
	if out, _, status := run(t, dir, "a\nb\n", "grep", "b"); out != "b\n" || status != 0 {
		t.Errorf("standard input: %q, %d", out, status)
	}
	if _, problems, status := run(t, dir, "", "grep", "-E", "(", "f"); status != 2 || !strings.Contains(problems,
		"no regular expression") {
		t.Errorf("%q, %d", problems, status)
	}
}

func TestRegexp(t *testing.T) {
	for _, c := range []struct{ posix, basic, extended string }{
		{"a+b?(c|d){2}", `a\+b\?\(c\|d\)\{2\}`, "a+b?(c|d){2}"},
		{`a\+\(b\)\{2\}`, "a+(b){2}", `a\+\(b\)\{2\}`},
		{"*a", `\*a`, "*a"},
		{"a^b$c", `a\^b\$c`, "a^b$c"},
		{"^a$", "^a$", "^a$"},
		{`[a\]`, `[a\\]`, `[a\\]`},
		{"[]a]", `[\]a]`, `[\]a]`},
		{"[^]a]", `[^\]a]`, `[^\]a]`},
		{"[[:alpha:][]", `[[:alpha:]\[]`, `[[:alpha:]\[]`},
		{`\<a\>`, `\ba\b`, `\ba\b`},
	} {
		if got := basic(c.posix); got != c.basic {
			t.Errorf("basic %s: %s, and not %s", c.posix, got, c.basic)
		}
		if got := extended(c.posix); got != c.extended {
			t.Errorf("extended %s: %s, and not %s", c.posix, got, c.extended)
		}
	}
}
