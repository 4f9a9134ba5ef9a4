package main

import (
	"bytes"
	"fmt"
	"go/ast"
	"go/parser"
	"go/token"
	"maps"
	"path/filepath"
	"slices"
	"strconv"
	"strings"

	"github.com/tabernetes/tabernetes/core/openapi"
	"github.com/tabernetes/tabernetes/core/schema"
)

// description is the description of a type and of its fields.
type description struct {
	own    string
	fields map[string]string
}

// writeDescriptions writes the descriptions of the types in the OpenAPI documents. It reads the
// generated definitions, which have more than the documents in the repository: the meaning of enum
// values. See core/openapi for the reader.
func writeDescriptions(dirs map[string]string) ([]byte, error) {
	all, err := readDescriptions(filepath.Join(dirs["k8s.io/kubernetes"], "pkg", "generated", "openapi",
		"zz_generated.openapi.go"))
	if err != nil {
		return nil, err
	}
	var b bytes.Buffer
	fmt.Fprintf(&b, "# From Kubernetes %s, https://github.com/kubernetes/kubernetes, under the Apache License 2.0.\n",
		kubernetesVersion)
	escape := strings.NewReplacer(`\`, `\\`, "\n", `\n`)
	for _, name := range openapi.Types(schema.Builtin()) {
		d, ok := all[name]
		if !ok {
			return nil, fmt.Errorf("nothing is said of %s", name)
		}
		fmt.Fprintf(&b, "%s %s\n", name, escape.Replace(d.own))
		for _, field := range slices.Sorted(maps.Keys(d.fields)) {
			fmt.Fprintf(&b, " %s %s\n", field, escape.Replace(d.fields[field]))
		}
	}
	return b.Bytes(), nil
}

// readDescriptions reads generated definitions: a function for each type, and one that maps names
// to them.
func readDescriptions(file string) (map[string]description, error) {
	parsed, err := parser.ParseFile(token.NewFileSet(), file, nil, parser.SkipObjectResolution)
	if err != nil {
		return nil, err
	}
	packages := importsOf(parsed)
	byFunction, names := map[string]description{}, map[string]string{}
	for _, d := range parsed.Decls {
		f, ok := d.(*ast.FuncDecl)
		if !ok || f.Body == nil || len(f.Body.List) == 0 {
			continue
		}
		result, ok := f.Body.List[0].(*ast.ReturnStmt)
		if !ok {
			continue
		}
		if f.Name.Name == "GetOpenAPIDefinitions" {
			for _, e := range result.Results[0].(*ast.CompositeLit).Elts {
				function, name, err := definitionOf(e, packages)
				if err != nil {
					return nil, err
				}
				names[function] = name
			}
			continue
		}
		literal := result.Results[0]
		if call, ok := literal.(*ast.CallExpr); ok { // the forms for v3 and v2 of one type, with the same descriptions
			literal = call.Args[0]
		}
		d, err := describe(literal)
		if err != nil {
			return nil, fmt.Errorf("%s: %w", f.Name.Name, err)
		}
		byFunction[f.Name.Name] = d
	}
	all := map[string]description{}
	for function, name := range names {
		all[name] = byFunction[function]
	}
	return all, nil
}

// definitionOf reads an entry v1.Pod{}.OpenAPIModelName(): schema_v1_Pod(ref).
func definitionOf(e ast.Expr, packages map[string]string) (function, name string, err error) {
	pair, ok := e.(*ast.KeyValueExpr)
	if !ok {
		return "", "", fmt.Errorf("an entry that is no pair: %T", e)
	}
	var model *ast.SelectorExpr
	ast.Inspect(pair.Key, func(n ast.Node) bool {
		if literal, ok := n.(*ast.CompositeLit); ok {
			model, _ = literal.Type.(*ast.SelectorExpr)
		}
		return true
	})
	call, ok := pair.Value.(*ast.CallExpr)
	if model == nil || !ok {
		return "", "", fmt.Errorf("an entry of another form at %d", pair.Pos())
	}
	return call.Fun.(*ast.Ident).Name, openAPIPackage(packages[model.X.(*ast.Ident).Name]) + "." + model.Sel.Name, nil
}

// describe finds the descriptions in a definition: those of the type itself and of its properties.
func describe(definition ast.Expr) (d description, err error) {
	props := at(definition, "Schema", "SchemaProps")
	if props == nil {
		return d, nil
	}
	if d.own, err = text(at(props, "Description")); err != nil {
		return d, err
	}
	d.fields = map[string]string{}
	properties, ok := at(props, "Properties").(*ast.CompositeLit)
	if !ok {
		return d, nil
	}
	for _, e := range properties.Elts {
		pair := e.(*ast.KeyValueExpr)
		name, err := text(pair.Key)
		if err != nil {
			return d, err
		}
		said, err := text(at(pair.Value, "SchemaProps", "Description"))
		if err != nil {
			return d, err
		}
		if said != "" {
			d.fields[name] = said
		}
	}
	return d, nil
}

// at follows the keys of nested struct literals; nil if one is missing.
func at(e ast.Expr, path ...string) ast.Expr {
	for _, name := range path {
		literal, ok := e.(*ast.CompositeLit)
		if !ok {
			return nil
		}
		e = nil
		for _, element := range literal.Elts {
			if pair, ok := element.(*ast.KeyValueExpr); ok {
				if key, ok := pair.Key.(*ast.Ident); ok && key.Name == name {
					e = pair.Value
				}
			}
		}
	}
	return e
}

// text returns a string literal's value; empty for other expressions.
func text(e ast.Expr) (string, error) {
	if e == nil {
		return "", nil
	}
	literal, ok := e.(*ast.BasicLit)
	if !ok {
		return "", fmt.Errorf("a description that is no literal: %T", e)
	}
	return strconv.Unquote(literal.Value)
}
