package programs

import (
	"context"
	"fmt"
	"io"
	"slices"
	"strings"
	"time"
)

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
		code := c.Run(c.ctx, &Call{Args: argv, Env: c.Env, Dir: c.Dir, Stdin: strings.NewReader(""), Stdout: &out,
			Stderr: &out})
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
