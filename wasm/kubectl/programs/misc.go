package programs

import (
	"bufio"
	"cmp"
	"context"
	"encoding/base64"
	"fmt"
	"io"
	"slices"
	"strconv"
	"strings"
	"time"
)

// clearScreen moves the cursor home, and clears what is there.
const clearScreen = "\x1b[H\x1b[2J"

func clearTerminal(c *Call) int {
	c.printf("%s", clearScreen)
	return 0
}

// say returns a program that prints a line.
func say(line func(c *Call) string) program {
	return func(c *Call) int {
		c.printf("%s\n", line(c))
		return 0
	}
}

// env prints the environment, or runs a program with another one.
func env(c *Call) int {
	o, ok := c.options("i ignore-environment=i u: unset=u +")
	if !ok {
		return 125
	}
	vars := c.Env
	if o.has("i") {
		vars = nil
	}
	for len(o.rest) > 0 && strings.Contains(o.rest[0], "=") {
		name, _, _ := strings.Cut(o.rest[0], "=")
		vars = append(without(vars, name), o.rest[0])
		o.rest = o.rest[1:]
	}
	for _, name := range o.values["u"] {
		vars = without(vars, name)
	}
	if len(o.rest) > 0 {
		return c.run(o.rest, vars, c.in)
	}
	for _, pair := range vars {
		c.printf("%s\n", pair)
	}
	return 0
}

// without returns variables but one.
func without(vars []string, name string) []string {
	return slices.DeleteFunc(slices.Clone(vars), func(pair string) bool { return strings.HasPrefix(pair, name+"=") })
}

// run runs another program, with the call's output.
func (c *Call) run(argv, env []string, stdin io.Reader) int {
	_ = c.out.Flush()
	return c.Run(c.ctx, &Call{Args: argv, Env: env, Dir: c.Dir, Stdin: stdin, Stdout: c.Stdout, Stderr: c.Stderr})
}

// seq counts.
func seq(c *Call) int {
	var numbers []float64
	separator, width := "\n", false
	args := c.Args[1:]
	for len(args) > 0 && len(args[0]) > 1 && args[0][0] == '-' && strings.IndexByte("0123456789.", args[0][1]) < 0 {
		switch {
		case args[0] == "-w":
			width = true
		case args[0] == "-s" && len(args) > 1:
			separator, args = args[1], args[1:]
		default:
			return c.fail("invalid option '%s'", args[0])
		}
		args = args[1:]
	}
	for _, arg := range args {
		n, err := strconv.ParseFloat(arg, 64)
		if err != nil {
			return c.fail("invalid floating point argument: ‘%s’", arg)
		}
		numbers = append(numbers, n)
	}
	first, step, last := 1.0, 1.0, 0.0
	switch len(numbers) {
	case 1:
		last = numbers[0]
	case 2:
		first, last = numbers[0], numbers[1]
	case 3:
		first, step, last = numbers[0], numbers[1], numbers[2]
	default:
		return c.fail("one to three numbers are needed: seq FIRST STEP LAST")
	}
	if step == 0 {
		return c.fail("invalid Zero increment value: ‘0’")
	}
	digits := 0
	for _, arg := range args {
		if _, fraction, ok := strings.Cut(arg, "."); ok {
			digits = max(digits, len(fraction))
		}
	}
	format := func(n float64) string { return strconv.FormatFloat(n, 'f', digits, 64) }
	wide := 0
	if width {
		wide = max(len(format(first)), len(format(last)))
	}
	count := int((last-first)/step + 1e-9)
	if (last-first)/step < 0 {
		return 0
	}
	for i := 0; i <= count; i++ {
		if i > 0 {
			c.printf("%s", separator)
		}
		c.printf("%0*s", wide, format(first+float64(i)*step))
	}
	c.printf("\n")
	return 0
}

// sleep waits.
func sleep(c *Call) int {
	if len(c.Args) < 2 {
		return c.fail("missing operand")
	}
	total := time.Duration(0)
	for _, arg := range c.Args[1:] {
		d, ok := duration(arg)
		if !ok {
			return c.fail("invalid time interval ‘%s’", arg)
		}
		total += d
	}
	_ = c.out.Flush()
	select {
	case <-c.ctx.Done():
		return interrupted
	case <-time.After(total):
		return 0
	}
}

// duration reads a time such as 1.5, 10s or 2m.
func duration(text string) (time.Duration, bool) {
	unit := time.Second
	if n := len(text); n > 1 {
		if u, ok := map[byte]time.Duration{'s': time.Second, 'm': time.Minute, 'h': time.Hour,
			'd': 24 * time.Hour}[text[n-1]]; ok {
			unit, text = u, text[:n-1]
		}
	}
	n, err := strconv.ParseFloat(text, 64)
	return time.Duration(n * float64(unit)), err == nil && n >= 0
}

// dateLetters are the parts of date's format, in Go's.
var dateLetters = map[byte]string{
	'Y': "2006", 'm': "01", 'd': "02", 'H': "15", 'M': "04", 'S': "05", 'y': "06", 'b': "Jan", 'B': "January", 'a': "Mon",
	'A': "Monday", 'e': "_2", 'I': "03", 'p': "PM", 'Z': "MST", 'z': "-0700", 'N': "000000000", 'F': "2006-01-02",
	'T': "15:04:05", 'D': "01/02/06", 'R': "15:04", 'c': "Mon Jan _2 15:04:05 2006", 'j': "002", 'h': "Jan",
}

// date prints the time.
func date(c *Call) int {
	o, ok := c.options("u utc=u d: date=d I? iso-8601=I R rfc-email=R")
	if !ok {
		return 1
	}
	now := time.Now()
	if text := o.value("d", ""); text != "" {
		var err error
		if n, found := strings.CutPrefix(text, "@"); found {
			var seconds int64
			seconds, err = strconv.ParseInt(n, 10, 64)
			now = time.Unix(seconds, 0)
		} else if text != "now" {
			for _, layout := range []string{time.RFC3339, time.DateTime, time.DateOnly} {
				if now, err = time.Parse(layout, text); err == nil {
					break
				}
			}
		}
		if err != nil {
			return c.fail("invalid date ‘%s’: known here are 2026-11-26, 2026-11-26T18:00:00Z and @SECONDS", text)
		}
	}
	if o.has("u") {
		now = now.UTC()
	}
	format := "%a %b %e %H:%M:%S %Z %Y"
	switch {
	case len(o.rest) > 0 && strings.HasPrefix(o.rest[0], "+"):
		format = o.rest[0][1:]
	case len(o.rest) > 0:
		return c.fail("the time of the browser cannot be set from here")
	case o.has("I") && strings.HasPrefix(o.value("I", ""), "s"):
		format = "%FT%T%:z"
	case o.has("I"):
		format = "%F"
	case o.has("R"):
		format = "%a, %d %b %Y %T %z"
	}
	c.printf("%s\n", dated(format, now))
	return 0
}

// dated returns a time in date's format.
func dated(format string, t time.Time) string {
	var out strings.Builder
	for i := 0; i < len(format); i++ {
		if format[i] != '%' || i+1 == len(format) {
			out.WriteByte(format[i])
			continue
		}
		i++
		switch layout, known := dateLetters[format[i]]; {
		case format[i] == 's':
			fmt.Fprint(&out, t.Unix())
		case format[i] == 'n':
			out.WriteByte('\n')
		case format[i] == 't':
			out.WriteByte('\t')
		case format[i] == 'N':
			fmt.Fprintf(&out, "%09d", t.Nanosecond())
		case strings.HasPrefix(format[i:], ":z"):
			out.WriteString(t.Format("-07:00"))
			i++
		case known:
			out.WriteString(t.Format(layout))
		case format[i] == '%':
			out.WriteByte('%')
		default:
			out.WriteString(format[i-1 : i+1])
		}
	}
	return out.String()
}

// coding encodes as base64, or decodes.
func coding(c *Call) int {
	o, ok := c.options("d decode=d D=d w: wrap=w i ignore-garbage=i")
	if !ok {
		return 1
	}
	width, err := o.number("w", 76)
	if err != nil {
		return c.fail("invalid wrap size: ‘%s’", o.value("w", ""))
	}
	status := 0
	failed := c.each(o.rest[:min(1, len(o.rest))], func(_ string, r *bufio.Reader) {
		data, _ := io.ReadAll(r) // what could not be read is not there
		if !o.has("d") {
			text := base64.StdEncoding.EncodeToString(data)
			for width > 0 && len(text) > width {
				c.printf("%s\n", text[:width])
				text = text[width:]
			}
			if c.printf("%s", text); width > 0 && text != "" {
				c.printf("\n")
			}
			return
		}
		text := strings.Join(strings.Fields(string(data)), "")
		plain, err := base64.StdEncoding.DecodeString(text)
		if err != nil {
			plain, err = base64.RawStdEncoding.DecodeString(strings.TrimRight(text, "="))
		}
		if _, _ = c.out.Write(plain); err != nil {
			status = c.fail("invalid input")
		}
	})
	return max(status, failed)
}

// xargs runs a program with what it reads as arguments.
func xargs(c *Call) int {
	o, ok := c.options("n: max-args=n I: i d: delimiter=d 0 null=0 r no-run-if-empty=r t verbose=t P: L: +")
	if !ok {
		return 1
	}
	most, err := o.number("n", 5000)
	if err == nil && o.has("L") {
		most, err = o.number("L", 1)
	}
	if err != nil || most == 0 {
		return c.fail("invalid number for -n")
	}
	data, _ := io.ReadAll(c.in)
	var items []string
	switch {
	case o.has("0"):
		items = strings.Split(strings.TrimSuffix(string(data), "\x00"), "\x00")
	case o.has("d"):
		d := strings.NewReplacer(`\n`, "\n", `\t`, "\t", `\0`, "\x00").Replace(o.value("d", ""))
		items = strings.Split(strings.TrimSuffix(string(data), "\n"), d)
	case o.has("I") || o.has("L"):
		for line := range strings.Lines(string(data)) {
			if line = strings.TrimSpace(line); line != "" {
				items = append(items, line)
			}
		}
	default:
		items = words(string(data))
	}
	command := o.rest
	if len(command) == 0 {
		command = []string{"echo"}
	}
	if len(items) == 0 && (o.has("r") || o.has("I")) {
		return 0
	}
	status := 0
	for first := true; first || len(items) > 0; first = false {
		argv := slices.Clone(command)
		if mark := o.value("I", ""); o.has("I") {
			for i := range argv {
				argv[i] = strings.ReplaceAll(argv[i], mark, items[0])
			}
			items = items[1:]
		} else {
			n := min(most, len(items))
			argv, items = append(argv, items[:n]...), items[n:]
		}
		if o.has("t") {
			fmt.Fprintln(c.Stderr, strings.Join(argv, " "))
		}
		switch code := c.run(argv, c.Env, strings.NewReader("")); {
		case c.ctx.Err() != nil:
			return interrupted
		case code == 127, code == 126:
			return code
		case code != 0:
			status = 123
		}
	}
	return status
}

// words returns the words of a text, with quotes and backslashes as xargs has them.
func words(text string) (all []string) {
	word, inWord, quote := "", false, rune(0)
	escaped := false
	for _, r := range text {
		switch {
		case escaped:
			word, escaped, inWord = word+string(r), false, true
		case quote != 0 && r == quote:
			quote = 0
		case quote != 0:
			word += string(r)
		case r == '\'' || r == '"':
			quote, inWord = r, true
		case r == '\\':
			escaped = true
		case r == ' ' || r == '\t' || r == '\n':
			if inWord {
				all = append(all, word)
			}
			word, inWord = "", false
		default:
			word, inWord = word+string(r), true
		}
	}
	if inWord {
		all = append(all, word)
	}
	return all
}

// watch runs a command again and again.
func watch(c *Call) int {
	o, ok := c.options("n: interval=n d? differences=d t no-title=t e errexit=e x exec=x c color=c g chgexit=g b beep=b +")
	if !ok {
		return 1
	}
	if len(o.rest) == 0 {
		return c.fail("a command is missing: watch kubectl get pods")
	}
	every, ok := duration(o.value("n", "2"))
	if !ok {
		return c.fail("failed to parse argument: '%s'", o.value("n", ""))
	}
	line := strings.Join(o.rest, " ")
	argv := []string{"sh", "-c", line}
	if o.has("x") {
		argv = o.rest
	}
	last := ""
	for first := true; ; first = false {
		var out strings.Builder
		code := c.Run(c.ctx, &Call{Args: argv, Env: c.Env, Dir: c.Dir, Stdin: strings.NewReader(""), Stdout: &out, Stderr: &out})
		if c.ctx.Err() != nil {
			return interrupted
		}
		if c.printf("%s", clearScreen); !o.has("t") {
			c.printf("Every %.1fs: %s%s\n\n", every.Seconds(), line, "   "+time.Now().Format(time.TimeOnly))
		}
		c.printf("%s", out.String())
		_ = c.out.Flush()
		if o.has("e") && code != 0 || o.has("g") && !first && out.String() != last {
			return code
		}
		last = out.String()
		select {
		case <-c.ctx.Done():
			return interrupted
		case <-time.After(max(every, 100*time.Millisecond)):
		}
	}
}

// timeout runs a program, but not for longer than a time.
func timeout(c *Call) int {
	o, ok := c.options("s: signal=s k: kill-after=k foreground preserve-status v verbose=v +")
	if !ok || len(o.rest) < 2 {
		c.complain("a time and a command are needed: timeout 10 kubectl get pods -w")
		return 125
	}
	limit, ok := duration(o.rest[0])
	if !ok {
		c.complain("invalid time interval ‘%s’", o.rest[0])
		return 125
	}
	return c.within(limit, o.rest[1:])
}

// which says where programs are.
func which(c *Call) int {
	o, ok := c.options("a")
	if !ok {
		return 2
	}
	status := 0
	for _, name := range o.rest {
		if name == "k" {
			name = "kubectl"
		}
		if !slices.Contains(c.Names(), name) {
			status = 1
			continue
		}
		c.printf("/bin/%s\n", name)
	}
	return status
}

// tr replaces characters, or deletes them.
func tr(c *Call) int {
	o, ok := c.options("d delete=d s squeeze-repeats=s c complement=c C=c t")
	if !ok {
		return 1
	}
	if len(o.rest) == 0 || len(o.rest) == 1 && !o.has("d") && !o.has("s") {
		return c.fail("missing operand: tr a-z A-Z")
	}
	from := set(o.rest[0])
	var to []rune
	if len(o.rest) > 1 {
		to = set(o.rest[1])
	}
	find := func(r rune) int {
		i := slices.Index(from, r)
		if !o.has("c") {
			return i
		}
		if i >= 0 {
			return -1
		}
		return len(to) // each of the others is the last of the second
	}
	squeezed := from
	if len(to) > 0 {
		squeezed = to
	}
	last := rune(-1)
	for {
		r, _, err := c.in.ReadRune()
		if err != nil {
			return 0
		}
		i := find(r)
		if i >= 0 && o.has("d") {
			continue
		}
		if i >= 0 && len(to) > 0 && !o.has("d") {
			r = to[min(i, len(to)-1)]
		}
		if o.has("s") && r == last && slices.Contains(squeezed, r) != (o.has("c") && len(to) == 0) {
			continue
		}
		last = r
		_, _ = c.out.WriteRune(r)
		if r == '\n' && c.in.Buffered() == 0 {
			_ = c.out.Flush()
		}
	}
}

// classes are the characters of classes.
var classes = map[string]string{
	"upper": "A-Z", "lower": "a-z", "digit": "0-9", "alpha": "A-Za-z", "alnum": "0-9A-Za-z", "space": " \t\n\r\v\f",
	"blank": " \t", "punct": "!-/:-@[-`{-~", "xdigit": "0-9A-Fa-f",
}

// set returns the characters of a set such as a-z, [:upper:] or \n.
func set(text string) (all []rune) {
	for name, class := range classes {
		text = strings.ReplaceAll(text, "[:"+name+":]", class)
	}
	text = strings.NewReplacer(`\n`, "\n", `\t`, "\t", `\r`, "\r", `\0`, "\x00", `\\`, `\`).Replace(text)
	runes := []rune(text)
	for i := 0; i < len(runes); i++ {
		if i+2 < len(runes) && runes[i+1] == '-' && runes[i] <= runes[i+2] {
			for r := runes[i]; r <= runes[i+2]; r++ {
				all = append(all, r)
			}
			i += 2
			continue
		}
		all = append(all, runes[i])
	}
	return all
}

// column aligns columns, with -t.
func column(c *Call) int {
	o, ok := c.options("t table=t s: separator=s o: output-separator=o")
	if !ok {
		return 1
	}
	var rows [][]string
	var widths []int
	status := c.each(o.rest, func(_ string, r *bufio.Reader) {
		c.lines(r, func(line string) bool {
			row := strings.Fields(line)
			if o.has("s") {
				row = strings.Split(line, o.value("s", ""))
			}
			if !o.has("t") {
				row = []string{line}
			}
			for i, cell := range row {
				if i == len(widths) {
					widths = append(widths, 0)
				}
				widths[i] = max(widths[i], len([]rune(cell)))
			}
			rows = append(rows, row)
			return true
		})
	})
	for _, row := range rows {
		for i, cell := range row {
			if i == len(row)-1 {
				c.printf("%s\n", cell)
			} else {
				c.printf("%-*s%s", widths[i], cell, cmp.Or(o.value("o", ""), "  "))
			}
		}
	}
	return status
}

// within runs a program, and ends it after a time.
func (c *Call) within(limit time.Duration, argv []string) int {
	_ = c.out.Flush()
	ctx, cancel := context.WithTimeout(c.ctx, limit)
	defer cancel()
	code := c.Run(ctx, &Call{Args: argv, Env: c.Env, Dir: c.Dir, Stdin: c.Stdin, Stdout: c.Stdout, Stderr: c.Stderr})
	if ctx.Err() != nil && c.ctx.Err() == nil {
		return 124
	}
	return code
}

// printenv prints variables of the environment.
func printenv(c *Call) int {
	if len(c.Args) == 1 {
		return env(c)
	}
	status := 0
	for _, name := range c.Args[1:] {
		found := false
		for _, pair := range c.Env {
			if value, ok := strings.CutPrefix(pair, name+"="); ok {
				c.printf("%s\n", value)
				found = true
			}
		}
		if !found {
			status = 1
		}
	}
	return status
}
