package structural_test

import (
	"fmt"
	"runtime"
	"slices"
	"strings"
	"testing"

	"github.com/tabernetes/tabernetes/core/internal/field"
	"github.com/tabernetes/tabernetes/core/internal/structural"
)

// repeat returns n items of a list.
func repeat(n int, item func(i int) any) []any {
	list := make([]any, n)
	for i := range list {
		list[i] = item(i)
	}
	return list
}

// Objects that take too long are refused as a whole, whatever their other violations; large ones
// that are checked quickly are not.
func TestBudget(t *testing.T) {
	if runtime.GOARCH == "wasm" {
		t.Skip("what is counted is the same there, and takes a minute")
	}
	const tooMuch = "<nil>: Invalid value: validation of this object needs too much work: " +
		"make it smaller, or simplify the patterns, enums and combinations of its schema"
	wide := func(n int, one string) string { return "[" + strings.TrimSuffix(strings.Repeat(one+",", n), ",") + "]" }
	for _, c := range []struct {
		name, schema string
		value        any
		exceeds      bool
	}{
		{"a pattern and a long text", `{"pattern":"^(a?){900}$"}`, strings.Repeat("a", 1<<20), true},
		{"a pattern and many texts", `{"items":{"pattern":"^(a?){900}$"}}`, repeat(100_000, func(int) any { return "aaa" }),
			true},
		{"names", `{"items":{"type":"string","pattern":"^[a-z0-9]([-a-z0-9]*[a-z0-9])?$","maxLength":63}}`,
			repeat(20_000, func(i int) any { return fmt.Sprint("name-", i) }), false},
		{"a long text", `{"pattern":"^[a-z]*$"}`, strings.Repeat("a", 1<<20), false},
		{"schemas for each item", `{"items":{"anyOf":` + wide(1000, `{"minimum":1}`) + `}}`,
			repeat(20_000, func(int) any { return int64(0) }), true},
		{"a long enum, failed often", `{"items":{"enum":` + wide(100_000, `"a"`) + `}}`,
			repeat(1000, func(int) any { return "b" }), true},
		{"a long enum", `{"items":{"enum":` + wide(100_000, `"a"`) + `}}`, repeat(20_000, func(int) any { return "a" }),
			false},
		{"lists in an enum", `{"items":{"enum":` + wide(10_000, `["a"]`) + `}}`,
			repeat(10_000, func(int) any { return []any{"b"} }), true},
		{"a long name with much below", `{"additionalProperties":{"items":{"type":"integer"}}}`,
			map[string]any{strings.Repeat("k", 1<<20): repeat(100_000, func(int) any { return int64(1) })}, true},
		{"many numbers", `{"items":{"type":"integer"}}`, repeat(200_000, func(i int) any { return int64(i) }), false},
	} {
		t.Run(c.name, func(t *testing.T) {
			s := structural.Parse(tree(t, `{"type":"object","properties":{"v":`+c.schema+`}}`))
			got := structural.Validate(map[string]any{"v": c.value}, s, "").Texts()
			if c.exceeds && !slices.Equal(got, []string{tooMuch}) || !c.exceeds && len(got) > 0 {
				t.Errorf("%d errors: %.200q", len(got), got)
			}
		})
	}
}

// All defaults of a schema have one budget.
func TestBudgetOfDefaults(t *testing.T) {
	s, budget := structural.Parse(tree(t, `{"type":"string","pattern":"^(a?){900}$"}`)), structural.NewBudget()
	text, found := strings.Repeat("a", 500), 0
	for range 100 {
		found += len(structural.ValidateDefault(text, s, "d", budget))
	}
	if found < 20 || found > 80 {
		t.Errorf("%d of 100 were refused", found)
	}
}

// Duplicates in lists with a long path are too much to report.
func TestBudgetOfLists(t *testing.T) {
	s := structural.Parse(tree(t, `{"additionalProperties":{"x-kubernetes-list-type":"set","type":"array",`+
		`"items":{"type":"integer"}}}`))
	for _, c := range []struct {
		name string
		want int
	}{{"k", field.MaxErrors}, {strings.Repeat("k", 1<<20), 1}} {
		obj := map[string]any{c.name: repeat(100_000, func(i int) any { return int64(i / 2) })}
		if got := structural.ValidateLists(obj, s); len(got) != c.want {
			t.Errorf("a name of %d bytes: %d errors, want %d", len(c.name), len(got), c.want)
		}
	}
}

// The patterns of definitions have to compile to short programs, each and together.
func TestPrograms(t *testing.T) {
	with := func(patterns ...string) string {
		var all []string
		for i, p := range patterns {
			all = append(all, fmt.Sprintf(`"p%04d":{"type":"string","pattern":%q}`, i, p))
		}
		return `{"type":"object","properties":{` + strings.Join(all, ",") + `}}`
	}
	often := func(p string) []string {
		return strings.Split(strings.TrimSuffix(strings.Repeat(p+" ", 300), " "), " ")
	}
	for _, c := range []struct {
		name, schema, want string
	}{
		{"usual", with(`^[a-z0-9]([-a-z0-9]{0,61}[a-z0-9])?(\.[a-z0-9]([-a-z0-9]{0,61}[a-z0-9])?)*$`, `^.{1,1000}$`), ""},
		{"long", with(strings.Repeat("(a?b?){500}", 10)), "about 30000 instructions"},
		{"many", with(often("(a?b?c?){250}")...), "together with the patterns before it"},
		{"wrong", with("("), "missing closing )"},
	} {
		got := structural.Check(structural.Parse(tree(t, c.schema)), "s").Texts()
		if c.want == "" && len(got) > 0 || c.want != "" && (len(got) != 1 || !strings.Contains(got[0], c.want)) {
			t.Errorf("%s: %d errors, want one with %q: %.300q", c.name, len(got), c.want, got)
		}
	}
}

// BenchmarkUpdateOfLists changes an object with a long list that is a map. The time per item must
// not grow.
func BenchmarkUpdateOfLists(b *testing.B) {
	s := structural.Parse(tree(b, `{"type":"object","properties":{"l":{"type":"array",
		"x-kubernetes-list-type":"map","x-kubernetes-list-map-keys":["k"],
		"items":{"type":"object","properties":{"k":{"type":"string"},"v":{"type":"integer","maximum":0}}}}}}`))
	for _, n := range []int{1000, 4000, 16000} {
		b.Run(fmt.Sprint(n), func(b *testing.B) {
			obj := map[string]any{"l": repeat(n, func(i int) any { return map[string]any{"k": fmt.Sprint(i), "v": int64(1)} })}
			for b.Loop() {
				if errs := structural.ValidateUpdate(obj, obj, s, ""); len(errs) > 0 {
					b.Fatal(errs[0])
				}
			}
			b.ReportMetric(float64(b.Elapsed().Nanoseconds())/float64(b.N*n), "ns/item")
		})
	}
}
