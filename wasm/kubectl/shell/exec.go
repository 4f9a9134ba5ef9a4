package shell

import (
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"os/exec"
	"path"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"mvdan.cc/sh/v3/expand"
	"mvdan.cc/sh/v3/interp"

	"github.com/tabernetes/tabernetes/wasm/kubectl/programs"
)

// replaced are builtins of the interpreter that programs of ours take the place of.
var replaced = []string{"help", "type", "history", "jobs", "kill", "fg", "bg", "bind", "complete", "compgen",
	"ulimit", "umask"}

// controls are those of them that are about jobs.
var controls = []string{"jobs", "kill", "fg", "bg"}

// call has programs of ours take the place of builtins, and says as bash does why cd fails.
func call(ctx context.Context, args []string) ([]string, error) {
	named := args[0] == "command" && len(args) > 1 && strings.HasPrefix(args[1], "-") // command -v
	if slices.Contains(replaced, args[0]) || named {
		return append([]string{"/bin/" + args[0]}, args[1:]...), nil
	}
	if args[0] == "cd" && len(args) == 2 && args[1] != "-" {
		h := interp.HandlerCtx(ctx)
		info, err := os.Stat(programs.Absolute(h.Dir, args[1]))
		if err == nil && !info.IsDir() {
			err = errors.New("Not a directory")
		}
		if err != nil {
			fmt.Fprintf(h.Stderr, "bash: cd: %s: %s\n", args[1], programs.Reason(err))
			return []string{"false"}, nil
		}
	}
	return args, nil
}

// open opens a file of a redirection. Its errors are as bash prints them.
func open(ctx context.Context, name string, flag int, mode fs.FileMode) (io.ReadWriteCloser, error) {
	file := name
	if !filepath.IsAbs(name) {
		file = filepath.Join(interp.HandlerCtx(ctx).Dir, name)
	}
	f, err := os.OpenFile(file, flag, mode)
	if err != nil {
		return nil, &fs.PathError{Op: "bash:", Path: name, Err: errors.New(programs.Reason(err))}
	}
	return f, nil
}

// exec runs a command that is no builtin and no function.
func (s *Shell) exec(ctx context.Context, args []string) error {
	h := interp.HandlerCtx(ctx)
	c := &programs.Call{Args: args, Env: environ(h.Env), Dir: h.Dir, Stdin: h.Stdin, Stdout: h.Stdout, Stderr: h.Stderr}
	code := s.command(ctx, c)
	if ctx.Err() != nil {
		return ctx.Err()
	}
	if code != 0 {
		return interp.ExitStatus(code)
	}
	return nil
}

// environ returns the variables that are exported.
func environ(env expand.Environ) []string {
	var list []string
	for name, v := range env.Each {
		if v.Exported && v.IsSet() {
			list = append(list, name+"="+v.String())
		}
	}
	slices.Sort(list)
	return list
}

// folders are where programs seem to be.
var folders = []string{"/bin/", "/usr/bin/", "/usr/local/bin/"}

// program returns the name of the program that a word of a command means, and whether the word may also be a file's
// path.
func program(word string) (name string, file bool) {
	if dir, name := path.Split(word); slices.Contains(folders, dir) {
		word = name
	}
	if word == "k" {
		word = "kubectl"
	}
	return word, strings.Contains(word, "/")
}

// command runs a program: a small one here, a script, or a process. It returns the exit status.
func (s *Shell) command(ctx context.Context, c *programs.Call) int {
	name, file := program(c.Args[0])
	c.Args = append([]string{name}, c.Args[1:]...)
	c.Run, c.Names = s.command, Names
	if in, ok := ctx.Value(inputKey{}).(input); ok {
		c.Env = append(c.Env, in.env()...)
	}
	switch {
	case file:
		return s.scriptFile(ctx, c)
	case name == "sh" || name == "bash":
		return s.script(ctx, c)
	case slices.Contains(controls, name):
		return s.control(ctx, c)
	case name == "type" || name == "command":
		return s.kinds(ctx, c)
	case programs.Find(name):
		return programs.Run(ctx, c)
	}
	return s.process(ctx, c)
}

// process runs a program as a separate process.
func (s *Shell) process(ctx context.Context, c *programs.Call) int {
	file, err := exec.LookPath(c.Args[0])
	if err != nil {
		fmt.Fprintf(c.Stderr, "bash: %s: command not found\n", c.Args[0])
		return 127
	}
	p := exec.CommandContext(ctx, file, c.Args[1:]...)
	p.Args, p.Env, p.Dir = c.Args, c.Env, c.Dir
	p.Stdin, p.Stdout, p.Stderr = c.Stdin, c.Stdout, c.Stderr
	p.Cancel = func() error { return p.Process.Signal(os.Interrupt) }
	p.WaitDelay = time.Second
	err = p.Run()
	var failed *exec.ExitError
	switch {
	case ctx.Err() != nil:
		return Interrupted
	case errors.As(err, &failed):
		return failed.ExitCode()
	case err != nil:
		fmt.Fprintf(c.Stderr, "bash: %s: %v\n", c.Args[0], err)
		return 126
	}
	return 0
}

// Names returns the names of the programs that run in the shell, and of those that are processes.
func Names() []string {
	names := append(append(programs.Names(), controls...), "bash", "edit", "history", "kubectl", "sh")
	slices.Sort(names)
	return names
}

// Has reports whether a program runs in the shell.
func Has(word string) bool {
	name, _ := program(word)
	return programs.Find(name) || name == "sh" || name == "bash"
}

// RunProgram runs a program that runs in the shell, for somebody else, and returns its exit status.
func (s *Shell) RunProgram(ctx context.Context, c *programs.Call) int { return s.command(ctx, c) }
