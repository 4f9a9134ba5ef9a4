package managedfields

import (
	"fmt"
	"math/rand/v2"
	"testing"
	"time"

	"github.com/tabernetes/tabernetes/core/object"
	"github.com/tabernetes/tabernetes/core/schema"
)

// A collection is a list or a map somewhere in the objects of a resource type.
type collection struct {
	resource *schema.Resource
	steps    []*schema.Field // from the object to the collection, through first items of lists and maps
}

func (c collection) String() string {
	s := c.resource.APIVersion() + "/" + c.resource.Plural
	for _, f := range c.steps {
		s += "." + f.Name
	}
	return s
}

// collections returns a place for each field that is a list or a map of each struct in a resource type.
func collections(r *schema.Resource) (all []collection) {
	seen := map[*schema.Type]bool{}
	var visit func(t *schema.Type, c collection)
	visit = func(t *schema.Type, c collection) {
		for t.Kind == schema.List || t.Kind == schema.Map {
			t = t.Elem
		}
		if t.Kind != schema.Struct || seen[t] {
			return
		}
		seen[t] = true
		for i := range t.Fields {
			f := &t.Fields[i]
			if f.Name == "managedFields" {
				continue
			}
			at := collection{c.resource, append(c.steps[:len(c.steps):len(c.steps)], f)}
			if f.Type.Kind == schema.List || f.Type.Kind == schema.Map {
				all = append(all, at)
			}
			visit(f.Type, at)
		}
	}
	visit(r.Type(), collection{resource: r})
	return all
}

// body returns an object whose collection has n entries, in random order; the lists and maps around it have one.
func (c collection) body(n int) map[string]any {
	r := rand.New(rand.NewPCG(uint64(n), 7))
	obj := c.below(c.steps, n, r)
	object.SetTypeMeta(obj, c.resource.APIVersion(), c.resource.Kind)
	object.Meta(obj)["name"] = "x"
	return obj
}

func (c collection) below(steps []*schema.Field, n int, r *rand.Rand) map[string]any {
	f := steps[0]
	if len(steps) > 1 {
		v := any(c.below(steps[1:], n, r))
		_, keys := listType(f)
		for t := f.Type; t.Kind != schema.Struct; t = t.Elem {
			if t.Kind == schema.Map {
				v = map[string]any{"k": v}
				continue
			}
			for _, name := range keys {
				if m := v.(map[string]any); m[name] == nil {
					m[name] = numbered(t.Elem.Field(name).Type, 0)
				}
			}
			v = []any{v}
		}
		return map[string]any{f.Name: v}
	}
	if f.Type.Kind == schema.Map {
		m := map[string]any{}
		for i := range n {
			m[fmt.Sprint("k", i)] = numbered(f.Type.Elem, i)
		}
		return map[string]any{f.Name: m}
	}
	list, order := make([]any, n), r.Perm(n)
	_, keys := listType(f)
	for i, at := range order {
		list[i] = numbered(f.Type.Elem, at)
		for _, name := range keys {
			list[i].(map[string]any)[name] = numbered(f.Type.Elem.Field(name).Type, at)
		}
	}
	return map[string]any{f.Name: list}
}

// numbered returns a value of a type, another for each number if the type has as many.
func numbered(t *schema.Type, i int) any {
	switch t.Kind {
	case schema.Struct:
		m := map[string]any{}
		for k := range t.Fields {
			if f := &t.Fields[k]; f.Type.Kind == schema.String || f.Type.Kind == schema.Int32 {
				m[f.Name] = numbered(f.Type, i)
				break
			}
		}
		return m
	case schema.List:
		return []any{numbered(t.Elem, i)}
	case schema.Map:
		return map[string]any{fmt.Sprint("k", i): numbered(t.Elem, i)}
	case schema.String:
		return fmt.Sprint("v", i)
	case schema.Int32, schema.Int64, schema.Quantity, schema.IntOrString:
		return int64(i + 1)
	}
	return newGen(uint64(i), 1, false).Value(t, 0)
}

// Applying an object that does not exist makes what creating it does, in the order of its lists; applying it again
// changes nothing. That goes for lists and maps below and above the size from which they are large: of all types with
// a smaller such size, and of some with that of the server.
func TestOrder(t *testing.T) {
	some := 0
	for _, r := range table.Resources() {
		for _, c := range collections(r) {
			if some++; some%100 == 0 {
				c.check(t, 10, 999, 1000, 2000)
			}
			withLargeSize(10, func() { c.check(t, 9, 10, 20) })
		}
	}
	if some < 1000 {
		t.Errorf("there are only %d lists and maps", some)
	}
}

func (c collection) check(t *testing.T, sizes ...int) {
	t.Helper()
	for _, n := range sizes {
		body, w := c.body(n), write(c.resource, "m")
		want, _, err := object.Normalize(body, c.resource.Type())
		if err != nil {
			t.Fatalf("%s: %v", c, err)
		}
		live, err := w.Apply(nil, body, false)
		if err != nil {
			t.Fatalf("%s, %d entries: %v", c, n, err)
		}
		if !equalBut(live, want, "metadata") || !equalBut(object.Meta(live), object.Meta(want), "managedFields") {
			t.Errorf("%s, %d entries: %s\nwant %s", c, n, encode(live), encode(want))
		}
		w.Now = w.Now.Add(time.Hour)
		again, err := w.Apply(live, body, false)
		if err != nil {
			t.Fatalf("%s, %d entries: applied again: %v", c, n, err)
		}
		if KeepTimes(again, live); encode(again) != encode(live) {
			t.Errorf("%s, %d entries: applied again it is %s\nnot %s", c, n, encode(again), encode(live))
		}
	}
}
