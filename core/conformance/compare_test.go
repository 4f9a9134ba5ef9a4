package conformance

import (
	"encoding/json"
	"fmt"
	"maps"
	"os"
	"strings"
	"testing"
)

func TestPaths(t *testing.T) {
	const doc = `{"a":[{"name":"x","v":1},{"name":"y","v":2}],"m":{"k/1.2":"z","other":{"v":3}},"n":null}`
	for path, want := range map[string]string{
		"":                `{"a":[{"name":"x","v":1},{"name":"y","v":2}],"m":{"k/1.2":"z","other":{"v":3}},"n":null}`,
		"a[1].v":          "2",
		"a[name=x].v":     "1",
		"a[v=2].name":     "y",
		`m["k/1.2"]`:      "z",
		"a[*].name":       `["x","y"]`,
		"a[*].none":       `[null,null]`,
		"m[*].v":          `{"other":3}`,
		"n":               "null",
		"a[2].v":          nothing,
		"a[name=z].v":     nothing,
		"a.name":          nothing,
		"m.missing":       nothing,
		`m["k/1.2"].more`: nothing,
		`m["unended`:      nothing,
		"a[-1]":           nothing,
	} {
		got := nothing
		if v, ok := lookup(parse(t, doc), path); ok {
			got = literal(v)
		}
		if got != want {
			t.Errorf("lookup %q: want %s, got %s", path, want, got)
		}
	}
	for path, want := range map[string]string{
		"a[*].v":          `{"a":[{"name":"x"},{"name":"y"}],"m":{"k/1.2":"z","other":{"v":3}},"n":null}`,
		"a[name=y]":       `{"a":[{"name":"x","v":1}],"m":{"k/1.2":"z","other":{"v":3}},"n":null}`,
		"a[0]":            `{"a":[{"name":"y","v":2}],"m":{"k/1.2":"z","other":{"v":3}},"n":null}`,
		"m[*]":            `{"a":[{"name":"x","v":1},{"name":"y","v":2}],"m":{},"n":null}`,
		"m[*].v":          `{"a":[{"name":"x","v":1},{"name":"y","v":2}],"m":{"k/1.2":"z","other":{}},"n":null}`,
		"n":               `{"a":[{"name":"x","v":1},{"name":"y","v":2}],"m":{"k/1.2":"z","other":{"v":3}}}`,
		"missing.further": doc,
	} {
		if got := literal(without(parse(t, doc), path)); got != want {
			t.Errorf("without %q: want %s, got %s", path, want, got)
		}
	}
}

// side returns what a server answered to a run of GETs.
func side(t *testing.T, bodies ...string) []Outcome {
	t.Helper()
	var out []Outcome
	for _, b := range bodies {
		out = append(out, Outcome{Response: &Response{Status: 200, Headers: map[string]any{}, Body: parse(t, b)}})
	}
	return out
}

func scenarioOf(want []Outcome) *Scenario {
	s := &Scenario{}
	for i, o := range want {
		s.Steps = append(s.Steps, &Step{ID: fmt.Sprint(i), Do: doRequest,
			Request: &Request{Method: "GET", Path: "/x?limit=63"}, Outcome: o})
	}
	return s
}

func parse(t *testing.T, s string) any {
	t.Helper()
	v, err := decode([]byte(s))
	if err != nil {
		t.Fatal(err)
	}
	return v
}

func TestCompare(t *testing.T) {
	object := func(rv string) string { return `{"metadata":{"name":"a","resourceVersion":"` + rv + `"}}` }
	list := func(rv string) string { return `{"metadata":{"resourceVersion":"` + rv + `"},"items":[]}` }
	for _, test := range []struct {
		name      string
		want, got []string
		differ    []string // texts that a difference must contain
	}{
		{"the same order of versions", []string{object("100"), object("105"), list("107")},
			[]string{object("7"), object("8"), list("8")}, nil},
		{"a version kept over an update", []string{object("100"), object("105")}, []string{object("7"), object("7")},
			[]string{"step 1: body.metadata.resourceVersion"}},
		{"a version renewed without an update", []string{object("100"), object("100")}, []string{object("7"), object("8")},
			[]string{"step 1: "}},
		{"versions that fall", []string{object("100"), object("105")}, []string{object("8"), object("7")},
			[]string{"step 0: ", "step 1: "}},
		{"versions of different length", []string{object("9"), object("10")}, []string{object("99"), object("100")}, nil},
		{"a list behind the last write", []string{object("100"), object("105"), list("105")},
			[]string{object("7"), object("9"), list("8")}, []string{"step 2: body.metadata.resourceVersion"}},
		{"a list ahead of a later write", []string{object("100"), list("101"), object("105")},
			[]string{object("7"), list("9"), object("9")}, []string{"step 1: "}},
		{"version 0 is not a version", []string{list("0")}, []string{list("5")}, []string{"step 0: "}},
		{"an empty version", []string{list("")}, []string{list("")}, nil},
		{"opaque values", []string{
			`{"metadata":{"name":"p-abcde","generateName":"p-","uid":"11111111-1111-1111-1111-111111111111",` +
				`"creationTimestamp":"2026-01-01T00:00:00Z"}}`,
			`{"message":"pods \"p-abcde\" not found","metadata":{"continue":"xyz"},"rows":[{"cells":["p-abcde","5m2s"]}]}`,
		}, []string{
			`{"metadata":{"name":"p-zzzzz","generateName":"p-","uid":"22222222-2222-2222-2222-222222222222",` +
				`"creationTimestamp":"2027-01-01T00:00:00.5+02:00"}}`,
			`{"message":"pods \"p-zzzzz\" not found","metadata":{"continue":"q"},"rows":[{"cells":["p-zzzzz","0s"]}]}`,
		}, nil},
		{"a uid that changes", []string{
			`{"uid":"11111111-1111-1111-1111-111111111111"}`, `{"uid":"11111111-1111-1111-1111-111111111111"}`,
		}, []string{
			`{"uid":"22222222-2222-2222-2222-222222222222"}`, `{"uid":"33333333-2222-2222-2222-222222222222"}`,
		}, []string{"step 1: body.uid"}},
		{"a generated name of the wrong length", []string{`{"name":"p-abcde","generateName":"p-"}`},
			[]string{`{"name":"p-abcd","generateName":"p-"}`}, []string{"body.name"}},
		{"an empty token", []string{`{"continue":"xyz"}`}, []string{`{"continue":""}`}, []string{"body.continue"}},
		{"a token that is missing", []string{`{"continue":"xyz"}`}, []string{`{}`},
			[]string{`body.continue: want "xyz", got nothing`[:13]}},
		{"a number of the request in a message", []string{object("63"), `{"message":"resourceVersion: 63 is more than 63"}`},
			[]string{object("5"), `{"message":"resourceVersion: 63 is more than 63"}`}, nil},
		{"numbers in a message that is not about versions", []string{object("70"), `{"message":"at most 70"}`},
			[]string{object("5"), `{"message":"at most 70"}`}, nil},
		{"digits within a word", []string{object("70"), `{"message":"no resourceVersion for k8s.io/v1"}`},
			[]string{object("8"), `{"message":"no resourceVersion for k8s.io/v1"}`}, nil},
		{"versions in a message", []string{object("70"), `{"message":"too old resource version: 70 (99)"}`},
			[]string{object("5"), `{"message":"too old resource version: 5 (8)"}`}, nil},
		{"the wrong version in a message",
			[]string{object("70"), object("80"), `{"message":"too old resource version: 70 (99)"}`},
			[]string{object("5"), object("6"), `{"message":"too old resource version: 6 (8)"}`}, []string{"body.message"}},
		{"the present in a message", []string{`{"message":"Too large resource version: 63, current: 5"}`},
			[]string{`{"message":"Too large resource version: 63, current: 77"}`}, nil},
		{"numbers by value", []string{`{"n":1.0,"m":1e3}`}, []string{`{"n":1,"m":1000}`}, nil},
		{"large numbers exactly", []string{`{"n":9007199254740993}`}, []string{`{"n":9007199254740992}`}, []string{"body.n"}},
		{"a number and its text", []string{`{"n":1}`}, []string{`{"n":"1"}`}, []string{`want 1, got "1"`}},
		{"null and nothing", []string{`{"n":null}`}, []string{`{}`}, []string{"body.n: want null, got nothing"}},
		{"a list in another order", []string{`{"l":["a","b"]}`}, []string{`{"l":["b","a"]}`},
			[]string{"body.l[0]", "body.l[1]"}},
		{"a longer list", []string{`{"l":["a"]}`}, []string{`{"l":["a","b"]}`},
			[]string{"body.l: want 1 entry, got 2 entries"}},
		{"managedFields in any order", []string{`{"managedFields":[{"manager":"a"},{"manager":"b"}]}`},
			[]string{`{"managedFields":[{"manager":"b"},{"manager":"a"}]}`}, nil},
		{"a key with a dot", []string{`{"l":{"a.b/c":"1"}}`}, []string{`{"l":{"a.b/c":"2"}}`},
			[]string{`body.l["a.b/c"]: want "1", got "2"`}},
		{"an object for a text", []string{`{"l":"x"}`}, []string{`{"l":{"x":1}}`}, []string{`body.l: want "x", got {"x":1}`}},
	} {
		t.Run(test.name, func(t *testing.T) {
			found := Compare(scenarioOf(side(t, test.want...)), side(t, test.got...))
			if len(found) != len(test.differ) {
				t.Fatalf("want %d differences, got %d: %v", len(test.differ), len(found), found)
			}
			for i, mention := range test.differ {
				if !strings.Contains(found[i].String(), mention) {
					t.Errorf("want %q in %q", mention, found[i])
				}
			}
		})
	}
}

func TestCompareHeadsAndStreams(t *testing.T) {
	text := func(s string) *string { return &s }
	event := func(s string) any { return parse(t, s) }
	base := func() []Outcome {
		return []Outcome{
			{Response: &Response{Status: 200,
				Headers: map[string]any{"Content-Type": "text/plain", "Warning": []any{"299 - \"x\""}},
				Text:    text("ok\nresourceVersion: \"7\"")}},
			{Response: &Response{Status: 200, Headers: map[string]any{},
				Binary: []byte("k8s\x00\x0a\x09\x0a\x02v1\x12\x03Pod")}},
			{Response: &Response{Status: 200, Headers: map[string]any{}, Selected: map[string]any{"metadata.name": "a"}}},
			{Events: []any{event(`{"type":"ADDED","object":{"metadata":{"name":"a"}}}`)}},
		}
	}
	s := scenarioOf(base())
	s.Steps[3].Do = doWatchRead
	for name, test := range map[string]struct {
		change func([]Outcome)
		want   string
	}{
		"nothing": {func(o []Outcome) {}, ""},
		"status":  {func(o []Outcome) { o[0].Response.Status = 404 }, "step 0: status: want 200, got 404"},
		"header": {func(o []Outcome) { o[0].Response.Headers["Content-Type"] = "text/html" },
			"step 0: header Content-Type: "},
		"header missing": {func(o []Outcome) { delete(o[0].Response.Headers, "Warning") },
			"step 0: header Warning: "},
		"header more": {func(o []Outcome) { o[0].Response.Headers["Location"] = "/" },
			"step 0: header Location: want nothing"},
		"text":              {func(o []Outcome) { o[0].Response.Text = text("no") }, "step 0: text: "},
		"version in a text": {func(o []Outcome) { o[0].Response.Text = text("ok\nresourceVersion: \"8\"") }, ""},
		"no text":           {func(o []Outcome) { o[0].Response.Text = nil }, "step 0: text: "},
		"kind in an envelope": {func(o []Outcome) { o[1].Response.Binary = []byte("k8s\x00\x0a\x09\x0a\x02v1\x12\x03Pot") },
			"step 1: bytes: "},
		"no envelope": {func(o []Outcome) { o[1].Response.Binary = []byte{0} }, "step 1: bytes: "},
		"a part": {func(o []Outcome) { o[2].Response.Selected["metadata.name"] = "b" },
			"step 2: parts[\"metadata.name\"]: "},
		"an answer that is missing": {func(o []Outcome) { o[2].Response = nil }, "step 2: want an answer, got nothing"},
		"an event's type": {func(o []Outcome) { o[3].Events[0].(map[string]any)["type"] = "MODIFIED" },
			"step 3: event 0.type: "},
		"no event": {func(o []Outcome) { o[3].Events = nil }, "step 3: event 0: want ADDED a, got nothing"},
		"an event more": {func(o []Outcome) { o[3].Events = append(o[3].Events, o[3].Events[0]) },
			"step 3: event 1: want nothing, got ADDED a"},
	} {
		t.Run(name, func(t *testing.T) {
			got := base()
			test.change(got)
			found := Compare(s, got)
			switch {
			case test.want == "" && len(found) > 0:
				t.Errorf("want no difference, got %v", found)
			case test.want != "" && (len(found) != 1 || !strings.HasPrefix(found[0].String(), test.want)):
				t.Errorf("want %q, got %v", test.want, found)
			}
		})
	}
}

// TestEveryLeafCounts changes each single value of the shorter recordings in turn: the comparison
// has to report every change. With TABERNETES_LONG it changes those of recordings twice as long, at quadratic cost.
func TestEveryLeafCounts(t *testing.T) {
	scenarios, err := Load(os.DirFS("testdata/recordings"), "*.json")
	if err != nil {
		t.Fatal(err)
	}
	steps, leaves := 5, 0
	if os.Getenv("TABERNETES_LONG") != "" {
		steps = 10
	}
	for _, s := range scenarios {
		got := make([]Outcome, len(s.Steps))
		for i, st := range s.Steps {
			got[i] = st.Outcome
		}
		if d := Compare(s, got); len(d) > 0 {
			t.Errorf("%s differs from itself: %v", s.Name, d)
		}
		if len(s.Steps) > steps {
			continue // the same kinds of values again
		}
		for i := range got {
			whole := got[i]
			each(map[string]any{"response": bodyOf(whole.Response), "events": whole.Events}, "", func(key string, changed any) {
				leaves++
				m := changed.(map[string]any)
				got[i].Events, _ = m["events"].([]any)
				if whole.Response != nil {
					got[i].Response = withBody(whole.Response, m["response"])
				}
				if len(Compare(s, got)) == 0 {
					t.Errorf("%s, step %s: a change of %s went unnoticed", s.Name, s.Steps[i].ID, key)
				}
			})
			got[i] = whole
		}
	}
	if leaves < 1000 {
		t.Errorf("only %d values were tried", leaves)
	}
}

func bodyOf(p *Response) any {
	if p == nil {
		return nil
	}
	m := map[string]any{"headers": p.Headers}
	if p.Body != nil {
		m["body"] = p.Body
	}
	if p.Selected != nil {
		m["selected"] = p.Selected
	}
	if p.Text != nil {
		m["text"] = *p.Text
	}
	return m
}

func withBody(p *Response, from any) *Response {
	m := from.(map[string]any)
	out := &Response{Status: p.Status, Binary: p.Binary, Body: m["body"]}
	out.Headers, _ = m["headers"].(map[string]any)
	out.Selected, _ = m["selected"].(map[string]any)
	if s, ok := m["text"].(string); ok {
		out.Text = &s
	}
	return out
}

// each calls f with a copy of v for each of its leaves, with that leaf changed.
func each(v any, key string, f func(key string, changed any)) {
	switch v := v.(type) {
	case map[string]any:
		for _, k := range sorted(v) {
			each(v[k], k, func(key string, changed any) {
				m := maps.Clone(v)
				m[k] = changed
				f(key, m)
			})
		}
	case []any:
		for i := range v {
			each(v[i], key, func(key string, changed any) {
				l := append([]any{}, v...)
				l[i] = changed
				f(key, l)
			})
		}
	case string:
		if key != "continue" && !strings.HasSuffix(key, ".continue") || v == "" { // a token is opaque
			f(key, v+"~")
		}
	case json.Number:
		f(key, json.Number("1"+v.String()))
	case bool:
		f(key, !v)
	}
}
