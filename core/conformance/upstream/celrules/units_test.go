// More than 400 lines: the forms of expressions are one table.

package celrules

import (
	"context"
	"encoding/json"
	"flag"
	"fmt"
	"maps"
	"math"
	"math/rand/v2"
	"reflect"
	"regexp"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/google/cel-go/cel"
	"github.com/google/cel-go/common/types"
	"github.com/google/cel-go/common/types/ref"
	"google.golang.org/protobuf/types/known/structpb"

	admissionv1 "k8s.io/api/admission/v1"
	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/apimachinery/pkg/util/version"
	"k8s.io/apiserver/pkg/admission"
	plugincel "k8s.io/apiserver/pkg/admission/plugin/cel"
	"k8s.io/apiserver/pkg/authentication/user"
	"k8s.io/apiserver/pkg/authorization/authorizer"
	apiservercel "k8s.io/apiserver/pkg/cel"
	"k8s.io/apiserver/pkg/cel/environment"

	"github.com/tabernetes/tabernetes/core/expression"
	"github.com/tabernetes/tabernetes/core/expression/evaluator"
)

var (
	count = flag.Int("expressions", 3000, "how many random expressions are compared")
	seed  = flag.Uint64("seed", 1, "which ones")
)

// anything is an expression that may return anything.
type anything string

func (a anything) GetExpression() string    { return string(a) }
func (a anything) ReturnTypes() []*cel.Type { return []*cel.Type{cel.AnyType} }

// object is the value of the variable of that name.
const unitObject = `{"n":3,"f":2.5,"on":true,"s":"abc-12","l":["b","a","c"],"ns":[3,1,2],"m":{"k":"v","x":"y"},` +
	`"none":null}`

// A generator makes random expressions of a type.
type generator struct{ *rand.Rand }

func (g generator) one(all ...string) string { return all[g.IntN(len(all))] }

// text makes an expression of a type, up to a depth: b, i, d, s, l (of texts), n (of numbers), ip, cidr, q, url, v
// (semver), f (format), t (timestamp), u (duration), y (dyn).
func (g generator) text(t string, depth int) string {
	if depth <= 0 {
		return g.one(leaves[t]...)
	}
	return hole.ReplaceAllStringFunc(g.form(t), func(h string) string { return g.text(strings.Trim(h, "«»"), depth-1) })
}

// hole is where an expression of a type belongs in a form. What is not chosen is so not made.
var hole = regexp.MustCompile("«[a-z]+»")

// form chooses a form of expressions of a type.
func (g generator) form(t string) string {
	e := func(t string) string { return "«" + t + "»" }
	if g.IntN(60) == 0 { // of another type, which may not compile
		t = g.one("b", "i", "d", "s", "l", "n", "ip", "cidr", "q", "url", "v", "f", "t", "u", "y")
	}
	switch t {
	case "b":
		return g.one(
			"("+e("i")+g.one(" < ", " == ", " >= ", " != ")+e("i")+")", "("+e("s")+" == "+e("s")+")",
			"("+e("b")+g.one(" && ", " || ")+e("b")+")", "!"+e("b"), "("+e("q")+" == "+e("q")+")",
			"("+e("ip")+" == "+e("ip")+")", "("+e("cidr")+" == "+e("cidr")+")", "("+e("v")+" == "+e("v")+")",
			"("+e("url")+" == "+e("url")+")", "("+e("l")+" == "+e("l")+")", "("+e("f")+" == "+e("f")+")",
			e("s")+"."+g.one("startsWith", "contains", "endsWith")+"("+e("s")+")", e("s")+".matches('"+g.one("a+",
				"^[a-z]*$", "(", "x{2}")+"')",
			e("l")+".isSorted()", e("n")+".isSorted()", "("+e("s")+" in "+e("l")+")",
			"isIP("+e("s")+")", "isCIDR("+e("s")+")", "isURL("+e("s")+")", "isQuantity("+e("s")+")", "isSemver("+e("s")+")",
			"ip.isCanonical("+e("s")+")", e("ip")+"."+g.one("isLoopback", "isUnspecified", "isGlobalUnicast",
				"isLinkLocalUnicast")+"()",
			e("cidr")+".containsIP("+g.one(e("ip"), e("s"))+")", e("cidr")+".containsCIDR("+g.one(e("cidr"), e("s"))+")",
			e("q")+"."+g.one("isGreaterThan", "isLessThan")+"("+e("q")+")", e("q")+".isInteger()",
			e("v")+"."+g.one("isGreaterThan", "isLessThan")+"("+e("v")+")", e("f")+".validate("+e("s")+").hasValue()",
			e("l")+"."+g.one("all", "exists", "exists_one")+"(x, x "+g.one("==", "!=", "<")+" "+e("s")+")",
			"sets."+g.one("contains", "intersects", "equivalent")+"("+e("l")+", "+e("l")+")", "has(object."+g.one("n", "zzz",
				"none")+")",
			e("n")+".all(i, v, v > i)", "("+e("t")+" < "+e("t")+")", "("+e("u")+" == "+e("u")+")", "("+e("y")+" == "+e("y")+")",
			"authorizer.group("+e("s")+").resource("+e("s")+").namespace("+e("s")+").check("+e("s")+").allowed()",
			"authorizer.path("+e("s")+").check('get').allowed()", "authorizer.requestResource.labelSelector("+e("s")+
				").check('get').errored()")
	case "i":
		return g.one("("+e("i")+g.one(" + ", " - ", " * ", " / ", " % ")+e("i")+")", "size("+g.one(e("s"), e("l"),
			e("n"))+")",
			e("l")+"."+g.one("indexOf", "lastIndexOf")+"("+e("s")+")", e("s")+".indexOf("+e("s")+")",
			e("n")+"."+g.one("sum", "max", "min")+"()", e("ip")+".family()", e("cidr")+".prefixLength()", "int("+
				g.one(e("s"), e("d"))+")",
			e("q")+"."+g.one("asInteger", "sign")+"()", "sign("+e("q")+")", e("q")+".compareTo("+e("q")+")", e("v")+
				".compareTo("+e("v")+")",
			e("v")+"."+g.one("major", "minor", "patch")+"()", "("+e("b")+" ? "+e("i")+" : "+e("i")+")", e("n")+"["+e("i")+"]",
			e("t")+"."+g.one("getHours", "getFullYear", "getDayOfWeek")+"()")
	case "d":
		return g.one("("+e("d")+g.one(" + ", " / ", " * ")+e("d")+")", "double("+e("i")+")", e("q")+".asApproximateFloat()")
	case "s":
		return g.one("("+e("s")+" + "+e("s")+")", e("s")+"."+g.one("lowerAscii", "upperAscii", "trim")+"()",
			e("s")+".replace("+e("s")+", "+e("s")+")", e("s")+".substring("+e("i")+")", e("s")+".charAt("+e("i")+")",
			e("l")+".join("+e("s")+")", e("l")+".join()", e("l")+"."+g.one("max", "min")+"()", e("s")+".find("+e("s")+")",
			"string("+g.one(e("i"), e("d"), e("b"), e("ip"), e("cidr"), e("t"), e("u"))+")", "("+e("b")+" ? "+e("s")+" : "+
				e("s")+")",
			e("l")+"["+e("i")+"]", e("url")+"."+g.one("getScheme", "getHost", "getHostname", "getPort", "getEscapedPath")+"()",
			"jsonpatch.escapeKey("+e("s")+")", "'%s-%d'.format(["+e("s")+", "+e("i")+"])",
			"authorizer.requestResource.check("+e("s")+").reason()", "object.m["+e("s")+"]")
	case "l":
		return g.one("["+e("s")+", "+e("s")+"]", "("+e("l")+" + "+e("l")+")", e("l")+".filter(x, x != "+e("s")+")",
			e("l")+".map(x, x + "+e("s")+")", e("s")+".split("+e("s")+")", e("s")+".findAll("+e("s")+")", e("l")+".sort()",
			e("l")+".distinct()", e("l")+".slice(0, "+e("i")+")", "object.m.map(k, k).sort()", e("f")+".validate("+e("s")+
				").orValue([])",
			e("url")+".getQuery()['q']", e("l")+".reverse()", "{"+e("s")+": 1}.map(k, k)")
	case "n":
		return g.one("["+e("i")+", "+e("i")+"]", e("n")+".map(x, x * "+e("i")+")", "("+e("n")+" + "+e("n")+")", e("n")+
			".sort()",
			"lists.range("+g.one("0", "3", "("+e("i")+") % 100")+")", "[["+e("i")+"], "+e("n")+"].flatten()")
	case "ip":
		return g.one("ip("+e("s")+")", e("cidr")+".ip()")
	case "cidr":
		return g.one("cidr("+e("s")+")", e("cidr")+".masked()")
	case "q":
		return g.one("quantity("+e("s")+")", e("q")+"."+g.one("add", "sub")+"("+g.one(e("q"), e("i"))+")")
	case "t":
		return "(" + e("t") + g.one(" + ", " - ") + e("u") + ")"
	case "u":
		return g.one("("+e("u")+" + "+e("u")+")", "("+e("t")+" - "+e("t")+")")
	case "y":
		return g.one("object."+g.one("n", "s", "l", "m", "zzz", "?zzz", "none"), "dyn("+e(g.one("i", "s", "b", "d"))+")",
			"request."+g.one("name", "operation", "options", "zzz"), "variables."+g.one("a", "b", "zzz"),
			"Object{a: "+e("i")+", ?b: object.?s}", "type("+e(g.one("i", "ip", "q", "l", "b"))+")", "JSONPatch{op: "+e("s")+
				", value: "+e("y")+"}")
	}
	return g.one(leaves[t]...)
}

// leaves are the shortest expressions of each type.
var leaves = map[string][]string{
	"b": {"true", "false", "object.on", "variables.b"}, "i": {"0", "1", "-2", "7", "object.n", "variables.a"},
	"d": {"0.0", "1.5", "-2.25", "object.f"},
	"s": {"''", "'a'", "'abc'", "'10.0.0.1'", "'::1'", "'10.0.0.0/8'", "'1.2.3'", "'v1.2'", "'100m'", "'1Gi'",
		"'https://h:80/p?q=1'",
		"'2026-01-01T00:00:00Z'", "'12'", "'é~/'", "','", "'a,b'", "object.s", "namespaceObject.metadata.name"},
	"l": {"[]", "['a']", "['b', 'a', 'c']", "object.l"}, "n": {"[]", "[1]", "[3, 1, 2]", "object.ns"},
	"ip": {"ip('10.0.0.1')", "ip('::1')", "ip('192.168.0.255')"}, "cidr": {"cidr('10.0.0.0/8')", "cidr('fd00::/16')",
		"cidr('10.1.2.3/24')"},
	"q":   {"quantity('1')", "quantity('100m')", "quantity('1Gi')", "quantity('-2.5k')"},
	"url": {"url('https://h:80/p?q=1&q=2')", "url('/a/b%20c')", "url('http://[::1]:8080/')"},
	"v":   {"semver('1.2.3')", "semver('1.10.0-rc.1')", "semver('v1.2', true)"},
	"f": {"format.dns1123Label()", "format.uuid()", "format.date()", "format.qualifiedName()", "format.byte()",
		"format.uri()"},
	"t": {"timestamp('2026-01-01T00:00:00Z')", "timestamp('2020-02-29T23:59:59Z')"}, "u": {"duration('1h')",
		"duration('90s')"},
	"y": {"dyn(1)", "null", "object"},
}

// comparison compiles expressions as the real server does, and as ours does.
type comparison struct {
	real    *plugincel.CompositedCompiler
	options plugincel.OptionalVariableDeclarations
	// How many expressions compiled and did not, and of how many the evaluation exceeded a limit.
	compiled, refused, over int
}

func newComparison(t testing.TB) *comparison {
	composed, err := plugincel.NewCompositedCompiler(environment.MustBaseEnvSet(version.MajorMinor(1, 36)))
	if err != nil {
		t.Fatal(err)
	}
	options := plugincel.OptionalVariableDeclarations{HasParams: true, HasAuthorizer: true, HasPatchTypes: true}
	for _, v := range variables {
		composed.CompileAndStoreVariable(named{v.Name, v.Expression}, options, environment.StoredExpressions)
	}
	return &comparison{real: composed, options: options}
}

// variables are what expressions may refer to.
var variables = []expression.Variable{
	{Name: "a", Expression: "object.n + 1"}, {Name: "b", Expression: "object.on && object.n > 2"},
}

// budget is what an expression may cost.
const budget = 10_000_000

// compare reports whether an expression compiles with the same message or none, and evaluates to the same value or
// error at the same cost.
func (c *comparison) compare(t testing.TB, text string) bool {
	t.Helper()
	want := c.real.CompileCELExpression(anything(text), c.options, environment.StoredExpressions)
	u := &expression.Unit{Params: true, Authorizer: true, Patches: true,
		Expressions: []expression.Expression{{Text: text}}, Variables: variables}
	got, problems, err := evaluator.Evaluator{}.CompileUnit(t.Context(), u)
	if err != nil {
		t.Fatal(err)
	}
	message := ""
	if want.Error != nil {
		message = want.Error.Detail
	}
	mine := ""
	if len(problems) > 0 {
		mine = problems[0].Message
	}
	switch {
	case message != mine:
		t.Errorf("%s: compiles to\n%s\nwant\n%s", text, mine, message)
		return false
	case message != "":
		c.refused++
		return true
	}
	c.compiled++
	results, left, err := got.Evaluate(t.Context(), []int{0}, unitInput(t), budget)
	if err != nil {
		t.Fatal(err)
	}
	wantResult, wantLeft := evaluateReal(t, c.real, text, c.options)
	if wantLeft < 0 || strings.Contains(wantResult.Error, "cost limit") {
		c.over++
	}
	if strings.Contains(text, "JSONPatch{") || hides(wantResult.Value) {
		wantResult.Value, results[0].Value = nil, nil
	}
	if results[0].Error != wantResult.Error || !reflect.DeepEqual(results[0].Value, wantResult.Value) || left != wantLeft {
		t.Errorf("%s:\n%#v %s, cost %d\nwant\n%#v %s, cost %d", text, results[0].Value, results[0].Error, budget-left,
			wantResult.Value, wantResult.Error, budget-wantLeft)
		return false
	}
	return true
}

// kinds are what random expressions return.
var kinds = []string{"b", "b", "i", "s", "l", "n", "d", "y"}

// longest is how many bytes a random expression may have.
const longest = 4000

// TestUnits compares random expressions in the environment of admission: whether they compile, and what they return and
// cost.
func TestUnits(t *testing.T) {
	c := newComparison(t)
	g := generator{rand.New(rand.NewPCG(*seed, 1))}
	different := 0
	for i := range *count {
		text := g.text(kinds[i%len(kinds)], 1+g.IntN(4))
		if len(text) > longest || c.compare(t, text) {
			continue
		}
		if different++; different > 40 {
			t.Fatal("and so on, after", i)
		}
	}
	t.Logf("%d expressions: %d compile, %d do not, %d over a limit, %d differ", *count, c.compiled, c.refused, c.over,
		different)
}

// FuzzUnits is TestUnits with expressions that the fuzzer's numbers choose.
func FuzzUnits(f *testing.F) {
	c := newComparison(f)
	for i := range kinds {
		f.Add(uint64(i), uint8(i))
	}
	f.Fuzz(func(t *testing.T, seed uint64, kind uint8) {
		g := generator{rand.New(rand.NewPCG(seed, 2))}
		if text := g.text(kinds[int(kind)%len(kinds)], 1+g.IntN(4)); len(text) <= longest {
			c.compare(t, text)
		}
	})
}

type named struct{ name, text string }

func (n named) GetName() string          { return n.name }
func (n named) GetExpression() string    { return n.text }
func (n named) ReturnTypes() []*cel.Type { return []*cel.Type{cel.AnyType, cel.DynType} }

// unitRequest is the request of all evaluations.
var unitRequest = &admissionv1.AdmissionRequest{Name: "web", Namespace: "shop", Operation: "CREATE",
	RequestResource: &metav1.GroupVersionResource{Group: "apps", Version: "v1", Resource: "deployments"}}

func unitInput(t testing.TB) *expression.Input {
	request, err := runtime.DefaultUnstructuredConverter.ToUnstructured(unitRequest)
	if err != nil {
		t.Fatal(err)
	}
	namespace, err := runtime.DefaultUnstructuredConverter.ToUnstructured(unitNamespace)
	if err != nil {
		t.Fatal(err)
	}
	return &expression.Input{Object: tree(t, unitObject), Params: tree(t, `{"p":1}`), NamespaceObject: namespace,
		Request: request, Authorize: decide}
}

var unitNamespace = &corev1.Namespace{ObjectMeta: metav1.ObjectMeta{Name: "shop"}}

// decide answers by the question alone, but for selectors.
func decide(q expression.Question) expression.Decision {
	q.FieldSelector, q.LabelSelector = "", ""
	text, _ := json.Marshal(q)
	return expression.Decision{Allowed: len(text)%2 == 0, Reason: fmt.Sprint(len(text))}
}

type deciding struct{}

func (deciding) Authorize(_ context.Context, a authorizer.Attributes) (authorizer.Decision, string, error) {
	d := decide(expression.Question{Path: a.GetPath(), Group: a.GetAPIGroup(), Resource: a.GetResource(),
		Subresource: a.GetSubresource(), Namespace: a.GetNamespace(), Name: a.GetName(), Verb: a.GetVerb()})
	if d.Allowed {
		return authorizer.DecisionAllow, d.Reason, nil
	}
	return authorizer.DecisionNoOpinion, d.Reason, nil
}

// evaluateReal evaluates an expression as the real server's plugins do.
func evaluateReal(t testing.TB, compiler *plugincel.CompositedCompiler, text string,
	o plugincel.OptionalVariableDeclarations) (
	expression.Result, int64) {
	evaluator := compiler.CompileCondition([]plugincel.ExpressionAccessor{anything(text)}, o,
		environment.StoredExpressions)
	attributes := admission.NewAttributesRecord(nil, nil, schema.GroupVersionKind{}, "shop", "web",
		schema.GroupVersionResource{Group: "apps", Version: "v1", Resource: "deployments"}, "", admission.Create, nil, false,
		&user.DefaultInfo{Name: "ann"})
	versioned := &admission.VersionedAttributes{Attributes: attributes,
		VersionedObject: &unstructured.Unstructured{Object: tree(t, unitObject)}}
	results, left, err := evaluator.ForInput(t.Context(), versioned, unitRequest, plugincel.OptionalVariableBindings{
		VersionedParams: &unstructured.Unstructured{Object: tree(t, `{"p":1}`)}, Authorizer: deciding{}}, unitNamespace,
		budget)
	switch {
	case err != nil:
		return expression.Result{Error: err.Error()}, left
	case results[0].Error != nil:
		return expression.Result{Error: results[0].Error.Error()}, left
	}
	return expression.Result{Value: plainOf(results[0].EvalResult)}, left
}

// hidden stands for a value of the implementation's own, which nobody can see.
type hidden struct{}

// hides reports whether such a value is in a tree.
func hides(v any) bool {
	switch v := v.(type) {
	case hidden:
		return true
	case []any:
		return slices.ContainsFunc(v, hides)
	case map[string]any:
		return slices.ContainsFunc(slices.Collect(maps.Values(v)), hides)
	}
	return false
}

// plainOf returns a value as a tree.
func plainOf(v any) any {
	switch v := v.(type) {
	case structpb.NullValue:
		return nil
	case *types.Optional:
		if !v.HasValue() {
			return nil
		}
		return plainOf(v.GetValue())
	case uint64:
		return int64(v)
	case float64:
		if math.IsInf(v, 0) || math.IsNaN(v) {
			return fmt.Sprint(v)
		}
		return v
	case nil, bool, string, int64:
		return v
	case *types.Type:
		return v.TypeName()
	case apiservercel.Quantity, *apiservercel.Quantity, apiservercel.Semver, apiservercel.URL,
		apiservercel.Format, *apiservercel.Format:
		return hidden{}
	case ref.Val:
		if value := v.Value(); reflect.TypeOf(value) != reflect.TypeOf(v) {
			return plainOf(value)
		}
		return fmt.Sprint(v)
	case []any:
		return plainsOf(v)
	case []string:
		return plainsOf(v)
	case []ref.Val:
		return plainsOf(v)
	case map[string]any:
		all := map[string]any{}
		for name, item := range v {
			all[name] = plainOf(item)
		}
		return all
	case map[ref.Val]ref.Val:
		all := map[string]any{}
		for name, item := range v {
			all[fmt.Sprint(name.Value())] = plainOf(item)
		}
		return all
	case time.Time, time.Duration:
		return fmt.Sprint(v)
	}
	if kind := reflect.TypeOf(v).Kind(); kind == reflect.Struct || kind == reflect.Pointer {
		return hidden{}
	}
	return fmt.Sprint(v)
}

func plainsOf[T any](list []T) any {
	all := make([]any, len(list))
	for i, item := range list {
		all[i] = plainOf(item)
	}
	return all
}
