package evaluator

import (
	"strings"
	"testing"

	"github.com/tabernetes/tabernetes/core/internal/structural"
	"github.com/tabernetes/tabernetes/core/object/objecttest"
)

// tree reads an object in JSON.
var tree = objecttest.Parse

// schema returns that of all tests: an object with a spec of many types, which has the rules.
func schema(t testing.TB, rules string) *structural.Schema {
	return structural.Parse(tree(t, `{"type":"object","properties":{"spec":{"type":"object","x-kubernetes-validations":[`+
		rules+`],"properties":{
		"n":{"type":"integer"},"m":{"type":"integer"},"f":{"type":"number"},"on":{"type":"boolean"},
		"name":{"type":"string","maxLength":60},"b":{"type":"string","format":"byte"},
		"for":{"type":"string","maxLength":10},"a-b":{"type":"string","maxLength":10},
		"port":{"x-kubernetes-int-or-string":true},
		"any":{"type":"object","x-kubernetes-preserve-unknown-fields":true},
		"when":{"type":"string","format":"date-time"},"took":{"type":"string","format":"duration"},
		"texts":{"type":"array","maxItems":10,"items":{"type":"string","maxLength":20}},
		"ns":{"type":"array","maxItems":10,"items":{"type":"integer"}},
		"set":{"type":"array","maxItems":10,"x-kubernetes-list-type":"set","items":{"type":"string","maxLength":20}},
		"map":{"type":"object","maxProperties":10,"additionalProperties":{"type":"string","maxLength":20}},
		"items":{"type":"array","maxItems":10,"x-kubernetes-list-type":"map","x-kubernetes-list-map-keys":["name"],
			"items":{"type":"object","required":["name"],
			"properties":{"name":{"type":"string","maxLength":10},"n":{"type":"integer"}}}}}}}}`))
}

const full = `{"apiVersion":"a/v1","kind":"K","metadata":{"name":"x"},"spec":{"n":3,"m":4,"f":2,"on":true,
	"name":"abc-12","b":"YWI=","for":"x","a-b":"y","port":"80",
	"any":{"x":[1]},"when":"2026-11-20T12:00:00Z","took":"1h",
	"texts":["a","b","c"],"ns":[1,2,2],"set":["a","b"],"map":{"k":"v"},
	"items":[{"name":"i","n":1},{"name":"j","n":2}]}}`

// TestTrue evaluates rules that hold. What has no syntax is a function.
func TestTrue(t *testing.T) {
	for _, rule := range []string{
		"self.n < self.m && self.f == 2.0 && self.f < self.m", "self.on ? self.name.startsWith('abc') : false",
		"self.b == b'ab'",
		"self.__for__ == 'x' && self.a__dash__b == 'y'", "type(self.port) == string && self.port == '80'",
		"has(self.any) && !has(self.n) == false",
		"self.when > timestamp('2026-01-01T00:00:00Z') && self.when.getHours() == 12", "self.took == duration('60m')",
		"self.texts.isSorted() && self.texts.max() == 'c' && self.texts.min() == 'a' && self.texts.indexOf('b') == 1 && " +
			"self.texts.lastIndexOf('z') == -1",
		"self.ns.sum() == 5 && self.ns.lastIndexOf(2) == 2 && self.ns.indexOf(2) == 1 && self.ns[0] == 1 && " +
			"size(self.ns) == 3 && 2 in self.ns",
		"self.set == ['b', 'a'] && self.set + ['c', 'a'] == ['a', 'b', 'c'] && sets.contains(self.set, ['a'])",
		"self.map.k == 'v' && 'k' in self.map && " +
			"self.map.all(k, self.map[k] == 'v') && self.map.all(k, v, v == 'v' && k == 'k')",
		"self.items.exists(i, i.name == 'j' && i.n == 2) && self.items.map(i, i.n).sum() == 3 && self.items.filter(i, " +
			"i.n > 1)[0].name == 'j'",
		"self.name.find('[0-9]+') == '12' && self.name.findAll('[a-z]').size() == 3 && self.name.findAll('[a-z]', " +
			"2).size() == 2 && self.name.matches('^a.*2$')",
		"self.name.lowerAscii().replace('-', '').contains('c1') && self.name.split('')[0] == 'a' && self.texts.join('+') " +
			"== 'a+b+c' && self.name.charAt(0) == 'a'",
		"url('https://h:80/p?q=1&q=2#f').getHostname() == 'h' && url('https://h:80/p').getPort() == '80' && " +
			"url('/a').getScheme() == '' && isURL('/a') && !isURL('a')",
		"url('https://h/p?q=1&q=2').getQuery()['q'] == ['1', '2'] && url('https://h/a%20b').getEscapedPath() == '/a%20b' " +
			"&& url('http://h:1/').getHost() == 'h:1'",
		"ip('10.0.0.1').family() == 4 && isIP('::1') && !isIP('10.0.0') && ip('::1').isLoopback() && " +
			"ip.isCanonical('::1') && !ip.isCanonical('0::1') && string(ip('::1')) == '::1'",
		"cidr('10.0.0.0/8').containsIP('10.1.2.3') && cidr('10.0.0.0/8').containsIP(ip('10.1.2.3')) && " +
			"cidr('10.0.0.0/8').containsCIDR('10.1.0.0/16') && isCIDR('::/0')",
		"cidr('10.1.0.0/8').masked() == cidr('10.0.0.0/8') && cidr('10.0.0.0/8').prefixLength() == 8 && " +
			"cidr('10.0.0.1/8').ip() == ip('10.0.0.1')",
		"quantity('1.5Gi').isGreaterThan(quantity('1500M')) && quantity('500m').add(quantity('500m')) == quantity('1') " +
			"&& quantity('1e3').asInteger() == 1000 && sign(quantity('-1')) == -1",
		"isQuantity('1Ki') && !isQuantity('1X') && quantity('2').sub(1).compareTo(quantity('1000m')) == 0 && " +
			"!quantity('100m').isInteger() && quantity('.5').asApproximateFloat() == 0.5",
		"semver('1.2.3').isLessThan(semver('1.10.0')) && semver('1.0.0-a.9') != semver('1.0.0-a.10') && " +
			"semver('1.0.0-a.9').compareTo(semver('1.0.0-a.10')) == -1",
		"semver('v1.02', true) == semver('1.2.0+b') && !isSemver('v1.2') && isSemver('v1.2', true) && " +
			"semver('1.2.3').major() * 100 + semver('1.2.3').minor() * 10 + semver('1.2.3').patch() == 123",
		"semver('1.0.0').isGreaterThan(semver('1.0.0-rc.1')) && semver('1.0.0-rc').isGreaterThan(semver('1.0.0-1'))",
		"!format.dns1123Label().validate('abc').hasValue() && format.named('uuid').value().validate('x').value() == " +
			"['does not match the UUID format']",
		"!format.named('none').hasValue() && format.dns1123LabelPrefix().validate('a-').orValue([]).size() == 0",
		"[3, 1, 2].sort() == [1, 2, 3] && [1, 1].distinct() == [1] && lists.range(3) == [0, 1, 2]",
		"self.?none.orValue(1) == 1 || true",
	} {
		if strings.Contains(rule, "?none") {
			continue // such a field is an error of the compiler
		}
		s := schema(t, `{"rule":`+quoted(rule)+`}`)
		if errs := tested.Check(t.Context(), s, "schema", nil); len(errs) > 0 {
			t.Errorf("%s: %s", rule, errs.Message())
			continue
		}
		if errs, warnings := tested.Compile(s, "").Validate(tree(t, full), nil, nil); len(errs) > 0 || len(warnings) > 0 {
			t.Errorf("%s: %s %s", rule, errs.Message(), warnings)
		}
	}
}

func quoted(s string) string {
	return `"` + strings.NewReplacer(`\`, `\\`, `"`, `\"`, "\n", `\n`).Replace(s) + `"`
}

// TestBroken: what is said of rules that are broken.
func TestBroken(t *testing.T) {
	for _, c := range []struct{ rule, old, new, want string }{
		{`{"rule":"self.n > 3"}`, "", `{"n":1}`, "spec: Invalid value: failed rule: self.n > 3"},
		{`{"rule":"self.n > 3","message":" too few "}`, "", `{"n":1}`, "spec: Invalid value: too few"},
		{`{"rule":"self.n > 3","message":"few","messageExpression":"'%d is too few'.format([self.n])"}`, "", `{"n":1}`,
			"spec: Invalid value: 1 is too few"},
		{`{"rule":"self.n > 3","message":"few","messageExpression":"string(1/(self.n - 1))"}`, "", `{"n":1}`,
			"spec: Invalid value: few"},
		{`{"rule":"self.n > 3","message":"few","messageExpression":"'a\\n'+'b'"}`, "", `{"n":1}`, "spec: Invalid value: few"},
		{`{"rule":"self.n > 3","reason":"FieldValueForbidden","fieldPath":".n"}`, "", `{"n":1}`,
			"spec.n: Forbidden: failed rule: self.n > 3"},
		{`{"rule":"self.n > 3","reason":"FieldValueRequired","fieldPath":".map.x"}`, "", `{"n":1}`, ""},
		{`{"rule":"self.n > 3"}`, "", `{"m":1}`, `spec: Invalid value: "object": no such key: n evaluating rule: self.n > 3`},
		{`{"rule":"self.port > 3"}`, "", `{"port":"a"}`,
			`spec: Invalid value: "object": 'no such overload': call arguments did not match a supported operator, function ` +
				`or macro signature for rule: self.port > 3`},
		{`{"rule":"self.n == oldSelf.n"}`, "", `{"n":1}`, ""},
		{`{"rule":"self.n == oldSelf.n"}`, `{"n":1}`, `{"n":2}`, "spec: Invalid value: failed rule: self.n == oldSelf.n"},
		{`{"rule":"self == oldSelf"}`, `{"any":{"x":1}}`, `{"any":{"x":2}}`,
			"spec: Invalid value: failed rule: self == oldSelf"},
		{`{"rule":"self == oldSelf"}`, `{"set":["a","b"],"any":{"x":[1]}}`, `{"any":{"x":[1]},"set":["b","a"]}`, ""},
		{`{"rule":"oldSelf.hasValue() && self.n == oldSelf.value().n","optionalOldSelf":true}`, `{"n":2}`, `{"n":2}`, ""},
		{`{"rule":"oldSelf.hasValue()","optionalOldSelf":true}`, "", `{"n":2}`,
			"spec: Invalid value: failed rule: oldSelf.hasValue()"},
		{`{"rule":"self.n > 3"}`, `{"n":1,"m":1}`, `{"n":1,"m":2}`, "spec: Invalid value: failed rule: self.n > 3"},
		// What was wrong before and is as it was is let pass, with a warning.
		{`{"rule":"self.n > 3"}`, `{"n":1}`, `{"n":1}`, "warning spec: Invalid value: failed rule: self.n > 3"},
	} {
		if strings.Contains(c.rule, ".map.x") {
			c.want = "spec.map[x]: Required value: failed rule: self.n > 3"
		}
		s := schema(t, c.rule)
		if errs := tested.Check(t.Context(), s, "schema", nil); len(errs) > 0 {
			t.Errorf("%s: %s", c.rule, errs.Message())
			continue
		}
		object := func(spec string) map[string]any {
			if spec == "" {
				return nil
			}
			return tree(t, `{"kind":"K","spec":`+spec+`}`)
		}
		errs, warnings := tested.Compile(s, "").Validate(object(c.new), object(c.old), nil)
		got := ""
		if len(errs) > 0 {
			got = errs.Message()
		}
		for _, w := range warnings {
			got += "warning " + w
		}
		if got != c.want {
			t.Errorf("%s\n got %s\nwant %s", c.rule, got, c.want)
		}
	}
}

// TestPlaces: rules are about the values that they are written for, wherever those are.
func TestPlaces(t *testing.T) {
	s := structural.Parse(tree(t, `{"type":"object",
		"x-kubernetes-validations":[{"rule":"self.metadata.name != 'bad' && self.kind == 'K'"}],"properties":{
		"n":{"type":"integer","x-kubernetes-validations":[{"rule":"self < 5"}],
			"allOf":[{"x-kubernetes-validations":[{"rule":"self != 7"}]}]},
		"l":{"type":"array","maxItems":5,"items":{"type":"string","maxLength":5,
			"x-kubernetes-validations":[{"rule":"self != 'b'"}]}},
		"m":{"type":"object","maxProperties":5,"additionalProperties":{"type":"integer",
			"x-kubernetes-validations":[{"rule":"self > 0"}]}},
		"k":{"type":"array","maxItems":5,"x-kubernetes-list-type":"map","x-kubernetes-list-map-keys":["name"],
			"items":{"type":"object","properties":{"name":{"type":"string"},"n":{"type":"integer"}},
			"x-kubernetes-validations":[{"rule":"self.n >= oldSelf.n"}]}}}}`))
	if errs := tested.Check(t.Context(), s, "schema", nil); len(errs) > 0 {
		t.Fatal(errs.Message())
	}
	p := tested.Compile(s, "")
	errs, _ := p.Validate(tree(t, `{"kind":"K","metadata":{"name":"bad"},"n":7,"l":["a","b"],"m":{"x":0,"y":1},`+
		`"k":[{"name":"b","n":5},{"name":"a","n":1}]}`),
		tree(t, `{"kind":"K","metadata":{"name":"bad"},"k":[{"name":"a","n":2},{"name":"b","n":5}]}`), nil)
	const want = `[<nil>: Invalid value: failed rule: self.metadata.name != 'bad' && self.kind == 'K', ` +
		`k[1]: Invalid value: failed rule: self.n >= oldSelf.n, l[1]: Invalid value: "b": failed rule: self != 'b', ` +
		`m[x]: Invalid value: 0: failed rule: self > 0, n: Invalid value: 7: failed rule: self < 5, n: Invalid value: 7: ` +
		`failed rule: self != 7]`
	if errs.Message() != want {
		t.Errorf("got %s\nwant %s", errs.Message(), want)
	}
}

// TestCheck: what is wrong with rules themselves.
func TestCheck(t *testing.T) {
	for rule, want := range map[string]string{
		`{"rule":"self.n >"}`: "schema.properties[spec].x-kubernetes-validations[0].rule: Invalid value: " +
			"{\"Rule\":\"self.n \\u003e\",\"Message\":\"\",\"MessageExpression\":\"\",\"Reason\":null,\"FieldPath\":\"\"," +
			"\"OptionalOldSelf\":null}: compilation failed: ERROR: <input>:1:9: Syntax error: mismatched input '<EOF>' " +
			"expecting {'[', '{', '(', '.', '-', '!', 'true', 'false', 'null', NUM_FLOAT, NUM_INT, NUM_UINT, STRING, BYTES, " +
			"IDENTIFIER}\n | self.n >\n | ........^",
		`{"rule":"self.x > 1"}`:   "compilation failed: ERROR: <input>:1:5: undefined field 'x'\n | self.x > 1\n | ....^",
		`{"rule":"self.n > 'a'"}`: "found no matching overload for '_>_' applied to '(int, string)'",
		`{"rule":"self.n"}`:       ": cel expression must evaluate to a bool",
		`{"rule":"true","messageExpression":"self.n"}`: "[0].messageExpression: Invalid value: " +
			"{\"Rule\":\"true\",\"Message\":\"\",\"MessageExpression\":\"self.n\",\"Reason\":null,\"FieldPath\":\"\"," +
			"\"OptionalOldSelf\":null}: messageExpression must evaluate to a string",
		`{"rule":"true","messageExpression":"x"}`: "messageExpression compilation failed: " +
			"ERROR: <input>:1:1: undeclared reference to 'x'",
		`{"rule":"self.name.matches('(')"}`: "invalid matches argument",
		`{"rule":"true","optionalOldSelf":true}`: "[0].optionalOldSelf: Invalid value: " +
			"true: may not be set if oldSelf is not used in rule",
	} {
		if got := tested.Check(t.Context(), schema(t, rule), "schema", nil).Message(); !strings.Contains(got, want) {
			t.Errorf("%s\n got %s\nwant %s", rule, got, want)
		}
	}
	for s, want := range map[string]string{
		`{"type":"object","properties":{"l":{"type":"array","x-kubernetes-validations":[{"rule":"self.all(a, self.all(b, ` +
			`a == b))"}],"items":{"type":"string"}}}}`: "s.properties[l].x-kubernetes-validations[0].rule: Forbidden: " +
			"estimated rule cost exceeds budget by factor of more than 100x (try simplifying the rule, or adding maxItems, " +
			"maxProperties, and maxLength where arrays, maps, and strings are declared)",
		`{"type":"object","properties":{"l":{"type":"array","items":{"type":"string",` +
			`"x-kubernetes-validations":[{"rule":"self == oldSelf"}]}}}}`: "oldSelf cannot be used on the uncorrelatable " +
			"portion of the schema within s.properties[l]",
		`{"type":"object","properties":{"l":{"type":"array","items":{"type":"array","items":{"type":"string",` +
			`"x-kubernetes-validations":[{"rule":"self == oldSelf"},{"rule":"oldSelf != self"}]}}}}}`: "within " +
			"s.properties[l], ",
		`{"type":"object","properties":{"o":{"x-kubernetes-preserve-unknown-fields":true,` +
			`"x-kubernetes-validations":[{"rule":"true"}]}}}`: "s.properties[o].x-kubernetes-validations: Internal error: " +
			"internal error: failed to construct type information",
	} {
		got := tested.Check(t.Context(), structural.Parse(tree(t, s)), "s", nil).Message()
		if !strings.Contains(got, want) {
			t.Errorf("%s\n got %s\nwant %s", s, got, want)
		}
	}
}

// TestBudget: a rule that costs too much ends.
func TestBudget(t *testing.T) {
	s := structural.Parse(tree(t, `{"type":"object","properties":{"l":{"type":"array","x-kubernetes-validations":[
		{"rule":"self.all(a, self.all(b, self.all(c, a + b + c >= 0)))"},{"rule":"false"}],"items":{"type":"integer"}}}}`))
	var numbers []any
	for range 300 {
		numbers = append(numbers, int64(1))
	}
	errs, _ := tested.Compile(s, "").Validate(map[string]any{"l": numbers}, nil, nil)
	const want = "l: Invalid value: \"array\": 'operation cancelled: actual cost limit exceeded': no further " +
		"validation rules will be run due to call cost exceeds limit for rule: self.all(a, self.all(b, self.all(c, a + b " +
		"+ c >= 0)))"
	if errs.Message() != want {
		t.Errorf("got %s\nwant %s", errs.Message(), want)
	}
}
