package scan

import (
	"encoding/json"
	"errors"
	"math/rand"
	"reflect"
	"strings"
	"testing"
)

func TestStrings(t *testing.T) {
	for _, tc := range []struct{ text, want string }{
		{`"plain"`, "plain"},
		{` "after space"`, "after space"},
		{`""`, ""},
		{`"a\"b\\c\/d\n\t\r\b\f"`, "a\"b\\c/d\n\t\r\b\f"},
		{`"caf\u00e9 \ud83d\ude00"`, "café 😀"},
		{`"\ud83d alone"`, "\ufffd alone"},
		{`"\ud83d\u0041"`, "\ufffdA"},
		{`null`, ""},
	} {
		got, err := New(tc.text).String()
		if err != nil || got != tc.want {
			t.Errorf("%s: got %q, %v; want %q", tc.text, got, err, tc.want)
		}
	}
	for _, text := range []string{``, `"`, `"a`, `"a\`, `"\u12"`, `"\ud83d\u1"`, `"\x"`, `5`, `{}`} {
		if got, err := New(text).String(); err == nil {
			t.Errorf("%s: got %q, want an error", text, got)
		}
	}
}

func TestNumbers(t *testing.T) {
	for _, tc := range []struct {
		text string
		want int64
		bad  bool
	}{
		{`5`, 5, false}, {`"1287"`, 1287, false}, {` -1 `, -1, false}, {`null`, 0, false},
		{`1.5`, 0, true}, {`"x"`, 0, true}, {``, 0, true}, {`{}`, 0, true}, {`99999999999999999999`, 0, true},
	} {
		got, err := New(tc.text).Int()
		if got != tc.want || (err != nil) != tc.bad {
			t.Errorf("%q: got %d, %v", tc.text, got, err)
		}
	}
}

func TestObjectSkipsWhatIsNotAskedFor(t *testing.T) {
	c := New(`{"skip":{"deep":[1,{"x":"}]\""}]},"want":"yes","list":[1,2,3],"tail":null} `)
	var want string
	n := 0
	err := c.Object(func(key string) (err error) {
		switch key {
		case "want":
			want, err = c.String()
		case "list":
			return c.Array(func() error { n++; return c.Skip() })
		default:
			err = c.Skip()
		}
		return err
	})
	if err != nil || want != "yes" || n != 3 || !c.End() {
		t.Fatalf("got %q, %d elements, %v", want, n, err)
	}
}

func TestBrokenTexts(t *testing.T) {
	for _, text := range []string{
		`{`, `{"a"`, `{"a":`, `{"a":1`, `{"a":1,`, `{"a":1,}`, `{a:1}`, `[]`, `{"a" 1}`, `{"a":"`, `{"a":[1,2}`, `{"a":}`,
	} {
		c := New(text)
		err := c.Object(func(string) error { return c.Skip() })
		if err == nil {
			t.Errorf("%s: no error", text)
		}
		if err != nil && !errors.Is(err, ErrSyntax) {
			t.Errorf("%s: %v is not ErrSyntax", text, err)
		}
	}
}

func TestLinesHoweverTheyAreCut(t *testing.T) {
	text := "{\"a\":1}\n\n{\"b\":\"é\"}\r\n{\"c\":3}\nunfinished"
	want := []string{`{"a":1}`, `{"b":"é"}`, `{"c":3}`}
	rnd := rand.New(rand.NewSource(1))
	for range 200 {
		var l Lines
		var got []string
		for rest := text; rest != ""; {
			n := 1 + rnd.Intn(len(rest))
			l.Feed(rest[:n], func(line string) { got = append(got, strings.Clone(line)) })
			rest = rest[n:]
		}
		if !reflect.DeepEqual(got, want) {
			t.Fatalf("got %q", got)
		}
	}
}

// decode rebuilds a value from a cursor, to be compared with encoding/json.
func decode(c *Cursor) (any, error) {
	switch c.peek() {
	case '{':
		m := map[string]any{}
		return m, c.Object(func(key string) error {
			v, err := decode(c)
			m[key] = v
			return err
		})
	case '[':
		a := []any{}
		err := c.Array(func() error {
			v, err := decode(c)
			a = append(a, v)
			return err
		})
		return a, err
	case '"':
		return c.String()
	}
	raw, err := c.Raw()
	if err != nil {
		return nil, err
	}
	var v any
	return v, json.Unmarshal([]byte(raw), &v)
}

// FuzzScan compares the cursor with encoding/json: what that accepts, the
// cursor must read to the same value, and nothing may make it fail to end.
func FuzzScan(f *testing.F) {
	for _, s := range []string{
		`{"type":"ADDED","object":{"metadata":{"resourceVersion":"12"}}}`,
		`[1,-2.5e9,"a\u00e9\ud83d\ude00",null,true,{"":[]}]`, `{"a":[1,2}`, `"\ud83d`, "{\"a\":\"\xff\"}",
	} {
		f.Add(s)
	}
	f.Fuzz(func(t *testing.T, text string) {
		got, err := decode(New(text))
		c := New(text)
		skipErr := c.Skip()
		var want any
		if json.Unmarshal([]byte(text), &want) != nil {
			return // not JSON, or a number out of range
		}
		if err != nil || skipErr != nil || !c.End() {
			t.Fatalf("valid JSON refused: %v, %v", err, skipErr)
		}
		if strings.ToValidUTF8(text, "") != text {
			return // encoding/json replaces broken UTF-8, the cursor keeps it
		}
		if !reflect.DeepEqual(got, want) {
			t.Fatalf("got %#v, want %#v", got, want)
		}
	})
}

func BenchmarkSkipEvent(b *testing.B) {
	text := `{"type":"ADDED","object":{"kind":"Pod","spec":{"containers":[` +
		strings.Repeat(`{"name":"c","image":"registry.example/image:1","env":[{"name":"A","value":"b"}]},`, 16) +
		`{}]},"metadata":{"resourceVersion":"12"}}}`
	b.SetBytes(int64(len(text)))
	for b.Loop() {
		if err := New(text).Skip(); err != nil {
			b.Fatal(err)
		}
	}
}
