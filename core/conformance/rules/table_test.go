package rules

import (
	"fmt"
	"slices"
	"strings"
)

// A rule is a line of the table.
type rule struct {
	Name string `json:"name"`
	// Schema is that of the value without its rule, and Rule the entry of x-kubernetes-validations.
	Schema string   `json:"schema"`
	Rule   string   `json:"rule"`
	Values []string `json:"values"`
	// Update is set if each value but the first replaces the one before.
	Update bool `json:"update,omitempty"`
	// Definition is the message of a definition that is refused; Answers are the messages of objects, empty for those that
	// pass.
	Definition string   `json:"definition,omitempty"`
	Answers    []string `json:"answers,omitempty"`
}

// The types of values.
const (
	text    = `{"type":"string","maxLength":40}`
	number  = `{"type":"integer"}`
	double  = `{"type":"number"}`
	texts   = `{"type":"array","maxItems":8,"items":{"type":"string","maxLength":20}}`
	numbers = `{"type":"array","maxItems":8,"items":{"type":"integer"}}`
	set     = `{"type":"array","maxItems":8,"x-kubernetes-list-type":"set","items":{"type":"string","maxLength":20}}`
	dict    = `{"type":"object","maxProperties":8,"additionalProperties":{"type":"string","maxLength":20}}`
	pair    = `{"type":"object","properties":{"a":{"type":"integer"},"b":{"type":"integer"},` +
		`"s":{"type":"string","maxLength":20}}}`
	endless = `{"type":"array","items":{"type":"array","items":{"type":"string"}}}`
)

// A family is expressions about a type, one a line, each tried with all values.
type family struct {
	name, schema string
	values       []string
	update       bool
	expressions  string
}

// families are those of CEL itself, of its extensions, of transitions and of costs.
var families = []family{
	{"text", text, []string{`"abc"`, `"Hello, World"`, `""`, `"a1-b2"`}, false, `
self == 'abc'
self != ''
self.size() > 3
size(self) <= 5
self.startsWith('a')
self.endsWith('c')
self.contains('1')
self.matches('^[a-z]+$')
self.matches('[0-9]')
self.charAt(0) == 'a'
self.indexOf('l') == 2
self.indexOf('l', 3) == 3
self.lastIndexOf('o') > 4
self.lowerAscii() == self
self.upperAscii() != self
self.replace('a', 'b') == 'bbc'
self.replace('l', 'L', 1).contains('lo')
self.split(', ').size() == 2
self.split('').size() == 3
self.split('-', 1).size() == 1
self.substring(1) == 'bc'
self.substring(0, 2) == 'ab'
self.trim() == self
self.reverse() == 'cba'
self.find('[0-9]+') == '1'
self.findAll('[a-z]').size() == 3
self.findAll('[a-z]', 1).size() == 1
self < 'b'
self + 'x' == 'abcx'
self in ['abc', 'def']
'%s!'.format([self]) == 'abc!'
'%d'.format([self.size()]) == '3'
strings.quote(self) == '"abc"'
self.join() == ''
bytes(self).size() == 3
type(self) == string
dyn(self) == 1
self ? true : false
self.size() > 2 ? self.startsWith('a') : self == ''
!self.contains('z') && (self.size() == 3 || self.size() == 0)
self.size() / self.size() == 1
self.charAt(20) == ''
self.substring(2, 1) == ''
self.matches('[')
self.nope == 1
self == 1
self +
`},
	{"number", number, []string{`3`, `0`, `-7`, `100`}, false, `
self > 0
self >= 0 && self <= 100
self % 2 == 1
self * 2 == 6
self - 3 == 0
self / 2 == 1
10 / self > 1
-self == 7
self == 3 || self == 100
self in [0, 3]
double(self) > 2.5
string(self) == '3'
uint(self) > 2u
int(string(self)) == self
math.abs(self) == 7
self + 9223372036854775807 > 0
[1, 2, 3].exists(x, x == self)
[1, 2, 3].all(x, x != self)
[1, 2, 3].exists_one(x, x == self)
[1, 2, 3].filter(x, x > self).size() == 0
[1, 2, 3].map(x, x * self).sum() == 18
duration(string(self) + 's') > duration('1s')
timestamp(self) < timestamp('2000-01-01T00:00:00Z')
self.size() == 1
self == 3.0
self == '3'
self & 1 == 1
true
false
self > 0 && undefined
`},
	{"double", double, []string{`1.5`, `2`, `-0.25`}, false, `
self > 1.0
self == 2.0
self == 2
int(self) == 1
self * 2.0 == 3.0
string(self) == '1.5'
self / 0.0 > 0.0
self + 1 > 1
self < 0.0 || self > 1.7
`},
	{"texts", texts, []string{`["a","b"]`, `[]`, `["b","a","a"]`, `["1","22"]`}, false, `
self.size() == 2
'a' in self
self.all(x, x.size() == 1)
self.exists(x, x == 'b')
self.exists_one(x, x == 'a')
self.map(x, x + x) == ['aa', 'bb']
self.filter(x, x != 'a').size() == 1
self.map(x, x != 'a', x).size() == 1
self.join('') == 'ab'
self.join() == 'ab'
self.isSorted()
self.min() == 'a'
self.max() == 'b'
self.indexOf('b') == 1
self.lastIndexOf('a') == 2
self[0] == 'a'
self[5] == 'a'
self == ['a', 'b']
self + ['c'] == ['a', 'b', 'c']
sets.contains(self, ['a'])
sets.equivalent(self, ['b', 'a'])
sets.intersects(self, ['a', 'z'])
sets.contains(['a', 'b', 'c'], self)
self.all(i, x, i < 2 || x == 'a')
self.exists(i, x, i == 0 && x == 'b')
self.existsOne(i, x, i >= 0 && x == 'a')
self.transformList(i, x, x + string(i)) == ['a0', 'b1']
self.transformList(i, x, i > 0, x).size() == 1
self.transformMap(i, x, x).size() == 2
self.transformMapEntry(i, x, {x: i}).size() == 2
self.sum() == 0
self.slice(0, 1) == ['a']
self.distinct().size() == 2
self.flatten().size() == 2
self.sort() == ['a', 'b']
lists.range(2) == [0, 1]
self[?0].hasValue()
self[?0].orValue('z') == 'a'
self[?9].orValue('z') == 'z'
[?self[?0]].size() == 1
self.all(x, self.exists(y, x == y))
self.all(x, x)
self.nope()
`},
	{"numbers", numbers, []string{`[1,2,3]`, `[]`, `[3,1]`, `[-1,-1]`}, false, `
self.sum() > 3
self.isSorted()
self.max() == 3
self.min() == 1
self.all(x, x > 0)
self.exists(x, x > 2)
self.map(x, x * x).sum() == 14
self.indexOf(3) == 2
self.filter(x, x % 2 == 1).size() == 2
sets.contains([1, 2, 3], self)
self.all(i, x, x == i + 1)
self == [1, 2, 3]
2 in self
self.join('')
math.greatest(self) == 3
`},
	{"set", set, []string{`["a","b"]`, `["b","a"]`, `["c"]`}, false, `
self == ['a', 'b']
self + ['c'] == ['c', 'a', 'b']
self.all(x, x in ['a', 'b'])
sets.equivalent(self, ['a', 'b'])
self.exists_one(x, x == 'c')
`},
	{"dict", dict, []string{`{"k":"v"}`, `{}`, `{"k":"w","l":"x"}`}, false, `
self.size() == 1
'k' in self
has(self.k)
has(self.l) && self.l == 'x'
self.k == 'v'
self['k'] == 'v'
self.all(k, k.size() == 1)
self.all(k, self[k] != 'w')
self.exists(k, self[k] == 'x')
self.map(k, self[k]).join(',') == 'v'
self.all(k, v, k != v)
self.exists(k, v, k == 'k' && v == 'w')
self.existsOne(k, v, v == 'x')
self.transformMap(k, v, v + v).size() == 1
self.transformList(k, v, k + v) == ['kv']
self.?k.orValue('none') == 'v'
self[?'l'].hasValue()
self.?l.optMap(x, x + 'y').orValue('') == 'xy'
self.?l.value() == 'x'
optional.of('a').hasValue() && self.size() > 0
optional.none().hasValue() || self.size() > 0
{?'x': self.?k}.size() == 1
self == {'k': 'v'}
`},
	{"pair", pair, []string{`{"a":1,"b":2}`, `{"a":2,"b":1,"s":"x"}`, `{}`, `{"s":"abc"}`}, false, `
self.a < self.b
has(self.a)
!has(self.s)
has(self.a) && has(self.b) ? self.a < self.b : true
has(self.s) == has(self.a)
self.?a.orValue(0) < self.?b.orValue(5)
self.?s.orValue('').size() < 2
!has(self.a) || self.a > 0
self.c == 1
has(self.c)
self.a + self.s == ''
self == self
type(self.a) == int
self.a == null
`},
	{"transition of a number", number, []string{`1`, `2`, `2`, `1`}, true, `
self >= oldSelf
self == oldSelf
oldSelf < 2 || self == oldSelf
self - oldSelf < 1
oldSelf.hasValue()
`},
	{"transition of a text", text, []string{`"a"`, `"ab"`, `"b"`}, true, `
self.startsWith(oldSelf)
self == oldSelf
self.size() >= oldSelf.size()
oldSelf in ['a', 'ab']
`},
	{"transition of a pair", pair, []string{`{"a":1}`, `{"a":2,"b":1}`, `{"b":1}`}, true, `
!has(oldSelf.a) || has(self.a)
has(self.b) && !has(oldSelf.b)
self.?a.orValue(0) >= oldSelf.?a.orValue(0)
`},
	{"transition of a set", set, []string{`["a"]`, `["a","b"]`, `["b"]`}, true, `
oldSelf.all(x, x in self)
sets.contains(self, oldSelf)
self.size() >= oldSelf.size()
`},
	{"cost", endless, []string{`[["a"]]`}, false, `
self.all(x, x.size() > 0)
self.all(x, x.all(y, y != ''))
self.all(x, self.all(y, x == y))
self.all(x, x.all(y, self.all(z, z.all(w, w == y))))
self.map(x, x.join('')).join('') == 'a'
self.all(x, x.all(y, y.matches('^a+$')))
`},
	{"cost of texts", `{"type":"array","items":{"type":"string"}}`, []string{`["a"]`}, false, `
self.all(x, x.contains('a'))
self.all(x, self.all(y, x.contains(y)))
self.all(x, x.find('a*b') == '')
sets.contains(self, self)
self.isSorted()
`},
}

// entries are entries of x-kubernetes-validations with more than a rule, one a line, about a pair.
const entries = `
{"rule":"self.a < self.b","message":"a must be less"}
{"rule":"self.a < self.b","messageExpression":"'a is ' + string(self.a)"}
{"rule":"self.a < self.b","message":"m","messageExpression":"'a is ' + string(self.a)"}
{"rule":"self.a < self.b","messageExpression":"self.a"}
{"rule":"self.a < self.b","messageExpression":"self.nope"}
{"rule":"self.a < self.b","messageExpression":"''"}
{"rule":"self.a < self.b","messageExpression":"'a\\nb'"}
{"rule":"self.a < self.b","messageExpression":"'  '"}
{"rule":"self.a < self.b","message":"m","messageExpression":"self.s + '!'"}
{"rule":"self.a < self.b","messageExpression":"self.s.substring(9)"}
{"rule":"self.a < self.b","reason":"FieldValueForbidden"}
{"rule":"self.a < self.b","reason":"FieldValueRequired","fieldPath":".b"}
{"rule":"self.a < self.b","reason":"FieldValueDuplicate","message":"twice"}
{"rule":"self.a < self.b","reason":"FieldValueInvalid","fieldPath":".a"}
{"rule":"self.a < self.b","reason":"Other"}
{"rule":"self.a < self.b","fieldPath":".c"}
{"rule":"self.a < self.b","fieldPath":"a"}
{"rule":"self.a < self.b","fieldPath":"['a']"}
{"rule":"self.a < self.b","fieldPath":""}
{"rule":"self.a < self.b","message":""}
{"rule":"self.a < self.b","message":"two\nlines"}
{"rule":"  "}
{"rule":""}
{"rule":"self.a\n< self.b"}
{"rule":"self.a < oldSelf.a","optionalOldSelf":true}
{"rule":"!oldSelf.hasValue() || self.a >= oldSelf.value().a","optionalOldSelf":true}
{"rule":"self.a > 0","optionalOldSelf":true}
{"rule":"self.a > 0","optionalOldSelf":false}`

// rules makes the table without answers.
func rules() (all []rule) {
	for _, f := range slices.Concat(families, libraries) {
		for i, expression := range strings.Split(strings.TrimSpace(f.expressions), "\n") {
			all = append(all, rule{Name: fmt.Sprintf("%s %d", f.name, i), Schema: f.schema,
				Rule: fmt.Sprintf(`{"rule":%q}`, expression), Values: f.values, Update: f.update})
		}
	}
	for i, entry := range strings.Split(strings.TrimSpace(entries), "\n") {
		all = append(all, rule{Name: fmt.Sprintf("entry %d", i), Schema: pair, Rule: entry,
			Values: []string{`{"a":1,"b":2}`, `{"a":2,"b":1,"s":"x"}`, `{"a":3}`}})
	}
	return all
}
