package stage

import (
	"strings"
	"testing"

	"github.com/a-h/templ"

	"github.com/tabernetes/tabernetes/web/lesson/format"
	"github.com/tabernetes/tabernetes/web/lesson/picture"
)

// goals adds pictures of a goal beside that of now.
func goals(t *testing.T, cases map[string]templ.Component) {
	const goal = "writes: 1 added secrets, 2 modified pods\n" +
		"watch /api/v1/namespaces/n/secrets: recent, initial, end, 1 added, 2 arrow\n" +
		"watch /api/v1/namespaces/n/secrets: start, 410\n" +
		"watch /api/v1/namespaces/n/pods: any, 2 modified\nanswers /api/v1/namespaces/n/pods: page, read, 403\n"
	const now = "writes: 1 added secrets\nwatch /api/v1/namespaces/n/secrets: recent, initial, 1 added, 1 cap\n"
	view := picture.Compare(pictureOf(t, goal), pictureOf(t, now))
	cases["goal/some"] = Goal(view)
	view.Earlier = true
	view.Now[2].Path = "/<&"
	cases["goal/earlier"] = Goal(view)
	view.Reached = true
	cases["goal/reached"] = Goal(view)
}

func pictureOf(t *testing.T, rows string) format.Picture {
	t.Helper()
	l, err := format.ParseAs("t", "t.md", "# T\n\n## S\n\n```goal\nG\n\nfewest 1\n```\n\n```picture\n"+rows+"```\n"+
		"\n```solution\nGET /api\n```\n\n```check\n- Read\n  a: GET /api -> 200\n```\n")
	if err != nil {
		t.Fatal(err)
	}
	return l.Steps[0].Goal().Picture
}

// TestGoalColumns wants an event in the column of its write, also in the other picture.
func TestGoalColumns(t *testing.T) {
	goal, now := goalRows(picture.Compare(
		pictureOf(t, "writes: 1 added secrets, 2 modified secrets\nwatch /a: start, 2 modified, 2 arrow\n"),
		pictureOf(t, "writes: 1 added secrets, 2 modified secrets\nwatch /a: start, 1 added, 2 modified, 2 arrow\n")))
	place := func(svg string) string {
		_, at, found := strings.Cut(svg, `class="st-mark modified" d="M`)
		if !found {
			t.Fatalf("no mark in %s", svg)
		}
		at, _, _ = strings.Cut(at, " ")
		return at
	}
	if at := place(goal[0].SVG); place(goal[1].SVG) != at || place(now[0].SVG) != at || place(now[1].SVG) != at {
		t.Errorf("the mark is at %s, %s, %s, %s", at, place(goal[1].SVG), place(now[0].SVG), place(now[1].SVG))
	}
}
