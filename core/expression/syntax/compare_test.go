package syntax

import (
	"strings"
	"testing"

	celgo "github.com/google/cel-go/cel"
	"github.com/google/cel-go/ext"
)

// upstream returns the real compiler with the variables of the tests.
func upstream(t testing.TB) *celgo.Env {
	env, err := celgo.NewEnv(celgo.OptionalTypes(), ext.TwoVarComprehensions(), ext.Sets(),
		celgo.Variable("object", celgo.DynType), celgo.Variable("device", celgo.DynType))
	if err != nil {
		t.Fatal(err)
	}
	return env
}

// TestCompare compares the reports with those of the real compiler, which may continue
// after ours.
func TestCompare(t *testing.T) {
	env := upstream(t)
	for _, e := range strings.Split(cases, "\n") {
		want := ""
		if _, issues := env.Compile(e); issues.Err() != nil {
			want = issues.String()
		}
		got := ""
		if err := check(e, "object", "device"); err != nil {
			got = err.Error()
		}
		if got != want && (got == "" || !strings.HasPrefix(want, got+"\n")) {
			t.Errorf("%q\n got %s\nwant %s", e, got, want)
		}
	}
}

// TestTypeOf compares types with those that the real compiler finds.
func TestTypeOf(t *testing.T) {
	env := upstream(t)
	told := 0
	for _, e := range append(strings.Split(cases, "\n"), "1", "-1", "1u", "1.5", "'a'", "b'a'", "null", "!true", "(1)",
		"1 + 2", "'a' + 'b'", "1 < 2", "1 + 2 == 3 && true",
		"true ? 1 : 2", "true ? 1 : object.x", "object", "object.x", "object.x[0].y", "object.x + 1", "1 + object.x",
		"object.x + object.y", "object.all(x, x > 1)", "has(object.x)",
		"size(object.x)", "object.x.size()", "object.x.startsWith('a')", "[1][0]", "[1]", "{'a': 1}.a", "{'a': 1}",
		"string(object.x)", "object.?x", "object[?'x']", "-object.x", "[1, 2].map(x, x * 2)",
		"'a'.size() + 1", "1 in [1]", "type(1)", "object.x.map(x, x)[0]", "-(1)", "!object.x", "1.0 * 2.0",
		"timestamp('2020-01-01T00:00:00Z')") {
		ast, issues := env.Compile(e)
		if issues.Err() != nil {
			continue
		}
		if got := TypeOf(e); got != "" {
			told++
			if want := ast.OutputType().String(); got != want {
				t.Errorf("%s: got %s, want %s", e, got, want)
			}
		}
	}
	if told < 20 {
		t.Errorf("only %d types are told", told)
	}
}

// FuzzCompare looks for expressions that only one of the two parsers accepts.
func FuzzCompare(f *testing.F) {
	env := upstream(f)
	for _, e := range strings.Split(cases, "\n") {
		f.Add(e)
	}
	f.Fuzz(func(t *testing.T, e string) {
		_, issues := env.Parse(e)
		report := ""
		if issues.Err() != nil {
			report = issues.String()
		}
		err := check(e)
		switch {
		case err != nil && report == "":
			t.Errorf("%q: %v; the real one reads it", e, err)
		case err == nil && strings.Contains(report, "Syntax error"):
			t.Errorf("%q is read; the real one says %s", e, report)
		}
	})
}

const cases = `device.driver ==
object.spec.replicas >
object.spec.replicas = 3
(object.a
object.a)
object.a && 
object.a & object.b
object.a and object.b
has(object)
has(object.a
has(object.a))
object.list.all(x, x > 1
object.list.all(x.y, x > 1)
object.list[0
object.list[0]]
{'a': 1
{'a' 1}
[1, 2
[1, 2,]
[1,,2]
object.
.object
object..a
'abc
"abc
object.name == 'it's'
object.name == "a" || 
|| object.a
!
-
--1
!!object.a
1 +
1 + * 2
a ? b
object.a ? 1
object.a ? 1 : 
object.a ? : 2
foo
foo.bar
object.x.map(y, y.z + q)
object.?a.orValue(1)
#
object.a # b
object.a; object.b
if (object.a) 1
return true
object.a === 1
object.a !== 1
object.a <> 1
object["a"
object['a'].b in ['x', 'y'
0x
1.
'\q'
"\u12"
for
object.a.b.c(
object.a.b.c(1,
object.a.b.c(1 2)
Foo{a 1}
object.x not in [1]
object.size() > 5 5
true false
object.a ?? 1
object@a
$object.a
object.$a
object.a == 'x' AND object.b
хorоshо == 1
object.a == 'é' =
for.x
object.for
object.all(x, y, x + y + z)
object.map(1, x)
sets.contains([1], [1]) && object.x
-1 + -object.x
!-object.x
!-object
`
