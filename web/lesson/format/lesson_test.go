package format

import (
	_ "embed"
	"errors"
	"fmt"
	"strings"
	"testing"
)

//go:embed testdata/small.md
var small string

func TestParse(t *testing.T) {
	l, err := Parse("lessons/07-small.md", small)
	if err != nil {
		t.Fatal(err)
	}
	if l.ID != "small" || l.Title != "Small" || len(l.Steps) != 2 || len(l.Intro) != 1 || len(l.Outro) != 1 {
		t.Fatalf("got %+v", l)
	}
	s := l.Steps[1]
	var kinds []Kind
	for _, b := range s.Blocks {
		kinds = append(kinds, b.Kind)
	}
	if got := fmt.Sprint(kinds); got != "[predict hint solution]" {
		t.Errorf("blocks %s", got)
	}
	if s.ID != "do-more" || s.Blocks[0].Prediction.Explanation != "This." || !s.Solve()[0].Watch() {
		t.Errorf("got %+v", s)
	}
	if got := l.Steps[0].Solve()[0]; got.Name != "list" || got.Line != 11 {
		t.Errorf("without a solution the http blocks are one; got %+v", got)
	}
	if r := l.Request("0/1/0"); r == nil || r.Name != "list" {
		t.Errorf("Request(0/1/0) = %+v", r)
	}
	for _, bad := range []string{"", "0/1", "0/1/7", "9/0/0", "-1/0/0", "0/-1/0", "x"} {
		if l.Request(bad) != nil {
			t.Errorf("Request(%q) found something", bad)
		}
	}
}

func TestParseKeepsForeignBlocksAsProse(t *testing.T) {
	src := strings.Replace(small, "Text.\n", "Text.\n\n```json\n{\"a\": 1}\n## not a step\n```\n", 1)
	l, err := Parse("1-a.md", src)
	if err != nil {
		t.Fatal(err)
	}
	if b := l.Steps[0].Blocks[0]; b.Kind != Prose || !strings.Contains(b.Markdown, "## not a step\n```") {
		t.Errorf("got %+v", b)
	}
}

func TestParseErrors(t *testing.T) {
	step := "# T\n## S\n"
	check := "```check\n- Row\n  a: GET /api\n```\n"
	get := "```http\nGET /api\n```\n"
	for _, test := range []struct{ name, file, src, want string }{
		{"file name", "Lesson.md", small, "Lesson.md:1: a lesson's file is named"},
		{"no title", "1-a.md", "text", "1-a.md:1: no title"},
		{"no steps", "1-a.md", "# T\n", "1-a.md:2: no steps"},
		{"step first", "1-a.md", "## S\n# T", "1-a.md:1: a step before the title"},
		{"two titles", "1-a.md", "# T\n# U", "1-a.md:2: a second title"},
		{"same step", "1-a.md", step + get + check + "## s!\n", `1-a.md:10: two steps are called "s!"`},
		{"no check", "1-a.md", step + get, `1-a.md:2: the step "S" has no check`},
		{"nothing to do", "1-a.md", step + check, `1-a.md:2: the step "S" has neither`},
		{"two checks", "1-a.md", step + get + check + check, "1-a.md:10: a second check"},
		{"open block", "1-a.md", step + "```http\nGET /", "1-a.md:3: the block is not closed"},
		{"check outside", "1-a.md", "# T\n" + check, "1-a.md:2: a check outside of a step"},
		{"http outside", "1-a.md", "# T\n" + get, "1-a.md:2: a block \"http\" outside of a step"},
		{"kubectl alone", "1-a.md", step + "```kubectl\nkubectl get ns\n```", "1-a.md:3: kubectl belongs right below"},
		{"kubectl away", "1-a.md", step + get + "\nText.\n```kubectl\nkubectl get ns\n```",
			"1-a.md:8: kubectl belongs right below"},
		{"kubectl twice", "1-a.md", step + get + "```kubectl\na\n```\n```kubectl\nb\n```",
			"1-a.md:9: kubectl belongs right below"},
		{"no command", "1-a.md", step + get + "```kubectl\n```", "1-a.md:6: no command"},
		{"empty hint", "1-a.md", step + "```hint\n```", "1-a.md:3: an empty hint"},
		{"predict", "1-a.md", step + "```predict\nq\n```", "1-a.md:3: predict ends with a line ---"},
		{"no question", "1-a.md", step + "```predict\n- a\n```", "1-a.md:3: predict starts with a question"},
		{"one choice", "1-a.md", step + "```predict\nq\n- a\n  reply \"x\"\n---\ne\n```",
			"1-a.md:3: predict has two choices"},
		{"no reply", "1-a.md", step + "```predict\nq\n- a\n- b\n  reply \"x\"\n---\ne\n```",
			"1-a.md:5: a choice that is never right needs a reply"},
		{"two silent", "1-a.md", step +
			"```predict\nq\n- a\n  a.response.status = 1\n- b\n  a.response.status = 2\n---\ne\n```",
			"1-a.md:3: two choices have no reply"},
		{"same choice", "1-a.md", step + "```predict\nq\n- a\n- a\n---\ne\n```", `1-a.md:6: two choices are called "a"`},
		{"stray line", "1-a.md", step + "```predict\nq\n- a\nb\n---\ne\n```", `1-a.md:6: "b": after the question`},
		{"no row", "1-a.md", step + "```predict\nq\n- a\n  status = 1\n---\ne\n```",
			`1-a.md:6: "status = 1": a choice's condition starts`},
		{"late value", "1-a.md", step + "```predict\nq\n- a\n= a.response.status\n---\ne\n```", "1-a.md:6: = comes once"},
		{"second question", "1-a.md", step + "```predict\nq\n= a.response.status\n---\ne\n```\n```predict\nq\n```",
			`1-a.md:9: a second question in the step "S"`},
		{"unknown row", "1-a.md", step + get + "```predict\nq\n= b.response.status\n---\ne\n```\n" + check,
			"1-a.md:6: {{b.response.status}}: nothing is called"},
		{"setup in a step", "1-a.md", step + "```setup\nGET /api\n```", "1-a.md:3: setup belongs before the first step"},
		{"watch in setup", "1-a.md", "# T\n```setup\nGET /api?watch=1\n```\n## S\n" + get + check,
			"1-a.md:3: a watch in setup"},
		{"wrong outside", "1-a.md", "# T\n```wrong x\nGET /api\n```", "1-a.md:2: a wrong attempt outside of a step"},
		{"goal without a number", "1-a.md", step + "```goal\nIt is gone.\n```",
			"1-a.md:3: a goal is a text and a line fewest N"},
		{"goal behind its mark", "1-a.md", step + "```goal It is gone.\nfewest 1\n```",
			`1-a.md:3: words behind "goal"`},
		{"goal without a text", "1-a.md", step + "```goal\nfewest 2\n```", "1-a.md:3: a goal is a text"},
		{"goal of nothing", "1-a.md", step + "```goal\nx\nfewest 0\n```", "1-a.md:5: fewest: a number from 1"},
		{"two goals", "1-a.md", step + "```goal\nx\nfewest 1\n```\n```goal\ny\nfewest 1\n```",
			"1-a.md:7: a goal belongs into a step"},
		{"goal after nothing", "1-a.md", step + get + "```goal\nx\nfewest 1\nafter b\n```\n" + check,
			"1-a.md:6: after names a row of the step's check that finds a request, not \"b\""},
		{"claim without a source", "1-a.md", step + "```claims\n- It is so.\n```", "1-a.md:4: a claim is a line"},
		{"covers outside", "1-a.md", "# T\n```covers\nx\n```", "1-a.md:2: covers outside of a step"},
		{"value of nothing", "1-a.md", step + get +
			"```check\n- R\n  w: GET /api\n- S\n  n: no ADDED in w\n- U\n  x: GET /api\n  request.path = {{n.type}}\n```\n",
			"1-a.md:13: {{n.type}}: what did not come"},
		{"step after the end", "1-a.md", step + get + check + "---\n## U", "1-a.md:11: a step after"},
		{"unknown name", "1-a.md", step + "```http\nGET /{{x.response.status}}\n```\n" + check,
			"1-a.md:4: {{x.response.status}}: nothing is called \"x\" here"},
		{"check of a mere request", "1-a.md", step +
			"```http\n# @name x\nGET /api\n```\n```check\n- R\n  a: GET /api\n  request.path = {{x.request.path}}\n```\n",
			"1-a.md:10: {{x.request.path}}: nothing"},
		{"wrong root", "1-a.md", step + get + "```check\n- R\n  a: GET /api\n  object.x is present\n```\n",
			"1-a.md:9: the path of a request's exchange starts with"},
		{"event in nothing", "1-a.md", step + get + "```check\n- R\n  a: ADDED in w\n```\n",
			"1-a.md:7: no row above finds a request called \"w\""},
		{"row twice", "1-a.md", step + get + "```check\n- R\n  a: GET /\n- S\n  a: GET /\n```\n", "1-a.md:9: two rows"},
		{"not to be repeated", "1-a.md",
			"# T\n```setup\nPOST /api/v1/nodes\n\n{\"metadata\": {\"name\": \"n\"}}\n```\n## S\n" +
				get + check, "1-a.md:3: POST /api/v1/nodes writes outside of the lesson's namespaces, so that the lesson " +
				"cannot be set up again: add DELETE /api/v1/nodes/n to a restore block"},
		{"nor of another one", "1-a.md", "# T\n```restore\nDELETE /api/v1/nodes/m\n```\n## S\n```solution\nPUT " +
			"/api/v1/nodes/n/status\n```\n" + check, "1-a.md:7: PUT /api/v1/nodes/n/status writes outside"},
		{"deleted in the setup", "1-a.md", "# T\n```setup\nDELETE /api/v1/nodes/n\n```\n## S\n" + get + check,
			"1-a.md:3: a DELETE outside of the lesson's namespaces"},
		{"any answer to a write", "1-a.md", step + get + "```check\n- Made\n  a: POST /\n```\n",
			"1-a.md:7: the row \"Made\" takes any answer to a POST"},
		{"after what", "1-a.md", step + get + "```check\n- R\n  a: GET /\n  after b\n```\n",
			"1-a.md:7: after and before name rows"},
	} {
		t.Run(test.name, func(t *testing.T) {
			_, err := Parse(test.file, test.src)
			if err == nil || !strings.HasPrefix(err.Error(), test.want) {
				t.Errorf("got %v, want %s…", err, test.want)
			}
			var e *Error
			if !errors.As(err, &e) {
				t.Errorf("%T is no *Error", err)
			}
		})
	}
}

// What is deleted at the end, in the lesson's own namespaces, or stored nowhere, can be set up again.
func TestParseRepeats(t *testing.T) {
	for _, request := range []string{
		"POST /api/v1/nodes\n\n{\"metadata\": {\"name\": \"n\"}}", "PATCH /api/v1/nodes/n/status\n\n{}",
		"POST /api/v1/namespaces/own/secrets\n\n{}", "PUT /api/v1/namespaces/own\n\n{}",
		"POST /api/v1/namespaces/other/secrets\n\n{}", "POST /apis/batch/v1/jobs?dryRun=All\n\n{}",
		"POST /apis/authorization.k8s.io/v1/selfsubjectaccessreviews\n\n{}",
		"PATCH /apis/sandbox.tabernetes.dev/v1/controlplanes/default\n\n{}", "DELETE /api/v1/nodes/x",
	} {
		_, err := Parse("1-a.md", "---\nnamespaces: own\n---\n# T\n```restore\nDELETE /api/v1/nodes/n\n\n###\nPOST "+
			"/apis/sandbox.tabernetes.dev/v1/controlplanes/default/purge\n\n{\"namespaces\": [\"other\"]}\n```\n## S\n```http\n"+
			request+"\n```\n```check\n- Row\n  a: GET /api\n```\n")
		if err != nil {
			t.Errorf("%s: %v", request, err)
		}
	}
}

func TestParseCheckErrors(t *testing.T) {
	for src, want := range map[string]string{
		"":                                   ":3: a check without rows",
		"  x: GET /":                         ":3: a check starts with a row",
		"- R":                                `:3: the row "R" says nothing`,
		"- R\n- S\n  x: GET /":               `:3: the row "R" says nothing`,
		"- R\nx: GET /":                      ":4: \"x: GET /\" belongs to a row",
		"-  ":                                ":3: a row needs a text",
		"- R\n  GET /":                       ":4: \"GET /\": a row's second line",
		"- R\n  x:":                          ":4: nothing after \"x:\"",
		"- R\n  x: FETCH /":                  ":4: \"FETCH\" is neither a method nor",
		"- R\n  x: ADDED of w":               ":4: an event row is",
		"- R\n  x: ADDED or":                 ":4: nothing after or",
		"- R\n  x: GET":                      ":4: the line ends too early",
		"- R\n  x: GET pods":                 ":4: path \"pods\" does not start with /",
		"- R\n  x: GET / -> ok":              ":4: \"ok\" is not an HTTP status",
		"- R\n  x: GET / -> 200 201":         ":4: unexpected \"201\"",
		"- R\n  x: GET / 200":                ":4: expected ->",
		"- R\n  x: GET /\n  a.b":             ":5: \"a.b\" is not a condition",
		"- R\n  x: GET /\n  a.b ~ 1":         ":5: unknown comparison \"~\"",
		"- R\n  x: GET /\n  a.b is there":    ":5: expected is present",
		"- R\n  x: GET /\n  a..b = 1":        ":5: path \"a..b\": a name is missing",
		"- R\n  x: GET /\n  times 1":         ":5: times 1: a number from 2",
		"- R\n  x: GET /\n  by soon":         ":5: by soon: a span of time",
		"- R\n  x: GET /\n  a or b != 1":     ":5: != with several paths: write",
		"- R\n  x: GET /\n  a or b..c = 1":   ":5: path \"b..c\"",
		"- R\n  x: no GET /\n  in any order": ":5: unknown comparison \"any\"",
		"- R\n  x: no GET in w":              ":4: path \"in\" does not start with /",
		"- R\n  x: GET or FETCH /":           ":4: path \"or\" does not",
		"- R\n  x: no FETCH /":               ":4: \"FETCH\" is neither",
		"- R\n  x: no GET /":                 ":3: rows with no METHOD come after all others",
		"- R\n  w: GET /\n- S\n  x: no GET /\n- U\n  y: GET /": ":7: rows with no METHOD come after",
		"- R\n  x: GET /\n  response.bytes[3:1] = 1":           ":5: path \"response.bytes[3:1]\": [3:1] is not a range",
		"- R\n  x: GET /\n  a = 1 2":                           ":5: unexpected \"2\"",
		"- R\n  x: GET /\n  a = \"1":                           ":5: a quote is not closed",
		"- R\n  x: GET /\n  a = {{b":                           ":5: {{ is not closed",
		"- R\n  x: GET /\n  a = {{b}}":                         ":5: {{b}} is not of the form",
		"- R\n  x: GET /\n  a = 1 else no":                     ":5: else needs a quoted text",
		"- R\n  x: GET /\n  after 7":                           ":5: \"7\" is not a row's name",
		"- R\n  x: GET /\n  response.b[ = 1":                   ":5: path \"response.b[\": [ is not closed",
		"- R\n  x: GET /\n  response[\"a = 1":                  ":5: a quote is not closed",
		"- R\n  x: GET /\n  response.b[x] = 1":                 ":5: path \"response.b[x]\": [x]: a comparison is needed",
		"- R\n  x: GET /\n  response.b[?] = 1":                 ":5: path \"response.b[?]\": [?] is neither",
		"- R\n  x: GET /\n  response.b[\"x\"y=1":               ":5: \"response.b[\\\"x\\\"y=1\" is not a condition",
	} {
		if _, err := ParseCheck(src, 3); err == nil || !strings.HasPrefix(err.Error(), want) {
			t.Errorf("%q: got %v, want %s…", src, err, want)
		}
	}
}

func FuzzParse(f *testing.F) {
	f.Add(small)
	f.Add("# T\n## S\n```http\n# @repeat 3\nPOST /{{$index}}\nA: b\n\n{}\n```\n```check\n- R\n  a: ADDED or ERROR in " +
		"b\n  object[\"a.b\"][0] = \"x y\" or {{a.b[-1]}} else \"no\"\n```\n---\n")
	f.Fuzz(func(t *testing.T, src string) {
		l, err := Parse("1-fuzz.md", src)
		if err != nil {
			hasLine(t, err, src)
			return
		}
		if l.Title == "" || len(l.Steps) == 0 {
			t.Fatalf("accepted without a title or steps: %q", src)
		}
		for i := range l.Steps {
			if l.Steps[i].Check == nil || len(l.Steps[i].Solve()) == 0 {
				t.Fatalf("accepted a step without check or solution")
			}
		}
	})
}

func FuzzParseCheck(f *testing.F) {
	f.Add("- R\n  x: GET /\n  response.events[before type = A or B, object[\"c\"] is present].length >= 2\n")
	f.Add("- A list\n  list: GET /api/v1/pods or /n/*/pods -> 200 or 201 else \"no\"\n  request.query.watch is " +
		"absent else \"x\"\n- An event\n  seen: ADDED or ERROR in list\n  object[\"a.b\"][-1].c >= 5 or \"a " +
		"{{list.response.body.x}}\"\n  after list\n")
	f.Fuzz(func(t *testing.T, src string) {
		c, err := ParseCheck(src, 1)
		if err != nil {
			hasLine(t, err, src)
			return
		}
		for _, r := range c.Rows {
			if r.Name == "" || r.Text == "" || (r.In == "") == (r.Method == "") {
				t.Fatalf("accepted the row %+v", r)
			}
		}
	})
}
