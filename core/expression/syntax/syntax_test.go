package syntax

import (
	"strings"
	"testing"
	"time"
)

const operand = "{'[', '{', '(', '.', '-', '!', 'true', 'false', 'null', NUM_FLOAT, NUM_INT, NUM_UINT, STRING, " +
	"BYTES, IDENTIFIER}"

func TestCheck(t *testing.T) {
	for _, c := range []struct{ expr, want string }{
		{"object.spec.replicas > 1 ? object.a in ['x'] : has(object.b)", ""},
		{"object.list.all(x, x.?name.orValue('') != \"\") && [1, ?object.x, -2u, 1.5e3].exists(i, v, v > i)", ""},
		{"google.protobuf.Struct{a: 1, ?b: object[?'c'],}", ""},
		{"// nothing\nobject", ""},
		// as recorded
		{"device.driver ==", "1:17: Syntax error: mismatched input '<EOF>' expecting " + operand +
			"\n | device.driver ==\n | ................^"},
		{"object.spec.replicas >", "1:23: Syntax error: mismatched input '<EOF>' expecting " + operand +
			"\n | object.spec.replicas >\n | ......................^"},
		// as the real compiler has them
		{"", "1:0: Syntax error: mismatched input '<EOF>' expecting " + operand},
		{"* 1", "1:1: Syntax error: extraneous input '*' expecting " + operand + "\n | * 1\n | ^"},
		{"*", "1:1: Syntax error: mismatched input '*' expecting " + operand + "\n | *\n | ^\n" +
			"ERROR: <input>:1:2: Syntax error: mismatched input '<EOF>' expecting " + operand + "\n | *\n | .^"},
		{"-", "1:2: Syntax error: no viable alternative at input '-'\n | -\n | .^\n" +
			"ERROR: <input>:1:2: Syntax error: mismatched input '<EOF>' expecting " + operand + "\n | -\n | .^"},
		{"(object", "1:8: Syntax error: missing ')' at '<EOF>'\n | (object\n | .......^"},
		{"object)", "1:7: Syntax error: extraneous input ')' expecting <EOF>\n | object)\n | ......^"},
		{"object.", "1:8: Syntax error: no viable alternative at input '.'\n | object.\n | .......^"},
		{"object.a = 1", "1:10: Syntax error: token recognition error at: '= '\n | object.a = 1\n | .........^\n" +
			"ERROR: <input>:1:12: Syntax error: extraneous input '1' expecting <EOF>\n | object.a = 1\n | ...........^"},
		{"object.a\n&&\n\tfoo", "3:2: undeclared reference to 'foo' (in container '')\n |  foo\n | .^"},
		{"has(object)", "1:5: invalid argument to has() macro\n | has(object)\n | ....^"},
		{"object.all(x.y, x)", "1:13: argument must be a simple name\n | object.all(x.y, x)\n | ............^"},
		{"for", "1:1: reserved identifier: for\n | for\n | ^"},
		{"'é' + é", "1:7: Syntax error: token recognition error at: 'é'\n | 'é' + é\n | .．....＾\n" +
			"ERROR: <input>:1:8: Syntax error: mismatched input '<EOF>' expecting " + operand + "\n | 'é' + é\n | .．....．^"},
		{strings.Repeat("(", 300), "-1:0: expression recursion limit exceeded: 250"},
		{strings.Repeat("1", 100_001), "-1:0: expression code point size exceeds limit: size: 100001, limit 100000"},
	} {
		got := ""
		if err := check(c.expr, "object", "device"); err != nil {
			got = strings.TrimPrefix(err.Error(), "ERROR: <input>:")
		}
		if got != c.want {
			t.Errorf("%.80q\n got %s\nwant %s", c.expr, got, c.want)
		}
	}
}

// TestNames checks that without variables every name is accepted.
func TestNames(t *testing.T) {
	if err := check("foo.bar(baz)"); err != nil {
		t.Error(err)
	}
}

// TestAsUsed checks expressions as people write them for admission and devices.
func TestAsUsed(t *testing.T) {
	variables := strings.Fields("object oldObject namespaceObject request params variables variables.limits " +
		"authorizer device self oldSelf")
	for _, expr := range []string{
		`object.spec.template.spec.containers.all(c, c.image.startsWith("registry.example.com/"))`,
		`has(object.metadata.labels) && "app" in object.metadata.labels && object.metadata.labels["app"].matches(r'^a\w+$')`,
		`authorizer.group('').resource('pods').namespace('default').check('get').allowed() || ` +
			`authorizer.requestResource.check('x').reason() == ''`,
		`params == null || variables.limits.exists(v, v > params.max) || !(request.userInfo.username in ["admin"])`,
		`[JSONPatch{op: "add", path: "/metadata/labels/" + jsonpatch.escapeKey("a/b"), value: Object.metadata{labels: ` +
			`{"a": "b"}}}]`,
		`Object{spec: Object.spec{initContainers: [Object.spec.initContainers{name: "x", restartPolicy: "Always"}]}}`,
		`type(object) == map && type(self.port) == int && dyn(1) != null && string(1) + string(true) == '' && ` +
			`optional.none().hasValue()`,
		`cel.bind(x, object.a, x + 1) > 0 && duration('1h') < google.protobuf.Duration{seconds: 1} && ` +
			`timestamp("2026-01-01T00:00:00Z") > self.when`,
		`device.driver == "gpu.example.com" && device.attributes["gpu.example.com"].?model.orValue("") in ["a"] && ` +
			`device.capacity["x"].memory.compareTo(quantity("1Gi")) >= 0`,
		`ip("10.0.0.1").family() == 4 && sets.contains([1], [1]) && lists.range(3).size() == 3 && ` +
			`format.dns1123Label().validate("a").hasValue()`,
		`self.list.map(x, x.n > 1, x.n * 2).sum() > 3 && self.list.transformMap(i, v, v + i).size() > 0 && ` +
			`self.list.sortBy(e, e.n)[0].n == 1`,
		"object.metadata.namespace.size() > 0 // says who\n  && \"\"\"several\nlines\"\"\" != b'octets' && 0x1F > 1u",
	} {
		if err := check(expr, variables...); err != nil {
			t.Error(err)
		}
	}
}

// TestLinear checks that the longest expressions take linear time: all of them a second, and a quarter of an hour if it
// were quadratic.
func TestLinear(t *testing.T) {
	start := time.Now()
	for _, part := range []string{"(", "!", "-", "a.", "a+", "{", "[", "'", "#", "f(", "a.map(x,", "\"\"\"", "1", "a?b:",
		".a", "`", "\\", "é"} {
		_ = check(strings.Repeat(part, maxCharacters/len(part)), "object")
	}
	if took := time.Since(start); took > 3*time.Minute {
		t.Errorf("took %v", took)
	}
}

func FuzzCheck(f *testing.F) {
	f.Add("object.spec.replicas > 1 ? a[?0] : {'b': B{c: 'd', ?e: .f()}}")
	f.Add("'\\x0' \"\"\"a\n")
	f.Fuzz(func(t *testing.T, expr string) {
		err := check(expr)
		if err != nil && !strings.HasPrefix(err.Error(), "ERROR: <input>:") {
			t.Error(err)
		}
		if named := check(expr, "object"); (named == nil) && err != nil {
			t.Errorf("names make %v right", err)
		}
	})
}

// check checks names if there are variables.
func check(expr string, variables ...string) error {
	var s Scope
	if len(variables) > 0 {
		s = ScopeOf(variables...)
	}
	return s.Check(expr)
}
