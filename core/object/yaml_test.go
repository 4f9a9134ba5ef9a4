package object

import (
	"bytes"
	"fmt"
	"runtime"
	"strings"
	"testing"

	"sigs.k8s.io/yaml"
)

// yamlTexts are texts in all styles. Their numbers of values were counted by hand.
var yamlTexts = []struct {
	text   string
	values int
}{
	{"", 0},
	{"a: b", 2},
	{"a:\n  b: c\n  d: e\n", 5},
	{"- a\n- b\n- - c\n  - d\n", 7},
	{"- - - - - a\n", 6},
	{"a: [1, 2, 3]\n", 5},
	{`{"a":"b,c,d","e":["f","g"]}`, 7},
	{"a: |\n  b: c, d, e\n  - f\ng: h\n", 4},
	{"- a: >-\n    b: c\n    d: e\n  f: g\n", 6},
	{"- a: |\n   b\n  c: [d, e]\n", 7},
	{"a: \"b: c\n  d: e\n  f\"\ng: h", 4},
	{"a: 'it''s, [x, y]'\nb: c", 4},
	{"# a: b\n\na: b # c: d\n", 2},
	{"a: &x b\nc: *x\nd: !!str e", 6},
	{"[a: b, {c: d}]", 7},
	{"[a]: [b, c]", 5},
	{"? a\n: b\n", 4},
	{"a: b\r\nc: d\re: f", 6},
	{"a: {b: it's, c: \"d, e\", 'f': g}", 9},
	{`[a "b, c, d"]`, 4},
	{"y: n\n1: 2\n1.5: true\n.inf: ~\ntrue: 0x10\n", 10},
	{"a: <b> & c\n", 2},
	{"x: &a {b: c}\ny:\n  <<: *a\n  d: e\n", 9},
	{"a: 1\na: 2\n", 4},
	{"<<: {a: b}\nc: d\n", 6},
	{"1: a\n\"1\": a\n", 4},
	{"? [a]\n: b\n", 5},
	{"a: \x01", 2},
	{"a: [", 3},
	{"a: 1e3\nb: 1.50\nc: 012\nd: 0b11\ne: 1_000\nf: 12:30:45\ng: 2001-01-01\n", 14},
	{"a: .nan\n", 2},
	{"a: -.inf\n", 2},
}

// The result is that of Kubernetes' library, errors included.
func TestYAMLMeaning(t *testing.T) {
	texts := []string{
		`{"a":1,"b":[true,false,null,"x"],"c":{"d":-5}}`,
		`{"a": 1, "b": "x\ny\"z\\"}` + "\n", `{"b":1,"a":2}`, `{"a":1,"a":2}`, `{"a":1.50}`, `{"a":1e3}`,
		`{"a":007}`, `{"a":-0}`, `{"a":"\u00e9"}`, `{"a":"\ud83d\ude00"}`, `{"a":"é"}`, `{"<<":{"a":1},"b":2}`,
		`{"a":123456789012345678901}`, `{"a":"\/"}`,
		`{"` + strings.Repeat("k", 2000) + `":1}`, `{ "a":1}`, "{\"a\":1,\n\"b\":2}", `{"a":1}}`, `{"a":1`, `{"a":tru}`,
		`{"a":}`, `{}`,
		`{"a":"yes","b":"<<","c":"1"}`, `{"":1}`,
		`{"a":{},"b":[],"c":"# no","d":"a: b, c"}`, `{"a":[[],[[1]]]}`, `{"1":2,"true":3}`, "{\"a\":1}\n---\n{\"b\":2}",
	}
	for _, y := range yamlTexts {
		texts = append(texts, y.text)
	}
	for _, text := range texts {
		want, wantErr := yaml.YAMLToJSON([]byte(text))
		got, err := YAMLToJSON([]byte(text))
		if fmt.Sprint(err) != fmt.Sprint(wantErr) {
			t.Errorf("%.60q: %v, want %v", text, err, wantErr)
			continue
		}
		var value, wanted any
		if err == nil {
			value, _ = DecodeAny(got)
			wanted, _ = DecodeAny(want)
		}
		if !Identical(value, wanted) {
			t.Errorf("%.60q: %s, want %s", text, got, want)
		}
		_, wantErr = yaml.YAMLToJSONStrict([]byte(text))
		if err := YAMLProblem([]byte(text)); fmt.Sprint(err) != fmt.Sprint(wantErr) {
			t.Errorf("%.60q strictly: %v, want %v", text, err, wantErr)
		}
	}
}

// The number of values is estimated well enough before a text is read.
func TestYAMLValues(t *testing.T) {
	for _, y := range yamlTexts {
		if got := scanYAML([]byte(y.text), MaxDepth).values; got < y.values-1 || got > 2*y.values+2 {
			t.Errorf("%q: %d values, want %d or some more", y.text, got, y.values)
		}
	}
}

// Texts that would need much more memory than their size are refused before they are read; large
// ones of ordinary content are not.
func TestYAMLLimits(t *testing.T) {
	if runtime.GOARCH == "wasm" {
		t.Skip("the limits are the same there, and reaching them takes half a minute")
	}
	lines := func(n int, format string) string {
		var b strings.Builder
		for i := range n {
			fmt.Fprintf(&b, format, i)
		}
		return b.String()
	}
	for _, c := range []struct{ name, text, err string }{
		{"block list", strings.Repeat("- a\n", 700_000), ErrTooMany.Error()},
		{"nested lists", strings.Repeat("- - - - a\n", 250_000), ErrTooMany.Error()},
		{"carriage returns", strings.Repeat("- a\r", 700_000), ErrTooMany.Error()},
		{"next lines", strings.Repeat("- a\u0085", 500_000), ErrTooMany.Error()},
		{"UTF-16", "\xff\xfe" + strings.Repeat("-\x00 \x00\n\x00", 300_000), ErrTooMany.Error()},
		{"flow list", "[" + strings.Repeat("[],", 900_000) + "]", ErrTooMany.Error()},
		{"flow maps", "[" + strings.Repeat("{a},", 500_000) + "]", ErrTooMany.Error()},
		{"quotes that are none", `[a "` + strings.Repeat("b,", 500_000) + "]", ErrTooMany.Error()},
		{"a block that ends", "- k: |\n" + strings.Repeat("  a: b\n", 300_000), ErrTooMany.Error()},
		{"aliases", "a: &a " + strings.Repeat("x", 1<<20) + "\nb: [" + strings.Repeat("*a,", 1000) + "]",
			errAliasing.Error()},
		{"laughs", "a: &a [x,x,x,x,x,x,x,x,x]\n" + func() (s string) {
			for c := 'b'; c < 'i'; c++ {
				s += fmt.Sprintf("%c: &%c [%s]\n", c, c, strings.Repeat(fmt.Sprintf("*%c,", c-1), 9))
			}
			return s
		}(), errAliasing.Error()},
		{"depth", strings.Repeat("[", 20_000), ErrTooDeep.Error()},
		{"text in a block", "a: |\n" + strings.Repeat("  {\"a\": [1, 2, 3], b: c}\n", 110_000), ""},
		{"text in quotes", "a: \"" + strings.Repeat("[1, 2, 3]: ", 250_000) + "\"", ""},
		{"a definition", "a:\n" + lines(20_000,
			"  property%d:\n    description: what this is, said at some length, [1, 2]\n    type: string\n"), ""},
		{"data", "data:\n" + lines(100_000, "  key-%d: value, more\n"), ""},
		{"comments", strings.Repeat("# a: b\n", 400_000) + "a: b", ""},
		{"JSON", `{"a":[` + strings.Repeat(`{"b":1},`, 124_000) + `{"b":1}]}`, ""},
		{"long JSON", `{"a":[` + strings.Repeat(`{"b":1},`, 300_000) + `{"b":1}]}`, ErrTooMany.Error()},
	} {
		if len(c.text) > maxConverting {
			t.Fatal(c.name, len(c.text))
		}
		if _, err := YAMLToJSON([]byte(c.text)); err == nil && c.err != "" || err != nil && err.Error() != c.err {
			t.Errorf("%s: %v, want %q", c.name, err, c.err)
		}
	}
}

// The size of concurrent conversions stays within the limit, except for one that is larger than it.
func TestGate(t *testing.T) {
	g := newGate(10)
	leave, also := g.enter(6), g.enter(4)
	in := make(chan func())
	go func() { in <- g.enter(20) }()
	leave()
	select {
	case <-in:
		t.Fatal("it went in beside another one")
	default:
	}
	also()
	(<-in)()
	if g.used != 0 {
		t.Errorf("%d are used in the end", g.used)
	}
}

func FuzzPlainJSON(f *testing.F) {
	for _, text := range []string{`{"a":1,"b":[true,"x\n"]}`, `{"a":{"b": null}, "c":-12}`, `{"<":"a"}`} {
		f.Add([]byte(text))
	}
	f.Fuzz(func(t *testing.T, text []byte) {
		if !isPlainJSON(text) {
			return
		}
		want, err := yaml.YAMLToJSONStrict(text)
		got, also := YAMLToJSON(text)
		if err != nil || also != nil {
			t.Fatalf("%q: %v, as YAML %v", text, also, err)
		}
		a, _ := DecodeAny(got)
		b, _ := DecodeAny(want)
		if !Identical(a, b) || bytes.Count(got, nil) == 0 {
			t.Errorf("%q: %s, as YAML %s", text, got, want)
		}
	})
}

// BenchmarkYAML reads a definition of 1 MB; the memory is some times its size.
func BenchmarkYAML(b *testing.B) {
	var text bytes.Buffer
	text.WriteString("a:\n")
	for i := range 10_000 {
		fmt.Fprintf(&text, "  property%d:\n    description: what this is, said at some length, so that it is a text\n    "+
			"type: string\n", i)
	}
	b.SetBytes(int64(text.Len()))
	b.ReportAllocs()
	for b.Loop() {
		if _, err := YAMLToJSON(text.Bytes()); err != nil {
			b.Fatal(err)
		}
	}
}
