package shell

import (
	"context"
	"fmt"
	"io"
	"os"
	"strings"

	"mvdan.cc/sh/v3/interp"

	"github.com/tabernetes/tabernetes/wasm/kubectl/programs"
)

// script is the program sh: it runs a text (-c), a file, or its standard input.
func (s *Shell) script(ctx context.Context, c *programs.Call) int {
	args := c.Args[1:]
	var set []string // options of the shell, such as -e
	for len(args) > 0 && len(args[0]) > 1 && args[0][0] == '-' && args[0] != "-c" && args[0] != "--" {
		flag := args[0]
		args = args[1:]
		if strings.HasSuffix(flag, "c") && !strings.HasPrefix(flag, "--") { // -ec
			flag, args = strings.TrimSuffix(flag, "c"), append([]string{"-c"}, args...)
		}
		if flag != "-l" && flag != "-i" && flag != "-s" {
			set = append(set, flag)
		}
		if len(args) > 0 && args[0] == "-c" {
			break
		}
	}
	switch {
	case len(args) > 0 && args[0] == "-c":
		if len(args) < 2 {
			fmt.Fprintf(c.Stderr, "%s: -c: option requires an argument\n", c.Args[0])
			return 2
		}
		params := args[2:]
		if len(params) > 0 {
			params = params[1:] // the first is $0
		}
		return s.text(ctx, c, args[1], set, params)
	case len(args) > 0 && args[0] != "--":
		data, err := os.ReadFile(programs.Absolute(c.Dir, args[0]))
		if err != nil {
			fmt.Fprintf(c.Stderr, "%s: %s: %s\n", c.Args[0], args[0], programs.Reason(err))
			return 127
		}
		return s.text(ctx, c, string(data), set, args[1:])
	}
	text, err := io.ReadAll(c.Stdin)
	if err != nil {
		fmt.Fprintf(c.Stderr, "%s: %v\n", c.Args[0], err)
		return 1
	}
	return s.text(ctx, c, string(text), set, nil)
}

// scriptFile runs a file that is named as a command.
func (s *Shell) scriptFile(ctx context.Context, c *programs.Call) int {
	fail := func(status int, why string) int {
		fmt.Fprintf(c.Stderr, "bash: %s: %s\n", c.Args[0], why)
		return status
	}
	file := programs.Absolute(c.Dir, c.Args[0])
	info, err := os.Stat(file)
	switch {
	case err != nil:
		return fail(127, programs.Reason(err))
	case info.IsDir():
		return fail(126, "Is a directory")
	case info.Mode()&0o111 == 0:
		return fail(126, "Permission denied")
	}
	data, err := os.ReadFile(file)
	if err != nil {
		return fail(126, programs.Reason(err))
	}
	if strings.Contains(string(data[:min(len(data), 512)]), "\x00") {
		return fail(126, "cannot execute binary file")
	}
	return s.text(ctx, c, string(data), nil, c.Args[1:])
}

// text runs a script in a separate interpreter.
func (s *Shell) text(ctx context.Context, c *programs.Call, text string, set, params []string) int {
	file, err := parse(text)
	if err != nil {
		fmt.Fprintf(c.Stderr, "bash: %s\n", explain(err))
		return 2
	}
	r, err := s.runner(Options{Env: c.Env, Dir: c.Dir}, interp.StdIO(c.Stdin, c.Stdout, c.Stderr),
		interp.Params(append(append(set, "--"), params...)...))
	if err != nil {
		fmt.Fprintf(c.Stderr, "bash: %v\n", err)
		return 2
	}
	return status(ctx, r.Run(ctx, file))
}
