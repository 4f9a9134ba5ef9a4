package programs

import (
	"bufio"
	"bytes"
	"fmt"
	"os"
	"regexp"
	"slices"
	"strconv"
	"strings"
)

// A sedCommand is one command of a script.
type sedCommand struct {
	from, to *sedAddress // nil: none
	not      bool
	inside   bool // between from and to, while the script runs
	name     byte
	re       *regexp.Regexp
	with     string // what s puts in its place, in the syntax of Go
	all      bool   // s///g
	which    int    // s///2
	print    bool   // s///p
	text     string // of a, i and c
}

// A sedAddress names lines: by number, the last, or by what they match.
type sedAddress struct {
	line int
	last bool
	re   *regexp.Regexp
}

// sed edits lines: s, d, p, q, a, i, c, with addresses.
func sed(c *Call) int {
	o, ok := c.options("n quiet=n silent=n e: expression=e E regexp-extended=E r=E i in-place=i s separate=s u z")
	if !ok {
		return 1
	}
	scripts := o.values["e"]
	if len(scripts) == 0 {
		if len(o.rest) == 0 {
			return c.fail("a script is missing: sed 's/old/new/' FILE")
		}
		scripts, o.rest = o.rest[:1], o.rest[1:]
	}
	parser := sedParser{text: strings.Join(scripts, "\n"), extended: o.has("E")}
	commands, err := parser.script()
	if err != nil {
		return c.fail("-e expression #1, char %d: %v", parser.at, err)
	}
	run := &sedRun{Call: c, commands: commands, quiet: o.has("n")}
	if !o.has("i") {
		return c.each(o.rest, func(_ string, r *bufio.Reader) { run.file(r, c.out) })
	}
	status := 0
	for _, name := range o.rest {
		var out bytes.Buffer
		w := bufio.NewWriter(&out)
		status = max(status, c.each([]string{name}, func(_ string, r *bufio.Reader) {
			run.line, run.over = 0, false
			run.file(r, w)
			_ = w.Flush() // into memory
			if err := os.WriteFile(c.path(name), out.Bytes(), 0o644); err != nil {
				status = c.fail("couldn't write %s: %s", name, Reason(err))
			}
		}))
	}
	return status
}

// A sedParser reads a script.
type sedParser struct {
	text     string
	at       int
	extended bool
}

func (p *sedParser) peek() byte {
	if p.at < len(p.text) {
		return p.text[p.at]
	}
	return 0
}

func (p *sedParser) skip(set string) {
	for p.at < len(p.text) && strings.IndexByte(set, p.text[p.at]) >= 0 {
		p.at++
	}
}

// script reads all commands.
func (p *sedParser) script() (all []*sedCommand, err error) {
	for {
		if p.skip(" \t\n;"); p.at >= len(p.text) {
			return all, nil
		}
		command, err := p.command()
		if err != nil {
			return nil, err
		}
		all = append(all, command)
	}
}

func (p *sedParser) command() (c *sedCommand, err error) {
	c = &sedCommand{}
	if c.from, err = p.address(); err != nil {
		return nil, err
	}
	if c.from != nil && p.peek() == ',' {
		p.at++
		if c.to, err = p.address(); err != nil || c.to == nil {
			return nil, fmt.Errorf("unexpected `,'")
		}
	}
	p.skip(" \t")
	if p.peek() == '!' {
		c.not = true
		p.at++
		p.skip(" \t")
	}
	c.name = p.peek()
	p.at++
	switch c.name {
	case 's':
		return c, p.substitution(c)
	case 'd', 'p', 'q', '=':
	case 'a', 'i', 'c':
		p.skip(" \t\\\n")
		text, _, _ := strings.Cut(p.text[p.at:], "\n")
		c.text = text
		p.at += len(text)
		return c, nil
	case 0:
		return nil, fmt.Errorf("missing command")
	default:
		return nil, fmt.Errorf("the command `%c' is not known here: s, d, p, q, a, i, c and = are", c.name)
	}
	p.skip(" \t")
	if next := p.peek(); next != 0 && next != ';' && next != '\n' && next != '}' {
		return nil, fmt.Errorf("extra characters after command")
	}
	return c, nil
}

// address reads an address, if there is one.
func (p *sedParser) address() (*sedAddress, error) {
	switch ch := p.peek(); {
	case ch >= '0' && ch <= '9':
		start := p.at
		p.skip("0123456789")
		n, err := strconv.Atoi(p.text[start:p.at])
		return &sedAddress{line: n}, err
	case ch == '$':
		p.at++
		return &sedAddress{last: true}, nil
	case ch == '/':
		text, err := p.until('/')
		if err != nil {
			return nil, fmt.Errorf("unterminated address regex")
		}
		re, err := p.compile(text, "")
		return &sedAddress{re: re}, err
	}
	return nil, nil
}

// until reads a text between two marks: the parser is at the first one.
func (p *sedParser) until(mark byte) (string, error) {
	var out strings.Builder
	for p.at++; p.at < len(p.text); p.at++ {
		switch ch := p.text[p.at]; {
		case ch == mark:
			p.at++
			return out.String(), nil
		case ch == '\\' && p.at+1 < len(p.text):
			p.at++
			if p.text[p.at] != mark {
				out.WriteByte('\\')
			}
			out.WriteByte(p.text[p.at])
		default:
			out.WriteByte(ch)
		}
	}
	return "", fmt.Errorf("unterminated `%c'", mark)
}

func (p *sedParser) compile(text, flags string) (*regexp.Regexp, error) {
	if p.extended {
		text = extended(text)
	} else {
		text = basic(text)
	}
	re, err := regexp.Compile(flags + text)
	if err == nil {
		re.Longest()
	}
	return re, err
}

// substitution reads what comes behind s.
func (p *sedParser) substitution(c *sedCommand) error {
	mark := p.peek()
	if mark == 0 || mark == '\n' || mark == '\\' {
		return fmt.Errorf("unterminated `s' command")
	}
	old, err := p.until(mark)
	if err != nil {
		return fmt.Errorf("unterminated `s' command")
	}
	p.at--
	with, err := p.until(mark)
	if err != nil {
		return fmt.Errorf("unterminated `s' command")
	}
	flags := ""
	for done := false; !done; {
		switch ch := p.peek(); {
		case ch == 'g':
			c.all = true
		case ch == 'p':
			c.print = true
		case ch == 'i' || ch == 'I':
			flags = "(?i)"
		case ch >= '1' && ch <= '9':
			c.which = int(ch - '0')
		case ch == 0, ch == ';', ch == '\n', ch == ' ':
			done = true
			continue
		default:
			return fmt.Errorf("unknown option to `s'")
		}
		p.at++
	}
	c.with = replacement(with)
	c.re, err = p.compile(old, flags)
	return err
}

// replacement returns what s puts in place, in the syntax of Go.
func replacement(text string) string {
	var out strings.Builder
	for i := 0; i < len(text); i++ {
		switch ch := text[i]; {
		case ch == '\\' && i+1 < len(text):
			i++
			switch next := text[i]; {
			case next >= '0' && next <= '9':
				fmt.Fprintf(&out, "${%c}", next)
			case next == 'n':
				out.WriteByte('\n')
			case next == 't':
				out.WriteByte('\t')
			case next == '$':
				out.WriteString("$$")
			default:
				out.WriteByte(next)
			}
		case ch == '&':
			out.WriteString("${0}")
		case ch == '$':
			out.WriteString("$$")
		default:
			out.WriteByte(ch)
		}
	}
	return out.String()
}

// A sedRun runs a script over files.
type sedRun struct {
	*Call
	commands []*sedCommand
	quiet    bool
	line     int
	over     bool // q has ended it
}

// file edits a file. It reads a line ahead only if the script names the last line.
func (s *sedRun) file(r *bufio.Reader, out *bufio.Writer) {
	ahead := slices.ContainsFunc(s.commands, func(c *sedCommand) bool {
		return c.from != nil && c.from.last || c.to != nil && c.to.last
	})
	for !s.over {
		text, err := r.ReadString('\n')
		if text == "" {
			return
		}
		s.line++
		last := err != nil
		if ahead && !last {
			_, end := r.Peek(1)
			last = end != nil
		}
		s.edit(strings.TrimSuffix(text, "\n"), strings.HasSuffix(text, "\n"), last, out)
	}
}

// edit runs the script over a line.
func (s *sedRun) edit(line string, ended, last bool, out *bufio.Writer) {
	var after []string
	print := func(text string) {
		_, _ = out.WriteString(text)
		if ended {
			_ = out.WriteByte('\n')
		}
	}
	deleted := false
	for _, c := range s.commands {
		if c.selects(s.line, line, last) == c.not {
			continue
		}
		switch c.name {
		case 's':
			text, changed := c.substitute(line)
			if line = text; changed && c.print {
				print(line)
			}
		case 'p':
			print(line)
		case '=':
			print(strconv.Itoa(s.line))
		case 'd':
			deleted = true
		case 'a':
			after = append(after, c.text)
		case 'i':
			print(c.text)
		case 'c':
			print(c.text)
			deleted = true
		case 'q':
			s.over = true
		}
		if deleted || s.over {
			break
		}
	}
	if !deleted && !s.quiet {
		print(line)
	}
	for _, text := range after {
		print(text)
	}
}

// selects reports whether a command's addresses name a line.
func (c *sedCommand) selects(number int, line string, last bool) bool {
	is := func(a *sedAddress) bool {
		return a.re != nil && a.re.MatchString(line) || a.last && last || a.line > 0 && a.line == number
	}
	switch {
	case c.from == nil:
		return true
	case c.to == nil:
		return is(c.from)
	case c.inside:
		if is(c.to) || c.to.line > 0 && c.to.line <= number {
			c.inside = false
			return c.to.line == 0 || c.to.line >= number
		}
		return true
	case is(c.from):
		c.inside = !(c.to.line > 0 && c.to.line <= number) && !(c.to.last && last)
		return true
	}
	return false
}

// substitute returns a line after s.
func (c *sedCommand) substitute(line string) (text string, changed bool) {
	var out []byte
	at, n := 0, 0
	for _, m := range c.re.FindAllStringSubmatchIndex(line, -1) {
		if n++; n < max(1, c.which) {
			continue
		}
		out = append(out, line[at:m[0]]...)
		out = c.re.ExpandString(out, c.with, line, m)
		at, changed = m[1], true
		if !c.all {
			break
		}
	}
	return string(out) + line[at:], changed
}
