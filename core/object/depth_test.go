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
		`{"a":"[[[[[`:                         false,
		`[[[[[[[[[`:                           true,
		``:                                    false,
	} {
		if got := Nests([]byte(document), 3); got != want {
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
		strings.Repeat("[", 4), strings.Repeat(`{"a":`, 4) + "1" + strings.Repeat("}", 4)} {
		f.Add(text)
	}
	f.Fuzz(func(t *testing.T, text string) {
		const most = 3
		got := Nests([]byte(text), most)
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
	})
}
