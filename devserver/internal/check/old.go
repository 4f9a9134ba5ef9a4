package check

import (
	"bufio"
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strconv"
	"strings"

	"github.com/tabernetes/tabernetes/devserver/internal/seed"
)

// older reads what files and directories were in a commit of git. Those that it does not have are left out.
func older(ctx context.Context, commit string, paths []string) (all []source, err error) {
	for _, path := range paths {
		if path == stdin || isURL(path) {
			return nil, fmt.Errorf("--old compares files and directories: %s has no older version", path)
		}
		info, err := os.Stat(path)
		if err != nil {
			return nil, plain(err)
		}
		dir, below := path, "."
		if !info.IsDir() {
			dir, below = filepath.Dir(path), filepath.Base(path)
		}
		tree := []string{"rev-parse", "--verify", "--quiet", "--end-of-options", commit + "^{tree}"}
		if _, err := git(ctx, dir, nil, tree...); err != nil {
			return nil, fmt.Errorf("--old: git has no commit %q for %s: %w", commit, path, err)
		}
		list, err := git(ctx, dir, nil, "ls-tree", "-r", "-z", "--name-only", commit, "--", below)
		if err != nil {
			return nil, fmt.Errorf("--old: %s: %w", path, err)
		}
		var names []string
		for name := range strings.SplitSeq(strings.TrimSuffix(string(list), "\x00"), "\x00") {
			wanted := !info.IsDir() || seed.IsManifest(name) && !slices.ContainsFunc(strings.Split(name, "/"), hidden)
			if name != "" && wanted && !strings.Contains(name, "\n") {
				names = append(names, name)
			}
		}
		texts, err := contents(ctx, dir, commit, names)
		if err != nil {
			return nil, fmt.Errorf("--old: %s: %w", path, err)
		}
		for i, text := range texts {
			all = append(all, source{filepath.Join(dir, names[i]) + "@" + commit, text, true})
		}
	}
	return all, nil
}

// contents returns what files below a directory were in a commit.
func contents(ctx context.Context, dir, commit string, names []string) (texts [][]byte, err error) {
	var asked bytes.Buffer
	for _, name := range names {
		fmt.Fprintf(&asked, "%s:./%s\n", commit, name)
	}
	out, err := git(ctx, dir, &asked, "cat-file", "--batch")
	if err != nil {
		return nil, err
	}
	r := bufio.NewReader(bytes.NewReader(out))
	for _, name := range names {
		header, err := r.ReadString('\n') // hash, type, length
		if err != nil {
			return nil, err
		}
		fields := strings.Fields(header)
		n, err := strconv.Atoi(fields[len(fields)-1])
		if err != nil {
			return nil, fmt.Errorf("%s: git answers %q", name, strings.TrimSpace(header))
		}
		text := make([]byte, n+1) // a line ends it
		if _, err := io.ReadFull(r, text); err != nil {
			return nil, err
		}
		texts = append(texts, text[:n])
	}
	return texts, nil
}

// git runs git, which only reads here.
func git(ctx context.Context, dir string, in io.Reader, args ...string) ([]byte, error) {
	command := exec.CommandContext(ctx, "git", args...)
	command.Dir, command.Stdin = dir, in
	out, err := command.Output()
	if failed := (*exec.ExitError)(nil); errors.As(err, &failed) && len(failed.Stderr) > 0 {
		return nil, errors.New(strings.TrimSpace(string(failed.Stderr)))
	}
	return out, err
}
