//go:build !js

package lessons_test

import (
	"go/ast"
	"go/parser"
	"go/token"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/tabernetes/tabernetes/web/lesson/format"
)

// sections are the parts of the documentation that a claim may name.
var sections = []string{"API concepts, ", "KEP-", "Reference, ", "Release notes, ", "HTTP, ", "Observed, "}

// TestClaims wants what lessons and scenes claim to have a source. Where Kubernetes' sources are in the module cache,
// the functions that claims name have to be there.
func TestClaims(t *testing.T) {
	known := map[string][]string{}
	scenes, err := format.Scenes(os.DirFS("../scenes"))
	if err != nil {
		t.Fatal(err)
	}
	all := ordered(t)
	for _, s := range scenes {
		all = append(all, s.Lesson)
	}
	for _, l := range all {
		if *only != "" && l.ID != *only {
			continue
		}
		claims := slices.Clone(l.Claims)
		for i := range l.Steps {
			claims = append(claims, l.Steps[i].Claims...)
		}
		for _, c := range claims {
			if why := unknown(t, known, c); why != "" {
				t.Errorf("%s:%d: %s", l.File, c.Line, why)
			}
		}
	}
}

// unknown returns what is wrong with a claim's source. known are the functions of files that were read.
func unknown(t *testing.T, known map[string][]string, c format.Claim) string {
	file, function, ok := strings.Cut(c.Source, ".go, ")
	if !ok {
		if slices.ContainsFunc(sections, func(s string) bool { return strings.HasPrefix(c.Source, s) }) {
			return ""
		}
		return "a source is a file and a function, or a section of the documentation: " + c.Source
	}
	file += ".go"
	path := module(file)
	if path == "" {
		return ""
	}
	if known[file] == nil {
		known[file] = functions(t, path)
	}
	if !slices.Contains(known[file], function) {
		return file + " has no " + function
	}
	return ""
}

// module returns where a module's file is in the module cache; empty if the module is not there.
func module(file string) string {
	cache := os.Getenv("GOMODCACHE")
	if cache == "" {
		home, _ := os.UserHomeDir()
		cache = filepath.Join(home, "go", "pkg", "mod")
	}
	host, rest, _ := strings.Cut(file, "/")
	name, rest, _ := strings.Cut(rest, "/")
	for _, version := range []string{"@v0.36.3", "@v1.36.3"} {
		if dir := filepath.Join(cache, host, name+version); exists(dir) {
			return filepath.Join(dir, rest)
		}
	}
	return ""
}

func exists(path string) bool {
	_, err := os.Stat(path)
	return err == nil
}

// functions returns what a file declares: F, T.M, and names of types, constants and variables.
func functions(t *testing.T, path string) []string {
	t.Helper()
	names := []string{""}
	f, err := parser.ParseFile(token.NewFileSet(), path, nil, parser.SkipObjectResolution)
	if err != nil {
		t.Errorf("%v", err)
		return names
	}
	for _, d := range f.Decls {
		switch d := d.(type) {
		case *ast.FuncDecl:
			name := d.Name.Name
			if d.Recv != nil {
				of := d.Recv.List[0].Type
				if star, ok := of.(*ast.StarExpr); ok {
					of = star.X
				}
				if generic, ok := of.(*ast.IndexExpr); ok {
					of = generic.X
				}
				if id, ok := of.(*ast.Ident); ok {
					name = id.Name + "." + name
				}
			}
			names = append(names, name)
		case *ast.GenDecl:
			for _, s := range d.Specs {
				switch s := s.(type) {
				case *ast.TypeSpec:
					names = append(names, s.Name.Name)
				case *ast.ValueSpec:
					for _, n := range s.Names {
						names = append(names, n.Name)
					}
				}
			}
		}
	}
	return names
}

// TestEachStepClaims wants each step after the first lesson to have its claims, and each step of a scene with programs,
// of which its sentence says something.
func TestEachStepClaims(t *testing.T) {
	if *only != "" {
		t.Skip("a lesson that is being written has no claims yet")
	}
	scenes, err := format.Scenes(os.DirFS("../scenes"))
	if err != nil {
		t.Fatal(err)
	}
	all := ordered(t)[1:]
	for _, s := range scenes {
		if s.Programs {
			all = append(all, s.Lesson)
		}
	}
	for _, l := range all {
		for i := range l.Steps {
			if s := &l.Steps[i]; len(s.Claims) == 0 && s.Goal() == nil {
				t.Errorf("%s:%d: the step %q says nothing of where it can be verified", l.File, s.Line, s.Title)
			}
		}
	}
}
