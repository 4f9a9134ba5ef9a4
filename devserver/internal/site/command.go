package site

import (
	"bytes"
	"context"
	"fmt"
	"io"
	"os"
	"os/exec"
	"runtime"
	"strings"
)

var exeSuffix = map[string]string{"windows": ".exe"}[runtime.GOOS]

// command is one run of a program in a directory, with its standard error made
// part of the error it returns: that is where compilers say what is wrong.
type command struct {
	dir   string
	args  []string
	env   []string
	stdin io.Reader
}

func (c command) run(ctx context.Context) ([]byte, error) {
	cmd := exec.CommandContext(ctx, c.args[0], c.args[1:]...)
	cmd.Dir = c.dir
	cmd.Env = append(os.Environ(), c.env...)
	cmd.Stdin = c.stdin
	var out, errs bytes.Buffer
	cmd.Stdout, cmd.Stderr = &out, &errs
	if err := cmd.Run(); err != nil {
		if ctx.Err() != nil {
			return nil, ctx.Err()
		}
		line := strings.Join(c.args, " ")
		if text := strings.TrimSpace(errs.String()); text != "" {
			return nil, fmt.Errorf("%s: %w\n%s", line, err, text)
		}
		return nil, fmt.Errorf("%s: %w", line, err)
	}
	return out.Bytes(), nil
}

// exists reports whether there is a file.
func exists(name string) bool {
	_, err := os.Stat(name)
	return err == nil
}
