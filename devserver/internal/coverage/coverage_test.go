package coverage

import (
	"reflect"
	"slices"
	"testing"

	"github.com/tabernetes/tabernetes/core/expression"
	"github.com/tabernetes/tabernetes/core/expression/evaluator"
)

// TestCounter counts what expressions come to with some objects, and wants results and costs to be those without it.
func TestCounter(t *testing.T) {
	object := func(name string, n int64, items ...any) *expression.Input {
		return &expression.Input{Object: map[string]any{"name": name, "n": n, "items": items}}
	}
	inputs := []*expression.Input{object("a", 1, "x", "y"), object("b", 2), object("a", 3, "z", "x")}
	for _, c := range []struct {
		text   string
		want   []Condition
		errors int
	}{
		{"object.n > 1", []Condition{{"object.n > 1", 2, 1}}, 0},
		{"object.name == 'a' && !(object.n > 2) || false", []Condition{
			{`object.name == "a"`, 2, 1}, {"object.n > 2", 1, 1}}, 0},
		{"object.n > 1 ? object.name : 'none'", []Condition{{"object.n > 1", 2, 1}}, 0},
		{"object.items.all(i, i == 'x' || i == 'z')", []Condition{
			{`object.items.all(i, i == "x" || i == "z")`, 2, 1}, {`i == "x"`, 2, 2}, {`i == "z"`, 1, 1}}, 0},
		{"object.items.filter(i, i in ['x', 'z']).size()", []Condition{{`i in ["x", "z"]`, 3, 1}}, 0},
		{"has(object.name) && object.absent == 1", []Condition{{"has(object.name)", 3, 0}, {"object.absent == 1", 0, 0}}, 3},
		{"variables.big && object.n < 3", []Condition{{"variables.big", 2, 1}, {"object.n < 3", 1, 1}}, 0},
		{"'a' + object.name", nil, 0},
	} {
		var counter Counter
		unit := &expression.Unit{Variables: []expression.Variable{{Name: "big", Expression: "object.n > 1"}},
			Expressions: []expression.Expression{{Text: c.text}}}
		plain, problems, err := evaluator.Evaluator{}.CompileUnit(t.Context(), unit)
		if err != nil || len(problems) > 0 {
			t.Fatal(c.text, problems, err)
		}
		counted, _, err := evaluator.Evaluator{Watch: counter.Watch}.CompileUnit(t.Context(), unit)
		if err != nil {
			t.Fatal(c.text, err)
		}
		most := int64(0)
		for _, in := range inputs {
			a, left, err := plain.Evaluate(t.Context(), []int{0}, in, expression.PolicyBudget)
			if err != nil {
				t.Fatal(err)
			}
			b, same, err := counted.Evaluate(t.Context(), []int{0}, in, expression.PolicyBudget)
			if err != nil || same != left || !reflect.DeepEqual(a[0], b[0]) {
				t.Errorf("%s: %v, %d left; counted %v, %d left, %v", c.text, a, left, b, same, err)
			}
			most = max(most, expression.PolicyBudget-left)
		}
		got := counter.Of(c.text)
		if !slices.Equal(got.Conditions, c.want) || got.Evaluations != len(inputs) || got.Errors != c.errors ||
			got.MaxCost == 0 || got.MaxCost > uint64(most) {
			t.Errorf("%s: %+v, not %+v", c.text, got, c.want)
		}
	}
	if got := new(Counter).Of("never"); got.Evaluations != 0 || got.Conditions != nil {
		t.Error(got)
	}
	for want, c := range map[string]Condition{"": {"", 1, 1}, "never true": {"", 0, 1}, "never false": {"", 1, 0},
		"never evaluated": {}} {
		if got := c.Problem(); got != want {
			t.Errorf("%+v: %s", c, got)
		}
	}
}
