package check

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"net/http"
	"os"
	"path/filepath"
	"strings"
	"time"

	"github.com/tabernetes/tabernetes/devserver/internal/seed"
)

// A source is a text with manifests.
type source struct {
	name string
	text []byte
	// found is whether it was found in a directory, rather than named: it may be something else than manifests.
	found bool
}

const (
	// mostFetched is how long the answer of a URL may be, in bytes.
	mostFetched = 64 << 20
	fetchTime   = 30 * time.Second
)

// stdin names the standard input among paths.
const stdin = "-"

func isURL(path string) bool {
	return strings.HasPrefix(path, "http://") || strings.HasPrefix(path, "https://")
}

// sources reads what paths name: files, directories with all that is below them, URLs, the standard input. Each file
// is read once.
func sources(ctx context.Context, paths []string, in io.Reader) (all []source, err error) {
	seen := map[string]bool{}
	for _, path := range paths {
		var more []source
		switch {
		case path == stdin && in == nil:
			err = errors.New("the standard input can be read once, as the manifests to check")
		case path == stdin:
			var text []byte
			text, err = io.ReadAll(in)
			more = []source{{name: "stdin", text: text}}
		case isURL(path):
			var text []byte
			text, err = fetch(ctx, path)
			more = []source{{name: path, text: text}}
		default:
			more, err = files(path)
		}
		if err != nil {
			return nil, err
		}
		for _, s := range more {
			if !seen[s.name] {
				all = append(all, s)
			}
			seen[s.name] = true
		}
	}
	return all, nil
}

// fetch gets what a URL has.
func fetch(ctx context.Context, url string) ([]byte, error) {
	ctx, cancel := context.WithTimeout(ctx, fetchTime)
	defer cancel()
	r, err := http.NewRequestWithContext(ctx, http.MethodGet, url, nil)
	if err != nil {
		return nil, err
	}
	answer, err := http.DefaultClient.Do(r)
	if err != nil {
		return nil, err
	}
	defer answer.Body.Close()
	if answer.StatusCode != http.StatusOK {
		return nil, fmt.Errorf("%s: the server answers %s", url, answer.Status)
	}
	text, err := io.ReadAll(io.LimitReader(answer.Body, mostFetched+1))
	if err == nil && len(text) > mostFetched {
		err = fmt.Errorf("%s: it is longer than %d bytes", url, mostFetched)
	}
	return text, err
}

// files reads a file, or those of a directory that are manifests by their names, except in hidden directories.
// Symbolic links to directories are not followed.
func files(path string) ([]source, error) {
	path = filepath.Clean(path)
	info, err := os.Stat(path)
	if err != nil {
		return nil, plain(err)
	}
	if !info.IsDir() {
		text, err := os.ReadFile(path)
		return []source{{name: path, text: text}}, plain(err)
	}
	var all []source
	err = filepath.WalkDir(path, func(name string, d fs.DirEntry, err error) error {
		switch {
		case err != nil:
			return err
		case d.IsDir() && name != path && hidden(d.Name()):
			return filepath.SkipDir
		case d.IsDir() || !seed.IsManifest(name):
			return nil
		}
		if info, err := os.Stat(name); err != nil || !info.Mode().IsRegular() {
			return err
		}
		text, err := os.ReadFile(name)
		all = append(all, source{name, text, true})
		return err
	})
	if err == nil && all == nil {
		err = fmt.Errorf("%s: no file below it ends in .yaml, .yml or .json", path)
	}
	return all, plain(err)
}

// hidden reports whether a directory is one of tools, such as .git.
func hidden(name string) bool { return strings.HasPrefix(name, ".") }

// plain puts an error of a file as other findings are: the file, what is wrong.
func plain(err error) error {
	if failed := (*fs.PathError)(nil); errors.As(err, &failed) {
		return fmt.Errorf("%s: %w", failed.Path, failed.Err)
	}
	return err
}

// isTemplate reports whether a text that is not YAML is a template of Helm.
func isTemplate(text []byte) bool { return bytes.Contains(text, []byte("{{")) }
