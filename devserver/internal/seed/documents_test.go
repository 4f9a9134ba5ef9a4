package seed

import (
	"bytes"
	"slices"
	"strings"
	"testing"
)

func TestDocuments(t *testing.T) {
	for _, c := range []struct {
		text  string
		texts []string
		lines []int
	}{
		{"", []string{""}, []int{1}},
		{"a: 1", []string{"a: 1"}, []int{1}},
		{"# x\n\n---\na: 1\n", []string{"\na: 1\n"}, []int{3}},
		{"a: 1\n--- # x\nb: 2\n---\n", []string{"a: 1\n", " # x\nb: 2\n", "\n"}, []int{1, 2, 4}},
		{"a: 1\r\n---\r\nb: 2", []string{"a: 1\r\n", "\r\nb: 2"}, []int{1, 2}},
		{"--- {a: 1}\n---b\n", []string{" {a: 1}\n---b\n"}, []int{1}},
		{"\n{\"a\": 1}\n\n{\"b\":\n2} {", []string{`{"a": 1}`, "{\"b\":\n2}", " {"}, []int{2, 4, 5}},
		{"{a: 1}\n---\nb: 2\n", []string{"{a: 1}\n", "\nb: 2\n"}, []int{1, 2}},
	} {
		var texts []string
		var lines []int
		for _, d := range Documents([]byte(c.text)) {
			texts, lines = append(texts, string(d.Text)), append(lines, d.Line)
		}
		if !slices.Equal(texts, c.texts) || !slices.Equal(lines, c.lines) {
			t.Errorf("%q: %q at %d", c.text, texts, lines)
		}
	}
}

// FuzzDocuments checks that each document is a part of the text, at its line, after the one before it.
func FuzzDocuments(f *testing.F) {
	for _, text := range []string{widgets, "{}\n{}", "---\n---", "--- a\r\n---\tb", "{\"a\":[1,\n2]}\n{"} {
		f.Add(text)
	}
	f.Fuzz(func(t *testing.T, text string) {
		at := 0
		for _, d := range Documents([]byte(text)) {
			begin := strings.Index(text[at:], string(d.Text))
			for begin >= 0 && 1+strings.Count(text[:at+begin], "\n") < d.Line {
				next := strings.Index(text[at+begin+1:], string(d.Text))
				if next < 0 {
					begin = -1
					break
				}
				begin += 1 + next
			}
			if begin < 0 {
				t.Fatalf("%q has no %q in line %d", text, d.Text, d.Line)
			}
			at += begin
			if line := 1 + bytes.Count([]byte(text[:at]), []byte("\n")); line != d.Line {
				t.Fatalf("%q: %q is in line %d, not %d", text, d.Text, line, d.Line)
			}
			at += len(d.Text)
		}
	})
}
