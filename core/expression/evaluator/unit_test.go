package evaluator

import (
	"context"
	"errors"
	"reflect"
	"strings"
	"testing"

	"github.com/tabernetes/tabernetes/core/expression"
)

// unitOf is a unit with all there is, of expressions that may return anything.
func unitOf(texts ...string) *expression.Unit {
	u := &expression.Unit{Params: true, Authorizer: true, Patches: true, Composed: true}
	for _, text := range texts {
		u.Expressions = append(u.Expressions, expression.Expression{Text: text})
	}
	return u
}

// input is an update of a deployment.
func input(t testing.TB) *expression.Input {
	return &expression.Input{
		Object: tree(t, `{"apiVersion":"apps/v1","kind":"Deployment","metadata":{"name":"web","labels":{"a":"b"}},
			"spec":{"replicas":3,"paused":false,"list":["x","y"]}}`),
		Params: tree(t, `{"data":{"most":"2"}}`),
		NamespaceObject: tree(t, `{"metadata":{"name":"shop","labels":{"env":"prod"}},"spec":{"finalizers":["kubernetes"]},
			"status":{"phase":"Active"}}`),
		Request: tree(t, `{"kind":{"group":"apps","version":"v1","kind":"Deployment"},
			"resource":{"group":"apps","version":"v1","resource":"deployments"},
			"requestKind":{"group":"apps","version":"v1","kind":"Deployment"},
			"requestResource":{"group":"apps","version":"v1","resource":"deployments"},"requestSubResource":"scale",
			"name":"web","namespace":"shop","operation":"UPDATE","userInfo":{"username":"ann","groups":["g"]},"dryRun":false}`),
		Authorize: func(q expression.Question) expression.Decision {
			return expression.Decision{Allowed: q.Verb == "get", Reason: strings.Join([]string{q.ServiceAccountNamespace,
				q.ServiceAccount, q.Path, q.Group, q.Resource, q.Subresource, q.Namespace, q.Name, q.FieldSelector,
				q.LabelSelector, q.Verb}, "|")}
		},
	}
}

func compileUnit(t testing.TB, u *expression.Unit) (expression.Compiled, []expression.Problem) {
	c, problems, err := tested.CompileUnit(t.Context(), u)
	if err != nil {
		t.Fatal(err)
	}
	return c, problems
}

// evaluate evaluates the only expression of a unit.
func evaluate(t testing.TB, u *expression.Unit, in *expression.Input) expression.Result {
	c, problems := compileUnit(t, u)
	if len(problems) > 0 {
		return expression.Result{Error: problems[0].Message, Kind: expression.NotCompiled}
	}
	results, _, err := c.Evaluate(t.Context(), []int{0}, in, expression.PolicyBudget)
	if err != nil || len(results) != 1 {
		t.Fatal(results, err)
	}
	return results[0]
}

func TestUnit(t *testing.T) {
	for _, c := range []struct {
		text string
		want any
	}{
		{"object.spec.replicas > 2 && oldObject == null", true},
		{"object.spec.replicas + int(params.data.most)", int64(5)},
		{"request.userInfo.username + request.namespace + request.operation + request.requestKind.kind",
			"annshopUPDATEDeployment"},
		{"namespaceObject.metadata.labels['env']", "prod"},
		{"has(namespaceObject.metadata.annotations)", false},
		{"request.dryRun", false},
		{"authorizer.group('apps').resource('deployments').subresource('s').namespace('n').name('m').fieldSelector('f')" +
			".labelSelector('l').check('get').reason()", "|||apps|deployments|s|n|m|f|l|get"},
		{"authorizer.path('/healthz').check('get').allowed()", true},
		{"authorizer.serviceAccount('n', 'a').group('').resource('pods').check('list').reason()",
			"n|a|||pods||||||list"},
		{"authorizer.requestResource.check('x').reason()", "|||apps|deployments|scale|shop|web|||x"},
		{"authorizer.requestResource.check('x').errored() || authorizer.requestResource.check('x').error() != ''", false},
		{"jsonpatch.escapeKey('a/b~c')", "a~1b~0c"},
		{"{'a': [dyn(1), dyn(2.5), dyn(null), dyn(true)]}", map[string]any{"a": []any{int64(1), 2.5, nil, true}}},
		{"object.spec.list.map(x, x + '!')", []any{"x!", "y!"}},
		{"object.?spec.?none", nil},
		{"object.?spec.?replicas", int64(3)},
	} {
		if got := evaluate(t, unitOf(c.text), input(t)); got.Kind != "" || !reflect.DeepEqual(got.Value, c.want) {
			t.Errorf("%s: %#v %s, want %#v", c.text, got.Value, got.Error, c.want)
		}
	}
}

func TestUnitMutations(t *testing.T) {
	for _, c := range []struct {
		returns expression.Type
		text    string
		want    any
		err     string
	}{
		{expression.ApplyConfiguration, `Object{spec: Object.spec{replicas: 5, ?none: optional.none(),
			l: [Object.spec.l{a: "b"}], m: {"k": Object.spec.m{n: 1}}, from: object.metadata.labels}}`,
			map[string]any{"spec": map[string]any{"replicas": int64(5), "l": []any{map[string]any{"a": "b"}},
				"m": map[string]any{"k": map[string]any{"n": int64(1)}}, "from": map[string]any{"a": "b"}}}, ""},
		{expression.ApplyConfiguration, `Object{spec: Object.wrong{}}`, nil,
			`type mismatch: unexpected type name "Object.wrong", expected "Object.spec", which matches field name path ` +
				`from root Object type`},
		{expression.ApplyConfiguration, `object`, nil, "must evaluate to Object but got dyn"},
		{expression.JSONPatches, `[JSONPatch{op: "add", path: "/a", value: {"b": 1}},
			JSONPatch{op: "move", from: "/c", path: "/d"}, JSONPatch{op: "add", path: "/e", value: Object.e{f: true}},
			JSONPatch{op: "test", path: "/e", value: object.spec}]`,
			[]any{map[string]any{"op": "add", "path": "/a", "value": map[string]any{"b": int64(1)}},
				map[string]any{"op": "move", "path": "/d", "from": "/c"},
				map[string]any{"op": "add", "path": "/e", "value": map[string]any{"f": true}},
				map[string]any{"op": "test", "path": "/e", "value": map[string]any{"replicas": int64(3), "paused": false,
					"list": []any{"x", "y"}}}}, ""},
		{expression.JSONPatches, `[]`, nil, "must evaluate to list(JSONPatch) but got list(dyn)"},
		{expression.JSONPatches, `[JSONPatch{op: "add", path: "/a", value: [Object.a{b: 1}]}]`, nil, "JSONPath " +
			"valueExpression evaluated to a type that could not marshal to JSON: an Object in a list or a map"},
		{expression.JSONPatches, `[JSONPatch{op: 1}]`, nil, "compilation failed: ERROR: <input>:1:14: expected type of " +
			"field 'op' is 'string' but provided type is 'int'\n | [JSONPatch{op: 1}]\n | .............^"},
	} {
		u := unitOf()
		u.Expressions = []expression.Expression{{Text: c.text, Returns: c.returns}}
		if got := evaluate(t, u, input(t)); got.Error != c.err || !reflect.DeepEqual(got.Value, c.want) {
			t.Errorf("%s: %#v %s, want %#v %s", c.text, got.Value, got.Error, c.want, c.err)
		}
	}
}

func TestUnitProblems(t *testing.T) {
	for _, c := range []struct {
		unit expression.Unit
		want string
	}{
		{expression.Unit{Expressions: []expression.Expression{{Text: "1", Returns: expression.Bool}}},
			"must evaluate to bool but got int"},
		{expression.Unit{Expressions: []expression.Expression{{Text: "1", Returns: expression.StringOrNull}}},
			"must evaluate to one of [string null_type] but got int"},
		{expression.Unit{Expressions: []expression.Expression{{Text: "params"}}},
			"undeclared reference to 'params' (in container '')"},
		{expression.Unit{Expressions: []expression.Expression{{Text: "variables"}}}, "undeclared reference to 'variables'"},
		{expression.Unit{Composed: true, Expressions: []expression.Expression{{Text: "variables.a"}}}, "undefined field 'a'"},
		{expression.Unit{Authorizer: true, Expressions: []expression.Expression{{Text: "authorizer", NoAuthorizer: true}}},
			"undeclared reference to 'authorizer'"},
		{expression.Unit{Expressions: []expression.Expression{{Text: "Object{}"}}}, "undeclared reference to 'Object'"},
		{expression.Unit{Expressions: []expression.Expression{{Text: "request.object"}}}, "undefined field 'object'"},
		{expression.Unit{Expressions: []expression.Expression{{Text: "namespaceObject.metadata.uid"}}},
			"undefined field 'uid'"},
		{expression.Unit{Variables: []expression.Variable{{Name: "a", Expression: "'x'"}},
			Expressions: []expression.Expression{{Text: "variables.a + 1"}}},
			"found no matching overload for '_+_' applied to '(string, int)'"},
		{expression.Unit{Variables: []expression.Variable{{Name: "a", Expression: "variables.b"},
			{Name: "b", Expression: "1"}}}, "undefined field 'b'"},
	} {
		_, problems := compileUnit(t, &c.unit)
		if len(problems) != 1 || !strings.Contains(problems[0].Message, c.want) {
			t.Errorf("%+v: %+v, want %s", c.unit, problems, c.want)
		}
	}
}

// TestUnitVariables: each is evaluated once, when it is needed, and counts to the budget of who needed it.
func TestUnitVariables(t *testing.T) {
	asked := 0
	in := input(t)
	in.Authorize = func(expression.Question) expression.Decision {
		asked++
		return expression.Decision{Allowed: true}
	}
	u := unitOf("variables.may", "variables.may && variables.n == 3", "variables.broken == 1", "variables.wrong == 1",
		"true")
	u.Variables = []expression.Variable{{Name: "n", Expression: "object.spec.replicas"},
		{Name: "may", Expression: "variables.n == 3 && authorizer.path('/x').check('get').allowed()"},
		{Name: "broken", Expression: "1 / 0"}, {Name: "wrong", Expression: "1 +"}}
	c, problems := compileUnit(t, u)
	if len(problems) != 1 || !problems[0].Variable || problems[0].Index != 3 {
		t.Fatal(problems)
	}
	results, left, err := c.Evaluate(t.Context(), []int{4}, in, 1000)
	if err != nil || left != 1000 || asked != 0 || len(results) != 1 || results[0].Value != true {
		t.Error("what is not needed was evaluated:", results, left, err, asked)
	}
	results, left, err = c.Evaluate(t.Context(), []int{0, 1, 2, 3}, in, 1_000_000)
	if err != nil || asked != 1 || left > 1_000_000-350_000 || left < 1_000_000-351_000 {
		t.Error("more than once:", left, err, asked)
	}
	for i, want := range []string{"", "",
		`expression 'variables.broken == 1' resulted in error: composited variable "broken" fails to evaluate: division ` +
			`by zero`,
		`expression 'variables.wrong == 1' resulted in error: composited variable "wrong" fails to compile: compilation ` +
			`failed: `} {
		if got := results[i].Error; !strings.HasPrefix(got, want) || (got == "") != (want == "") {
			t.Errorf("%d: %s, want %s", i, got, want)
		}
	}
	results, left, err = c.Evaluate(t.Context(), []int{4, 1, 0}, in, 300_000)
	if err != nil || left >= 0 || len(results) != 2 || results[1].Kind != expression.OverBudget ||
		results[1].Error != outOfBudget {
		t.Error("the budget:", results, left, err)
	}
}

func TestUnitLimits(t *testing.T) {
	loop := "[1,2,3,4,5,6,7,8,9,10]"
	text := loop + ".all(a, " + loop + ".all(b, " + loop + ".all(c, " + loop + ".all(d, " + loop + ".all(e, " + loop +
		".all(f, a + b + c + d + e + f > 0))))))"
	c, _ := compileUnit(t, unitOf(text, "false"))
	results, left, err := c.Evaluate(t.Context(), []int{0, 1}, input(t), expression.PolicyBudget)
	if err != nil || left < 0 || len(results) != 2 || results[0].Kind != expression.Failed ||
		!strings.HasSuffix(results[0].Error, "resulted in error: operation cancelled: actual cost limit exceeded") {
		t.Error(results, left, err)
	}
	ctx, cancel := context.WithCancelCause(t.Context())
	ended := errors.New("ended")
	cancel(ended)
	if _, _, err := c.Evaluate(ctx, []int{0}, input(t), expression.PolicyBudget); !errors.Is(err, ended) {
		t.Error(err)
	}
}
