package object

import (
	"bytes"
	"encoding/binary"
	"fmt"
	"io"
	"math/rand/v2"
	"runtime"
	"strings"
	"testing"
	"unicode/utf16"

	goyaml "sigs.k8s.io/yaml/goyaml.v2"
)

// yamlDepths are texts and how deep they nest.
var yamlDepths = []struct {
	text  string
	depth int
}{
	{"", 0}, {"a", 0}, {"a: b", 1}, {"- a", 1}, {"[]", 1}, {"{}", 1}, {"# [[[[", 0}, {"--- [[a]]", 2},
	{"a:\n  b:\n    c: d\ne: f\n", 3}, {"- - - - a\n", 4}, {"- a: b\n  c:\n  - d\n", 3}, {"a:\n- b\n- c: d\ne:\n- f\n", 3},
	{"a:\n- - b\n", 3}, {"a:\n- b\nc: [[d]]\n", 3}, {"-\n  -\n    - a\n", 3}, {"? a\n: - b\n", 2}, {"? - a\n: b\n", 2},
	{"?\n- a\n:\n- b\n", 2}, {"- ? a\n  : b\n", 2}, {"? ? ? a\n", 3}, {"[a]: b\n", 2}, {"[[a, b], c]: d\ne: f", 3},
	{"[a: b]", 2}, {"[a: [b: [c]]]", 5}, {"[? a : b]", 2}, {"[[a]: b]", 3}, {"{a: {b: [c]}}", 3}, {"{a, [b]: c}", 2},
	{"[\"a\":b, c]", 2}, {"[{a: b}: c]", 3}, {"a: \"[[[[\"\n", 1}, {"a: '[[[[''[['\n", 1}, {"a: [[[[\"]]\"]]]]\n", 5},
	{"# \"\na: [[b]]\n", 3}, {"a: 5\" x\nb: [[c]]\n", 3}, {"a: it's\nb: [[c]]\n", 3}, {"a: b # '\nc: [[d]]", 3},
	{"a: [b\"c, [d]]\n", 3}, {"a: [b'c, [d]]\n", 3}, {"a: b\n  c \"\nd: [[e]]\n", 3}, {"a: |\n  \"[[[[\nb: [[c]]\n", 3},
	{"a: |\n  x\n    [[[[\nb: c\n", 1}, {"a: >-\n  [[[[\n\n  '\nb: [c]\n", 2}, {"a: |1\n '\nb: [c]\n", 2},
	{"a: |2-\n    [\n  '\nb: [c]\n", 2}, {"- |\n '\n- [[b]]\n", 3}, {"- |\n   '\n   [[b]]\n- c\n", 1},
	{"a: \"b\\\"[[[[\"\n", 1}, {"a: \"b\\\\\"\nc: [[d]]\n", 3},
	{"a: \"b\n\n  c\\\n  [[\"\nd: [e]", 2}, {"a: 'b\n  ''c\n  [['\nd: [e]", 2},
	{"a: \"\\x5b\"\nb: [c]\n", 2}, {"a: !!str \"[[\"\nb: !t [c]\n", 2}, {"a: !<x[[,> [b]\n", 2}, {"a: !x!y[[ b\n", 1},
	{"%YAML 1.1 # [[\n---\n[a]", 1}, {"---\n[a]\n...\n[[[b]]]\n", 3},
	{"a: |\n\n  b\n\n\n  c\nd: [", 2}, {"a:\tb\nc: [\t[d]\t]\n", 3},
	{"a: b\r\nc:\r\n  d: e\rf: [g]", 2}, {"a: b\u0085c: [[d]]\u2028e: f", 3}, {"é: [[a]]\n", 3}, {"日本: {語: [a]}\n", 3},
	{"a: &x [[b]]\nc: *x\n", 3}, {"a: &x [[b]]\nc: &y [*x]\nd: [*y]\n", 5}, {"- &x [a]\n- &y [*x, *x]\n- [*y]\n", 4},
	{"&x a: b\nc: *x\nd: *x\n", 1}, {"a: &x\n- [b]\nc: {d: *x}\n", 4}, {"a: &x\n  b: {c: d}\ne: {f: *x}\n", 4},
	{"- &x a: [b]\n- *x\n- [*x]\n", 3}, {"a: &x {b: [c]}\nd:\n  <<: *x\n  e: *x\n", 4}, {"a: &x b\n*x : [c]\nd: *x\n", 2},
	{"[&x [[a]], *x, [*x]]", 4}, {"[&x a: [b], *x]", 3}, {"{a: &x [b], &y c: *x, d: *y, e: [*x]}", 3},
	{"a: &x [b]\nc: &x [*x]\nd: &x [*x]\ne: *x\n", 3}, {"a: &x [b]\n? [*x]\n: c\nd: *x\n", 3},
	{"a: &x !!seq\n- b\nc: [*x]\n", 3}, {"a: [&x b, &y [c], &z [*y]]\nd: [*z]\n", 4},
}

// TestYAMLDepth checks the depth of texts in all styles, and that the library has the same.
func TestYAMLDepth(t *testing.T) {
	for _, y := range yamlDepths {
		s := scanYAML([]byte(y.text), MaxDepth)
		if s.reached != y.depth {
			t.Errorf("%q nests %d levels deep, want %d", y.text, s.reached, y.depth)
		}
		var tree any
		if goyaml.Unmarshal([]byte(y.text), &tree) != nil || strings.Contains(y.text, "...\n[") {
			continue // complex keys, which the library reads before it refuses them; and it reads one document
		}
		if got := depthOf(tree); got != y.depth {
			t.Errorf("%q: the library finds %d levels, want %d", y.text, got, y.depth)
		}
	}
}

// depthOf returns how deep a tree of the YAML library nests.
func depthOf(v any) int {
	within := 0
	switch v := v.(type) {
	case map[any]any:
		for key, e := range v {
			within = max(within, depthOf(key), depthOf(e))
		}
	case []any:
		for _, e := range v {
			within = max(within, depthOf(e))
		}
	default:
		return 0
	}
	return 1 + within
}

// deepYAML are texts that nest n levels deep, each in its own style and behind what could hide it.
var deepYAML = map[string]func(n int) string{
	"flow":    func(n int) string { return "a: " + strings.Repeat("[", n-1) + strings.Repeat("]", n-1) },
	"maps":    func(n int) string { return strings.Repeat("{a: ", n) + "b" + strings.Repeat("}", n) },
	"entries": func(n int) string { return strings.Repeat("- ", n) + "a" },
	"keys":    func(n int) string { return strings.Repeat("? ", n) + "a" },
	"both":    func(n int) string { return strings.Repeat("? - ", n/2) + "a" },
	"newlines": func(n int) string {
		return lines(min(n, 400), func(i int) string { return strings.Repeat(" ", i) + "a:" })
	},
	"indentless": func(n int) string {
		return lines(min(n, 400)/2, func(i int) string {
			before := max(0, 2*(i-1))
			return map[bool]string{true: strings.Repeat(" ", before) + "- "}[i > 0] + "a:"
		})
	},
	"pairs": func(n int) string { return strings.Repeat("[a: ", n/2) + "b" + strings.Repeat("]", n/2) },
	"open":  func(n int) string { return strings.Repeat("[", n) },
	"mixed": func(n int) string {
		return strings.Repeat("- ", n/2) + strings.Repeat("{a: ", n-n/2) + "b" + strings.Repeat("}", n-n/2)
	},
	"aliases": func(n int) string {
		return "- &a0 []\n" + lines(n-2, func(i int) string { return fmt.Sprintf("- &a%d [*a%d]", i+1, i) })
	},
	"long aliases": func(n int) string {
		const each = 20
		open, closed := strings.Repeat("[", each), strings.Repeat("]", each)
		return "- &a0 []\n" + lines((n-2)/each, func(i int) string {
			return fmt.Sprintf("- &a%d %s*a%d%s", i+1, open, i, closed)
		})
	},
	"maps of aliases": func(n int) string {
		return "a0: &a0 {}\n" + lines(n-2, func(i int) string { return fmt.Sprintf("a%d: &a%[1]d\n  b: *a%d", i+1, i) })
	},
	"merged": func(n int) string {
		return "a0: &a0 {b: {}}\n" + lines((n-3)/2, func(i int) string {
			return fmt.Sprintf("a%d: &a%[1]d\n  b: {<<: *a%d}", i+1, i)
		})
	},
}

// hiding are beginnings of texts after which brackets could be taken for something else.
var hiding = []string{
	"", "# \"\n", "# '\n", "\ufeff", "%YAML 1.1\n---\n", "---\n", "# é\n", "\n\n\t\n", "---\r", "# [[ ]]] '\n---\u2028",
}

func lines(n int, line func(i int) string) string {
	var b strings.Builder
	for i := range n {
		b.WriteString(line(i) + "\n")
	}
	return b.String()
}

// inUTF16 returns a text in UTF-16, with its byte order mark.
func inUTF16(text string, order binary.AppendByteOrder) string {
	var b []byte
	for _, unit := range append([]uint16{0xfeff}, utf16.Encode([]rune(text))...) {
		b = order.AppendUint16(b, unit)
	}
	return string(b)
}

// TestDeepYAML has texts refused that nest too deep for the stacks there are, before anything calls itself for
// each level. It also runs in js/wasm, where the program ends if not.
func TestDeepYAML(t *testing.T) {
	check := func(name, text string, want error) {
		t.Helper()
		_, err := YAMLToJSON([]byte(text))
		problem := YAMLProblem([]byte(text))
		if want != nil && (err != want || problem != want) || want == nil && (err == ErrTooDeep || problem == ErrTooDeep) {
			t.Errorf("%s, %d bytes: %v and %v, want %v", name, len(text), err, problem, want)
		}
	}
	for name, deep := range deepYAML {
		for i, before := range hiding {
			if i > 0 && runtime.GOARCH == "wasm" {
				break // the depth matters there, not how it is hidden
			}
			check(name+" at the limit", before+deep(MaxDepth), nil)
			check(fmt.Sprintf("%s after %q", name, before), before+deep(MaxDepth+50), ErrTooDeep)
			check(fmt.Sprintf("%s after %q", name, before), before+deep(9000), ErrTooDeep)
		}
		for _, before := range []string{
			"a: 5\" x\nb:\n", "a: it's\nb:\n", "é: a\nb:\n", "a: |\n  \"\nb:\n", "a: >2-\n  '\n\nb:\n",
			"a: \"\\\"\"\nb:\n", "a: ''''\nb:\n", "a: !x' b\nb:\n", "a: [b\"c, d'e]\nb:\n", "a: {b: '}'}\nb:\n", "? \"\n",
		} {
			text := "  " + strings.ReplaceAll(strings.TrimSuffix(deep(9000), "\n"), "\n", "\n  ")
			if name != "maps of aliases" && name != "merged" && before != "? \"\n" {
				check(fmt.Sprintf("%s after %q", name, before), before+text, ErrTooDeep)
			} else if _, err := YAMLToJSON([]byte(before + text)); err == nil {
				t.Errorf("%s after %q is accepted", name, before)
			}
		}
		for _, order := range []binary.AppendByteOrder{binary.LittleEndian, binary.BigEndian} {
			check(name+" in UTF-16", inUTF16(deep(9000), order), ErrTooDeep)
			check(name+" in UTF-16, at the limit", inUTF16(deep(MaxDepth), order), nil)
		}
	}
}

// TestYAMLEncodings has the same meaning of a text in all encodings. Byte order marks within texts stay.
func TestYAMLEncodings(t *testing.T) {
	const text = "é: [a, '\U0001f600']\nb: \"\ufeff\"\n\"\ufeffc\": d\n"
	const want = "{\"b\":\"\ufeff\",\"é\":[\"a\",\"\U0001f600\"],\"\ufeffc\":\"d\"}"
	for name, encoded := range map[string]string{"UTF-8": text, "with a mark": byteOrderMark + text,
		"little-endian": inUTF16(text, binary.LittleEndian), "big-endian": inUTF16(text, binary.BigEndian)} {
		got, err := YAMLToJSON([]byte(encoded))
		a, _ := DecodeAny(got)
		if b, _ := DecodeAny([]byte(want)); err != nil || !Identical(a, b) {
			t.Errorf("%s: %s, %v", name, got, err)
		}
	}
	for text, want := range map[string]error{
		"\xff\xfea": errIncompleteUTF16, "\xff\xfe\x00\xd8": errSurrogate, "\xfe\xff\xdc\x00\xdc\x00": errSurrogate,
		"a: \ufeff" + func() (all string) {
			for r := '\ue000'; r < '\ue010'; r++ {
				all += string(r)
			}
			return all
		}(): errByteOrderMarks,
	} {
		if _, err := YAMLToJSON([]byte(text)); err != want {
			t.Errorf("%q: %v, want %v", text, err, want)
		}
	}
	// The library takes a mark at the beginning of its buffer for one at the beginning of all lines, and skips a
	// character of each: there would be no quotes in this text.
	nested := strings.Repeat("[", 12) + strings.Repeat("]", 12)
	marked := byteOrderMark + byteOrderMark + "\n\"" + nested + "\n\"#"
	var tree any
	if err := goyaml.Unmarshal([]byte(marked), &tree); depthOf(tree) != 12 {
		t.Errorf("the library has become better: %v, %v", tree, err)
	}
	if got, err := YAMLToJSON([]byte(marked)); err != nil || tooDeep(got, 0) {
		t.Errorf("%q is read as %s, %v", marked, got, err)
	}
}

// A depthReader reads a text byte by byte, and notes how deep the library's parser is that reads it.
type depthReader struct {
	text  []byte
	depth int
}

func (r *depthReader) Read(p []byte) (int, error) {
	if len(r.text) == 0 {
		return 0, io.EOF
	}
	p[0] = r.text[0]
	r.text = r.text[1:]
	calls := make([]uintptr, 4096)
	frames := runtime.CallersFrames(calls[:runtime.Callers(1, calls)])
	depth := -2 // those of the document, and of the value that is read
	for more := true; more; {
		var f runtime.Frame
		if f, more = frames.Next(); strings.HasSuffix(f.Function, ".(*parser).parse") {
			depth++
		}
	}
	r.depth = max(r.depth, depth)
	return 1, nil
}

// FuzzYAMLDepth compares how deep a text nests with how deep the library's parser gets, also in texts that it
// refuses in the end, and with what it makes of the text.
func FuzzYAMLDepth(f *testing.F) {
	for _, y := range yamlDepths {
		f.Add([]byte(y.text))
	}
	for _, y := range yamlTexts {
		f.Add([]byte(y.text))
	}
	for _, deep := range deepYAML {
		for _, before := range hiding {
			f.Add([]byte(before + deep(12)))
		}
	}
	f.Fuzz(func(t *testing.T, data []byte) {
		if len(data) < 2000 {
			compareDepth(t, data)
		}
	})
}

// compareDepth compares how deep a text nests with how deep the library's parser gets, also if it refuses the text
// in the end, and with what it makes of the text.
func compareDepth(t *testing.T, data []byte) {
	t.Helper()
	text, err := yamlInUTF8(data)
	if err != nil {
		return
	}
	if text, _, err = hideMarks(text); err != nil {
		return
	}
	s := scanYAML(text, len(text)+1)
	r := &depthReader{text: bytes.Clone(text)}
	var tree any
	err = goyaml.NewDecoder(r).Decode(&tree)
	if r.depth > s.reached {
		t.Errorf("%q nests %d levels deep, and the parser was %d levels deep, with error %v", data, s.reached, r.depth, err)
	}
	if err != nil {
		return
	}
	if depth := depthOf(tree); depth > s.reached {
		t.Errorf("%q nests %d levels deep, and has %d levels", data, s.reached, depth)
	}
	document, err := YAMLToJSON(data)
	if err == nil && tooDeep(document, MaxDepth) {
		t.Errorf("%q nests deeper than %d levels", data, MaxDepth)
	}
}

// TestRandomYAML compares texts of random tokens, of which a part is valid.
func TestRandomYAML(t *testing.T) {
	tokens := []string{
		"[", "[", "]", "{", "}", ",", ", ", ":", ": ", ": ", "- ", "- ", "-", "? ", "?", "a", "b", "c: ", "\"", "\"", "'",
		"'", "''", "\n", "\n", "\n", "\n", "\n  ", "\n  ", "\n - ", "\n    ", "\n  - ", " ", " ", "  ", "\t", "#", " # ", "|",
		"|\n ", ">-\n   ", "|2\n", "&x ", "&y ", "*x ", "*y ", "*x", "&x [", "!t ", "!!str ", "!<t> ", "%", "\n---\n",
		"\n--- ", "\n...\n", "\\", "\\\n", "é", "\r", "\r\n", "\u0085", "\u2028", "\ufeff", "<<: ", "~", "\"a\": ",
		"'b': ", "[a]: ", "{a: b}: ",
	}
	random := rand.New(rand.NewPCG(1, randomYAML))
	valid := 0
	for range randomYAML {
		// In WebAssembly nothing else interrupts it, and on a busy machine the collector may never get its turn:
		// golang.org/issue/32840.
		runtime.Gosched()
		var b strings.Builder
		for range 2 + random.IntN(24) {
			b.WriteString(tokens[random.IntN(len(tokens))])
		}
		if compareDepth(t, []byte(b.String())); t.Failed() {
			return
		}
		if _, err := YAMLToJSON([]byte(b.String())); err == nil {
			valid++
		}
	}
	if valid < randomYAML/50 {
		t.Errorf("%d of %d texts are valid", valid, randomYAML)
	}
}

const randomYAML = 1_500
