package evaluator

import (
	"encoding/json"
	"fmt"
	"reflect"
	"strings"
	"testing"

	"github.com/tabernetes/tabernetes/core/expression"
	"github.com/tabernetes/tabernetes/core/internal/structural"
	"github.com/tabernetes/tabernetes/core/internal/traces"
)

// outlined returns a tree as a text: a line for each part, with what it came to.
func outlined(text string, p *shown, indent string) string {
	is := p.Value
	switch {
	case p.Unevaluated:
		is = "not evaluated"
	case p.Error != "":
		is = "error " + p.Error
	case p.Estimate != nil:
		is = fmt.Sprint(*p.Estimate)
	}
	all := fmt.Sprintf("%s%s = %s\n", indent, text[p.Start:p.End], is)
	for _, one := range p.Parts {
		all += outlined(text, one, indent+" ")
	}
	for _, t := range p.Loop {
		if t.Item != "" {
			all += fmt.Sprintf("%s [%s%s: %s]\n", indent, t.Key, t.Item, t.Value)
		}
		for _, one := range t.Parts {
			all += outlined(text, one, indent+"  ")
		}
	}
	if p.More > 0 {
		all += fmt.Sprintf("%s and %d more\n", indent, p.More)
	}
	return all
}

func readTrace(t *testing.T, e traces.Evaluation) (o outcome, root *shown) {
	t.Helper()
	root = &shown{}
	if err := json.Unmarshal(e.Result, &o); err != nil {
		t.Fatal(err)
	}
	if len(e.Tree) > 0 {
		if err := json.Unmarshal(e.Tree, root); err != nil {
			t.Fatal(err)
		}
	}
	return o, root
}

// stretches returns what is written at some stretches, with the values there.
func stretches(text string, all []stretch) string {
	var found []string
	for _, s := range all {
		one := text[s.Start:s.End]
		if s.Value != "" {
			one += " = " + s.Value
		}
		found = append(found, one)
	}
	return strings.Join(found, "; ")
}

// traceOf evaluates an expression with the variable most, and returns what is noted of it.
func traceOf(t *testing.T, text string) (expression.Result, []traces.Evaluation) {
	t.Helper()
	u := unitOf(text)
	if strings.HasPrefix(text, "[JSONPatch") {
		u.Expressions[0].Returns = expression.JSONPatches
	}
	u.Variables = []expression.Variable{{Name: "most", Expression: "int(params.data.most)"}}
	c, problems := compileUnit(t, u)
	if len(problems) > 0 {
		t.Fatal(problems)
	}
	plain, left, err := c.Evaluate(t.Context(), []int{0}, input(t), expression.PolicyBudget)
	if err != nil {
		t.Fatal(err)
	}
	in := input(t)
	in.Trace = true
	results, also, err := c.Evaluate(t.Context(), []int{0}, in, expression.PolicyBudget)
	if err != nil {
		t.Fatal(err)
	}
	all := results[0].Traces
	if results[0].Traces = nil; !reflect.DeepEqual(results, plain) || left != also {
		t.Errorf("%s: traced it is %v, which leaves %d, and not %v and %d", text, results, also, plain, left)
	}
	return results[0], all
}

func TestTraceOfParts(t *testing.T) {
	for _, c := range []struct{ text, because, fields, tree string }{
		{"object.spec.replicas <= 2 && has(object.metadata.labels.team)", "object.spec.replicas <= 2",
			"object.spec.replicas = 3", `
 object.spec.replicas <= 2 = false
  object.spec.replicas = 3
 has(object.metadata.labels.team) = not evaluated
  object.metadata.labels = not evaluated`},
		{"(has(object.metadata.labels.a) || object.spec.none == 1) && !object.spec.paused", "", "", `
 has(object.metadata.labels.a) || object.spec.none == 1 = true
  has(object.metadata.labels.a) = true
   object.metadata.labels = {"a": "b"}
  object.spec.none == 1 = not evaluated
   object.spec.none = not evaluated
 !object.spec.paused = true
  object.spec.paused = false`},
		{"'ä😀' == 'b' || !(1 < 2 && object.spec.replicas > 1) || false", "'ä😀' == 'b'; 1 < 2; object.spec.replicas > 1",
			"object.spec.replicas = 3", "-"},
		{"object.spec.list.all(x, x != 'y' && x != 'z')", "x != 'y'", `x = "y"`, `
 object.spec.list = ["x", "y"]
 ["x": true]
  x != 'y' && x != 'z' = true
   x != 'y' = true
    x = "x"
   x != 'z' = true
    x = "x"
 ["y": false]
  x != 'y' && x != 'z' = false
   x != 'y' = false
    x = "y"
   x != 'z' = not evaluated
    x = not evaluated`},
		{"object.spec.list.exists(x, object.spec.list.all(y, x == y))",
			"object.spec.list.exists(x, object.spec.list.all(y, x == y))", `object.spec.list = ["x", "y"]`, `
 object.spec.list = ["x", "y"]
 ["x": false]
  object.spec.list.all(y, x == y) = false
   object.spec.list = ["x", "y"]
   ["x": true]
    x == y = true
     x = "x"
     y = "x"
   ["y": false]
    x == y = false
     x = "x"
     y = "y"
 ["y": false]
  object.spec.list.all(y, x == y) = false
   object.spec.list = ["x", "y"]
   ["x": false]
    x == y = false
     x = "y"
     y = "x"`},
		{"object.spec.list.map(x, x + '!').filter(y, y.startsWith('x'))", "", "", `
 object.spec.list.map(x, x + '!') = ["x!", "y!"]
  object.spec.list = ["x", "y"]
  ["x": "x!"]
   x + '!' = "x!"
    x = "x"
  ["y": "y!"]
   x + '!' = "y!"
    x = "y"
 ["x!": true]
  y.startsWith('x') = true
   y = "x!"
 ["y!": false]
  y.startsWith('x') = false
   y = "y!"`},
		{"object.metadata.labels.all(k, v, k == 'a' && object.metadata.labels[k] == v)", "", "", `
 object.metadata.labels = {"a": "b"}
 ["a""b": true]
  k == 'a' && object.metadata.labels[k] == v = true
   k == 'a' = true
    k = "a"
   object.metadata.labels[k] == v = true
    object.metadata.labels[k] = "b"
     k = "a"
    v = "b"`},
		{"object.spec.paused ? object.spec.replicas : object.spec.list[1]", "", "", `
 object.spec.paused = false
 object.spec.replicas = not evaluated
 object.spec.list[1] = "y"`},
		{"object.spec.none == 3", "object.spec.none",
			`object.spec = {"list": ["x", "y"], "paused": false, "replicas": 3}`, `
 object.spec.none = error no such key: none
  object.spec = {"list": ["x", "y"], "paused": false, "replicas": 3}`},
		{"object.?spec.?none.orValue(7) == 7 && ip.isCanonical('::1')", "", "", `
 object.?spec.?none.orValue(7) == 7 = true
  object.?spec.?none.orValue(7) = 7
   object.?spec.?none = optional.none()
 ip.isCanonical('::1') = true`},
		{"object.spec.list.orValue([]).size() == 2", "", "", `
 object.spec.list.orValue([]).size() = 2
  object.spec.list.orValue([]) = ["x", "y"]
   object.spec.list = ["x", "y"]
   [] = not evaluated`},
		{"object.?spec.?replicas.optMap(n, n + 1).orValue(0) - 1", "", "", `
 object.?spec.?replicas.optMap(n, n + 1).orValue(0) = 4
  object.?spec.?replicas.optMap(n, n + 1) = optional.of(4)
   object.?spec.?replicas = optional.of(3)
   n + 1 = 4
    n = 3`},
		{"{'a': object.spec.replicas}['a'] in [3, -4]", "", "", `
 {'a': object.spec.replicas}['a'] = 3
  {'a': object.spec.replicas} = {"a": 3}
   object.spec.replicas = 3
 [3, -4] = [3, -4]`},
		{"authorizer.requestResource.check('x').allowed()", "authorizer.requestResource.check('x').allowed()", "", `
 authorizer.requestResource.check('x') = kubernetes.authorization.Decision{"allowed": false, "reason": ` +
			`"|||apps|deployments|scale|shop|web|||x"}
  authorizer.requestResource = kubernetes.authorization.ResourceCheck`},
		{"quantity('1.5Gi').isLessThan(quantity('1Gi'))", "quantity('1.5Gi').isLessThan(quantity('1Gi'))", "", `
 quantity('1.5Gi') = quantity("1610612736")
 quantity('1Gi') = quantity("1073741824")`},
		{"variables.most >= object.spec.replicas", "variables.most >= object.spec.replicas",
			"variables.most = 2; object.spec.replicas = 3", `
 variables.most = 2
 object.spec.replicas = 3`},
		{"Object{spec: Object.spec{replicas: object.spec.replicas + 1}}", "", "", `
 Object.spec{replicas: object.spec.replicas + 1} = Object.spec{replicas: 4}
  object.spec.replicas + 1 = 4
   object.spec.replicas = 3`},
		{"[JSONPatch{op: 'add', path: '/a', value: object.spec.list}]", "", "", `
 JSONPatch{op: 'add', path: '/a', value: object.spec.list} = JSONPatch{op: "add", path: "/a", value: ["x", "y"]}
  object.spec.list = ["x", "y"]`},
	} {
		_, all := traceOf(t, c.text)
		o, root := readTrace(t, all[len(all)-1])
		units := unitsOf(o.Expression)
		for _, list := range [][]stretch{o.Because, o.Fields} {
			for i := range list {
				list[i].Start, list[i].End = units[list[i].Start], units[list[i].End]
			}
		}
		if got := stretches(o.Expression, o.Because); got != c.because {
			t.Errorf("%s: because %s", c.text, got)
		}
		if got := stretches(o.Expression, o.Fields); got != c.fields {
			t.Errorf("%s: it reads %s", c.text, got)
		}
		if c.tree == "-" {
			continue
		}
		if _, got, _ := strings.Cut(outlined(o.Expression, root, ""), "\n"); "\n"+strings.TrimSpace(got) !=
			strings.Replace(c.tree, "\n ", "\n", 1) {
			t.Errorf("%s:\n%s", c.text, got)
		}
	}
}

// unitsOf returns where the units of UTF-16 of a text are in its bytes.
func unitsOf(text string) (at []int) {
	for i, c := range text {
		at = append(at, i)
		if c > 0xffff {
			at = append(at, i)
		}
	}
	return append(at, len(text))
}

// TestTraceOfVariables: they come before the expression that is the first to ask for them, with their own costs.
func TestTraceOfVariables(t *testing.T) {
	_, all := traceOf(t, "variables.most + variables.most")
	if len(all) != 2 || all[0].Use != traces.Variable || all[0].Field != "most" || all[1].Use != "" {
		t.Fatal(all)
	}
	o, _ := readTrace(t, all[0])
	if o.Value != "2" || o.Type != "int" || o.Cost != 4 || o.Limit != callLimit {
		t.Error(o)
	}
}

// TestTraceIsBounded: loops have the first turns and the last, and what costs too much is still shown.
func TestTraceIsBounded(t *testing.T) {
	_, all := traceOf(t, "lists.range(100).all(x, x < 99)")
	_, root := readTrace(t, all[0])
	if len(root.Loop) != maxTurns || root.More != 80 || root.Loop[maxTurns-1].Item != "99" ||
		root.Loop[maxTurns-1].Value != "false" {
		t.Error(len(root.Loop), root.More, root.Loop[maxTurns-1])
	}
	const check = "authorizer.path('/a').check('none').allowed()"
	r, all := traceOf(t, check+" || "+check+" || "+check)
	o, root := readTrace(t, all[0])
	if r.Kind != expression.Failed || !strings.Contains(o.Error, "cost limit exceeded") || o.Cost <= callLimit ||
		len(root.Parts) != 3 {
		t.Error(r, o, len(all[0].Tree))
	}
}

// TestTraceIsShort: however long errors and values are, and however many expressions there are.
func TestTraceIsShort(t *testing.T) {
	fields := map[string]any{}
	for i := range 20_000 {
		fields[fmt.Sprint("k", i)] = int64(i)
	}
	object := map[string]any{"long": strings.Repeat("x", 100_000), "fields": fields}
	u := &expression.Unit{Expressions: []expression.Expression{
		{Text: "{'a': 1}[object.long] == 1"},
		{Text: "lists.range(20).all(x, object.fields.size() > 20 && object.fields != {'a': x})"}}}
	which := []int{0, 1}
	for i := range 100 {
		u.Expressions = append(u.Expressions, expression.Expression{
			Text: fmt.Sprint("lists.range(20).all(x, lists.range(20).all(y, x + y != 20 + ", i%9, "))")})
		which = append(which, i+2)
	}
	compiled, problems, err := tested.CompileUnit(t.Context(), u)
	if err != nil || len(problems) > 0 {
		t.Fatal(problems, err)
	}
	in := &expression.Input{Object: object, Trace: true}
	results, _, err := compiled.Evaluate(t.Context(), which, in, expression.PolicyBudget)
	if err != nil || len(results) != len(which) {
		t.Fatal(len(results), err)
	}
	trees := 0
	for i, r := range results {
		o := outcome{}
		if err := json.Unmarshal(r.Traces[0].Result, &o); err != nil || o.Type != "bool" || o.Value == "" && o.Error == "" {
			t.Errorf("%d: %s", i, r.Traces[0].Result)
		}
		trees += len(r.Traces[0].Tree)
	}
	if n := len(results[0].Traces[0].Tree); n > 5*maxError {
		t.Errorf("an error of a long key takes %d bytes", n)
	}
	if n := strings.Count(string(results[1].Traces[0].Tree), "k10019"); n > maxSorted/20_000 {
		t.Errorf("%d values had all of their keys looked at", n)
	}
	if trees > maxTrees+maxTrees/2 {
		t.Errorf("there are %d bytes of trees", trees)
	}
}

// TestTraceOfRules: with ratcheting, and with the paths of values and of rules.
func TestTraceOfRules(t *testing.T) {
	s := structural.Parse(tree(t, `{"type":"object","properties":{"spec":{"type":"object",
		"x-kubernetes-validations":[{"rule":"self.n < 5","messageExpression":"'not ' + string(self.n)"},
			{"rule":"self.n >= oldSelf.n"}],
		"properties":{"n":{"type":"integer"},"l":{"type":"array","items":{"type":"string",
			"x-kubernetes-validations":[{"rule":"self != 'b'"}]}}}}}}`))
	step := new(traces.Traces).Begin("", "")
	old := tree(t, `{"spec":{"n":7,"l":["a","b"]}}`)
	errs, warnings := tested.Compile(s, "").Validate(tree(t, `{"spec":{"n":6,"l":["a","b"]}}`), old, step)
	plain, also := tested.Compile(s, "").Validate(tree(t, `{"spec":{"n":6,"l":["a","b"]}}`), old, nil)
	if !reflect.DeepEqual(errs.Texts(), plain.Texts()) || !reflect.DeepEqual(warnings, also) {
		t.Errorf("traced they are %v %v, and not %v %v", errs, warnings, plain, also)
	}
	var got []string
	for _, e := range step.Evaluations {
		o, _ := readTrace(t, e)
		got = append(got, fmt.Sprint(e.Use, " ", e.Field, " at ", e.At, " ", o.Value, " ", e.Tolerated, " because ",
			stretches(o.Expression, o.Because)))
	}
	want := []string{
		"rule properties[spec].x-kubernetes-validations[0].rule at spec false false because self.n < 5",
		`message properties[spec].x-kubernetes-validations[0].messageExpression at spec "not 6" false because `,
		"rule properties[spec].x-kubernetes-validations[1].rule at spec false false because self.n >= oldSelf.n",
		"rule properties[spec].properties[l].items.x-kubernetes-validations[0].rule at spec.l[0] true false because ",
		"rule properties[spec].properties[l].items.x-kubernetes-validations[0].rule at spec.l[1] false true because " +
			"self != 'b'",
	}
	if !reflect.DeepEqual(got, want) {
		t.Errorf("the rules came to\n%s", strings.Join(got, "\n"))
	}
}

// TestTraceOfEstimates: of a rule that is too expensive, and of its parts.
func TestTraceOfEstimates(t *testing.T) {
	s := structural.Parse(tree(t, `{"type":"object",
		"properties":{"l":{"type":"array","maxItems":2000,"items":{"type":"string","maxLength":10}}},
		"x-kubernetes-validations":[
			{"rule":"size(self.l) > 1 && self.l.all(x, self.l.exists_one(y, x == y))"}]}`))
	step := new(traces.Traces).Begin("", "")
	errs := tested.Check(t.Context(), s, "schema", step)
	if plain := tested.Check(t.Context(), s, "schema", nil); !reflect.DeepEqual(errs.Texts(), plain.Texts()) ||
		len(errs) != 1 || len(step.Evaluations) != 1 {
		t.Fatal(errs, plain, step.Evaluations)
	}
	e := step.Evaluations[0]
	o, root := readTrace(t, e)
	if e.Field != "schema.x-kubernetes-validations[0].rule" || o.Estimate.Times != 1 || o.Estimate.Limit != ruleEstimate ||
		o.Estimate.Total != step.Estimate || step.Limit != totalEstimate {
		t.Errorf("%+v %+v", e, o.Estimate)
	}
	const want = `size(self.l) > 1 && self.l.all(x, self.l.exists_one(y, x == y)) = 32014007
 size(self.l) > 1 = 4
  size(self.l) = 3
   self.l = 2
 self.l.all(x, self.l.exists_one(y, x == y)) = 32014003
  self.l = 2
   self.l.exists_one(y, x == y) = 32008000
    self.l = 4000
     x == y = 24000000
      x = 4000000
      y = 4000000
`
	if got := outlined(o.Expression, root, ""); got != want {
		t.Error(got)
	}
}
