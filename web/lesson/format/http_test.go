package format

import (
	"encoding/json"
	"errors"
	"os"
	"reflect"
	"strings"
	"testing"

	"github.com/tabernetes/tabernetes/web/tap"
)

func TestParseHTTP(t *testing.T) {
	src := `### list
GET /api/v1/pods
  ?limit=2
  &continue={{page.response.body.metadata.continue}} HTTP/1.1
Accept: application/json

### two requests in one block
# @name create
# @repeat 10
POST /pods
// a comment
X-Token: {{page.response.headers.X-Token}}

{"name": "p-{{$index}}",

 "x": 1}

###
/version
`
	got, err := ParseHTTP(src, 5)
	if err != nil {
		t.Fatal(err)
	}
	if len(got) != 3 {
		t.Fatalf("got %d requests", len(got))
	}
	list, create, version := got[0], got[1], got[2]
	if list.Name != "list" || list.Target != "/api/v1/pods?limit=2&continue={{page.response.body.metadata.continue}}" ||
		list.Line != 6 {
		t.Errorf("list: %+v", list)
	}
	if create.Name != "create" || create.Repeat != 10 || create.Body != "{\"name\": \"p-{{$index}}\",\n\n \"x\": 1}" {
		t.Errorf("create: %+v", create)
	}
	if version.Method != "GET" || version.Target != "/version" || version.Label() != "GET /version" {
		t.Errorf("version: %+v", version)
	}
	values := map[string]string{
		"page.response.body.metadata.continue": "a+b&c", "page.response.headers.X-Token": "t",
	}
	value := func(r Ref) (string, error) { return values[r.Key()], nil }
	out, err := list.Resolve(1, value)
	if err != nil || out.Target != "/api/v1/pods?limit=2&continue=a%2Bb%26c" {
		t.Errorf("resolved %+v, %v", out, err)
	}
	out, _ = create.Resolve(7, value)
	if !strings.Contains(out.Body, `"p-07"`) {
		t.Errorf("the index is not padded: %s", out.Body)
	}
	want := []tap.Field{{Name: "X-Token", Value: "t"}, {Name: "Content-Type", Value: "application/json"}}
	if !reflect.DeepEqual(out.Header, want) {
		t.Errorf("header %v", out.Header)
	}
}

func TestParseHTTPErrors(t *testing.T) {
	for src, want := range map[string]string{
		"":                                   ":5: an http block without a request",
		"# only a comment":                   ":5: an http block without a request",
		"# @name x":                          ":5: \"x\" has no request line",
		"# @name 7":                          ":5: @name \"7\"",
		"# @repeat 1":                        ":5: @repeat \"1\"",
		"# @repeat 99999\nGET /":             ":5: @repeat \"99999\"",
		"# @nope\nGET /":                     ":5: unknown directive @nope",
		"BREW /pot":                          ":5: unknown method \"BREW\"",
		"GET https://example.com/":           ":5: target",
		"GET //example.com/":                 ":5: target",
		"GET / and more":                     ":5: \"GET / and more\" is not a request line",
		"GET /\nno header":                   ":6: \"no header\" is not a header line",
		"GET /\nA: {{x":                      ":6: header A: {{ is not closed",
		"GET /{{x}}":                         ":5: {{x}} is not of the form",
		"POST /\n\n{{x.}}":                   ":5: body: {{x.}}: an empty path",
		"GET /{{$index}}":                    ":5: {{$index}} in a request that is not repeated",
		"# @repeat 2\nGET /api?watch=1":      ":6: a watch cannot be repeated",
		"GET /a\n\n###\n# @repeat 3\n\nPUSH": ":10: target \"PUSH\"",
	} {
		if _, err := ParseHTTP(src, 5); err == nil || !strings.HasPrefix(err.Error(), want) {
			t.Errorf("%q: got %v, want %s…", src, err, want)
		}
	}
}

// hasLine makes sure that an error says in which line of a text it is.
func hasLine(t *testing.T, err error, src string) {
	t.Helper()
	var e *Error
	if !errors.As(err, &e) || e.Line < 1 || e.Line > strings.Count(src, "\n")+1 {
		t.Fatalf("error %v of %d lines", err, strings.Count(src, "\n")+1)
	}
}

func FuzzParseHTTP(f *testing.F) {
	f.Add("### a\nGET /x?y={{b.response.events[-1].object}}\nA: b\n\n{}\n###\n/z", 1)
	f.Fuzz(func(t *testing.T, src string, index int) {
		requests, err := ParseHTTP(src, 1)
		if err != nil {
			hasLine(t, err, src)
			return
		}
		for _, r := range requests {
			out, err := r.Resolve(index, func(Ref) (string, error) { return "v w/\r\n", nil })
			if err != nil {
				t.Fatal(err)
			}
			if !strings.HasPrefix(out.Target, "/") {
				t.Fatalf("target %q", out.Target)
			}
		}
	})
}

func TestPath(t *testing.T) {
	v, _ := tap.ParseJSON(`{"a": {"b.c": [{"n": 1}, {"n": 2}, {}]}, "s": "x", "length": 9, "big": 12345678901234567890}`)
	for path, want := range map[string]string{
		`a["b.c"][0].n`:      "1",
		`a["b.c"][-2].n`:     "2",
		`a["b.c"][*].n`:      "[1,2]",
		`a["b.c"].length`:    "3",
		`length`:             "9",
		`s`:                  "x",
		`a.$["b.c"][1]`:      `{"n":2}`,
		`big`:                "12345678901234567890",
		`a["b.c"][3]`:        "-",
		`a["b.c"][-4]`:       "-",
		`s.t`:                "-",
		`s[0]`:               "-",
		`a[*]`:               "-",
		`nope`:               "-",
		`a["b.c"][*].length`: "[]",
	} {
		p, err := ParsePath(path)
		if err != nil {
			t.Errorf("%s: %v", path, err)
			continue
		}
		got := "-"
		if x, ok := p.Of(v); ok {
			got = TextOf(x)
		}
		if got != want {
			t.Errorf("%s: got %s, want %s", path, got, want)
		}
	}
}

func FuzzParsePath(f *testing.F) {
	f.Add(`a["b.c"][-1][*].$.d`)
	f.Add(`a[before b = 1 or "x, y", c["d"] is absent][after e != 2][*].length`)
	v, _ := tap.ParseJSON(`{"a": [[{"b": 1}], {"b": 2}, {"b": [3]}]}`)
	f.Fuzz(func(t *testing.T, s string) {
		p, err := ParsePath(s)
		if err == nil {
			if len(p.steps) == 0 || p.String() != s {
				t.Fatalf("%q: %+v", s, p)
			}
			p.Of(v)
		}
	})
}

// TestSnippetsReadTheSame reads the blocks that the snippets' parser is tested with: both read them alike.
func TestSnippetsReadTheSame(t *testing.T) {
	data, err := os.ReadFile("../../snippet/testdata/requests.json")
	if err != nil {
		t.Fatal(err)
	}
	var cases []struct {
		Text, Error string
		Requests    []struct {
			Name, Method, Target, Body string
			Headers                    [][2]string
			Repeat                     int
		}
	}
	if err := json.Unmarshal(data, &cases); err != nil {
		t.Fatal(err)
	}
	for _, c := range cases {
		got, err := ParseHTTP(c.Text, 1)
		if c.Error != "" {
			if err == nil || !strings.Contains(err.Error(), c.Error) {
				t.Errorf("%q: %v, want %s", c.Text, err, c.Error)
			}
			continue
		}
		if err != nil || len(got) != len(c.Requests) {
			t.Errorf("%q: %d requests, %v", c.Text, len(got), err)
			continue
		}
		for i, want := range c.Requests {
			r := got[i]
			if r.Name != want.Name || r.Method != want.Method || r.Target != want.Target || r.Body != want.Body ||
				r.Repeat != max(want.Repeat, 1) || len(r.Header) != len(want.Headers) {
				t.Errorf("%q: %+v, want %+v", c.Text, r, want)
			}
			for j, h := range want.Headers {
				if r.Header[j].Name != h[0] || r.Header[j].Value != h[1] {
					t.Errorf("%q: header %v, want %v", c.Text, r.Header[j], h)
				}
			}
		}
	}
}
