package managedfields

import (
	"cmp"
	"fmt"
	"math/rand/v2"
	"testing"

	"github.com/tabernetes/tabernetes/core/object"
	"github.com/tabernetes/tabernetes/core/schema"
	"sigs.k8s.io/structured-merge-diff/v6/typed"
)

// withLargeSize runs a function while largeSize has another value.
func withLargeSize(n int, do func()) {
	defer func(before int) { largeSize = before }(largeSize)
	largeSize = n
	do()
}

// randomPod has some of a few labels, finalizers, variables and ports, in any order.
func randomPod(r *rand.Rand, twice bool) map[string]any {
	some := func(most int, item func(i int) any) []any {
		list := []any{}
		for _, i := range r.Perm(most) {
			if r.IntN(2) == 0 {
				list = append(list, item(i))
				if twice && r.IntN(6) == 0 {
					list = append(list, item(i))
				}
			}
		}
		return list
	}
	maybe := func(m map[string]any, name string, v any) {
		if r.IntN(5) > 0 {
			m[name] = v
		}
	}
	labels, meta, spec := map[string]any{}, map[string]any{"name": "x", "namespace": "default"}, map[string]any{}
	for i := range 4 {
		maybe(labels, fmt.Sprint("l", i), fmt.Sprint(r.IntN(2)))
	}
	maybe(meta, "labels", labels)
	maybe(meta, "finalizers", some(5, func(i int) any { return fmt.Sprint("a.b/", i) }))
	maybe(spec, "nodeSelector", map[string]any{"a": fmt.Sprint(r.IntN(2))})
	maybe(spec, "tolerations", some(3, func(i int) any { return map[string]any{"key": fmt.Sprint(i)} }))
	maybe(spec, "containers", some(4, func(i int) any {
		c := map[string]any{"name": fmt.Sprint("c", i)}
		maybe(c, "image", fmt.Sprint(r.IntN(2)))
		maybe(c, "args", some(3, func(i int) any { return fmt.Sprint(i) }))
		maybe(c, "env", some(6, func(i int) any {
			e := map[string]any{"name": fmt.Sprint("E", i)}
			maybe(e, "value", fmt.Sprint(r.IntN(2)))
			return e
		}))
		maybe(c, "ports", some(4, func(i int) any {
			p := map[string]any{"containerPort": int64(i / 2)}
			if i%2 == 0 {
				p["protocol"] = "UDP"
			}
			maybe(p, "name", fmt.Sprint(r.IntN(2)))
			return p
		}))
		return c
	}))
	return map[string]any{"apiVersion": "v1", "kind": "Pod", "metadata": meta, "spec": spec}
}

// bothSizes runs a function as if all values were large, and as if none were, and compares the results.
func bothSizes(t *testing.T, do func() []string) {
	t.Helper()
	var got, want []string
	withLargeSize(0, func() { got = do() })
	withLargeSize(1<<30, func() { want = do() })
	for k := range want {
		if got[k] != want[k] {
			t.Fatalf("%d of %q:\n got %s\nwant %s", k, want, got[k], want[k])
		}
	}
}

// Large values are compared and pruned as structured-merge-diff does it with small ones.
func TestBulky(t *testing.T) {
	r := rand.New(rand.NewPCG(3, 4))
	parser := parserOf(pods)
	for i := range 600 {
		live, wanted := randomPod(r, i%2 == 0), randomPod(r, false)
		bothSizes(t, func() []string {
			was, err := read(live, parser, typed.AllowDuplicates)
			if err != nil {
				t.Fatal(err)
			}
			is, err := read(wanted, parser)
			if err != nil {
				t.Fatal(err)
			}
			obj := merged(was, is)
			set, err := is.ToFieldSet()
			if err != nil {
				t.Fatal(err)
			}
			c, err := was.Compare(obj)
			if err != nil {
				t.Fatal(err)
			}
			rest := removed(obj, members(obj, set))
			return []string{
				encode(obj.AsValue().Unstructured()), set.String(), c.Added.String(), c.Modified.String(), c.Removed.String(),
				encode(rest.AsValue().Unstructured()), fmt.Sprint(same(was, obj)),
			}
		})
	}
}

// Objects are compared in the same way if only one of them is large, as before and after a large
// map loses an entry.
func TestOneIsBulky(t *testing.T) {
	r := rand.New(rand.NewPCG(7, 8))
	parser := parserOf(pods)
	const all, none = 0, 1 << 30 // what is large
	sized := func(obj map[string]any, large int) (v *typed.TypedValue) {
		withLargeSize(large, func() {
			var err error
			if v, err = read(obj, parser, typed.AllowDuplicates); err != nil {
				t.Fatal(err)
			}
		})
		return v
	}
	for range 600 {
		was := randomPod(r, true)
		is := object.DeepCopy(was)
		if r.IntN(2) == 0 {
			is = randomPod(r, true)
		}
		compare := func(first, second int) string {
			c, err := sized(was, first).Compare(sized(is, second))
			if err != nil {
				t.Fatal(err)
			}
			return c.String()
		}
		want := compare(none, none)
		for _, large := range [][2]int{{all, none}, {none, all}, {all, all}} {
			if got := compare(large[0], large[1]); got != want {
				t.Fatalf("large %v\n%s\n%s\n got %s\nwant %s", large, encode(was), encode(is), got, want)
			}
		}
	}
}

// Whole writes have the same results, too, from the first on, which is an apply or another.
func TestBulkyWrites(t *testing.T) {
	r := rand.New(rand.NewPCG(5, 6))
	for i := range 200 {
		kind, seed := []*schema.Resource{pods, services, deployments, configMaps, widgets}[max(0, i%8-3)], r.Uint64()
		bothSizes(t, func() (results []string) {
			g := newGen(seed, 1, false)
			random := func() map[string]any {
				if kind == pods {
					pod := randomPod(g.Rand, false)
					if g.OneIn(6) { // does not match the type
						object.SetNested(pod, []any{map[string]any{}, []any{}}[g.IntN(2)], "spec", "nodeName")
					}
					return pod
				}
				obj := g.Object(cmp.Or(kind.Type(), configMaps.Type()), 0)
				object.SetTypeMeta(obj, kind.APIVersion(), kind.Kind)
				object.Meta(obj)["name"] = "x"
				return obj
			}
			var obj map[string]any
			for range 6 {
				w := write(kind, fmt.Sprint("m", g.IntN(3)))
				switch next := random(); g.IntN(3) {
				case 0:
					if entries := entriesOf(obj); entries != nil {
						object.Meta(next)["managedFields"] = entries
					}
					if kind.Type() != nil {
						var err error
						if next, _, err = object.Normalize(next, kind.Type()); err != nil {
							t.Fatal(err)
						}
					}
					w.Update(obj, next)
					obj = next
				case 1:
					made, err := w.Apply(obj, next, g.OneIn(2))
					if err == nil {
						obj = made
					}
					results = append(results, fmt.Sprint(err))
				case 2:
					made, err := w.Merge(w.group().live(obj), next)
					results = append(results, fmt.Sprint(encode(made), err))
				}
				results = append(results, encode(obj))
			}
			return results
		})
	}
}

// BenchmarkBulky applies long lists and maps in random order. The time per entry must not grow.
func BenchmarkBulky(b *testing.B) {
	for _, n := range []int{4000, 16000, 64000} {
		b.Run(fmt.Sprint(n), func(b *testing.B) {
			config := func(value string) map[string]any {
				data, finalizers := map[string]any{}, make([]any, n)
				for i, at := range rand.New(rand.NewPCG(1, 2)).Perm(n) {
					data[fmt.Sprint("k", i)], finalizers[i] = value, fmt.Sprint("a.b/f", at)
				}
				return map[string]any{"apiVersion": "v1", "kind": "ConfigMap", "data": data,
					"metadata": map[string]any{"name": "x", "namespace": "default", "finalizers": finalizers}}
			}
			live, err := write(configMaps, "m").Apply(nil, config("v"), false)
			if err != nil {
				b.Fatal(err)
			}
			next := config("w")
			for b.Loop() {
				if _, err := write(configMaps, "m").Apply(live, next, false); err != nil {
					b.Fatal(err)
				}
			}
			b.ReportMetric(float64(b.Elapsed().Nanoseconds())/float64(b.N*n), "ns/entry")
		})
	}
}
