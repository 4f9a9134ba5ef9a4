package nested

import (
	"errors"
	"fmt"
	"os"
	"path"
	"path/filepath"

	"github.com/tabernetes/tabernetes/devserver/internal/site"
	"github.com/tabernetes/tabernetes/wasm/overlay"
)

// A patch changes one file of what a program is built from, or adds one.
type patch struct {
	// file is the file, by its import path.
	file string
	// sha256 is that of the original, in hex. With another original the build fails: somebody has to read it. "": without
	// an original, own is added.
	sha256 string
	// own is a file of the module's directory patches that is read instead; "" and no edits: there is no such file.
	own string
	// edits are changes of the original.
	edits []edit
	// standard is whether the file is one of the standard library, of the Go version that the project's go.mod pins.
	standard bool
	// trick is whether the patch only saves weight: it is left out with the tricks of wasm/shrink.
	trick bool
	// reason says why.
	reason string
}

// An edit has old, which occurs exactly once, become new.
type edit struct{ old, new string }

// errChanged is the error of a patch whose original is not the one it was written for.
var errChanged = errors.New("it is not the file that the patch was written for: " +
	"read what has changed in it, and bring its row in devserver/internal/nested up to date")

// check fails if the original is not the one that the patch was written for.
func (p patch) check(original []byte) error {
	if got := site.ContentHash(original); got != p.sha256 {
		return fmt.Errorf("%s has the SHA-256 %s, and not %s: %w", p.file, got, p.sha256, errChanged)
	}
	return nil
}

// apply returns what a file becomes.
func (p patch) apply(original []byte) ([]byte, error) {
	if err := p.check(original); err != nil {
		return nil, err
	}
	for _, e := range p.edits {
		var err error
		if original, err = overlay.Replace(original, e.old, e.new); err != nil {
			return nil, fmt.Errorf("%s: %w: %w", p.file, err, errChanged)
		}
	}
	return original, nil
}

// sources are the directories of what is patched.
type sources struct {
	vendor, standard string // of modules, and of the standard library
	own              string // the directory patches of the module
	out              string // where changed files are written to
}

// place returns where a file is.
func (s sources) place(p patch) string {
	if p.standard {
		return filepath.Join(s.standard, filepath.FromSlash(p.file))
	}
	return filepath.Join(s.vendor, filepath.FromSlash(p.file))
}

// replacements writes the changed files, and returns for each patched file the one that is read instead, "" for none.
func (s sources) replacements(patches []patch, tricks bool) (map[string]string, error) {
	instead := map[string]string{}
	for i, p := range patches {
		if p.trick && !tricks {
			continue
		}
		file := s.place(p)
		if p.own != "" {
			instead[file] = filepath.Join(s.own, p.own)
		} else {
			instead[file] = ""
		}
		if p.sha256 == "" {
			continue
		}
		original, err := os.ReadFile(file)
		if err != nil {
			return nil, err
		}
		changed, err := p.apply(original)
		if err != nil {
			return nil, err
		}
		if len(p.edits) > 0 {
			instead[file] = filepath.Join(s.out, fmt.Sprintf("%d-%s.txt", i, path.Base(p.file)))
			if err := site.WriteFile(instead[file], changed); err != nil {
				return nil, err
			}
		}
	}
	return instead, nil
}

// namedMethods has templates find methods in a list of the program, which is another patch of it.
var namedMethods = patch{
	file:     "text/template/exec.go",
	sha256:   "ca14feb551ec536deeddfd46efdfa60d1c328e6d1b00cd5aa6ca944e379c282a",
	edits:    []edit{{"ptr.MethodByName(fieldName)", "methodByName(ptr, fieldName)"}},
	standard: true,
	trick:    true,
	reason:   "the linker keeps every method of every type when one is looked up by any name",
}
