package object

import (
	"encoding/json"
	"errors"
	"math"
	"strings"
	"testing"
)

// tooDeep reports whether a document nests deeper than most levels.
func tooDeep(document []byte, most int) bool {
	_, err := Measure(document, most, math.MaxInt)
	return errors.Is(err, ErrTooDeep)
}

func TestDepth(t *testing.T) {
	for document, want := range map[string]bool{
		`{"a":{"b":[1]}}`:                     false,
		` {"a":{"b":[[1]]}}`:                  true,
		`[[],[],[],[[]],{}]`:                  false,
		`{"a":"[[[[[[\\\"[[[[","b":"{{{{{{"}`: false,
		`{"a":"\\","b":[[[[]]]]}`:             true,
		`{"a":"[[[[[`:                         false,
		`[[[[[[[[[`:                           true,
		``:                                    false,
	} {
		if got := tooDeep([]byte(document), 3); got != want {
			t.Errorf("%s: %v", document, got)
		}
	}
	deep := func(levels int) []byte { return []byte(strings.Repeat("[", levels) + strings.Repeat("]", levels)) }
	if err := Check(deep(MaxDepth)); err != nil {
		t.Error(err)
	}
	if err := Check(deep(MaxDepth + 1)); !errors.Is(err, ErrTooDeep) {
		t.Errorf("one level more: %v", err)
	}
}

// TestMaxValues has bodies at the limit of values and beyond it, in each encoding that is text.
func TestMaxValues(t *testing.T) {
	list := func(item string, n int) string { return "[" + strings.Repeat(item+",", n-1) + item + "]" }
	for _, c := range []struct {
		name, item string
		each       int // values of an item
	}{
		{"numbers", "1", 1}, {"texts", `"a,{["`, 1}, {"objects", "{}", 2}, {"lists", "[]", 2}, {"fields", `{"a":{"b":1}}`, 3},
	} {
		for more, want := range map[int]error{0: nil, 1: ErrTooMany} {
			text := []byte(list(c.item, MaxValues/c.each+more))
			if err := Check(text); !errors.Is(err, want) {
				t.Errorf("%s, %d more: %v", c.name, more, err)
			}
			tree, err := DecodeAny(text)
			if err != nil {
				t.Fatal(err)
			}
			if err := CheckTree(tree); !errors.Is(err, want) {
				t.Errorf("%s, %d more, as a tree: %v", c.name, more, err)
			}
		}
	}
	twice := strings.Repeat("{},", MaxValues/4)
	for name, text := range map[string]string{
		"in the way of JSON": `{"a":` + list("{}", MaxValues/2+1) + `}`,
		"flow style":         `{a: ` + list("{}", MaxValues+1) + `}`,
		"block style":        "a:\n" + strings.Repeat("-\n", MaxValues+1),
		"aliases":            "a: &a [" + twice + "]\nb: [*a, *a, *a, *a]\n",
		"aliases of aliases": "a: &a [" + strings.Repeat("{},", 9_999) + "]\nb: &b [" + strings.Repeat("*a,", 9) +
			"]\nc: [*b,*b,*b]\n",
		"merged":        "a: &a {b: [" + twice + "]}\nb: [{<<: *a}, {<<: *a}, {<<: *a}, {<<: *a}]\n",
		"a key's value": "? &a [" + twice + "]\n: [*a, *a, *a, *a]\n",
	} {
		if _, err := YAMLToJSON([]byte(text)); !errors.Is(err, ErrTooMany) {
			t.Errorf("YAML, %s: %v", name, err)
		}
	}
	few := "a: &a [" + strings.Repeat("{},", MaxValues/8) + "]\nb: [*a, *a, *a]\n"
	if _, err := YAMLToJSON([]byte(few)); err != nil {
		t.Errorf("YAML within the limit: %v", err)
	}
}

// FuzzMeasure compares depth and number of values with what a decoder finds.
func FuzzMeasure(f *testing.F) {
	for _, text := range []string{`{}`, `[[]]`, `{"a":"\"[[["}`, `{"a":"\\"}`, ` [1,{"b":[]}]`, `"[[["`, `[`, `]]]]`,
		strings.Repeat("[", 4), strings.Repeat(`{"a":`, 4) + "1" + strings.Repeat("}", 4), `[1,"a,b",{},null,[[2]]]`} {
		f.Add(text)
	}
	f.Fuzz(func(t *testing.T, text string) {
		const most = 3
		got := tooDeep([]byte(text), most)
		if !json.Valid([]byte(text)) {
			return
		}
		depth, deepest := 0, 0
		decoder := json.NewDecoder(strings.NewReader(text))
		for token, err := decoder.Token(); err == nil; token, err = decoder.Token() {
			switch token {
			case json.Delim('{'), json.Delim('['):
				depth++
				deepest = max(deepest, depth)
			case json.Delim('}'), json.Delim(']'):
				depth--
			}
		}
		if got != (deepest > most) {
			t.Errorf("%s: %v, and it is %d deep", text, got, deepest)
		}
		tree, err := DecodeAny([]byte(text))
		if err != nil || deepest > MaxDecoded {
			return
		}
		values, err := Measure([]byte(text), MaxDecoded, math.MaxInt)
		if left := values + 1; err != nil || !within(tree, &left) {
			t.Errorf("%s: %d values, %v, and a tree of it has more", text, values, err) // of equal keys it has one
		}
	})
}
