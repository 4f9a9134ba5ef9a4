package format

import (
	_ "embed"
	"fmt"
	"net/url"
	"slices"
	"strings"
	"testing"

	"github.com/tabernetes/tabernetes/core/wellknown"
	"github.com/tabernetes/tabernetes/web/apipath"
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
	if LevelID("# 22118") == LevelID("# 334916") { // they have one FNV-1a of 32 bits
		t.Error("two levels have one id")
	}
	for _, id := range []string{"", "level-", "level-0a1b2c3d", "level-0a1b2c3d4e5f607g", "level-0a1b2c3d4e5f60718",
		"verbs"} {
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
	own := "12: a level's requests write in its own namespaces"
	given := "### x\nGET /api/v1/pods\n###\n"
	for _, test := range []struct{ old, new, want string }{
		{"namespaces: level", "namespaces: level, default", `1: a level's namespaces are called level or level-`},
		{"namespaces: level", "namespaces: levels", `1: a level's namespaces`},
		{"namespaces: level\n", "", `1: a level needs a namespace`},
		{"servers: 2", "servers: 9", `4: `},
		{post, "POST /api/v1/namespaces/default/configmaps", own},
		{post, "POST /api/v1/namespaces/level/../default/configmaps", "12: a level's requests have plain paths"},
		{post, "POST /api/v1/namespaces/level/%2e%2e/x", "12: a level's requests have plain paths"},
		{post, `POST /api/v1/namespaces/level/\evil`, "12: a level's requests have plain paths"},
		{post, post + "?a=b#c", "12: a level's requests have plain paths"},
		{post, "POST /namespaces/level/configmaps", "12: a level's requests are for resources"},
		{post, "GET /samples/guestbook.yaml", "12: a level's requests are for resources"},
		{post, "DELETE /api/v1/namespaces/default/configmaps?dryRun=All", own},
		{post, "PUT /apis/apps/v1/namespaces/default/deployments/reviews", own},
		{post, "DELETE /api/v1/namespaces/reviews", own},
		{post, "DELETE /api/v1/namespaces/level", own},
		{post, "PUT /api/v1/namespaces/level/finalize", own},
		{post, "POST /apis/authorization.k8s.io/v1/selfsubjectaccessreviews", own},
		{post, "GET /api/v1/pods?watch=yes", "12: a watch in setup"},
		{post, "GET /api/v1/pods?watch=1&timeoutSeconds=3600", "12: a watch in setup"},
		{post, "GET /api/v1/pods?%77atch", "12: a watch in setup"},
		{post, "GET /api/v1/watch/pods", "12: a watch in setup"},
		{post, "GET /api/v1/namespaces/a/pods/b/log?follow=1", "12: a watch in setup"},
		{post, "# @name x\nGET /api/v1/nodes/a\n###\nGET /api/v1/pods?{{x.response.body.metadata.name}}",
			"15: a level starts with requests that do not depend on answers"},
		{post, "POST " + wellknown.ControlPlane + "/reset", `12: a level starts with objects`},
		{post, "POST " + wellknown.ControlPlane + "/advance", `12: a level starts with objects`},
		{post, "PATCH " + wellknown.ControlPlane, `12: a level starts with objects`},
		{post, "POST " + wellknown.ControlPlane + "compact", own},
		{"namespaces: level", "namespaces: level" + strings.Repeat(" level-a", 10), "1: a level has at most 10 namespaces"},
		{post, "# @repeat 1001\n" + post, `at most 1000 requests`},
		{get, "###\nPUT " + wellknown.ControlPlane + "/snapshot", `a level may use these levers`},
		{get, "###\nDELETE /api/v1/namespaces/default/pods/x", "a level's requests write in its own namespaces"},
		{get, given + "GET /api/v1/namespaces/level/configmaps/{{x.response.body.data.color}}", "plain paths"},
		{get, given + "GET /api/v1/{{x.response.body.metadata.name}}/pods", "may be the name of an object"},
		{get, "###\nPOST " + wellknown.ControlPlane + "/advance", "uses the lever advance, which the goal does not allow"},
		{get, "###\nPOST " + wellknown.ControlPlane + "/compact", ""},
		{get, "###\nGET " + wellknown.ControlPlane, ""},
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
		{"Somebody", strings.Repeat("x", MaxLevel), ":0: a level has at most 16 kB"},
		{"r1: PUT", "levers: PUT", ""},
		{"- It was painted", strings.Repeat("- A\n  A: GET /api\n", 18) + "- It was painted", "has at most 20 rows"},
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

// TestLevelFewest counts the requests of a level's first solution as those of a learner are counted.
func TestLevelFewest(t *testing.T) {
	get := "###\nGET /api/v1/namespaces/level/configmaps/paint"
	for request, want := range map[string]int{
		get:                            2,
		"":                             1,
		"###\n# @repeat 100" + get[3:]: 101,
		"###\nPUT /api/v1/namespaces/level/configmaps/paint\n\n{\"a\": \"/controlplanes/\"}": 2,
		"###\nPOST " + wellknown.ControlPlane + "/compact":                                   1,
		"###\n# @name r1" + get[3:] + "\n" + get:                                             1,
	} {
		src := strings.Replace(strings.Replace(level, get, request, 1), "fewest 2", "fewest 7\nafter r1", 1)
		l, err := ParseLevel(src)
		if err != nil || l.Steps[0].Goal().Fewest != want {
			t.Errorf("%q: %v, %+v, want %d", request, err, l, want)
		}
	}
}

// FuzzParseLevel wants levels, whatever they are, to ask nothing but the API, to write in their namespaces alone, but
// for levers in a solution, and to start with requests that end.
func FuzzParseLevel(f *testing.F) {
	f.Add(level)
	for _, line := range []string{"DELETE /api/v1/namespaces/default/configmaps?dryRun=All",
		"DELETE /api/v1/nodes/reviews", "GET /api/v1/watch/pods", "POST " + wellknown.ControlPlane + "/advance"} {
		f.Add(strings.Replace(level, "POST /api/v1/namespaces/level/configmaps", line, 1))
		f.Add(strings.Replace(level, "PATCH /api/v1/namespaces/level/configmaps/paint", line, 1))
	}
	f.Fuzz(func(t *testing.T, src string) {
		l, err := ParseLevel(src)
		if err != nil {
			return
		}
		for i, requests := range [][]*Request{l.Setup, l.Steps[0].requests(Solution)} {
			for _, r := range requests {
				path, query, _ := strings.Cut(r.Target, "?")
				p, ok := apipath.Parse(path)
				reads := r.Method == "GET" || r.Method == "HEAD" || r.Method == "OPTIONS"
				lever := i > 0 && (path + "/")[:min(len(path)+1, len(wellknown.ControlPlane)+1)] == wellknown.ControlPlane+"/"
				q, _ := url.ParseQuery(query)
				switch {
				case !ok || strings.Contains(path, "/.") || strings.Contains(path, "//"):
					t.Fatalf("a level requests %s", r.Target)
				case !reads && !lever && !slices.Contains(l.Namespaces, p.Namespace):
					t.Fatalf("a level writes: %s %s", r.Method, r.Target)
				case i == 0 && (p.Watch || q.Has("watch") || q.Has("follow") || len(r.target.Refs()) > 0):
					t.Fatalf("a level's start may not end: %s %s", r.Method, r.Target)
				}
			}
		}
		for _, name := range l.Namespaces {
			if name != "level" && !strings.HasPrefix(name, "level-") {
				t.Fatalf("a level empties %s", name)
			}
		}
	})
}

// TestWrites tells requests that leave nothing behind from those that only look so.
func TestWrites(t *testing.T) {
	for _, test := range []struct {
		request string
		writes  bool
	}{
		{"GET /api/v1/pods", false},
		{"POST /apis/authorization.k8s.io/v1/namespaces/a/localsubjectaccessreviews", false},
		{"POST /apis/authentication.k8s.io/v1/tokenreviews", false},
		{"POST /apis/shop.example/v1/namespaces/a/reviews", true},
		{"PUT /apis/apps/v1/namespaces/a/deployments/reviews", true},
		{"DELETE /api/v1/namespaces/a/pods?dryRun=All", false},
		{"DELETE /api/v1/namespaces/a/pods?dryRun=All\n\n{\"kind\": \"DeleteOptions\"}", true},
		{"POST /api/v1/namespaces/a/pods?dryRun=All\n\n{}", false},
	} {
		r, err := ParseHTTP(test.request, 1)
		if err != nil || r[0].writes() != test.writes {
			t.Errorf("%s: %v, want %v", test.request, err, test.writes)
		}
	}
}
