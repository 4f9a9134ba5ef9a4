package evaluator

import (
	"fmt"
	"strings"
	"testing"

	"github.com/tabernetes/tabernetes/core/internal/structural"
	"github.com/tabernetes/tabernetes/core/object"
)

// Patterns that compile to long programs are not let loose on long texts, whether the
// rule has them or the object; many that are short enough are counted by their work.
func TestPatternsAreBounded(t *testing.T) {
	const tooMuch = "operation cancelled: actual cost limit exceeded"
	long, short := strings.Repeat("a", 200_000), strings.Repeat("a", 5000)
	for _, c := range []struct{ rule, text, want string }{
		{"self.s.matches('^(a?){900}$')", long, tooMuch},
		{"self.s.matches(self.p)", long, tooMuch},
		{"self.s.find('^(a?){900}$') == ''", long, tooMuch},
		{"self.s.findAll('(a?){900}').size() == 1", long, tooMuch},
		{"self.s.findAll(self.p, 1).size() == 1", long, tooMuch},
		{"self.s.matches('^a*$') && self.s.find('a+') == self.s", long, ""},
		{"self.s.matches('^[a-z]{1,100}') && self.s.matches(self.q)", long, ""},
		{"['b', 'c', 'd', 'e', 'f', 'g', 'h', 'i', 'j', 'k', 'l'].all(x, !self.s.matches('^(a?){900}' + x))", short, tooMuch},
	} {
		s := structural.Parse(tree(t, `{"type":"object",
			"properties":{"s":{"type":"string"},"p":{"type":"string"},"q":{"type":"string"}},
			"x-kubernetes-validations":[{"rule":`+quoted(c.rule)+`}]}`))
		errs, _ := Evaluator{}.Compile(s, "").Validate(map[string]any{"s": c.text, "p": "^(a?){900}$", "q": "a$"}, nil, nil)
		if c.want == "" && len(errs) > 0 || c.want != "" && (len(errs) != 1 || !strings.Contains(errs[0].Error(), c.want)) {
			t.Errorf("%s: %.300v, want %q", c.rule, errs, c.want)
		}
	}
}

// Rules that cost nothing in the units of CEL come to an end, too.
func TestEvaluationsAreBounded(t *testing.T) {
	rules := strings.TrimSuffix(strings.Repeat(`{"rule":"true"},`, 1000), ",")
	s := structural.Parse(tree(t, `{"type":"object","properties":{"l":{"type":"array","items":{"type":"integer",
		"x-kubernetes-validations":[`+rules+`]}}}}`))
	errs, _ := Evaluator{}.Compile(s, "").Validate(map[string]any{"l": make([]any, 0)}, nil, nil)
	if len(errs) > 0 {
		t.Fatal(errs)
	}
	items := make([]any, maxEvaluations/1000+10)
	for i := range items {
		items[i] = int64(i)
	}
	errs, _ = Evaluator{}.Compile(s, "").Validate(map[string]any{"l": items}, nil, nil)
	want := fmt.Sprintf("l[%d]: Invalid value: \"integer\": %s", maxEvaluations/1000, exhausted)
	if len(errs) != 1 || errs[0].Error() != want {
		t.Errorf("got %.500v\nwant %s", errs, want)
	}
}

// BenchmarkBrokenAsBefore checks a list of items that break a rule as they did before.
// The time per item has to stay the same.
func BenchmarkBrokenAsBefore(b *testing.B) {
	s := structural.Parse(tree(b, `{"type":"object","properties":{"l":{"type":"array","items":{"type":"object",
		"properties":{"n":{"type":"integer"}},
		"x-kubernetes-validations":[{"rule":"self.n < 0"}]}}}}`))
	for _, n := range []int{1000, 4000, 16000} {
		b.Run(fmt.Sprint(n), func(b *testing.B) {
			items := make([]any, n)
			for i := range items {
				items[i] = map[string]any{"n": int64(i)}
			}
			obj, p := map[string]any{"l": items}, Evaluator{}.Compile(s, "")
			old := object.DeepCopy(obj)
			for b.Loop() {
				if _, warnings := p.Validate(obj, old, nil); len(warnings) != n {
					b.Fatal(len(warnings))
				}
			}
			b.ReportMetric(float64(b.Elapsed().Nanoseconds())/float64(b.N*n), "ns/item")
		})
	}
}
