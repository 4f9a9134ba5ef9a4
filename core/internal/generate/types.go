package main

import (
	"bytes"
	"encoding/json"
	"fmt"
	"go/ast"
	"reflect"
	"slices"
	"sort"
	"strconv"
	"strings"
)

// special are the types with their own encoding, with their letters in the table.
var special = map[string]string{
	"k8s.io/apimachinery/pkg/apis/meta/v1.Time":                     "t",
	"k8s.io/apimachinery/pkg/apis/meta/v1.MicroTime":                "u",
	"k8s.io/apimachinery/pkg/apis/meta/v1.Duration":                 "d",
	"k8s.io/apimachinery/pkg/apis/meta/v1.FieldsV1":                 "r",
	"k8s.io/apimachinery/pkg/api/resource.Quantity":                 "q",
	"k8s.io/apimachinery/pkg/util/intstr.IntOrString":               "o",
	"k8s.io/apimachinery/pkg/runtime.RawExtension":                  "r",
	"k8s.io/apiextensions-apiserver/pkg/apis/apiextensions/v1.JSON": "r",
}

// unions are structs of which JSON has one field at a time.
var unions = []string{"JSONSchemaPropsOrBool", "JSONSchemaPropsOrArray", "JSONSchemaPropsOrStringArray"}

// basic are Go's own types by letter.
var basic = map[string]string{
	"string": "s", "bool": "b", "int32": "i", "int64": "l", "int": "n", "float64": "f",
}

const metaPackage = "k8s.io/apimachinery/pkg/apis/meta/v1"

// metaKinds are the kinds of meta/v1 that requests and answers use.
var metaKinds = []string{
	"APIGroup", "APIGroupList", "APIResourceList", "APIVersions", "CreateOptions", "DeleteOptions", "GetOptions",
	"LabelSelector",
	"List", "ListOptions", "PartialObjectMetadata", "PartialObjectMetadataList", "PatchOptions", "Status", "Table",
	"TableOptions",
	"UpdateOptions", "WatchEvent",
}

// typeWriter collects the lines of the types reached so far.
type typeWriter struct {
	src   *sources
	docs  map[string]definition
	done  map[string][]string // "package.Type" -> its lines
	queue []*goType
}

// writeTypes writes every type reachable from the served kinds: per package a header, per type
// a line with its fields indented below it. See core/schema for the reader.
func writeTypes(src *sources, docs map[string]definition, groups []*group) ([]byte, error) {
	w := &typeWriter{src: src, docs: docs, done: map[string][]string{}}
	if err := w.addRoots(groups); err != nil {
		return nil, err
	}
	for len(w.queue) > 0 {
		t := w.queue[0]
		w.queue = w.queue[1:]
		key := t.pkg.path + "." + t.name
		if w.done[key] != nil {
			continue
		}
		lines, err := w.lines(t)
		if err != nil {
			return nil, fmt.Errorf("%s: %w", key, err)
		}
		w.done[key] = lines
	}
	return w.bytes(), nil
}

func (w *typeWriter) bytes() []byte {
	var keys []string
	for k := range w.done {
		keys = append(keys, k)
	}
	sort.Strings(keys)
	var b bytes.Buffer
	last := ""
	for _, k := range keys {
		i := strings.LastIndexByte(k, '.')
		if pkg := k[:i]; pkg != last {
			last = pkg
			p := w.src.packages[pkg]
			fmt.Fprintf(&b, "@%s %s %s %s\n", alias(pkg), openAPIPackage(pkg), p.name, orDash(p.groupName))
		}
		for _, l := range w.done[k] {
			b.WriteString(l)
			b.WriteByte('\n')
		}
	}
	return b.Bytes()
}

func (w *typeWriter) addRoots(groups []*group) error {
	add := func(pkg string, kinds ...string) error {
		p, err := w.src.pkg(pkg)
		if err != nil {
			return err
		}
		for _, k := range kinds {
			t := p.types[k]
			if t == nil {
				return fmt.Errorf("%s has no type %s", pkg, k)
			}
			w.queue = append(w.queue, t)
		}
		return nil
	}
	for _, g := range groups {
		for _, gv := range g.versions {
			pkg := packageOf(gv.group, gv.version)
			for _, r := range gv.resources {
				if err := add(pkg, r.Kind); err != nil {
					return err
				}
				if slices.Contains(r.Verbs, "list") {
					if err := add(pkg, r.Kind+"List"); err != nil {
						return err
					}
				}
				for _, s := range r.subresources {
					from := pkg
					if s.Version != "" {
						from = packageOf(s.Group, s.Version)
					}
					if err := add(from, s.Kind); err != nil {
						return err
					}
				}
			}
		}
	}
	if err := add("k8s.io/api/apidiscovery/v2", "APIGroupDiscoveryList"); err != nil {
		return err
	}
	return add(metaPackage, metaKinds...)
}

// packageOf returns the Go package of a group version.
func packageOf(group, version string) string {
	switch group {
	case "":
		return "k8s.io/api/core/" + version
	case "apiextensions.k8s.io":
		return "k8s.io/apiextensions-apiserver/pkg/apis/apiextensions/" + version
	case "apiregistration.k8s.io":
		return "k8s.io/kube-aggregator/pkg/apis/apiregistration/" + version
	}
	name, _, _ := strings.Cut(group, ".")
	return "k8s.io/api/" + name + "/" + version
}

// openAPIPackage returns the prefix of a package's definitions: k8s.io/api/core/v1 ->
// io.k8s.api.core.v1.
func openAPIPackage(pkg string) string {
	host, rest, _ := strings.Cut(pkg, "/")
	parts := strings.Split(host, ".")
	slices.Reverse(parts)
	return strings.Join(parts, ".") + "." + strings.ReplaceAll(rest, "/", ".")
}

// alias returns the short name of a package within the table: its last two elements.
func alias(pkg string) string {
	parts := strings.Split(pkg, "/")
	return strings.Join(parts[len(parts)-2:], "/")
}

// lines writes one type declaration.
func (w *typeWriter) lines(t *goType) ([]string, error) {
	st, ok := t.expr.(*ast.StructType)
	if !ok {
		if t.pkg.methods[t.name] {
			return nil, fmt.Errorf("has an encoding of its own, which the table does not know")
		}
		ref, err := w.ref(t, t.expr)
		if err != nil {
			return nil, err
		}
		line := t.name + " " + ref
		if values := t.pkg.consts[t.name]; t.enum && len(values) > 0 {
			line += " " + strings.Join(values, "|")
		}
		if t.wrapped {
			line += " w"
		}
		return []string{line}, nil
	}
	doc := w.docs[openAPIPackage(t.pkg.path)+"."+t.name]
	head := t.name
	isUnion := slices.Contains(unions, t.name)
	switch {
	case isUnion:
		head += " U"
	case t.pkg.methods[t.name]:
		return nil, fmt.Errorf("has an encoding of its own, which the table does not know")
	case doc.MapType != "":
		head += " x=" + doc.MapType
	}
	out := []string{head}
	last := 0
	for _, f := range st.Fields.List {
		line, err := w.field(t, f, doc, isUnion, &last)
		if err != nil {
			return nil, err
		}
		if line != "" {
			out = append(out, " "+line)
		}
	}
	return out, nil
}

// field writes one field, "" if JSON does not have it. last is the protobuf number of the field
// before: consecutive numbers are left out.
func (w *typeWriter) field(t *goType, f *ast.Field, doc definition, inUnion bool, last *int) (string, error) {
	tag := reflect.StructTag("")
	if f.Tag != nil {
		raw, err := strconv.Unquote(f.Tag.Value)
		if err != nil {
			return "", err
		}
		tag = reflect.StructTag(raw)
	}
	number, protoName := protobufTag(tag.Get("protobuf"))
	name, options, _ := strings.Cut(tag.Get("json"), ",")
	typ := f.Type
	star, isPointer := typ.(*ast.StarExpr)
	if isPointer {
		typ = star.X
	}
	ref, err := w.ref(t, typ)
	if err != nil {
		return "", err
	}
	if len(f.Names) == 0 && name == "" {
		if !strings.Contains(options, "inline") || isPointer {
			return "", fmt.Errorf("an embedded field that is not inline: %s", ref)
		}
		w.inheritDefinition(w.queue[len(w.queue)-1], doc) // ref has just queued it
		return "+" + ref + " " + strconv.Itoa(number), nil
	}
	if inUnion {
		name = protoName
	}
	if name == "-" {
		return "", nil
	}
	if name == "" || len(f.Names) > 1 {
		return "", fmt.Errorf("field %v has no JSON name", f.Names)
	}
	line := name + " " + ref
	flags := ""
	for _, o := range strings.Split(options, ",") {
		switch o {
		case "omitempty":
			flags += "e"
		case "omitzero":
			if ref != "t" && ref != "u" {
				return "", fmt.Errorf("field %s: omitzero is known for times only", name)
			}
			flags += "z"
		case "":
		default:
			return "", fmt.Errorf("field %s: unknown JSON option %q", name, o)
		}
	}
	if isPointer {
		flags += "p"
	}
	if doc.required(name) {
		flags += "r"
	}
	if flags != "" {
		line += " " + flags
	}
	if number != *last+1 {
		line += " " + strconv.Itoa(number)
	}
	*last = number
	return line + fieldAttributes(tag, doc.Properties[name], strings.ContainsAny(flags, "ep")), nil
}

// inheritDefinition sets the definition of an embedded struct that has no definition to its embedder's, which
// includes its fields.
func (w *typeWriter) inheritDefinition(embedded *goType, doc definition) {
	if name := openAPIPackage(embedded.pkg.path) + "." + embedded.name; w.docs[name].Properties == nil {
		w.docs[name] = doc
	}
}

func fieldAttributes(tag reflect.StructTag, p property, omitEmpty bool) string {
	var b strings.Builder
	attr := func(key, value string) {
		if value != "" {
			b.WriteString(" " + key + "=" + value)
		}
	}
	attr("ps", tag.Get("patchStrategy"))
	attr("pk", tag.Get("patchMergeKey"))
	if len(p.ListMapKeys) > 0 {
		attr("k", strings.Join(p.ListMapKeys, ","))
	} else {
		attr("l", p.ListType)
	}
	attr("x", p.MapType)
	if !trivialDefault(p.Default, omitEmpty) {
		var compact bytes.Buffer
		if err := json.Compact(&compact, p.Default); err == nil {
			attr("d", compact.String()) // last, since it may contain spaces
		}
	}
	return b.String()
}

// protobufTag returns a field's number, 0 if protobuf does not have it.
func protobufTag(tag string) (number int, name string) {
	parts := strings.Split(tag, ",")
	if len(parts) < 2 {
		return 0, ""
	}
	number, _ = strconv.Atoi(parts[1])
	for _, p := range parts[2:] {
		if n, ok := strings.CutPrefix(p, "name="); ok {
			name = n
		}
	}
	return number, name
}

// ref writes a reference to a type, as seen from t's file, and queues the named types in it.
func (w *typeWriter) ref(t *goType, expr ast.Expr) (string, error) {
	switch e := expr.(type) {
	case *ast.ParenExpr:
		return w.ref(t, e.X)
	case *ast.InterfaceType:
		return "r", nil
	case *ast.StarExpr:
		return "", fmt.Errorf("a list or map of pointers")
	case *ast.ArrayType:
		if id, ok := e.Elt.(*ast.Ident); ok && id.Name == "byte" {
			return "y", nil
		}
		ref, err := w.ref(t, e.Elt)
		return "[]" + ref, err
	case *ast.MapType:
		key, err := w.ref(t, e.Key)
		if err != nil {
			return "", err
		}
		if key == "s" {
			key = ""
		}
		ref, err := w.ref(t, e.Value)
		return "{" + key + "}" + ref, err
	case *ast.Ident:
		if b, ok := basic[e.Name]; ok {
			return b, nil
		}
		return w.named(t, t.pkg.path, e.Name)
	case *ast.SelectorExpr:
		path, ok := t.imports[e.X.(*ast.Ident).Name]
		if !ok {
			return "", fmt.Errorf("package %v is not imported", e.X)
		}
		return w.named(t, path, e.Sel.Name)
	}
	return "", fmt.Errorf("a type the table cannot hold: %T", expr)
}

func (w *typeWriter) named(from *goType, pkg, name string) (string, error) {
	if letter, ok := special[pkg+"."+name]; ok {
		return letter, nil
	}
	p, err := w.src.pkg(pkg)
	if err != nil {
		return "", err
	}
	t := p.types[name]
	if t == nil {
		return "", fmt.Errorf("%s has no type %s", pkg, name)
	}
	w.queue = append(w.queue, t)
	if p == from.pkg {
		return name, nil
	}
	return alias(pkg) + "." + name, nil
}
