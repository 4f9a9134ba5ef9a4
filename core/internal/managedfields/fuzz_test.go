package managedfields

import (
	"bytes"
	"fmt"
	"testing"
	"time"

	"github.com/tabernetes/tabernetes/core/object"
	"github.com/tabernetes/tabernetes/core/schema"
	"github.com/tabernetes/tabernetes/core/schema/schematest"
	"sigs.k8s.io/structured-merge-diff/v6/fieldpath"
)

// FuzzCreate compares the fast path for new objects with the general one.
func FuzzCreate(f *testing.F) {
	for i := range 8 {
		f.Add(uint64(i), uint8(i), i%2 == 0)
	}
	kinds := []*schema.Resource{pods, services, deployments, configMaps, namespaces, scalersV2}
	f.Fuzz(func(t *testing.T, seed uint64, which uint8, wild bool) {
		r := kinds[int(which)%len(kinds)]
		obj := newGen(seed, 2, wild).Object(r.Type(), 0)
		object.SetTypeMeta(obj, r.APIVersion(), r.Kind)
		object.Meta(obj)["name"] = "x"
		obj, _, err := object.Normalize(obj, r.Type())
		if err != nil {
			t.Fatal(err)
		}
		checkCreate(t, write(r, "m"), obj)
	})
}

// FuzzWrites lets several managers write random objects, and checks invariants after each write.
func FuzzWrites(f *testing.F) {
	for i := range 12 {
		f.Add(uint64(i), uint8(i), i%4 == 3)
	}
	kinds := []*schema.Resource{pods, services, deployments, configMaps, widgets}
	f.Fuzz(func(t *testing.T, seed uint64, which uint8, wild bool) {
		r := kinds[int(which)%len(kinds)]
		s := fuzzObject{t: t, gen: newGen(seed, 3, wild), r: r}
		for i := range 10 {
			s.w = write(r, fmt.Sprint("m", s.IntN(4)))
			s.w.Now = noon.Add(time.Duration(i) * time.Hour)
			if s.OneIn(4) && r.HasStatus && s.live != nil {
				s.w.Subresource = "status"
			}
			if s.OneIn(2) {
				s.apply()
			} else {
				s.update()
			}
		}
	})
}

// fuzzObject is the sequence of writes to one object.
type fuzzObject struct {
	gen
	t    *testing.T
	r    *schema.Resource
	w    Write
	live map[string]any
}

func (s *fuzzObject) random() map[string]any {
	kind := s.r.Type()
	if kind == nil {
		kind = configMaps.Type()
	}
	obj := s.Object(kind, 0)
	object.SetTypeMeta(obj, s.r.APIVersion(), s.r.Kind)
	object.Meta(obj)["name"] = "x"
	return obj
}

// strip drops the changes that a write's path does not allow, as the server does.
func (s *fuzzObject) strip(obj map[string]any) {
	if !s.r.HasStatus {
		return
	}
	old := s.live
	if old == nil {
		old = s.w.group().empty()
	}
	for _, name := range []string{"spec", "status"} {
		if v, ok := old[name]; (name == "status") == (s.w.Subresource == "status") {
			continue
		} else if ok {
			obj[name] = object.DeepCopy(v)
		} else {
			delete(obj, name)
		}
	}
}

func (s *fuzzObject) update() {
	obj := s.random()
	if s.live != nil {
		live := object.DeepCopy(s.live)
		for _, k := range schematest.Keys(live) {
			if k == "metadata" || s.OneIn(3) {
				obj[k] = live[k]
			}
		}
	}
	if s.r.Type() != nil {
		var err error
		if obj, _, err = object.Normalize(obj, s.r.Type()); err != nil {
			s.t.Fatal(err)
		}
	}
	s.strip(obj)
	given, before := object.DeepCopy(obj), encode(s.live)
	s.w.Update(s.live, obj)
	if encode(s.live) != before {
		s.t.Fatal("an update changed the live object")
	}
	if !equalBut(obj, given, "metadata") || !equalBut(object.Meta(obj), object.Meta(given), "managedFields") {
		s.t.Fatalf("an update changed more than the entries: %s became %s", encode(given), encode(obj))
	}
	s.live = obj
	s.check()

	again := object.DeepCopy(obj)
	w := s.w
	w.Now = w.Now.Add(time.Minute)
	w.Update(s.live, again)
	if encode(again) != encode(s.live) {
		s.t.Fatalf("the same update changed\n%s\nto\n%s", encode(s.live), encode(again))
	}
}

func (s *fuzzObject) apply() {
	config := s.random()
	dropEmpty(config)
	given, before := encode(config), encode(s.live)
	force := s.OneIn(2)
	obj, err := s.w.Apply(s.live, config, force)
	if encode(config) != given || encode(s.live) != before {
		s.t.Fatal("an apply changed what it was given")
	}
	if err != nil {
		return
	}
	mark(config)
	if got := encode(obj); bytes.Contains([]byte(got), []byte("touched by the test")) {
		s.t.Fatal("what was applied shares its parts with the configuration")
	}
	s.strip(obj)
	s.live = obj
	s.check()

	if len(entriesOf(obj)) == 0 {
		return // the next apply is the first again
	}
	if config, _, err = object.Decode([]byte(given), nil); err != nil {
		s.t.Fatal(err)
	}
	w := s.w
	w.Now = w.Now.Add(time.Minute)
	again, err := w.Apply(obj, config, false)
	if err != nil {
		s.t.Fatalf("the same apply: %v", err)
	}
	s.strip(again)
	KeepTimes(again, obj)
	if encode(again) != encode(obj) {
		s.t.Fatalf("the same apply changed\n%s\nto\n%s", encode(obj), encode(again))
	}
}

// mark writes into the maps of a tree.
func mark(v any) {
	switch v := v.(type) {
	case map[string]any:
		for _, item := range v {
			mark(item)
		}
		v["mark"] = "touched by the test"
	case []any:
		for _, item := range v {
			mark(item)
		}
	}
}

// check checks the invariants of an object: its entries parse, and applied fields exist.
func (s *fuzzObject) check() {
	s.t.Helper()
	m, err := parse(entriesOf(s.live))
	if err != nil {
		s.t.Fatal(err)
	}
	rest := object.DeepCopy(s.live)
	delete(object.Meta(rest), "managedFields")
	v, err := Parser(s.r.Type()).FromUnstructured(rest)
	if err != nil {
		return // it has duplicate items
	}
	there, err := v.ToFieldSet()
	if err != nil {
		s.t.Fatal(err)
	}
	for id, entry := range m.fields {
		if text, ok := m.texts[entry.Set()]; ok { // the cached set is unchanged
			if is, err := entry.Set().ToJSON(); err != nil || string(is) != string(text) {
				s.t.Fatalf("%s has become %s, %v", text, is, err)
			}
		}
		if !entry.Applied() {
			continue
		}
		entry.Set().Iterate(func(p fieldpath.Path) {
			if !has(there, p) {
				s.t.Fatalf("%s owns %v, which %s does not have", id, p, encode(rest))
			}
		})
	}
}

// has reports whether a path, or one below it, exists.
func has(there *fieldpath.Set, p fieldpath.Path) bool {
	if there.Has(p) {
		return true
	}
	for _, step := range p {
		there = there.WithPrefix(step)
	}
	return !there.Empty()
}

// dropEmpty removes values from a tree that are omitted because they are empty, and reports whether
// anything is left. Such values in a configuration are owned although they do not exist in the
// object.
func dropEmpty(v any) bool {
	switch v := v.(type) {
	case map[string]any:
		for k, item := range v {
			if !dropEmpty(item) {
				delete(v, k)
			}
		}
		return len(v) > 0
	case []any:
		for _, item := range v {
			dropEmpty(item)
		}
		return len(v) > 0
	}
	return v != nil && v != "" && v != false && v != int64(0) && v != 0.0
}
