package format

import (
	_ "embed"
	"fmt"
	"strings"
	"testing"
)

//go:embed testdata/level.md
var level string

func TestParseLevel(t *testing.T) {
	l, err := ParseLevel(level)
	if err != nil {
		t.Fatal(err)
	}
	if l.ID != LevelID(level) || !IsLevel(l.ID) || l.Title != "Paint it blue" || len(l.Setup) != 1 {
		t.Errorf("got %+v", l)
	}
	for _, id := range []string{"", "level-", "level-0a1b2c3", "level-0a1b2c3g", "level-0a1b2c3d4", "verbs"} {
		if IsLevel(id) {
			t.Errorf("%q is the id of a level", id)
		}
	}
	g := l.Steps[0].Goal()
	want := "Use the console or the terminal. These levers are allowed, and do not count: compact, restart."
	if got := g.Tools(); got != want {
		t.Errorf("%q", got)
	}
	rows := l.Steps[0].Check.Rows
	last := rows[len(rows)-1]
	if !last.Unasked() || strings.HasSuffix(fmt.Sprint(last.Paths), "/compact") ||
		!strings.Contains(fmt.Sprint(last.Paths), "/reset") {
		t.Errorf("levers: %+v", last)
	}
}

// TestParseLevelErrors refuses what a level must not have, with a sentence and its line.
func TestParseLevelErrors(t *testing.T) {
	post := "POST /api/v1/namespaces/level/configmaps"
	get := "###\nGET /api/v1/namespaces/level/configmaps/paint"
	given := "### x\nGET /api/v1/pods\n###\n"
	for _, test := range []struct{ old, new, want string }{
		{"namespaces: level", "namespaces: level, default", `1: a level's namespaces are called level or level-`},
		{"namespaces: level", "namespaces: levels", `1: a level's namespaces`},
		{"namespaces: level\n", "", `1: a level needs a namespace`},
		{"servers: 2", "servers: 9", `4: `},
		{post, "POST /api/v1/namespaces/default/configmaps", "12: a level's requests write in its own namespaces"},
		{post, "POST /api/v1/namespaces/level/../default/configmaps", "12: a level's requests have plain paths"},
		{post, "POST /api/v1/namespaces/level/%2e%2e/x", "12: a level's requests have plain paths"},
		{post, `POST /api/v1/namespaces/level/\evil`, "12: a level's requests have plain paths"},
		{post, post + "?a=b#c", "12: a level's requests have plain paths"},
		{post, "POST /namespaces/level/configmaps", "12: a level's requests write in its own namespaces"},
		{post, "GET /samples/guestbook.yaml", "12: a level's requests write in its own namespaces"},
		{post, "POST /apis/sandbox.tabernetes.dev/v1/controlplanes/default/reset", `12: a level may use these levers`},
		{post, "POST /apis/sandbox.tabernetes.dev/v1/controlplanes/default/purge", `12: a level may use these levers`},
		{post, "PATCH /apis/sandbox.tabernetes.dev/v1/controlplanes/default", `12: the settings that a level starts with`},
		{post, "# @repeat 1001\n" + post, `at most 1000 requests`},
		{get, "###\nPUT /apis/sandbox.tabernetes.dev/v1/controlplanes/default/snapshot", `a level may use these levers`},
		{get, "###\nDELETE /api/v1/namespaces/default/pods/x", "a level's requests write in its own namespaces"},
		{get, given + "GET /api/v1/namespaces/level/configmaps/{{x.response.body.data.color}}", "plain paths"},
		{get, given + "DELETE /api/v1/namespaces/level/configmaps/{{x.response.body.metadata.name}}", ""},
		{"## The goal", "```restore\nDELETE /api/v1/nodes/a\n```\n## The goal", `a level has no block "restore" here`},
		{"```hint\n`PATCH`", "```http\nGET /api/v1/pods", `a level has no block "http" here`},
		{"```hint\n`PATCH`", "text\n```hint\na", `a level has no block "prose" here`},
		{"```hint\n`PATCH`", "```covers\nverbs", "and nothing else"},
		{"fewest 2", "fewer 2", "a goal is a text"},
		{"compact, restart", "compact, reset", `levers: none, or some of`},
		{"compact, restart", "compact, compact", `levers: none, or some of`},
		{"levers compact, restart\n", "", ""},
		{"compact, restart", "none", ""},
		{level[strings.Index(level, "```goal"):strings.Index(level, "```check")], "", "a level is one step, with a goal"},
		{"Somebody", strings.Repeat("x", MaxLevel), "1: a level has at most 16 kB"},
		{"- It is blue", strings.Repeat("- A\n  A: GET /api\n", 1) + "- It is blue", ""},
	} {
		src := strings.Replace(level, test.old, test.new, 1)
		if src == level {
			t.Fatalf("nothing is like %q", test.old)
		}
		_, err := ParseLevel(src)
		if test.want == "" && err != nil || test.want != "" && (err == nil || !strings.Contains(err.Error(), test.want)) {
			t.Errorf("%q for %q: got %v, want %s", test.new, test.old, err, test.want)
		}
	}
}

// FuzzParseLevel wants levels, whatever they are, to ask nothing but the API, and to write in their namespaces alone.
func FuzzParseLevel(f *testing.F) {
	f.Add(level)
	f.Fuzz(func(t *testing.T, src string) {
		l, err := ParseLevel(src)
		if err != nil {
			return
		}
		requests := append(l.Setup, l.Steps[0].requests(Solution)...)
		for _, r := range requests {
			if !strings.HasPrefix(r.Target, "/api/") && !strings.HasPrefix(r.Target, "/apis/") ||
				strings.Contains(r.Target, "/..") {
				t.Fatalf("a level requests %s", r.Target)
			}
		}
		for _, name := range l.Namespaces {
			if !strings.HasPrefix(name, "level") {
				t.Fatalf("a level empties %s", name)
			}
		}
	})
}
