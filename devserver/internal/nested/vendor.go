package nested

import (
	"context"
	"errors"
	"fmt"
	"go/parser"
	"go/token"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"

	"golang.org/x/mod/modfile"

	"github.com/tabernetes/tabernetes/devserver/internal/site"
)

// vendor copies the module at from to the directory to, and gathers there what it needs, unless that is there already.
func vendor(ctx context.Context, from, to string) error {
	files, err := programFiles(from)
	if err != nil {
		return err
	}
	needs, err := needs(from, files)
	if err != nil {
		return err
	}
	if err := copyFiles(from, to, files); err != nil {
		return err
	}
	mark := filepath.Join(to, "vendor", "needs.txt")
	if have, err := os.ReadFile(mark); err == nil && string(have) == needs {
		return nil
	}
	if err := os.RemoveAll(filepath.Join(to, "vendor")); err != nil {
		return err
	}
	if _, err := site.Go(ctx, to, []string{"GOWORK=off"}, "mod", "vendor"); err != nil {
		return err
	}
	return site.WriteFile(mark, []byte(needs)) // it comes last: what was interrupted is done again
}

// programFiles returns the files of a module that a build of its program may read: those in directories of packages
// that the program imports, and below these, where no other package is. Packages for tests may import what is not
// there.
func programFiles(dir string) ([]string, error) {
	mod, err := os.ReadFile(filepath.Join(dir, "go.mod"))
	if err != nil {
		return nil, err
	}
	files, err := moduleFiles(dir)
	if err != nil {
		return nil, err
	}
	packages := map[string][]string{} // the files of Go of each directory
	for _, name := range files {
		if filepath.Ext(name) == ".go" {
			packages[filepath.Dir(name)] = append(packages[filepath.Dir(name)], name)
		}
	}
	module, used := modfile.ModulePath(mod), map[string]bool{}
	for todo := []string{"."}; len(todo) > 0; todo = todo[1:] {
		if used[todo[0]] {
			continue
		}
		used[todo[0]] = true
		imports, err := imports(dir, packages[todo[0]])
		if err != nil {
			return nil, err
		}
		for _, path := range imports {
			if name, own := strings.CutPrefix(path, module+"/"); own {
				todo = append(todo, filepath.FromSlash(name))
			}
		}
	}
	return slices.DeleteFunc(files, func(name string) bool {
		at := filepath.Dir(name)
		for at != "." && packages[at] == nil {
			at = filepath.Dir(at)
		}
		return !used[at]
	}), nil
}

// imports returns what files of Go import, in order.
func imports(dir string, files []string) ([]string, error) {
	var all []string
	for _, name := range files {
		source, err := parser.ParseFile(token.NewFileSet(), filepath.Join(dir, name), nil, parser.ImportsOnly)
		if err != nil {
			return nil, err
		}
		for _, i := range source.Imports {
			path, err := strconv.Unquote(i.Path.Value)
			if err != nil {
				return nil, err
			}
			all = append(all, path)
		}
	}
	slices.Sort(all)
	return slices.Compact(all), nil
}

// moduleFiles returns the files of a module that a build may read, by their paths in it: also what is embedded.
func moduleFiles(dir string) ([]string, error) {
	files := []string{"go.mod", "go.sum"}
	err := filepath.WalkDir(dir, func(file string, d fs.DirEntry, err error) error {
		if err != nil {
			return err
		}
		if d.IsDir() {
			if d.Name() == "vendor" || d.Name() == "testdata" {
				return filepath.SkipDir
			}
			return nil
		}
		name, err := filepath.Rel(dir, file)
		if ext := filepath.Ext(name); (ext == ".go" && !strings.HasSuffix(name, "_test.go")) || ext == ".yaml" {
			files = append(files, name)
		}
		return err
	})
	return files, err
}

// needs says what a module's vendor directory depends on: the versions that it requires, and the packages that its
// files import.
func needs(dir string, files []string) (string, error) {
	var sources []string
	var versions strings.Builder
	for _, name := range files {
		switch filepath.Ext(name) {
		case ".mod", ".sum":
			text, err := os.ReadFile(filepath.Join(dir, name))
			if err != nil {
				return "", err
			}
			versions.Write(text)
		case ".go":
			sources = append(sources, name)
		}
	}
	imports, err := imports(dir, sources)
	return fmt.Sprintln(versions.String(), imports), err
}

// copyFiles copies files between modules, and removes those of the second that the first does not have.
func copyFiles(from, to string, files []string) error {
	old, err := moduleFiles(to)
	if err != nil && !errors.Is(err, fs.ErrNotExist) {
		return err
	}
	for _, name := range old {
		if !slices.Contains(files, name) {
			if err := os.Remove(filepath.Join(to, name)); err != nil {
				return err
			}
		}
	}
	for _, name := range files {
		want, err := os.ReadFile(filepath.Join(from, name))
		if err == nil && name == "go.mod" {
			want, err = alone(want)
		}
		if err != nil {
			return err
		}
		if have, err := os.ReadFile(filepath.Join(to, name)); err == nil && string(have) == string(want) {
			continue
		}
		if err := site.WriteFile(filepath.Join(to, name), want); err != nil {
			return err
		}
	}
	return nil
}

// alone returns a go.mod without the modules of the same repository, which only tests and packages for them import:
// they would not be where it says.
func alone(text []byte) ([]byte, error) {
	f, err := modfile.Parse("go.mod", text, nil)
	if err != nil {
		return nil, err
	}
	for _, r := range slices.Clone(f.Replace) {
		if !modfile.IsDirectoryPath(r.New.Path) {
			continue
		}
		old := r.Old // dropping it empties it
		if err := errors.Join(f.DropReplace(old.Path, old.Version), f.DropRequire(old.Path)); err != nil {
			return nil, err
		}
	}
	f.Cleanup()
	return f.Format()
}
