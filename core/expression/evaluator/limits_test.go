package evaluator

import (
	"context"
	"errors"
	"fmt"
	"math"
	"runtime"
	"slices"
	"strings"
	"testing"

	"github.com/tabernetes/tabernetes/core/apitest"
	"github.com/tabernetes/tabernetes/core/internal/field"
	"github.com/tabernetes/tabernetes/core/internal/structural"
)

// costly are expressions that are made of the same part again and again: the beginning, the part, and the end.
var costly = map[string][3]string{
	"comparisons":        {"", "self.a==1||", "true"},
	"literals":           {"", "1==1||", "true"},
	"chains":             {"[true].all(a,", "a==a==a==a==a==a==a==a==a==a||", "true)"},
	"sums":               {"", "1+1+1+1+1+1+1+1+1+1==1||", "true"},
	"lists":              {"[", "[],", "[]]==[]"},
	"maps":               {"[", "{},", "{}]==[]"},
	"choices":            {"[true].all(a,", "(a?a:a)||", "true)"},
	"indices":            {"", "[1][0]==1||", "true"},
	"memberships":        {"", "1in[]||", "true"},
	"macros":             {"", "[].map(a,a)==[]||", "true"},
	"macros in macros":   {"", "[].all(a,[].all(b,[].all(c,[].all(d,[].all(e,true)))))||", "true"},
	"optional values":    {"", "self.?a.orValue(1)==1||", "true"},
	"many errors":        {"", "x.y.z||", "true"},
	"no syntax":          {"", "? ", "true"},
	"parentheses":        {"", "((((((((((((((((((((", "true"},
	"one text":           {"'", "a", "'==''"},
	"patterns":           {"", "''.matches('x{1000}')||", "true"},
	"a pattern":          {"''.matches('(", "x", "){1000}')"},
	"a pattern of lists": {"''.matches('", "[a-z]?", "')"},
	"durations":          {"", "duration('1s')<duration('1s')||", "true"},
	"spaces":             {"", " ", "true"},
}

// repeated returns an expression of about so many characters.
func repeated(parts [3]string, length int) string {
	n := max(1, (length-len(parts[0])-len(parts[2]))/len(parts[1]))
	return parts[0] + strings.Repeat(parts[1], n) + parts[2]
}

// schemaWith returns a schema, as a tree, that has the rules.
func schemaWith(t testing.TB, rules ...string) map[string]any {
	var all []string
	for _, r := range rules {
		all = append(all, `{"rule":`+quoted(r)+`}`)
	}
	return tree(t, `{"type":"object","properties":{"a":{"type":"integer"}},"x-kubernetes-validations":[`+
		strings.Join(all, ",")+`]}`)
}

// kept returns how many bytes what f returns keeps in use.
func kept(f func() any) int64 {
	before := apitest.InUse()
	what := f()
	after := apitest.InUse()
	runtime.KeepAlive(what)
	return after - before
}

// The most that compiling allocates, which is about proportional to the time it takes.
const (
	allocatedAtLeast = 8 << 20
	allocatedPerStep = 16
)

// TestRuleWork compares the work and the memory of rules, as limits count them, with what they take.
func TestRuleWork(t *testing.T) {
	compiled := func(s *structural.Schema) *node {
		n, err := compile(t.Context(), s, watching{})
		if err != nil {
			t.Fatal(err)
		}
		return n
	}
	compiled(structural.Parse(schemaWith(t, "true"))) // what is made once
	check := func(name string, tree map[string]any) {
		t.Helper()
		s := structural.Parse(tree)
		work := structural.RuleWork(tree)
		if got, most := apitest.Allocated(func() { Evaluator{}.Check(t.Context(), s, "s", nil) }),
			allocatedAtLeast+allocatedPerStep*work; got > most {
			t.Errorf("%s: %d KiB are allocated for %d steps, more than %d", name, got>>10, work, most>>10)
		}
		most, got := structural.Memory(tree), int64(math.MaxInt64)
		for try := 0; try < 3 && got > most; try++ { // the process may begin a thread meanwhile, which is counted, too
			patterns = patternCache{}
			got = min(got, kept(func() any { return compiled(s) }))
		}
		if got > most {
			t.Errorf("%s: %d KiB are kept, estimated as %d", name, got>>10, most>>10)
		}
	}
	for name, parts := range costly {
		check(name, schemaWith(t, repeated(parts, 1200)))
		check(name+", many", schemaWith(t, strings.Split(strings.Repeat(repeated(parts, 50)+"\n", 40), "\n")[:40]...))
		check(name+", too long", schemaWith(t, repeated(parts, 80_000)))
	}
	check("the longest", schemaWith(t, repeated(costly["maps"], structural.MaxExpression)))
	check("messages", tree(t, `{"type":"object","x-kubernetes-validations":[`+strings.TrimSuffix(strings.Repeat(
		`{"rule":"true","messageExpression":"'a'+'b'"},`, 100), ",")+`]}`))
	var fields, objects, around []string
	for i := range 100 {
		fields = append(fields, fmt.Sprintf(`"f%d":{"type":"integer","x-kubernetes-validations":[{"rule":"self>1"}]}`, i))
		objects = append(objects, fmt.Sprintf(
			`"f%d":{"type":"object","properties":{"a":{"type":"integer"}},"x-kubernetes-validations":[{"rule":"self.a>1"}]}`, i))
		around = append(around, `{"x-kubernetes-validations":[{"rule":"has(self.f1)"}]}`)
	}
	object := func(properties []string, more string) string {
		return `{"type":"object","properties":{` + strings.Join(properties, ",") + `}` + more + `}`
	}
	check("fields", tree(t, object(fields, "")))
	check("objects", tree(t, object(objects, "")))
	check("all of", tree(t, object(objects, `,"allOf":[`+strings.Join(around, ",")+`]`)))
	nested := object(objects, "")
	for range 20 {
		nested = `{"type":"object","x-kubernetes-validations":[{"rule":"has(self.a)"}],"properties":{"a":` + nested + `}}`
	}
	check("levels", tree(t, nested))
}

// TestLongRules has rules refused that are too long, in the words of the real server, on all hosts alike.
func TestLongRules(t *testing.T) {
	long := "'" + strings.Repeat("é", structural.MaxExpression-5) + "'!=''"
	const want = "expression code point size exceeds limit: size: 5001, limit 5000"
	for _, rule := range []string{
		`{"rule":` + quoted(long) + `}`, `{"rule":"true","messageExpression":` + quoted(long) + `}`,
	} {
		s := schema(t, rule)
		got := tested.Check(t.Context(), s, "s", nil).Message()
		unevaluated := structural.Unevaluated{}.Check(t.Context(), s, "s", nil).Message()
		if !strings.Contains(got, want) || got != unevaluated {
			t.Errorf("%.200s, and without an evaluator %.200s", got, unevaluated)
		}
	}
	short := strings.Replace(long, "é", "", 1)
	for _, rules := range []structural.Rules{Evaluator{}, structural.Unevaluated{}} {
		if errs := rules.Check(t.Context(), schema(t, `{"rule":`+quoted(short)+`}`), "s", nil); len(errs) > 0 {
			t.Errorf("%.200s", errs.Message())
		}
	}
}

// TestLargePatterns has patterns in rules refused whose programs are large, without making them.
func TestLargePatterns(t *testing.T) {
	const large = "(a?b?c?d?e?f?g?h?i?j?k?l?m?n?o?p?){900}"
	for pattern, want := range map[string]string{
		"(" + strings.Repeat("x", 3000) + "){1000}": "compiles to about 3002000 instructions, more than 10000",
		large:     "compiles to about",
		"x{1000}": "",
	} {
		s := schema(t, `{"rule":`+quoted(`self.name.matches('`+pattern+`') || self.name.find('x') == ''`)+`}`)
		var errs field.ErrorList
		bytes := apitest.Allocated(func() { errs = Evaluator{}.Check(t.Context(), s, "s", nil) })
		if got := errs.Message(); (want == "") != (len(errs) == 0) || !strings.Contains(got, want) || bytes > 32<<20 {
			t.Errorf("%.40s: %d bytes, %s", pattern, bytes, got[max(0, len(got)-300):])
		}
	}
	s := schema(t, `{"rule":"self.name.find('`+large+`') == ''"}`)
	errs, _ := Evaluator{}.Compile(s, "").Validate(tree(t, full), nil, nil)
	if len(errs) != 1 || !strings.Contains(errs[0].Error(), "the regular expression takes too much work") {
		t.Errorf("%v", errs)
	}
}

// TestStoredRules has rules that were stored before there were limits end in errors of objects, and not be compiled.
func TestStoredRules(t *testing.T) {
	rules := make([]string, 10)
	for i := range rules {
		rules[i] = repeated(costly["maps"], structural.MaxExpression)
	}
	many := schemaWith(t, rules...)
	if structural.TooManyRules(many) == "" {
		t.Fatal("they are not too many")
	}
	long := schemaWith(t, strings.Repeat("1==1||", 20_000)+"true")
	for name, s := range map[string]map[string]any{"many": many, "long": long} {
		bytes := apitest.Allocated(func() {
			errs, _ := Evaluator{}.Compile(structural.Parse(s), "").Validate(map[string]any{"a": int64(1)}, nil, nil)
			if len(errs) == 0 || !strings.Contains(errs[0].Error(), "rule compile error: ") {
				t.Errorf("%s: %.300v", name, errs)
			}
		})
		if bytes > 64<<20 {
			t.Errorf("%s: %d bytes are allocated", name, bytes)
		}
	}
}

// An endingContext ends when it has been asked a number of times whether it has.
type endingContext struct {
	context.Context
	left int
}

var errGone = errors.New("the client is gone")

func (c *endingContext) Err() error {
	if c.left--; c.left < 0 {
		return errGone
	}
	return nil
}

// TestTurns compiles one schema at a time, and none for a client that is gone.
func TestTurns(t *testing.T) {
	long := structural.Parse(schemaWith(t, repeated(costly["one text"], 4000)))
	small := structural.Parse(schemaWith(t, "true"))
	longTurn <- struct{}{}
	ctx, cancel := context.WithCancelCause(t.Context())
	cancel(errGone)
	errs := Evaluator{}.Check(ctx, long, "s", nil)
	const want = "s: Internal error: internal error: the rules were not compiled: the client is gone"
	if len(errs) != 1 || errs[0].Error() != want {
		t.Errorf("waiting: %v", errs)
	}
	if errs := tested.Check(t.Context(), small, "s", nil); len(errs) > 0 { // it does not wait
		t.Error(errs)
	}
	done := make(chan struct{})
	go func() {
		defer close(done)
		if errs := tested.Check(t.Context(), long, "s", nil); len(errs) > 0 {
			t.Error(errs)
		}
	}()
	<-longTurn
	<-done

	rules := strings.Split(strings.Repeat("1==1\n", 100), "\n")[:100]
	whole := apitest.Allocated(func() {
		Evaluator{}.Check(t.Context(), structural.Parse(schemaWith(t, rules...)), "s", nil)
	})
	s := structural.Parse(schemaWith(t, rules...))
	part := apitest.Allocated(func() {
		if errs := tested.Check(&endingContext{t.Context(), 10}, s, "s", nil); len(errs) != 1 {
			t.Errorf("between rules: %v", errs)
		}
	})
	if part > whole/2 {
		t.Errorf("%d bytes are allocated for a part, %d for all", part, whole)
	}
}

// FuzzRules compiles rules within bounds of memory: what is allocated in passing, and what is kept.
func FuzzRules(f *testing.F) {
	for _, parts := range costly {
		f.Add(repeated(parts, 300), "''", 1)
		f.Add(repeated(parts, 60), repeated(parts, 60), 20)
	}
	f.Fuzz(func(t *testing.T, rule, message string, n int) {
		if n < 1 || n > 50 {
			return
		}
		one := map[string]any{"rule": rule, "messageExpression": message}
		schema := tree(t, `{"type":"object","properties":{"a":{"type":"integer"}}}`)
		schema["x-kubernetes-validations"] = slices.Repeat([]any{one}, n)
		s := structural.Parse(schema)
		work := structural.RuleWork(schema)
		if structural.TooManyRules(schema) != "" || structural.Oversized(schema) != "" {
			return
		}
		const perStep = 4 * allocatedPerStep // a hundred errors quote the expression
		var errs field.ErrorList
		most := allocatedAtLeast + perStep*work + int64(100*n*(len(rule)+len(message)))
		if got := apitest.Allocated(func() { errs = Evaluator{}.Check(t.Context(), s, "s", nil) }); got > most {
			t.Errorf("%d KiB are allocated for %d steps, more than %d", got>>10, work, most>>10)
		}
		if len(errs) > 0 {
			return // which is never in use
		}
		patterns = patternCache{}
		got := kept(func() any {
			n, _ := compile(t.Context(), s, watching{})
			return n
		})
		if most := structural.Memory(schema) + 1<<20; got > most {
			t.Errorf("%d KiB are kept, estimated as %d", got>>10, most>>10)
		}
	})
}
