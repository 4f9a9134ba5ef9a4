//go:build unix

package costs

import (
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/tabernetes/tabernetes/core/conformance"
	"github.com/tabernetes/tabernetes/core/object"
	"github.com/tabernetes/tabernetes/core/schema"
)

type tree = map[string]any

// bases returns an object of each resource that the real server has created in a recording, by the path of its list.
func bases(t testing.TB) map[string]tree {
	files, err := filepath.Glob("../testdata/recordings/*.json")
	if err != nil || len(files) == 0 {
		t.Fatalf("%d recordings, %v", len(files), err)
	}
	// Those of kinds come first: what they create is small and ordinary.
	slices.SortStableFunc(files, func(a, b string) int { return strings.Compare(rank(a), rank(b)) })
	all := map[string]tree{}
	for _, file := range files {
		text, err := os.ReadFile(file)
		if err != nil {
			t.Fatal(err)
		}
		var s conformance.Scenario
		if err := json.Unmarshal(text, &s); err != nil {
			t.Fatal(err)
		}
		for _, step := range s.Steps {
			if step.Request == nil || step.Request.Method != "POST" || step.Response == nil || step.Response.Status != 201 {
				continue
			}
			text := strings.ReplaceAll(string(step.Request.Body), "${ns}", "default")
			path, _, _ := strings.Cut(strings.ReplaceAll(step.Request.Path, "${ns}", "default"), "?")
			obj, _, err := object.Decode([]byte(text), nil)
			if err == nil && all[path] == nil && !strings.Contains(text, "${") {
				all[path] = obj
			}
		}
	}
	return all
}

func rank(file string) string {
	if strings.HasPrefix(filepath.Base(file), "kind-") {
		return "0"
	}
	return "1"
}

// listOf returns the path of a resource's list.
func listOf(r *schema.Resource) string {
	path := "/apis/" + r.Group + "/" + r.Version
	if r.Group == "" {
		path = "/api/" + r.Version
	}
	if r.Namespaced {
		path += "/namespaces/default"
	}
	return path + "/" + r.Plural
}

// A place is a list or a map in a type: the fields that lead to it, of which lists and maps are entered by their first
// entry. If same is set, all entries are equal.
type place struct {
	owner  *schema.Type // which has the last field
	fields []*schema.Field
	same   bool
}

// field returns the name of the last field, with its struct.
func (p place) field() string { return p.owner.GoName + "." + p.fields[len(p.fields)-1].Name }

func (p place) String() string {
	var names []string
	for _, f := range p.fields {
		names = append(names, f.Name)
	}
	return strings.Join(names, ".")
}

// places returns the lists and maps of a type. A struct is not entered within itself.
func places(t *schema.Type) (all []place) {
	var walk func(t *schema.Type, path []*schema.Field, within []*schema.Type)
	walk = func(t *schema.Type, path []*schema.Field, within []*schema.Type) {
		for t.Kind == schema.List || t.Kind == schema.Map {
			t = t.Elem
		}
		if t.Kind != schema.Struct || slices.Contains(within, t) {
			return
		}
		within = append(slices.Clone(within), t)
		for i := range t.Fields {
			f := &t.Fields[i]
			way := append(slices.Clone(path), f)
			if f.Type.Kind == schema.List || f.Type.Kind == schema.Map || f.Type.Kind == schema.Raw {
				all = append(all, place{owner: t, fields: way})
			}
			walk(f.Type, way, within)
		}
	}
	walk(t, nil, nil)
	return all
}

// with returns a copy of an object with n entries at a place. With different seeds every other
// entry differs, but in its keys.
func (p place) with(base tree, n, seed int) tree {
	obj := object.DeepCopy(base)
	in := obj
	for i, f := range p.fields {
		if i == len(p.fields)-1 {
			in[f.Name] = entries(f, first(in[f.Name]), n, seed, p.same)
			break
		}
		in = enter(in, f)
	}
	return obj
}

// enter returns the struct in a field, or the first one in its list or map, which it makes if none exists.
func enter(in tree, f *schema.Field) tree {
	t := f.Type
	if in[f.Name] == nil {
		in[f.Name] = sample(t, f.Name, 0, 0)
	}
	v := in[f.Name]
	for {
		switch x := v.(type) {
		case []any:
			if len(x) == 0 {
				x = append(x, sample(t.Elem, f.Name, 0, 0))
				in[f.Name] = x
			}
			v, t = x[0], t.Elem
		case tree:
			if t.Kind != schema.Map {
				return x
			}
			t = t.Elem
			v = first(x)
			if v == nil {
				v = sample(t, f.Name, 0, 0)
				x["a"] = v
			}
		default:
			panic(fmt.Sprintf("%s is %T", f.Name, v))
		}
	}
}

// first returns an entry of a list or a map, or nil.
func first(v any) any {
	switch x := v.(type) {
	case []any:
		if len(x) > 0 {
			return x[0]
		}
	case tree:
		for _, v := range x {
			return v
		}
	}
	return nil
}

// entries returns n entries of a list or a map. Those of a list of structs are like one that is there.
func entries(f *schema.Field, like any, n, seed int, same bool) any {
	switch f.Type.Kind {
	case schema.Map:
		m := make(tree, n)
		for i := range n {
			m[fmt.Sprint("k", i)] = entry(f, like, i, seed)
		}
		return m
	case schema.Raw:
		m := make(tree, n)
		for i := range n {
			m[fmt.Sprint("k", i)] = fmt.Sprint("v", seed)
		}
		return m
	}
	l := make([]any, n)
	for i := range l {
		k := i
		if same {
			k = 0
		}
		l[i] = entry(f, like, k, seed)
	}
	return l
}

func entry(f *schema.Field, like any, i, seed int) any {
	t := f.Type.Elem
	item, isStruct := like.(tree)
	if !isStruct || t.Kind != schema.Struct {
		return sample(t, f.Name, i, seed)
	}
	item = object.DeepCopy(item)
	keys := f.ListMapKeys
	if len(keys) == 0 && f.PatchMergeKey != "" {
		keys = []string{f.PatchMergeKey}
	}
	for k := range t.Fields {
		field := &t.Fields[k]
		if slices.Contains(keys, field.Name) || len(keys) == 0 && (field.Name == "name" || field.Name == "key") {
			item[field.Name] = sample(field.Type, field.Name, i, 0)
		}
	}
	if seed > 0 && i%2 == 1 { // something that is no key
		for k := range t.Fields {
			field := &t.Fields[k]
			if field.Type.Kind == schema.String && !slices.Contains(keys, field.Name) && field.Name != "name" &&
				len(field.Type.Enum) == 0 {
				item[field.Name] = sample(field.Type, field.Name, i, seed)
				break
			}
		}
	}
	return item
}

// sample returns the ith value of a type, with the fields that are required.
func sample(t *schema.Type, name string, i, seed int) any {
	switch t.Kind {
	case schema.Struct:
		m := tree{}
		for k := range t.Fields {
			f := &t.Fields[k]
			if f.Required || f.Name == "name" || f.Name == "key" || f.Name == "path" || f.Name == "type" {
				m[f.Name] = sample(f.Type, f.Name, i, seed)
			}
		}
		return m
	case schema.Map:
		return tree{"a": sample(t.Elem, name, i, seed)}
	case schema.List:
		return []any{sample(t.Elem, name, i, seed)}
	case schema.Bool:
		return true
	case schema.Int32, schema.Int64:
		return int64(1 + i)
	case schema.Float64:
		return float64(i)
	case schema.Bytes:
		return "YQ=="
	case schema.Time:
		return "2026-01-01T00:00:00Z"
	case schema.MicroTime:
		return "2026-01-01T00:00:00.000001Z"
	case schema.Duration:
		return "1m0s"
	case schema.Quantity, schema.IntOrString:
		return fmt.Sprint(1 + i)
	case schema.Union:
		return true
	case schema.Raw:
		return tree{"a": int64(1)}
	}
	if len(t.Enum) > 0 {
		return t.Enum[0]
	}
	switch name {
	case "path", "mountPath":
		return fmt.Sprintf("/n%d", i)
	case "finalizers":
		return fmt.Sprintf("a.b/n%d", i)
	case "uid":
		return fmt.Sprintf("u%d", i)
	case "apiVersion":
		return "v1"
	}
	if seed > 0 && i%2 == 1 && name != "name" && name != "key" {
		return fmt.Sprintf("n%d-%d", i, seed)
	}
	return fmt.Sprintf("n%d", i)
}
