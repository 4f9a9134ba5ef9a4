package object

import (
	"encoding/json"
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

// FuzzTooDeep compares the limit with the depth that a decoder finds.
func FuzzTooDeep(f *testing.F) {
	for _, text := range []string{`{}`, `[[]]`, `{"a":"\"[[["}`, `{"a":"\\"}`, ` [1,{"b":[]}]`, `"[[["`, `[`, `]]]]`,
		"a: [b",
		strings.Repeat("[", 4), strings.Repeat(`{"a":`, 4) + "1" + strings.Repeat("}", 4)} {
		f.Add(text)
	}
	f.Fuzz(func(t *testing.T, text string) {
		const most = 3
		got := nests([]byte(text), most)
		start := strings.TrimLeft(text, " \t\r\n")
		if !json.Valid([]byte(text)) || start[0] != '{' && start[0] != '[' {
			return // an estimate
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
	})
}
