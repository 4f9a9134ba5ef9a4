package programs

import (
	"bufio"
	"fmt"
	"io/fs"
	"path/filepath"
	"regexp"
	"strings"
)

// The colours that GNU grep has.
const (
	colourMatch = "\x1b[01;31m\x1b[K"
	colourName  = "\x1b[35m\x1b[K"
	colourLine  = "\x1b[32m\x1b[K"
	colourMark  = "\x1b[36m\x1b[K"
	colourEnd   = "\x1b[m\x1b[K"
)

// A grepper is one run of grep.
type grepper struct {
	*Call
	o             options
	re            *regexp.Regexp
	names, colour bool
	before, after int
	most          int // -1: no bound
	matched       bool
}

// grep prints the lines that match.
func grep(c *Call) int {
	o, ok := c.options("i y=i ignore-case=i v invert-match=v n line-number=n E extended-regexp=E G basic-regexp=G " +
		"P perl-regexp=P o only-matching=o c count=c q quiet=q silent=q r recursive=r R=r A: B: C: " +
		"after-context=A before-context=B context=C w word-regexp=w F fixed-strings=F x line-regexp=x " +
		"l files-with-matches=l L files-without-match=L h no-filename=h H with-filename=H s no-messages=s e: regexp=e " +
		"f: file=f m: max-count=m color? colour=color line-buffered a text=a include: exclude: #")
	if !ok {
		return 2
	}
	g := &grepper{Call: c, o: o, colour: c.colour(o)}
	patterns := o.values["e"]
	for _, name := range o.values["f"] {
		r, err := c.open(name)
		if err != nil {
			c.complain("%s: %s", name, Reason(err))
			return 2
		}
		c.lines(bufio.NewReader(r), func(line string) bool { patterns = append(patterns, line); return true })
		_ = r.Close()
	}
	if !o.has("e") && !o.has("f") {
		if len(o.rest) == 0 {
			c.complain("a pattern is missing: grep [-i] [-v] [-n] [-E] PATTERN [FILE…]")
			return 2
		}
		patterns, o.rest = strings.Split(o.rest[0], "\n"), o.rest[1:]
	}
	var err error
	if g.re, err = compile(patterns, o); err != nil {
		c.complain("%v", err)
		return 2
	}
	if err := g.numbers(); err != nil {
		c.complain("%v", err)
		return 2
	}
	status := 0
	files := o.rest
	if o.has("r") {
		files, status = g.below(files)
	}
	g.names = (len(files) > 1 || o.has("r") || o.has("H")) && !o.has("h")
	for _, name := range files {
		r, err := c.open(name)
		if err != nil {
			if !o.has("s") {
				c.complain("%s: %s", name, Reason(err))
			}
			status = 2
			continue
		}
		g.file(name, bufio.NewReader(r))
		_ = r.Close()
	}
	if len(files) == 0 && !o.has("r") {
		g.file("(standard input)", c.in)
	}
	if status == 2 && !(g.matched && o.has("q")) {
		return 2
	}
	if !g.matched {
		return 1
	}
	return 0
}

// colour reports whether a program that knows --color prints colours: only if that is asked for, or goes to a terminal.
func (c *Call) colour(o options) bool {
	switch o.value("color", "auto") {
	case "always":
		return true
	case "never":
		return false
	}
	return c.terminal()
}

// numbers reads the flags that have numbers.
func (g *grepper) numbers() (err error) {
	around, err := g.o.number("#", 0)
	if err != nil {
		return err
	}
	if around, err = g.o.number("C", around); err != nil {
		return fmt.Errorf("%s: invalid context length argument", g.o.value("C", ""))
	}
	if g.before, err = g.o.number("B", around); err != nil {
		return fmt.Errorf("%s: invalid context length argument", g.o.value("B", ""))
	}
	if g.after, err = g.o.number("A", around); err != nil {
		return fmt.Errorf("%s: invalid context length argument", g.o.value("A", ""))
	}
	g.most, err = g.o.number("m", -1)
	return err
}

// compile returns what grep looks for.
func compile(patterns []string, o options) (*regexp.Regexp, error) {
	var parts []string
	for _, p := range patterns {
		switch {
		case o.has("F"):
			p = regexp.QuoteMeta(p)
		case o.has("P"):
		case o.has("E"):
			p = extended(p)
		default:
			p = basic(p)
		}
		parts = append(parts, p)
	}
	text := "(?:" + strings.Join(parts, "|") + ")"
	if o.has("w") {
		text = `\b` + text + `\b`
	}
	if o.has("x") {
		text = "^" + text + "$"
	}
	if o.has("i") {
		text = "(?i)" + text
	}
	re, err := regexp.Compile(text)
	if err != nil {
		return nil, fmt.Errorf("%q is no regular expression that this grep knows: %w", strings.Join(patterns, "\n"), err)
	}
	if !o.has("P") {
		re.Longest()
	}
	return re, nil
}

// below returns the files in directories.
func (g *grepper) below(names []string) (files []string, status int) {
	if len(names) == 0 {
		names = []string{"."}
	}
	wanted := func(name string) bool {
		fits := func(patterns []string) bool {
			for _, p := range patterns {
				if ok, _ := filepath.Match(p, filepath.Base(name)); ok {
					return true
				}
			}
			return false
		}
		return (!g.o.has("include") || fits(g.o.values["include"])) && !fits(g.o.values["exclude"])
	}
	for _, name := range names {
		root := g.path(name)
		err := filepath.WalkDir(root, func(file string, d fs.DirEntry, err error) error {
			if err == nil && !d.IsDir() && wanted(file) {
				shown := name + strings.TrimPrefix(file, root)
				if name == "." && !g.given(".") {
					shown = strings.TrimPrefix(shown, "./")
				}
				files = append(files, shown)
			}
			return err
		})
		if err != nil {
			g.complain("%s: %s", name, Reason(err))
			status = 2
		}
	}
	return files, status
}

// given reports whether a file was named.
func (g *grepper) given(name string) bool {
	for _, n := range g.o.rest {
		if n == name {
			return true
		}
	}
	return false
}

// file looks through one file.
func (g *grepper) file(name string, r *bufio.Reader) {
	o := g.o
	count, number, printed, follow := 0, 0, 0, 0
	var held []string // lines before a match that are not printed yet
	g.lines(r, func(line string) bool {
		number++
		if g.most == 0 || g.re.MatchString(line) == o.has("v") {
			if follow > 0 {
				follow--
				g.line(name, number, line, '-')
				printed = number
			} else if g.before > 0 {
				if held = append(held, line); len(held) > g.before {
					held = held[1:]
				}
			}
			return g.most != 0
		}
		count++
		g.matched = true
		switch {
		case o.has("q"), o.has("l"), o.has("L"):
			return false
		case o.has("c"):
		case o.has("o") && !o.has("v"):
			for _, m := range g.re.FindAllString(line, -1) {
				if m != "" {
					g.line(name, number, m, ':')
				}
			}
		default:
			if (g.before > 0 || g.after > 0) && printed > 0 && printed < number-len(held)-1 {
				g.mark("--\n")
			}
			for i, l := range held {
				g.line(name, number-len(held)+i, l, '-')
			}
			held = nil
			g.line(name, number, line, ':')
			printed, follow = number, g.after
		}
		return g.most < 0 || count < g.most || follow > 0
	})
	switch {
	case o.has("q"):
	case o.has("l") && count > 0, o.has("L") && count == 0:
		g.printf("%s\n", g.painted(colourName, name))
	case o.has("c"):
		if g.names {
			g.printf("%s%s", g.painted(colourName, name), g.painted(colourMark, ":"))
		}
		g.printf("%d\n", count)
	}
}

// line prints a line that matched (':'), or one around it ('-').
func (g *grepper) line(name string, number int, line string, mark byte) {
	if g.names {
		g.printf("%s%s", g.painted(colourName, name), g.painted(colourMark, string(mark)))
	}
	if g.o.has("n") {
		g.printf("%s%s", g.painted(colourLine, fmt.Sprint(number)), g.painted(colourMark, string(mark)))
	}
	if g.colour && mark == ':' && !g.o.has("v") {
		line = g.re.ReplaceAllStringFunc(line, func(m string) string { return g.painted(colourMatch, m) })
	}
	g.printf("%s\n", line)
}

func (g *grepper) mark(text string) {
	g.printf("%s\n", g.painted(colourMark, strings.TrimSuffix(text, "\n")))
}

// painted returns a text in a colour, if colours are wanted.
func (g *grepper) painted(colour, text string) string {
	if !g.colour || text == "" {
		return text
	}
	return colour + text + colourEnd
}
