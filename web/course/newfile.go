//go:build !js

package course

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"regexp"
	"strconv"
	"strings"

	"github.com/tabernetes/tabernetes/web/lesson/format"
)

var nameForm = regexp.MustCompile(`^[a-z0-9]+(-[a-z0-9]+)*$`)

// NewFile writes the file of a new lesson or scene into a directory of them, and returns its path. Its text is a
// template, in which slug is the placeholder of its name; its number comes after the last one. Errors wrap badName or
// taken, which say what a name may be, or are what the file system says.
func NewFile(dir, slug, template string, badName, taken error) (string, error) {
	if !nameForm.MatchString(slug) {
		return "", fmt.Errorf("%q: %w", slug, badName)
	}
	names, err := format.Files(os.DirFS(dir))
	if err != nil {
		return "", err
	}
	if len(names) == 0 {
		return "", fmt.Errorf("no %s in %s: this has to run in the project's root", filepath.Base(dir), dir)
	}
	last := 0
	for _, name := range names {
		number, id, _ := strings.Cut(strings.TrimSuffix(name, ".md"), "-")
		if id == slug {
			return "", fmt.Errorf("%s: %w", filepath.Join(dir, name), taken)
		}
		n, err := strconv.Atoi(number)
		if err != nil {
			return "", fmt.Errorf("%s: %w", name, err)
		}
		last = max(last, n)
	}
	text, err := Fill(template, map[string]string{"slug": slug})
	if err != nil {
		return "", err
	}
	path := filepath.Join(dir, fmt.Sprintf("%02d-%s.md", last+1, slug))
	f, err := os.OpenFile(path, os.O_WRONLY|os.O_CREATE|os.O_EXCL, 0o644)
	if err != nil {
		return "", err
	}
	_, err = f.WriteString(text)
	return path, errors.Join(err, f.Close())
}
