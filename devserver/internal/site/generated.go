package site

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io/fs"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"
)

// Stale lists the generated files that are not up to date, and the templates that are not formatted; each with the
// command that fixes it. It changes nothing.
func Stale(ctx context.Context, root string) ([]string, error) {
	var stale []string
	templates, err := templateDirs(root)
	if err != nil {
		return nil, err
	}
	for _, dir := range slices.Sorted(maps.Keys(templates)) {
		bad, err := staleDir(ctx, root, dir, templates[dir])
		if err != nil {
			return nil, err
		}
		stale = append(stale, bad...)
	}
	bad, err := staleData(ctx, root)
	return append(stale, bad...), err
}

// templateDirs finds the *.templ files below root/web, by directory.
func templateDirs(root string) (map[string][]string, error) {
	found := map[string][]string{}
	err := filepath.WalkDir(filepath.Join(root, "web"), func(path string, d fs.DirEntry, err error) error {
		if err == nil && !d.IsDir() && strings.HasSuffix(path, ".templ") {
			dir := filepath.Dir(path)
			found[dir] = append(found[dir], filepath.Base(path))
		}
		return err
	})
	if errors.Is(err, fs.ErrNotExist) {
		err = nil // no web directory, no templates
	}
	return found, err
}

// generatedName returns the Go file that a template becomes.
func generatedName(template string) string {
	return strings.TrimSuffix(template, ".templ") + "_templ.go"
}

// generate runs the templ generator for one directory.
func generate(ctx context.Context, root, dir string) error {
	_, err := command{dir: root, args: []string{"go", "tool", "templ", "generate", "-path", dir}}.run(ctx)
	return err
}

// staleDir generates and formats a copy of a directory's templates.
func staleDir(ctx context.Context, root, dir string, templates []string) ([]string, error) {
	copied, err := os.MkdirTemp("", "tabernetes-templ-")
	if err != nil {
		return nil, err
	}
	defer os.RemoveAll(copied)
	for _, name := range templates {
		data, err := os.ReadFile(filepath.Join(dir, name))
		if err == nil {
			err = os.WriteFile(filepath.Join(copied, name), data, 0o644)
		}
		if err != nil {
			return nil, err
		}
	}
	if err := generate(ctx, root, copied); err != nil {
		return nil, err
	}
	if _, err := (command{dir: root, args: []string{"go", "tool", "templ", "fmt", copied}}).run(ctx); err != nil {
		return nil, err
	}
	var stale []string
	for _, name := range templates {
		for _, check := range []struct{ name, mend string }{
			{generatedName(name), "out of date: make generate"},
			{name, "not formatted: make fmt"},
		} {
			same, err := sameFiles(filepath.Join(copied, check.name), filepath.Join(dir, check.name))
			if err != nil {
				return nil, err
			}
			if !same {
				rel, _ := filepath.Rel(root, filepath.Join(dir, check.name)) // both are absolute or neither
				stale = append(stale, fmt.Sprintf("%s: %s", filepath.ToSlash(rel), check.mend))
			}
		}
	}
	return stale, nil
}

// staleData has core/internal/generate write its files elsewhere.
func staleData(ctx context.Context, root string) ([]string, error) {
	made, err := os.MkdirTemp("", "tabernetes-generated-")
	if err != nil {
		return nil, err
	}
	defer os.RemoveAll(made)
	generator := command{dir: root, args: []string{"go", "run", "./core/internal/generate", "-out", made}}
	if _, err := generator.run(ctx); err != nil {
		return nil, err
	}
	var stale []string
	err = filepath.WalkDir(made, func(path string, d fs.DirEntry, err error) error {
		if err != nil || d.IsDir() {
			return err
		}
		name, err := filepath.Rel(made, path)
		if err != nil {
			return err
		}
		same, err := sameFiles(path, filepath.Join(root, name))
		if err == nil && !same {
			stale = append(stale, filepath.ToSlash(name)+": out of date: make generate")
		}
		return err
	})
	return stale, err
}

// sameFiles compares two files; one that is not there is empty.
func sameFiles(a, b string) (bool, error) {
	var data [2][]byte
	for i, name := range []string{a, b} {
		var err error
		if data[i], err = os.ReadFile(name); err != nil && !errors.Is(err, fs.ErrNotExist) {
			return false, err
		}
	}
	return bytes.Equal(data[0], data[1]), nil
}
