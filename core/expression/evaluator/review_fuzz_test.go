package evaluator

import (
	"encoding/json"
	"reflect"
	"testing"

	"github.com/tabernetes/tabernetes/core/expression"
)

// FuzzReview reviews expressions, and evaluates those that compile: being traced changes no results, and what is said
// has its place in the text.
func FuzzReview(f *testing.F) {
	for _, seed := range []string{
		"object.spec.all(x, x == variables.a)", "Object{spec: Object.spec{", "a.?b[?c].orValue(1).", "x.map(y, y)[3].a",
		"[1, 2].exists(i, 1 / (i - 1) > '\u00e9\U0001d11e'.size())",
		"{'a': 1}.all(k, v, k == 'a' ? v > 0 : !true) && -1 < 2u",
		"cel.bind(a, [1], a.all(x, a.exists(y, y == x)))", "[[1]].map(x, x.filter(y, y > 0)).size() == 1 || x",
		"optional.of(1).optMap(a,",
		"object.?a.optMap(a, a + 1).or(optional.none())", "[1, 2].transformList(i, v, i + v).all(x, x in [1, 3])",
	} {
		f.Add(seed, len(seed))
	}
	u := func(text string) *expression.Unit {
		return &expression.Unit{Params: true, Authorizer: true, Composed: true,
			Variables:   []expression.Variable{{Name: "a", Expression: "1"}},
			Expressions: []expression.Expression{{Text: text}}}
	}
	schema := map[string]any{"type": "object", "properties": map[string]any{"a": map[string]any{"type": "integer"}}}
	object := map[string]any{"a": int64(1), "spec": []any{int64(1), map[string]any{"b": "c"}}}
	f.Fuzz(func(t *testing.T, text string, offset int) {
		if len(text) > 200 {
			return
		}
		for _, r := range []*expression.Review{{Text: text, Offset: offset, Unit: u(text)},
			{Text: text, Offset: offset, Schema: schema, At: []string{"properties", "a"}}} {
			answer, err := Evaluator{}.Review(t.Context(), r)
			made := reviewed{}
			if err == nil {
				err = json.Unmarshal(answer, &made)
			}
			if err != nil {
				t.Fatal(err)
			}
			for _, p := range made.Problems {
				if p.Start < 0 || p.Start > p.End || p.End > utf16Len(text)+1 {
					t.Errorf("%+v of %d", p, utf16Len(text))
				}
			}
		}
		compiled, _, err := Evaluator{}.CompileUnit(t.Context(), u(text))
		if err != nil {
			t.Fatal(err)
		}
		in := &expression.Input{Object: object, Authorize: func(expression.Question) expression.Decision {
			return expression.Decision{Allowed: true}
		}}
		plain, left, err := compiled.Evaluate(t.Context(), []int{0}, in, 100_000)
		traced := *in
		traced.Trace = true
		seen, also, errAlso := compiled.Evaluate(t.Context(), []int{0}, &traced, 100_000)
		if left != also || (err == nil) != (errAlso == nil) || len(plain) != len(seen) {
			t.Fatal(plain, left, err, seen, also, errAlso)
		}
		for i := range seen {
			for _, e := range seen[i].Traces {
				o, root := outcome{}, shown{}
				if json.Unmarshal(e.Result, &o) != nil || len(e.Tree) > 0 && json.Unmarshal(e.Tree, &root) != nil {
					t.Errorf("%s %s", e.Result, e.Tree)
				}
			}
			seen[i].Traces = nil
			if !reflect.DeepEqual(plain[i].Error, seen[i].Error) || plain[i].Kind != seen[i].Kind {
				t.Errorf("%+v, and traced %+v", plain, seen)
			}
		}
	})
}
