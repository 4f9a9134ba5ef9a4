package rule

import (
	"testing"

	"github.com/tabernetes/tabernetes/core/field"
)

// lower is a form for tests: lower-case letters.
func lower(text string) (wrong []string) {
	for _, r := range text {
		if r < 'a' || r > 'z' {
			return []string{"must be in small letters", "must not be loud"}
		}
	}
	return nil
}

// Each combinator is tested by itself: with values, their violations, and what is checked after
// them.
func TestCombinators(t *testing.T) {
	const loud = `f: Invalid value: "A": must be in small letters; f: Invalid value: "A": must not be loud`
	list := func(entries ...any) []any { return entries }
	obj := func(key string, v any) map[string]any { return map[string]any{key: v} }
	for _, c := range []struct {
		name  string
		rule  Rule
		value any
		want  string
		next  next
	}{
		{"Required: a text", Required{}, "a", "", goOn},
		{"Required: zero", Required{}, int64(0), "", goOn},
		{"Required: an object without fields", Required{}, obj("a", nil), "", goOn},
		{"Required: nothing", Required{}, nil, "f: Required value", endAll},
		{"Required: no text", Required{Detail: "why"}, "", "f: Required value: why", endAll},
		{"Required: no entries", Required{First: true}, list(), "f: Required value", endBoth},
		{"Present: no text", Present{}, "", "", goOn},
		{"Present: nothing", Present{Detail: "why"}, nil, "f: Required value: why", endAll},
		{"IfSet: no text", IfSet{}, "", "", goOn},
		{"IfSet: nothing", IfSet{}, nil, "", endAll},
		{"IfNotEmpty: false", IfNotEmpty{}, false, "", goOn},
		{"IfNotEmpty: no text", IfNotEmpty{}, "", "", endAll},
		{"IfNotEmpty: no entries", IfNotEmpty{}, list(), "", endAll},
		{"IfNotEmpty: nothing", IfNotEmpty{}, nil, "", endAll},

		{"OneOf: one", OneOf{"b", "a"}, "a", "", goOn},
		{"OneOf: another", OneOf{"b", "a"}, "A", `f: Unsupported value: "A": supported values: "b", "a"`, goOn},
		{"OneOf: nothing", OneOf{"a"}, nil, `f: Unsupported value: "": supported values: "a"`, goOn},
		{"Form: good", Form(lower), "a", "", goOn},
		{"Form: wrong", Form(lower), "A", loud, goOn},
		{"MaxBytes: as many", MaxBytes(2), "ab", "", goOn},
		{"MaxBytes: more", MaxBytes(1), "ä", "f: Too long: may not be more than 1 byte", goOn},
		{"Range: the least", Range{Min: 1, Max: 3}, int64(1), "", goOn},
		{"Range: the most", Range{Min: 1, Max: 3}, int64(3), "", goOn},
		{"Range: less", Range{Min: 1, Max: 3}, int64(0),
			"f: Invalid value: 0: must be between 1 and 3, inclusive", goOn},
		{"Range: more", Range{Max: 3, From: 1}, int64(4),
			"f: Invalid value: 4: must be between 1 and 3, inclusive", goOn},
		{"Range: nothing is 0", Range{Max: 3, From: 1}, nil, "", goOn},
		{"AtLeast: as much", AtLeast{Min: 1, Detail: "why"}, int64(1), "", goOn},
		{"AtLeast: less", AtLeast{Min: 1, Detail: "why"}, int64(0), "f: Invalid value: 0: why", goOn},
		{"AtMost: as much", AtMost{Max: 1, Detail: "why"}, int64(1), "", goOn},
		{"AtMost: more", AtMost{Max: 1, Detail: "why"}, int64(2), "f: Invalid value: 2: why", goOn},

		{"MaxItems: as many", MaxItems(1), list("a"), "", goOn},
		{"MaxItems: more", MaxItems(1), list("a", "b"), "f: Too many: 2: must have at most 1 item", endAll},
		{"UniqueKey: texts", UniqueKey(""), list("a", "b", "a"), `f[2]: Duplicate value: "a"`, goOn},
		{"UniqueKey: objects", UniqueKey("k"), list(obj("k", "a"), obj("k", "a"), obj("k", "b")),
			`f[1]: Duplicate value: "a"`, goOn},
		{"AloneIfAny: alone", AloneIfAny("verbs"), list("*"), "", goOn},
		{"AloneIfAny: not alone", AloneIfAny("verbs"), list("a", "*"),
			`f: Invalid value: ["a","*"]: if '*' is present, must not specify other verbs`, goOn},
		{"Each: in order", Each{Form(lower)}, list("a", "A"),
			`f[1]: Invalid value: "A": must be in small letters; f[1]: Invalid value: "A": must not be loud`, goOn},
		{"Each: nothing ends the others", Each{Required{First: true}}, list("", ""),
			"f[0]: Required value; f[1]: Required value", goOn},
		{"Each: no list", Each{Required{}}, nil, "", goOn},

		{"All: in order", All{AtLeast{2, "low"}, AtMost{0, "high"}}, int64(1),
			"f: Invalid value: 1: low; f: Invalid value: 1: high", goOn},
		{"All: ends", All{Required{}, Form(lower), OneOf{"a"}}, "", "f: Required value", endAll},
		{"All: without a violation", All{IfSet{}, OneOf{"a"}}, nil, "", endAll},
		{"Fields: in order", Fields{{Key: "b", Is: Required{}}, {Key: "a", Is: Required{}}}, obj("c", "d"),
			"f.b: Required value; f.a: Required value", goOn},
		{"Fields: one ends itself", Fields{{Key: "a", Is: All{Required{}, OneOf{"x"}}}, {Key: "b", Is: Required{}}}, nil,
			"f.a: Required value; f.b: Required value", goOn},
		{"Fields: one ends all", Fields{{Key: "a", Is: Required{First: true}}, {Key: "b", Is: Required{}}}, nil,
			"f.a: Required value", goOn},
		{"Fields: the object itself", Fields{{Is: Present{}}}, nil, "", goOn},

		{"Func", Func(func(v any, at field.Path) field.ErrorList {
			return field.ErrorList{field.Invalid(at, v, "why")}
		}), "a", `f: Invalid value: "a": why`, goOn},
		{"Object: of no object", Object(func(obj map[string]any, at field.Path) field.ErrorList {
			if obj != nil {
				return nil
			}
			return field.ErrorList{field.Required(at, "")}
		}), "a", "f: Required value", goOn},
		{"Compare: with the root", Fields{{Key: "a", Is: Fields{{Key: "b", Is: Compare(
			func(root map[string]any, v any, at field.Path) field.ErrorList {
				if root["limit"] == v {
					return nil
				}
				return field.ErrorList{field.Invalid(at, v, "why")}
			})}}}}, map[string]any{"limit": "x", "a": obj("b", "y")}, `f.a.b: Invalid value: "y": why`, goOn},
	} {
		t.Run(c.name, func(t *testing.T) {
			root, _ := c.value.(map[string]any)
			errs, next := c.rule.check(root, c.value, "f")
			got := ""
			for i, err := range errs {
				if i > 0 {
					got += "; "
				}
				got += err.Error()
			}
			if got != c.want || next != c.next {
				t.Errorf("got %s, then %d\nwant %s, then %d", got, next, c.want, c.next)
			}
		})
	}
}

// Check and CheckIn find what the rule finds, at the path they are given.
func TestCheck(t *testing.T) {
	rules := Fields{{Key: "a", Is: Compare(func(root map[string]any, v any, at field.Path) field.ErrorList {
		if root["b"] == v {
			return nil
		}
		return field.ErrorList{field.Invalid(at, v, "why")}
	})}}
	root, part := map[string]any{"b": "x"}, map[string]any{"a": "x"}
	for name, c := range map[string]struct {
		errs field.ErrorList
		want string
	}{
		"Fields.Check":         {rules.Check(part, "at"), `at.a: Invalid value: "x": why`},
		"Fields.Check, good":   {rules.Check(map[string]any{}, "at"), ""},
		"Fields.CheckIn":       {rules.CheckIn(nil, part, "at"), `at.a: Invalid value: "x": why`},
		"Fields.CheckIn, good": {rules.CheckIn(root, part, "at"), ""},
		"Check":                {Check("", "at", Required{}), "at: Required value"},
		"CheckIn, good":        {CheckIn(root, part, "at", rules), ""},
	} {
		got := ""
		if len(c.errs) > 0 {
			got = c.errs.Message()
		}
		if got != c.want {
			t.Errorf("%s: got %s, want %s", name, got, c.want)
		}
	}
}

func TestSeen(t *testing.T) {
	var seen Seen[string]
	if seen.Again("a") || !seen.Again("a") || seen.Again("b") {
		t.Error("a value comes again if it came before, and not otherwise")
	}
}
