package main

import (
	"fmt"
	"go/ast"
	"go/parser"
	"go/token"
	"io/fs"
	"path"
	"path/filepath"
	"sort"
	"strconv"
	"strings"
)

// sources parses the API's Go packages on demand.
type sources struct {
	dirs     map[string]string // module directories by module path
	packages map[string]*goPackage
}

// goPackage is one parsed package.
type goPackage struct {
	path, name string
	groupName  string              // its GroupName constant, if it has one
	types      map[string]*goType  // type declarations
	consts     map[string][]string // the values of typed string constants, by type name, in order
	methods    map[string]bool     // "Type.Method" of the methods that change a type's encoding
}

type goType struct {
	pkg     *goPackage
	name    string
	expr    ast.Expr
	imports map[string]string // local name -> path, of the file that declares it
	enum    bool              // marked as an enumeration
	wrapped bool              // a separate message in protobuf though it is a list
}

func newSources(dirs map[string]string) *sources {
	return &sources{dirs: dirs, packages: map[string]*goPackage{}}
}

func (s *sources) pkg(importPath string) (*goPackage, error) {
	if p := s.packages[importPath]; p != nil {
		return p, nil
	}
	dir, err := s.dir(importPath)
	if err != nil {
		return nil, err
	}
	set := token.NewFileSet()
	parsed, err := parser.ParseDir(set, dir, func(f fs.FileInfo) bool { //nolint:staticcheck // no build tags to heed here
		return !strings.HasSuffix(f.Name(), "_test.go")
	}, parser.ParseComments)
	if err != nil {
		return nil, err
	}
	p := &goPackage{path: importPath, types: map[string]*goType{}, consts: map[string][]string{},
		methods: map[string]bool{}}
	for name, files := range parsed {
		if strings.HasSuffix(name, "_test") || name == "main" {
			continue
		}
		p.name = name
		for _, f := range sortedFiles(files) {
			p.addFile(f)
		}
	}
	if p.name == "" {
		return nil, fmt.Errorf("no Go package in %s", dir)
	}
	s.packages[importPath] = p
	return p, nil
}

// dir returns where a package is.
func (s *sources) dir(importPath string) (string, error) {
	for module, d := range s.dirs {
		if rest, ok := strings.CutPrefix(importPath, module+"/"); ok {
			return filepath.Join(d, filepath.FromSlash(rest)), nil
		}
	}
	return "", fmt.Errorf("package %s is in none of the modules", importPath)
}

// importsOf returns the packages of a file by the names that it has for them.
func importsOf(f *ast.File) map[string]string {
	imports := map[string]string{}
	for _, i := range f.Imports {
		target, _ := strconv.Unquote(i.Path.Value)
		name := path.Base(target)
		if i.Name != nil {
			name = i.Name.Name
		}
		imports[name] = target
	}
	return imports
}

func (p *goPackage) addFile(f *ast.File) {
	imports := importsOf(f)
	for _, d := range f.Decls {
		switch d := d.(type) {
		case *ast.FuncDecl:
			if d.Recv != nil && (d.Name.Name == "UnmarshalJSON" || d.Name.Name == "MarshalJSON" ||
				d.Name.Name == "UnmarshalText") {
				t := d.Recv.List[0].Type
				if star, ok := t.(*ast.StarExpr); ok {
					t = star.X
				}
				p.methods[t.(*ast.Ident).Name] = true
			}
		case *ast.GenDecl:
			for _, spec := range d.Specs {
				switch spec := spec.(type) {
				case *ast.TypeSpec:
					markers := commentText(spec.Doc) + commentText(d.Doc)
					p.types[spec.Name.Name] = &goType{
						pkg: p, name: spec.Name.Name, expr: spec.Type, imports: imports,
						enum:    strings.Contains(markers, "+enum"),
						wrapped: strings.Contains(markers, "+protobuf.nullable"),
					}
				case *ast.ValueSpec:
					p.addConst(spec)
				}
			}
		}
	}
}

func (p *goPackage) addConst(spec *ast.ValueSpec) {
	for i, name := range spec.Names {
		if i >= len(spec.Values) {
			return
		}
		lit, ok := spec.Values[i].(*ast.BasicLit)
		if !ok || lit.Kind != token.STRING {
			continue
		}
		value, _ := strconv.Unquote(lit.Value)
		if name.Name == "GroupName" {
			p.groupName = value
		}
		if typ, ok := spec.Type.(*ast.Ident); ok {
			p.consts[typ.Name] = append(p.consts[typ.Name], value)
		}
	}
}

// commentText returns a comment with its markers, some of which CommentGroup.Text leaves out.
func commentText(g *ast.CommentGroup) string {
	if g == nil {
		return ""
	}
	var b strings.Builder
	for _, c := range g.List {
		b.WriteString(c.Text)
		b.WriteByte('\n')
	}
	return b.String()
}

func sortedFiles(p *ast.Package) []*ast.File { //nolint:staticcheck // see pkg
	var names []string
	for n := range p.Files {
		names = append(names, n)
	}
	sort.Strings(names)
	var out []*ast.File
	for _, n := range names {
		out = append(out, p.Files[n])
	}
	return out
}
