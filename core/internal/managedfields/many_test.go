package managedfields

import (
	"fmt"
	"math/rand/v2"
	"testing"

	"github.com/tabernetes/tabernetes/core/object"
	"sigs.k8s.io/structured-merge-diff/v6/fieldpath"
)

// managedMap returns a ConfigMap of which each of n managers has one field.
func managedMap(n int, operation string) map[string]any {
	data, entries := make(map[string]any, n), make([]any, n)
	for i := range n {
		key := fmt.Sprintf("k%06d", i)
		data[key] = "v"
		entries[i] = map[string]any{
			"manager": fmt.Sprint("m", i), "operation": operation, "apiVersion": "v1", "time": "2026-01-01T00:00:00Z",
			"fieldsType": "FieldsV1", "fieldsV1": object.RawJSON(`{"f:data":{"f:` + key + `":{}}}`),
		}
	}
	return map[string]any{"apiVersion": "v1", "kind": "ConfigMap", "data": data,
		"metadata": map[string]any{"name": "x", "namespace": "default", "managedFields": entries}}
}

// BenchmarkManyManagers writes to an object with many managers. The time per manager must not grow.
func BenchmarkManyManagers(b *testing.B) {
	change := func(to string) func(obj map[string]any) {
		return func(obj map[string]any) {
			data := object.GetMap(obj, "data")
			for key := range data {
				data[key] = to
			}
		}
	}
	for _, c := range []struct {
		name, operation string
		change          func(obj map[string]any)
		wanted          func(live map[string]any) map[string]any
	}{
		{name: "update one", operation: operationApply,
			change: func(obj map[string]any) { object.SetNested(obj, "w", "data", "k000000") }},
		{name: "update all", operation: operationApply, change: change("w")},
		{name: "updaters", operation: operationUpdate,
			change: func(obj map[string]any) { object.SetNested(obj, "w", "data", "new") }},
		{name: "remove all", operation: operationApply, change: func(obj map[string]any) { delete(obj, "data") }},
		{name: "apply one", operation: operationApply,
			wanted: func(map[string]any) map[string]any { return map[string]any{"k000000": "w"} }},
		{name: "apply all", operation: operationApply, wanted: func(live map[string]any) map[string]any {
			obj := object.DeepCopy(live)
			change("w")(obj)
			return object.GetMap(obj, "data")
		}},
		// The manager had applied a field before that it does not apply any more.
		{name: "apply less", operation: operationApply,
			wanted: func(map[string]any) map[string]any { return map[string]any{} }},
	} {
		for _, n := range []int{1000, 2000, 4000, 8000} {
			b.Run(fmt.Sprint(c.name, "/", n), func(b *testing.B) {
				live := managedMap(n, c.operation)
				w := write(configMaps, "m0")
				config := map[string]any{"apiVersion": "v1", "kind": "ConfigMap",
					"metadata": map[string]any{"name": "x", "namespace": "default"}}
				if c.wanted != nil {
					config["data"] = c.wanted(live)
				}
				for b.Loop() {
					if c.change == nil {
						if _, err := w.Apply(live, config, true); err != nil {
							b.Fatal(err)
						}
						continue
					}
					obj := object.DeepCopy(live)
					c.change(obj)
					w.Update(live, obj)
				}
				b.ReportMetric(float64(b.Elapsed().Nanoseconds())/float64(b.N*n), "ns/manager")
			})
		}
	}
}

// randomSet returns a set of some paths with few names.
func randomSet(r *rand.Rand) *fieldpath.Set {
	set := fieldpath.NewSet()
	for range r.IntN(12) {
		var path fieldpath.Path
		for range 1 + r.IntN(3) {
			path = append(path, fieldpath.FieldNameElement(string(rune('a'+r.IntN(3)))))
		}
		set.Insert(path)
	}
	return set
}

// Intersections and unions of sets equal those of the library.
func TestSets(t *testing.T) {
	r := rand.New(rand.NewPCG(1, 2))
	for range 2000 {
		a, b := randomSet(r), randomSet(r)
		want, got := a.Intersection(b), common(a, b)
		if (got == nil) != want.Empty() || got != nil && !got.Equals(want) {
			t.Fatalf("common to\n%v\nand\n%v\nis\n%v\nwant\n%v", a, b, got, want)
		}
		sets, all := []*fieldpath.Set{}, fieldpath.NewSet()
		for range r.IntN(6) {
			set := randomSet(r)
			sets, all = append(sets, set), all.Union(set)
		}
		if got := union(sets); !got.Equals(all) {
			t.Fatalf("union of %v is\n%v\nwant\n%v", sets, got, all)
		}
	}
}
