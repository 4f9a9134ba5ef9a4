package celrules

import (
	"encoding/json"
	"flag"
	"fmt"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"k8s.io/apiextensions-apiserver/pkg/apis/apiextensions/validation"

	"github.com/tabernetes/tabernetes/core/expression/evaluator"
	"github.com/tabernetes/tabernetes/core/object"
)

var definitions = flag.Int("definitions", 40, "how many random definitions with rules are compared")

// A ruled makes schemas with rules at all depths, and objects that match them.
type ruled struct{ *rand.Rand }

func (g ruled) oneIn(n int) bool { return g.IntN(n) == 0 }

func (g ruled) one(all ...string) string { return all[g.IntN(len(all))] }

// rulesOf are rules by the kind of a schema. Those with oldSelf are about changes.
var rulesOf = map[string][]string{
	"string":  {`self.startsWith('a')`, `self.size() < 3`, `self == oldSelf`, `oldSelf != 'b' || self != 'a'`},
	"integer": {`self < 3`, `self % 2 == 0`, `self >= oldSelf`},
	"boolean": {`self`, `self || !oldSelf`},
	"array":   {`self.size() < 2`, `self.size() >= oldSelf.size()`, `self == oldSelf`},
	"map":     {`self.size() < 2`, `'a' in self`, `self.all(k, k in oldSelf)`, `self == oldSelf`},
	"object": {`has(self.a)`, `!has(self.b)`, `!has(oldSelf.a) || has(self.a)`, `self == oldSelf`,
		`has(self.a) == has(self.c)`},
}

// optionalRules are those whose oldSelf is an optional.
var optionalRules = []string{`oldSelf.hasValue()`, `!oldSelf.hasValue() || oldSelf.value() == self`,
	`oldSelf.optMap(o, o == self).orValue(true)`}

// schema makes a schema of some depth. In items of lists that are no maps, here atomic, few rules are about changes:
// there is nothing to compare with, so no definition may have them.
func (g ruled) schema(depth int, atomic bool) map[string]any {
	kind := g.one("string", "integer", "boolean", "array", "map", "object", "object")
	if depth > 3 {
		kind = g.one("string", "integer", "boolean")
	}
	s := map[string]any{"type": kind}
	switch kind {
	case "string":
		s["maxLength"] = 5
	case "array":
		s["maxItems"] = 4
		switch g.IntN(3) {
		case 0:
			s["items"] = g.schema(depth+1, true)
		case 1:
			s["x-kubernetes-list-type"] = "set"
			s["items"] = g.withRules(map[string]any{"type": "string", "maxLength": 5}, "string", true)
		default:
			s["x-kubernetes-list-type"], s["x-kubernetes-list-map-keys"] = "map", []any{"key"}
			properties := g.properties(depth, atomic)
			properties["key"] = map[string]any{"type": "string", "maxLength": 5}
			s["items"] = g.withRules(map[string]any{"type": "object", "required": []any{"key"},
				"properties": properties}, "object", atomic)
		}
	case "map":
		s["type"], s["maxProperties"], s["additionalProperties"] = "object", 4, g.schema(depth+1, atomic)
	case "object":
		if g.oneIn(6) {
			s["x-kubernetes-map-type"] = "atomic" // whose fields have old values all the same
		}
		s["properties"] = g.properties(depth, atomic)
	}
	if g.oneIn(6) {
		s["nullable"] = true
	}
	return g.withRules(s, kind, atomic)
}

func (g ruled) properties(depth int, atomic bool) map[string]any {
	properties := map[string]any{}
	for _, name := range []string{"a", "b", "c"} {
		properties[name] = g.schema(depth+1, atomic)
	}
	return properties
}

// withRules adds rules to a schema of a kind.
func (g ruled) withRules(s map[string]any, kind string, atomic bool) map[string]any {
	var rules []any
	for range g.IntN(3) {
		rule := map[string]any{"rule": g.one(rulesOf[kind]...)}
		if g.oneIn(4) {
			rule["rule"], rule["optionalOldSelf"] = g.one(optionalRules...), true
		}
		if atomic && strings.Contains(rule["rule"].(string), "oldSelf") && !g.oneIn(8) {
			continue
		}
		if g.oneIn(4) {
			rule["message"] = "no"
		}
		if g.oneIn(4) {
			rule["messageExpression"] = g.one(`'so' + ' it is'`, `'none' + ['a'][3]`, `''`)
		}
		if g.oneIn(4) {
			rule["reason"] = g.one("FieldValueInvalid", "FieldValueForbidden", "FieldValueRequired", "FieldValueDuplicate")
		}
		if kind == "object" && g.oneIn(4) {
			rule["fieldPath"] = g.one(".a", ".b", "['c']")
		}
		rules = append(rules, rule)
	}
	if len(rules) > 0 {
		s["x-kubernetes-validations"] = rules
	}
	return s
}

// value makes a value of a schema.
func (g ruled) value(s map[string]any) any {
	if s["nullable"] == true && g.oneIn(4) {
		return nil
	}
	switch s["type"] {
	case "string":
		return g.one("", "a", "b", "ab", "abcd")
	case "integer":
		return int64(g.IntN(6))
	case "boolean":
		return g.oneIn(2)
	case "array":
		list, items := []any{}, s["items"].(map[string]any)
		for _, key := range []string{"x", "y", "z"} {
			if g.oneIn(3) {
				continue
			}
			item := g.value(items)
			switch s["x-kubernetes-list-type"] {
			case "set":
				item = key
			case "map":
				item.(map[string]any)["key"] = key
			}
			list = append(list, item)
		}
		g.Shuffle(len(list), func(i, j int) { list[i], list[j] = list[j], list[i] })
		return list
	}
	m := map[string]any{}
	if more, ok := s["additionalProperties"].(map[string]any); ok {
		for _, key := range []string{"a", "q", "r"} {
			if g.oneIn(2) {
				m[key] = g.value(more)
			}
		}
		return m
	}
	for _, name := range []string{"a", "b", "c"} {
		if !g.oneIn(4) {
			m[name] = g.value(s["properties"].(map[string]any)[name].(map[string]any))
		}
	}
	return m
}

// changed is a copy of a value in which some parts are others.
func (g ruled) changed(s map[string]any, v any) any {
	if v == nil || g.oneIn(8) {
		return g.value(s)
	}
	switch v := v.(type) {
	case []any:
		list := []any{}
		for _, item := range v {
			if g.oneIn(8) {
				continue
			}
			next := g.changed(s["items"].(map[string]any), item)
			if was, ok := item.(map[string]any); ok && was["key"] != nil && next != nil {
				next.(map[string]any)["key"] = was["key"]
			}
			if s["x-kubernetes-list-type"] == "set" {
				next = item
			}
			list = append(list, next)
		}
		if g.oneIn(4) {
			slices.Reverse(list)
		}
		return list
	case map[string]any:
		m := map[string]any{}
		for key, item := range v {
			schema, ok := s["additionalProperties"].(map[string]any)
			if !ok {
				schema, ok = s["properties"].(map[string]any)[key].(map[string]any)
			}
			switch {
			case key == "key":
				m[key] = item
			case ok && !g.oneIn(10):
				m[key] = g.changed(schema, item)
			}
		}
		return m
	}
	return v
}

// TestRatcheting compares what the rules of random definitions say of random updates: which are asked, about what, when
// a part has not changed.
func TestRatcheting(t *testing.T) {
	g := ruled{rand.New(rand.NewPCG(*seed, 7))}
	refused, compared, said, failed := 0, 0, 0, 0
	sorted := func(all []string) string {
		slices.Sort(all)
		return strings.Join(all, "\n")
	}
	for range *definitions {
		spec := map[string]any{"type": "object", "properties": g.properties(0, false)}
		text, err := json.Marshal(map[string]any{"type": "object", "properties": map[string]any{"spec": g.withRules(spec,
			"object", false)}})
		if err != nil {
			t.Fatal(err)
		}
		crd, mine, theirs := definitionOf(t, string(text))
		want := validation.ValidateCustomResourceDefinition(t.Context(), crd)
		var got []string
		for _, e := range (evaluator.Evaluator{}).Check(t.Context(), mine, "spec.validation.openAPIV3Schema", nil) {
			got = append(got, e.Error())
		}
		// Which of equally expensive rules are named depends on the order of a Go map there.
		named := func(e string) bool { return strings.Contains(e, "contributed to estimated rule cost total") }
		expected := slices.DeleteFunc(strings.Split(messages(want), "\n"), named)
		if g, w := normal(sorted(slices.DeleteFunc(got, named))), normal(sorted(expected)); g != w {
			t.Errorf("%s\n got %s\nwant %s", text, g, w)
			failed++
		}
		if len(want) > 0 {
			refused++
			continue
		}
		var was map[string]any
		for range 6 {
			obj := map[string]any{"spec": g.value(spec)}
			if was != nil {
				obj["spec"] = g.changed(spec, was["spec"])
			}
			answers := func() (ours, real string) {
				return sorted(ourErrors(mine, obj, was)),
					sorted(strings.Split(messages(theirErrors(t, theirs, object.DeepCopy(obj), was)), "\n"))
			}
			ours, w := answers()
			// Whether a null that is compared with an object is an error, or another field makes them differ before, depends on
			// the order of a Go map.
			for range 50 {
				if ours == w {
					break
				}
				ours, w = answers()
			}
			if ours != w {
				o, _ := json.Marshal(obj)
				b, _ := json.Marshal(was)
				t.Errorf("%s\nwas %s\nis  %s\n got %s\nwant %s", text, b, o, ours, w)
				failed++
			}
			compared++
			if w != "" {
				said++
			}
			was = obj
		}
		if failed > 5 {
			t.FailNow()
		}
	}
	fmt.Printf("%d definitions, %d refused; %d writes compared, %d of them invalid\n", *definitions, refused, compared,
		said)
	if compared < *definitions || said < compared/4 || said == compared {
		t.Errorf("%d writes, %d invalid: too few of one kind", compared, said)
	}
}
