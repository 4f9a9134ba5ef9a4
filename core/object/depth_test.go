package object

import (
	"strings"
	"testing"
)

func TestNests(t *testing.T) {
	for document, want := range map[string]bool{
		`{"a":{"b":[1]}}`:                     false,
		` {"a":{"b":[[1]]}}`:                  true,
		`[[],[],[],[[]],{}]`:                  false,
		`{"a":"[[[[[[\\\"[[[[","b":"{{{{{{"}`: false,
		`{"a":"\\","b":[[[[]]]]}`:             true,
		"a: '[[[[[['\n":                       false,
		`{"a":"[[[[[`:                         false,
		`[[[[[[[[[`:                           true,
		"a: [[[[[[[[[[[[[[\n":                 true,
		"a:\n            b: 1\n":              false,
		"a:\n             b: 1\n":             true,
		"- - - - - - - - - -\n":               true,
		"k8s\x00[[[[[[[[[[[[[[[":              false,
		"\xd9\xd9\xf7[[[[[[[[[[[[[[[":         false,
		``:                                    false,
	} {
		if got := nests([]byte(document), 3); got != want {
			t.Errorf("%s: %v", document, got)
		}
	}
	deep := func(levels int) []byte { return []byte(strings.Repeat("[", levels) + strings.Repeat("]", levels)) }
	if TooDeep(deep(MaxDepth)) || !TooDeep(deep(MaxDepth+1)) {
		t.Error("the limit is not MaxDepth")
	}
}
