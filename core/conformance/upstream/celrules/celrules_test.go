// Package celrules compares what this project reports about CEL rules with what apiextensions-apiserver
// reports.
package celrules

import (
	"encoding/json"
	"regexp"
	"strings"
	"testing"

	"k8s.io/apiextensions-apiserver/pkg/apis/apiextensions"
	v1 "k8s.io/apiextensions-apiserver/pkg/apis/apiextensions/v1"
	"k8s.io/apiextensions-apiserver/pkg/apis/apiextensions/validation"
	"k8s.io/apiextensions-apiserver/pkg/apiserver/schema"
	"k8s.io/apiextensions-apiserver/pkg/apiserver/schema/cel"
	"k8s.io/apiextensions-apiserver/pkg/apiserver/schema/cel/model"
	"k8s.io/apimachinery/pkg/util/validation/field"
	celconfig "k8s.io/apiserver/pkg/apis/cel"
	"k8s.io/apiserver/pkg/cel/common"

	"github.com/tabernetes/tabernetes/core/expression/evaluator"
	"github.com/tabernetes/tabernetes/core/expression/syntax"
	"github.com/tabernetes/tabernetes/core/internal/structural"
	"github.com/tabernetes/tabernetes/core/object/objecttest"
)

// tree reads an object in JSON.
var tree = objecttest.Parse

// selfType matches the names that the real server makes for types, with a number.
var selfType = regexp.MustCompile(`selfType\d*`)

func normal(s string) string { return selfType.ReplaceAllString(s, "selfType") }

const fields = `"n":{"type":"integer"},"m":{"type":"integer"},"f":{"type":"number"},"on":{"type":"boolean"},
	"name":{"type":"string","maxLength":60},"long":{"type":"string"},
	"b":{"type":"string","format":"byte"},"color":{"type":"string","enum":["red","green"]},
	"for":{"type":"string","maxLength":10},"a-b":{"type":"string","maxLength":10},
	"port":{"x-kubernetes-int-or-string":true},
	"any":{"type":"object","x-kubernetes-preserve-unknown-fields":true},
	"when":{"type":"string","format":"date-time"},"took":{"type":"string","format":"duration"},
	"texts":{"type":"array","maxItems":10,"items":{"type":"string","maxLength":20}},
	"ns":{"type":"array","maxItems":10,"items":{"type":"integer"}},
	"endless":{"type":"array","items":{"type":"string"}},
	"maps":{"type":"object","additionalProperties":{"type":"array","items":{"type":"integer"}}},
	"set":{"type":"array","maxItems":10,"x-kubernetes-list-type":"set","items":{"type":"string","maxLength":20}},
	"map":{"type":"object","maxProperties":10,"additionalProperties":{"type":"string","maxLength":20}},
	"items":{"type":"array","maxItems":10,"x-kubernetes-list-type":"map","x-kubernetes-list-map-keys":["name"],
		"items":{"type":"object","required":["name"],
		"properties":{"name":{"type":"string","maxLength":10},"n":{"type":"integer"}}}}`

const full = `{"apiVersion":"a/v1","kind":"K","metadata":{"name":"x"},"spec":{"n":3,"m":4,"f":2,"on":true,
	"name":"abc-12","b":"YWI=","for":"x","a-b":"y","port":"80","long":"a b",
	"any":{"x":[1]},"when":"2026-11-20T12:00:00Z","took":"1h",
	"texts":["a","b","c"],"ns":[1,2,2],"set":["a","b"],"map":{"k":"v"},
	"items":[{"name":"i","n":1},{"name":"j","n":2}],"endless":["x"]}}`

// expressions are about the spec; each is tried as a rule and as a message.
const expressions = `self.n > 3
self.n > 3 && self.m < 2
self.n >
self.x
self.n + 1
self.name
self.name + self.color + self.long
string(self.n) + ' is too few'
'a' + string(self.f) + string(self.on)
self.endless.all(e, e.size() > 2)
self.endless.all(e, self.endless.all(f, e != f))
self.endless.exists_one(e, e == self.name)
self.endless.map(e, e + 'x').size() < 3
self.texts.map(e, e + 'x').join(',')
self.endless.join('')
self.texts.all(e, self.endless.exists(f, f == e))
self.maps.all(k, self.maps[k].all(i, i > 0))
self.maps.all(k, v, v.sum() > 3)
self.texts.isSorted() && self.ns.isSorted() && self.ns.sum() > 100
self.texts.max() == self.texts.min() || self.texts.indexOf('q') > 2 || self.ns.lastIndexOf(2) == 0
self.name.lowerAscii().replace('-', '').split('')[0] == 'b'
self.name.replace('', 'abc').size() > 100
self.long.replace('a', 'bb').contains('c')
self.long.split(' ').size() == 7
self.long.lowerAscii().trim().substring(1) == 'x'
self.long.matches('^[a-z]+$')
self.long.find('[0-9]+') == '1'
self.name.findAll('[0-9]').size() > 5
self.long.findAll('[0-9]', 3).size() > 5
url(self.long).getHost() == 'a'
isURL(self.long)
ip(self.name).family() == 4
isIP(self.name) || isCIDR(self.name)
ip('1.2.3.4') == ip('1.2.3.5')
cidr('10.0.0.0/8').containsIP(self.name)
cidr('10.0.0.0/8').containsCIDR('11.0.0.0/8')
cidr('10.0.0.0/99').prefixLength() > 3
quantity(self.name).isGreaterThan(quantity('1'))
quantity('1k').add(quantity('1')).asInteger() == 1
isQuantity(self.name)
format.dns1123Label().validate(self.name).hasValue()
format.named('dns1123Label').value().validate('A').value().size() == 0
self == oldSelf
oldSelf.n <= self.n
self.set == ['x']
self.set + self.set == self.texts
self.items.all(i, i.n < 0)
self.items.filter(i, i.name == 'i').size() == 9
self.items[0].name == self.for
self.__for__ == self.a__dash__b
type(self.port) == int
self.port > 3
self.any == self.any && has(self.n) && !has(self.m)
self.any.x == 1
self.when.getFullYear() == 2020
self.when - self.when > duration('1h')
self.took > duration('2h')
timestamp('x') < self.when
self.b == b'xx'
size(self.b) > 100
self.?n.orValue(1) == 9
self.map.?k.orValue('') == 'w'
self.map.exists(k, k.startsWith('z')) || self.map['q'] == 'x'
self.map.size() + self.texts.size() > 100
self.n / 0 == 1
1 in self.ns && 5 in self.ns
self.ns[7] == 1
'%d of %s'.format([self.n, self.name]) == ''
'%d of %s'.format([self.n, self.long])
[1, 'a'].size() == 2
duration('x') == self.took
sets.contains(self.texts, ['z'])
self.texts.sort() == self.set || self.ns.distinct().size() == 1
lists.range(3).size() == 4
dyn(self.n) == 'a'
self.on ? 'yes' : 'no'
self.n == 3.0 && self.f == 3
semver(self.name).major() > 100
semver('1.2').minor() == 1
semver('01.2.3').patch() == 1
semver('1.2.3-').patch() == 1
semver('1.2.3-01').patch() == 1
semver('1.2.3+a.!').patch() == 1
semver('1.2-a', true).patch() == 1
semver('1.2.3-a.1').compareTo(semver('1.2.3-a.b')) > 5
semver('v1.02', true) == semver('1.2.1')
isSemver(self.name) || isSemver('1', false)
cidr('10.0.0.0/8').containsCIDR(self.name)
cidr('::ffff:1.2.3.4/128') == cidr('10.0.0.0/8')
ip('1.2.3.4%a').isLoopback()
ip('::ffff:1.2.3.4').isLoopback()
isQuantity('1e1000') && isQuantity('')
quantity('1e99').isGreaterThan(quantity('1E')) == false
format.named(self.name).hasValue()
format.uri().validate(self.name).value() == []
format.qualifiedName().validate('a/b/c').value() == []
format.dns1035LabelPrefix().validate('1-').value() == []
format.byte().validate('?').value() == []
self.when.getDayOfYear() == 1 || self.took.getHours() > 99
optional.of(self.n).value() == 9
self.items.map(i, i.name).isSorted() && self.items.map(i, i.n).max() > 7
self.items.exists(i, i.name.matches(self.long))
self.maps.exists(k, k == self.long) || self.any.size() > 3
self.texts.filter(t, t.find('[a-z]+') == 'q').size() == 1
self.endless.all(e, isIP(e) || isURL(e))
self.endless.all(e, quantity(e).sign() > 0)
self.texts.all(t, !format.dns1123Label().validate(t).hasValue()) == false`

// definition returns a definition whose spec has the rules.
func definition(t testing.TB, rule string) (*apiextensions.CustomResourceDefinition, *structural.Schema,
	*schema.Structural) {
	return definitionOf(t, `{"type":"object","properties":{"spec":{"type":"object","x-kubernetes-validations":[`+rule+
		`],"properties":{`+fields+`}}}}`)
}

// definitionOf returns a definition with a schema, and the schema as both servers have it.
func definitionOf(t testing.TB, text string) (*apiextensions.CustomResourceDefinition, *structural.Schema,
	*schema.Structural) {
	var props v1.JSONSchemaProps
	if err := json.Unmarshal([]byte(text), &props); err != nil {
		t.Fatal(err)
	}
	crd := &v1.CustomResourceDefinition{}
	crd.Name = "ks.example.com"
	crd.Spec = v1.CustomResourceDefinitionSpec{
		Group: "example.com", Scope: v1.NamespaceScoped,
		Names:      v1.CustomResourceDefinitionNames{Plural: "ks", Singular: "k", Kind: "K", ListKind: "KList"},
		Conversion: &v1.CustomResourceConversion{Strategy: v1.NoneConverter},
		Versions: []v1.CustomResourceDefinitionVersion{{Name: "v1", Served: true, Storage: true,
			Schema: &v1.CustomResourceValidation{OpenAPIV3Schema: &props}}},
	}
	crd.Status.StoredVersions = []string{"v1"}
	internal := &apiextensions.CustomResourceDefinition{}
	if err := v1.Convert_v1_CustomResourceDefinition_To_apiextensions_CustomResourceDefinition(crd, internal,
		nil); err != nil {
		t.Fatal(err)
	}
	validation := internal.Spec.Validation
	if validation == nil {
		validation = internal.Spec.Versions[0].Schema
	}
	s, err := schema.NewStructural(validation.OpenAPIV3Schema)
	if err != nil {
		t.Fatal(err)
	}
	return internal, structural.Parse(tree(t, text)), s
}

func messages(errs field.ErrorList) string {
	var all []string
	for _, e := range errs {
		all = append(all, e.Error())
	}
	return strings.Join(all, "\n")
}

func TestCompare(t *testing.T) {
	for _, expr := range strings.Split(expressions, "\n") {
		quoted, _ := json.Marshal(expr)
		for _, rule := range []string{`{"rule":` + string(quoted) + `}`, `{"rule":"self.n > 3","messageExpression":` +
			string(quoted) + `}`} {
			crd, mine, theirs := definition(t, rule)
			want := messages(validation.ValidateCustomResourceDefinition(t.Context(), crd))
			var got []string
			for _, e := range (evaluator.Evaluator{}).Check(t.Context(), mine, "spec.validation.openAPIV3Schema", nil) {
				got = append(got, e.Error())
			}
			if err := syntax.ScopeOf("self", "oldSelf").Check(expr); err != nil && !strings.Contains(want, "ERROR") {
				t.Errorf("%s: the syntax says %v", expr, err)
			}
			if g := strings.Join(got, "\n"); normal(g) != normal(want) {
				t.Errorf("%s\n got %s\nwant %s", rule, g, want)
				continue
			}
			if want != "" {
				continue
			}
			for _, old := range []string{"", full, strings.Replace(full, `"n":3`, `"n":2`, 1)} {
				obj, was := tree(t, full), tree(t, old)
				wanted := messages(theirErrors(t, theirs, obj, was))
				if g := strings.Join(ourErrors(mine, obj, was), "\n"); g != wanted {
					t.Errorf("%s of %.10q\n got %s\nwant %s", rule, old, g, wanted)
				}
			}
		}
	}
}

// theirErrors returns what the rules of a schema say of an object that is written, over an older one unless that is
// nil.
func theirErrors(t testing.TB, s *schema.Structural, obj, was map[string]any) field.ErrorList {
	var old any
	var options []cel.Option
	if was != nil {
		old = was
		options = append(options, cel.WithRatcheting(common.NewCorrelatedObject(obj, old,
			&model.Structural{Structural: s})))
	}
	errs, _ := cel.NewValidator(s, true, celconfig.PerCallLimit).Validate(t.Context(), nil, s, obj, old,
		celconfig.RuntimeCELCostBudget, options...)
	return errs
}

// ourErrors returns the same by this project.
func ourErrors(s *structural.Schema, obj, was map[string]any) (all []string) {
	errs, _ := evaluator.Evaluator{}.Compile(s, "").Validate(obj, was, nil)
	for _, e := range errs {
		all = append(all, e.Error())
	}
	return all
}
