package kinds

import (
	"go/ast"
	"go/parser"
	"go/token"
	"io/fs"
	"maps"
	"path"
	"path/filepath"
	"slices"
	"strings"
	"testing"
)

// An area is a package below core/internal/kinds, as read from its source.
type area struct {
	name  string
	files []*ast.File
}

// areas reads the packages below core/internal/kinds, tests left out.
func areas(t *testing.T) []area {
	t.Helper()
	byDir := map[string]*area{}
	set := token.NewFileSet()
	err := filepath.WalkDir(".", func(name string, _ fs.DirEntry, err error) error {
		if err != nil || !strings.HasSuffix(name, ".go") || strings.HasSuffix(name, "_test.go") {
			return err
		}
		file, err := parser.ParseFile(set, name, nil, 0)
		if err != nil {
			return err
		}
		dir := path.Dir(filepath.ToSlash(name))
		if byDir[dir] == nil {
			byDir[dir] = &area{name: path.Base(dir)}
		}
		byDir[dir].files = append(byDir[dir].files, file)
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
	var all []area
	for _, dir := range slices.Sorted(maps.Keys(byDir)) {
		all = append(all, *byDir[dir])
	}
	return all
}

// notation are the exported types of core/internal/kinds/rule.
func notation(all []area) []string {
	var names []string
	for _, a := range all {
		for _, file := range a.files {
			for _, decl := range file.Decls {
				d, ok := decl.(*ast.GenDecl)
				if !ok || a.name != "rule" || d.Tok != token.TYPE {
					continue
				}
				for _, spec := range d.Specs {
					if s := spec.(*ast.TypeSpec); s.Name.IsExported() {
						names = append(names, s.Name.Name)
					}
				}
			}
		}
	}
	return names
}

// ofRule returns the name in rule.Name.
func ofRule(e ast.Expr) (name string, ok bool) {
	if generic, isGeneric := e.(*ast.IndexExpr); isGeneric {
		e = generic.X
	}
	s, ok := e.(*ast.SelectorExpr)
	if !ok {
		return "", false
	}
	pkg, ok := s.X.(*ast.Ident)
	return s.Sel.Name, ok && pkg.Name == "rule"
}

// TestNotationIsUsed checks that every type of core/internal/kinds/rule is used.
func TestNotationIsUsed(t *testing.T) {
	all := areas(t)
	used := map[string]bool{}
	for _, a := range all {
		for _, file := range a.files {
			ast.Inspect(file, func(n ast.Node) bool {
				if e, ok := n.(ast.Expr); ok {
					if name, ok := ofRule(e); ok {
						used[name] = true
					}
				}
				return true
			})
		}
	}
	names := notation(all)
	if len(names) < 15 {
		t.Errorf("core/internal/kinds/rule has only %q: this test has lost its way", names)
	}
	for _, name := range names {
		if name != "Rule" && name != "Field" && !used[name] { // these two are used without their names
			t.Errorf("rule.%s is used by no kind", name)
		}
	}
}

// TestRulesAreUsed lists the variables that hold rules and looks for a use of each: the compiler
// does not report unused package variables.
func TestRulesAreUsed(t *testing.T) {
	all := areas(t)
	types := notation(all)
	listed := 0
	for _, a := range all {
		for _, file := range a.files {
			for _, decl := range file.Decls {
				d, ok := decl.(*ast.GenDecl)
				if !ok || d.Tok != token.VAR {
					continue
				}
				for _, spec := range d.Specs {
					s := spec.(*ast.ValueSpec)
					for i, name := range s.Names {
						if i >= len(s.Values) || !holdsRules(s.Values[i], types) {
							continue
						}
						listed++
						t.Logf("%s.%s", a.name, name.Name)
						if !uses(all, a, s, name.Name) {
							t.Errorf("%s.%s is used by nobody", a.name, name.Name)
						}
					}
				}
			}
		}
	}
	if listed < 50 {
		t.Errorf("only %d variables hold rules: this test has lost its way", listed)
	}
}

// holdsRules reports whether a value is rules or a map of them.
func holdsRules(value ast.Expr, types []string) bool {
	var kind ast.Expr
	switch v := value.(type) {
	case *ast.CompositeLit:
		kind = v.Type
		if m, ok := kind.(*ast.MapType); ok {
			kind = m.Value
		}
	case *ast.CallExpr:
		kind = v.Fun
	}
	name, ok := ofRule(kind)
	return ok && slices.Contains(types, name)
}

// uses reports whether a variable of a package is named outside its own declaration. A
// local variable of the same name is another one.
func uses(all []area, owner area, declared *ast.ValueSpec, name string) bool {
	found := false
	var inside string // the package that is searched
	var visit func(n ast.Node) bool
	visit = func(n ast.Node) bool {
		switch n := n.(type) {
		case *ast.ValueSpec:
			return n != declared
		case *ast.SelectorExpr:
			pkg, ok := n.X.(*ast.Ident)
			found = found || ok && inside != owner.name && pkg.Name == owner.name && n.Sel.Name == name
			ast.Inspect(n.X, visit) // and not a name after a dot, which is another package's
			return false
		case *ast.Ident:
			local := n.Obj != nil && n.Obj.Decl != declared
			found = found || inside == owner.name && n.Name == name && !local
		}
		return !found
	}
	for _, a := range all {
		inside = a.name
		for _, file := range a.files {
			ast.Inspect(file, visit)
		}
	}
	return found
}
