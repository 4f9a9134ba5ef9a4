package rule

import (
	"testing"

	"github.com/tabernetes/tabernetes/core/internal/field"
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
		{"Required: a text", Required{}, "a", "", proceed},
		{"Required: zero", Required{}, int64(0), "", proceed},
		{"Required: an object without fields", Required{}, obj("a", nil), "", proceed},
		{"Required: nothing", Required{}, nil, "f: Required value", stopValue},
		{"Required: no text", Required{Detail: "why"}, "", "f: Required value: why", stopValue},
		{"Required: no entries", Required{First: true}, list(), "f: Required value", stopObject},
		{"Present: no text", Present{}, "", "", proceed},
		{"Present: nothing", Present{Detail: "why"}, nil, "f: Required value: why", stopValue},
		{"IfSet: no text", IfSet{}, "", "", proceed},
		{"IfSet: nothing", IfSet{}, nil, "", stopValue},
		{"IfNotEmpty: false", IfNotEmpty{}, false, "", proceed},
		{"IfNotEmpty: no text", IfNotEmpty{}, "", "", stopValue},
		{"IfNotEmpty: no entries", IfNotEmpty{}, list(), "", stopValue},
		{"IfNotEmpty: nothing", IfNotEmpty{}, nil, "", stopValue},

		{"OneOf: one", OneOf{"b", "a"}, "a", "", proceed},
		{"OneOf: another", OneOf{"b", "a"}, "A", `f: Unsupported value: "A": supported values: "b", "a"`, proceed},
		{"OneOf: nothing", OneOf{"a"}, nil, `f: Unsupported value: "": supported values: "a"`, proceed},
		{"Form: good", Form(lower), "a", "", proceed},
		{"Form: wrong", Form(lower), "A", loud, proceed},
		{"MaxBytes: as many", MaxBytes(2), "ab", "", proceed},
		{"MaxBytes: more", MaxBytes(1), "ä", "f: Too long: may not be more than 1 byte", proceed},
		{"Range: the least", Range{Min: 1, Max: 3}, int64(1), "", proceed},
		{"Range: the most", Range{Min: 1, Max: 3}, int64(3), "", proceed},
		{"Range: less", Range{Min: 1, Max: 3}, int64(0),
			"f: Invalid value: 0: must be between 1 and 3, inclusive", proceed},
		{"Range: more", Range{Max: 3, From: 1}, int64(4),
			"f: Invalid value: 4: must be between 1 and 3, inclusive", proceed},
		{"Range: nothing is 0", Range{Max: 3, From: 1}, nil, "", proceed},
		{"AtLeast: as much", AtLeast{Min: 1, Detail: "why"}, int64(1), "", proceed},
		{"AtLeast: less", AtLeast{Min: 1, Detail: "why"}, int64(0), "f: Invalid value: 0: why", proceed},
		{"AtMost: as much", AtMost{Max: 1, Detail: "why"}, int64(1), "", proceed},
		{"AtMost: more", AtMost{Max: 1, Detail: "why"}, int64(2), "f: Invalid value: 2: why", proceed},

		{"MaxItems: as many", MaxItems(1), list("a"), "", proceed},
		{"MaxItems: more", MaxItems(1), list("a", "b"), "f: Too many: 2: must have at most 1 item", stopValue},
		{"UniqueKey: texts", UniqueKey(""), list("a", "b", "a"), `f[2]: Duplicate value: "a"`, proceed},
		{"UniqueKey: objects", UniqueKey("k"), list(obj("k", "a"), obj("k", "a"), obj("k", "b")),
			`f[1]: Duplicate value: "a"`, proceed},
		{"StarAlone: alone", StarAlone("verbs"), list("*"), "", proceed},
		{"StarAlone: not alone", StarAlone("verbs"), list("a", "*"),
			`f: Invalid value: ["a","*"]: if '*' is present, must not specify other verbs`, proceed},
		{"Each: in order", Each{Form(lower)}, list("a", "A"),
			`f[1]: Invalid value: "A": must be in small letters; f[1]: Invalid value: "A": must not be loud`, proceed},
		{"Each: nothing ends the others", Each{Required{First: true}}, list("", ""),
			"f[0]: Required value; f[1]: Required value", proceed},
		{"Each: no list", Each{Required{}}, nil, "", proceed},

		{"All: in order", All{AtLeast{2, "low"}, AtMost{0, "high"}}, int64(1),
			"f: Invalid value: 1: low; f: Invalid value: 1: high", proceed},
		{"All: ends", All{Required{}, Form(lower), OneOf{"a"}}, "", "f: Required value", stopValue},
		{"All: without a violation", All{IfSet{}, OneOf{"a"}}, nil, "", stopValue},
		{"Fields: in order", Fields{{Key: "b", Is: Required{}}, {Key: "a", Is: Required{}}}, obj("c", "d"),
			"f.b: Required value; f.a: Required value", proceed},
		{"Fields: one ends itself", Fields{{Key: "a", Is: All{Required{}, OneOf{"x"}}}, {Key: "b", Is: Required{}}}, nil,
			"f.a: Required value; f.b: Required value", proceed},
		{"Fields: one ends all", Fields{{Key: "a", Is: Required{First: true}}, {Key: "b", Is: Required{}}}, nil,
			"f.a: Required value", proceed},
		{"Fields: the object itself", Fields{{Is: Present{}}}, nil, "", proceed},

		{"Func", Func(func(v any, at field.Path) field.ErrorList {
			return field.ErrorList{field.Invalid(at, v, "why")}
		}), "a", `f: Invalid value: "a": why`, proceed},
		{"Object: of no object", Object(func(obj map[string]any, at field.Path) field.ErrorList {
			if obj != nil {
				return nil
			}
			return field.ErrorList{field.Required(at, "")}
		}), "a", "f: Required value", proceed},
		{"Compare: with the root", Fields{{Key: "a", Is: Fields{{Key: "b", Is: Compare(
			func(root map[string]any, v any, at field.Path) field.ErrorList {
				if root["limit"] == v {
					return nil
				}
				return field.ErrorList{field.Invalid(at, v, "why")}
			})}}}}, map[string]any{"limit": "x", "a": obj("b", "y")}, `f.a.b: Invalid value: "y": why`, proceed},
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
	for i := range 10 {
		v := string(rune('a' + i))
		before := seen.Clone()
		if seen.Has(v) || seen.Again(v) || !seen.Has(v) || !seen.Again(v) {
			t.Error(v, "comes again if it came before, and not otherwise")
		}
		if before.Has(v) || before.Has("a") != (i > 0) {
			t.Error("a copy changes with", v)
		}
	}
}
