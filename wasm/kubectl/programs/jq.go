package programs

import (
	"bufio"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"strings"

	"github.com/itchyny/gojq"
)

// Exit statuses of jq.
const (
	jqUsage   = 2
	jqCompile = 3
	jqNone    = 4
	jqFailed  = 5
)

// A jqRun is one run of jq.
type jqRun struct {
	*Call
	o        options
	code     *gojq.Code
	values   []any
	print    jsonPrinter
	last     any
	printed  bool
	problems int
}

// jq runs a program of jq's language over JSON.
func jq(c *Call) int {
	args, named, positional, status := c.jqArguments()
	if status != 0 {
		return status
	}
	inner := *c
	inner.Args = args
	o, ok := inner.options("r raw-output=r c compact-output=c n null-input=n s slurp=s e exit-status=e S sort-keys=S " +
		"R raw-input=R j join-output=j a ascii-output=a f from-file=f tab indent: C color-output=C M monochrome-output=M " +
		"unbuffered h help=h V version=V")
	if !ok {
		return jqUsage
	}
	j := &jqRun{Call: c, o: o}
	j.print = jsonPrinter{out: c.out, indent: "  ", colour: o.has("C") || !o.has("M") && c.terminal()}
	switch n, err := o.number("indent", 2); {
	case err != nil || n > 7:
		c.complain("Cannot indent more than 7 characters")
		return jqUsage
	case o.has("c"):
		j.print.indent = ""
	case o.has("tab"):
		j.print.indent = "\t"
	default:
		j.print.indent = strings.Repeat(" ", n)
	}
	program := "."
	if len(o.rest) > 0 {
		program, o.rest = o.rest[0], o.rest[1:]
	}
	if o.has("f") {
		data, err := os.ReadFile(c.path(program))
		if err != nil {
			c.complain("error: Could not open %s: %s", program, Reason(err))
			return jqUsage
		}
		program = string(data)
	}
	in := &jqInput{c: c, names: o.rest, raw: o.has("R"), slurp: o.has("s")}
	if err := j.compile(program, named, positional, in); err != nil {
		c.complain("error: %v", err)
		return jqCompile
	}
	return j.run(in)
}

// jqArguments takes out those flags of jq that have two arguments, and those after which all are arguments.
func (c *Call) jqArguments() (args []string, named map[string]any, positional []any, status int) {
	named, positional = map[string]any{}, []any{}
	args = []string{c.Args[0]}
	fail := func(format string, args ...any) int { c.complain(format, args...); return jqUsage }
	rest := c.Args[1:]
	kind := ""
	program := false
	for len(rest) > 0 {
		arg := rest[0]
		rest = rest[1:]
		switch arg {
		case "--args", "--jsonargs":
			kind = arg
			continue
		case "--arg", "--argjson", "--slurpfile", "--rawfile":
			if len(rest) < 2 {
				return nil, nil, nil, fail("%s takes two parameters (e.g. %s name value)", arg, arg)
			}
			value, err := c.jqValue(arg, rest[1])
			if err != nil {
				return nil, nil, nil, fail("%s %s: %v", arg, rest[0], err)
			}
			named[rest[0]] = value
			rest = rest[2:]
			continue
		case "--indent":
			if len(rest) > 0 {
				arg += "=" + rest[0]
				rest = rest[1:]
			}
		}
		if flag := strings.HasPrefix(arg, "-") && arg != "-"; kind != "" && program && !flag {
			value, err := c.jqValue(kind, arg)
			if err != nil {
				return nil, nil, nil, fail("Invalid JSON text passed to --jsonargs: %s", arg)
			}
			positional = append(positional, value)
			continue
		} else if !flag {
			program = true
		}
		args = append(args, arg)
	}
	return args, named, positional, 0
}

// jqValue returns the value of a variable that a flag sets.
func (c *Call) jqValue(flag, text string) (value any, err error) {
	switch flag {
	case "--arg", "--args":
		return text, nil
	case "--argjson", "--jsonargs":
		d := json.NewDecoder(strings.NewReader(text))
		d.UseNumber()
		err = d.Decode(&value)
		return value, err
	}
	data, err := os.ReadFile(c.path(text))
	if err != nil || flag == "--rawfile" {
		return string(data), err
	}
	all := []any{}
	d := json.NewDecoder(strings.NewReader(string(data)))
	d.UseNumber()
	for {
		var value any
		if err := d.Decode(&value); errors.Is(err, io.EOF) {
			return all, nil
		} else if err != nil {
			return nil, err
		}
		all = append(all, value)
	}
}

// compile makes the program ready.
func (j *jqRun) compile(program string, named map[string]any, positional []any, in *jqInput) error {
	query, err := gojq.Parse(program)
	if err != nil {
		return err
	}
	names := []string{"$ARGS"}
	j.values = []any{map[string]any{"named": named, "positional": positional}}
	for name, value := range named {
		names = append(names, "$"+name)
		j.values = append(j.values, value)
	}
	tell := func(prefix string) func(any, []any) any {
		return func(value any, _ []any) any {
			text, err := gojq.Marshal(value)
			if err != nil {
				return err
			}
			_ = j.out.Flush()
			fmt.Fprintf(j.Stderr, prefix, text)
			return value
		}
	}
	j.code, err = gojq.Compile(query,
		gojq.WithVariables(names),
		gojq.WithEnvironLoader(func() []string { return j.Env }),
		gojq.WithInputIter(in),
		gojq.WithFunction("debug", 0, 0, tell("[\"DEBUG:\",%s]\n")),
		gojq.WithFunction("stderr", 0, 0, tell("%s")),
		gojq.WithFunction("input_filename", 0, 0, func(any, []any) any { return nil }),
	)
	return err
}

// run runs the program for each input, and returns the exit status.
func (j *jqRun) run(in *jqInput) int {
	if j.o.has("n") {
		if status := j.one(nil); status >= 0 {
			return status
		}
	}
	for !j.o.has("n") {
		value, ok := in.Next()
		if !ok {
			break
		}
		if err, failed := value.(error); failed {
			j.complain("error (at <stdin>): %v", err)
			j.problems = jqUsage
			break
		}
		if status := j.one(value); status >= 0 {
			return status
		}
	}
	switch {
	case in.failed:
		return jqUsage
	case j.problems != 0:
		return j.problems
	case j.o.has("e") && !j.printed:
		return jqNone
	case j.o.has("e") && (j.last == nil || j.last == false):
		return 1
	}
	return 0
}

// one runs the program for one input. It returns the status with which all ends, or -1.
func (j *jqRun) one(value any) int {
	results := j.code.RunWithContext(j.ctx, value, j.values...)
	for {
		result, ok := results.Next()
		if !ok {
			return -1
		}
		if err, failed := result.(error); failed {
			var halt *gojq.HaltError
			if errors.As(err, &halt) {
				return j.halt(halt)
			}
			if j.ctx.Err() != nil {
				panic(end{interrupted})
			}
			j.complain("error (at <stdin>): %v", err)
			j.problems = jqFailed
			return -1
		}
		j.last, j.printed = result, true
		if text, ok := result.(string); ok && (j.o.has("r") || j.o.has("j")) {
			j.printf("%s", text)
		} else {
			j.print.value(result, "")
		}
		if !j.o.has("j") {
			j.printf("\n")
		}
	}
}

// halt ends the run as halt and halt_error say.
func (j *jqRun) halt(halt *gojq.HaltError) int {
	if value := halt.Value(); value != nil {
		_ = j.out.Flush()
		if text, ok := value.(string); ok {
			_, _ = io.WriteString(j.Stderr, text)
		} else if text, err := gojq.Marshal(value); err == nil {
			fmt.Fprintf(j.Stderr, "%s\n", text)
		}
	}
	return halt.ExitCode()
}

// A jqInput reads values from files, or from the standard input.
type jqInput struct {
	c          *Call
	names      []string
	raw, slurp bool
	opened     bool
	done       bool
	failed     bool // a file could not be opened
	file       io.Closer
	json       *json.Decoder
	lines      *bufio.Reader
}

// next opens the next file.
func (in *jqInput) next() bool {
	if in.file != nil {
		_ = in.file.Close()
		in.file = nil
	}
	for {
		name := "-"
		if len(in.names) > 0 {
			name, in.names = in.names[0], in.names[1:]
		} else if in.opened {
			return false
		}
		in.opened = true
		r, err := in.c.open(name)
		if err != nil {
			in.c.complain("error: Could not open %s: %s", name, Reason(err))
			in.failed = true
			continue
		}
		in.file = r
		if in.raw {
			in.lines = bufio.NewReader(r)
		} else {
			in.json = json.NewDecoder(r)
			in.json.UseNumber()
		}
		return true
	}
}

// Next returns the next value, or an error in its place.
func (in *jqInput) Next() (any, bool) {
	if !in.slurp {
		return in.value()
	}
	if in.done {
		return nil, false
	}
	in.done = true
	all, text := []any{}, ""
	for {
		value, ok := in.value()
		if !ok {
			break
		}
		if _, failed := value.(error); failed {
			return value, true
		}
		if in.raw {
			text += value.(string) + "\n"
		}
		all = append(all, value)
	}
	if in.raw {
		return text, true
	}
	return all, true
}

// value returns the next value of a file.
func (in *jqInput) value() (any, bool) {
	for {
		if in.file == nil && !in.next() {
			return nil, false
		}
		if in.raw {
			line, err := in.lines.ReadString('\n')
			if line != "" {
				return strings.TrimSuffix(line, "\n"), true
			}
			if err != nil && !in.next() {
				return nil, false
			}
			continue
		}
		var value any
		err := in.json.Decode(&value)
		switch {
		case err == nil:
			return value, true
		case !errors.Is(err, io.EOF):
			in.names, in.file, in.opened = nil, nil, true
			return err, true
		case !in.next():
			return nil, false
		}
	}
}
