package shell

import (
	"context"
	"fmt"
	"slices"
	"strings"

	"mvdan.cc/sh/v3/interp"
	"mvdan.cc/sh/v3/syntax"

	"github.com/tabernetes/tabernetes/wasm/kubectl/programs"
)

// kinds is the builtin type, and command -v: it says what names are.
func (s *Shell) kinds(ctx context.Context, c *programs.Call) int {
	args, mode := c.Args[1:], ""
	for len(args) > 0 && strings.HasPrefix(args[0], "-") {
		switch args[0] {
		case "-v", "-V", "-t", "-p", "-P", "-a":
			mode = args[0]
		default:
			fmt.Fprintf(c.Stderr, "bash: %s: %s: invalid option\n", c.Args[0], args[0])
			return 2
		}
		args = args[1:]
	}
	status := 0
	for _, name := range args {
		kind, place := s.kind(ctx, name)
		var line string
		switch {
		case kind == "":
			if status = 1; mode == "" || mode == "-V" {
				fmt.Fprintf(c.Stderr, "bash: %s: %s: not found\n", c.Args[0], name)
			}
			continue
		case mode == "-t":
			line = kind
		case mode == "-p" || mode == "-P":
			line = place
		case mode == "-v" && place != "":
			line = place
		case mode == "-v":
			line = name
		case kind == "file":
			line = name + " is " + place
		case kind == "function":
			line = name + " is a function"
		default:
			line = name + " is a shell " + kind
		}
		if line != "" {
			fmt.Fprintln(c.Stdout, line)
		}
	}
	return status
}

// kind says what a name is, and where it is if it is a program.
func (s *Shell) kind(ctx context.Context, word string) (kind, place string) {
	if in, ok := ctx.Value(inputKey{}).(input); ok {
		if session := s.session(in.session); session != nil && session.runner != nil && session.runner.Funcs[word] != nil {
			return "function", ""
		}
	}
	switch name, _ := program(word); {
	case syntax.IsKeyword(word):
		return "keyword", ""
	case interp.IsBuiltin(word):
		return "builtin", ""
	case slices.Contains(Names(), name) && !programs.Refused(name):
		return "file", "/bin/" + name
	}
	return "", ""
}
