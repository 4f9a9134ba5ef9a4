package picture

import (
	"slices"
	"testing"

	"github.com/tabernetes/tabernetes/web/lesson/format"
	"github.com/tabernetes/tabernetes/web/revisions"
	"github.com/tabernetes/tabernetes/web/tap"
)

// parse reads a picture of which each line is a row.
func parse(t *testing.T, rows string) format.Picture {
	t.Helper()
	if rows == "" {
		return nil
	}
	const before = "# T\n\n## S\n\n```goal\nG\n\nfewest 1\n```\n\n"
	const after = "\n```solution\nGET /api/v1/pods\n```\n\n```check\n- Read\n  a: GET /api/v1/pods -> 200\n```\n"
	l, err := format.Parse("01-t.md", before+"```picture\n"+rows+"```\n"+after)
	if err != nil {
		t.Fatal(err)
	}
	if p := l.Steps[0].Goal().Picture; p.String() != rows {
		t.Fatalf("%q is written as %q", rows, p.String())
	}
	return l.Steps[0].Goal().Picture
}

// TestOf computes pictures of requests.
func TestOf(t *testing.T) {
	const secrets = "/api/v1/namespaces/n/secrets"
	var log tap.Log
	var all []*tap.Exchange
	id := 0
	ask := func(method, url string, source *tap.Source, status int, body string, open bool) {
		id++
		log.Add(tap.Event{Type: tap.Request, ID: id, Method: method, URL: url})
		log.Add(tap.Event{Type: tap.Head, ID: id, Status: status, Source: source})
		log.Add(tap.Event{Type: tap.Chunk, ID: id, Text: body})
		if !open {
			log.Add(tap.Event{Type: tap.End, ID: id})
		}
		all = append(all, log.Get(id))
	}
	event := func(kind, rev, more string) string {
		return `{"type":"` + kind + `","object":{"metadata":{"name":"a","resourceVersion":"` + rev + `"` + more + "}}}\n"
	}
	wrote := func(revs ...int64) *tap.Source {
		s := &tap.Source{Rule: "create", Head: revs[0]}
		for _, r := range revs {
			s.Write(r)
		}
		return s
	}
	ask("GET", secrets+"?watch=1", &tap.Source{Rule: "watch", Head: 7}, 200,
		event("ADDED", "5", "")+event("ADDED", "6", "")+event("ADDED", "8", "")+event("BOOKMARK", "8", "")+
			event("DELETED", "10", ""), true)
	ask("GET", secrets+"?watch=1&resourceVersion=8", &tap.Source{Rule: "watch", Head: 8}, 200,
		event("MODIFIED", "9", ""), false)
	ask("GET", secrets+"?watch=1&resourceVersion=1", &tap.Source{Rule: "watch", Head: 8}, 200,
		`{"type":"ERROR","object":{"code":410}}`+"\n", false)
	ask("GET", secrets+"?watch=1&sendInitialEvents=true", &tap.Source{Rule: "watch", Head: 8}, 200,
		event("ADDED", "5", "")+event("BOOKMARK", "8", `,"annotations":{"k8s.io/initial-events-end":"true"}`), true)
	ask("POST", secrets, wrote(8), 201, "{}", false)
	ask("DELETE", secrets, wrote(9, 10), 200, "{}", false)
	ask("POST", secrets, nil, 409, "{}", false)
	ask("GET", secrets+"?limit=1", nil, 200, "{}", false)
	ask("GET", secrets, nil, 200, "{}", false)
	var commits revisions.Log
	for i, verb := range []revisions.Verb{revisions.Added, revisions.Modified, revisions.Deleted} {
		commits.Add(revisions.Commit{Revision: int64(8 + i), Verb: verb, Resource: "secrets"})
	}
	want := `writes: 1 added secrets, 2 modified secrets, 3 deleted secrets
watch /api/v1/namespaces/n/secrets: recent, initial, 1 added, 3 deleted, 3 arrow
watch /api/v1/namespaces/n/secrets: 1 start, 2 modified, 2 cap
watch /api/v1/namespaces/n/secrets: start, 410
watch /api/v1/namespaces/n/secrets: 1 streaming, initial, 1 end, 3 arrow
answers /api/v1/namespaces/n/secrets: 409, page, read
`
	if got := Of(&log, all, commits.Find).String(); got != want {
		t.Errorf("got\n%swant\n%s", got, want)
	}
	none := func(int64) (revisions.Commit, bool) { return revisions.Commit{}, false }
	if got := Of(&log, all[4:6], none); len(got) != 0 {
		t.Errorf("of writes of which nothing is known: %s", got)
	}
}

// TestCommon wants what several ways have in common.
func TestCommon(t *testing.T) {
	for _, c := range []struct{ name, one, other, want string }{
		{"equal", "writes: 1 added secrets\n", "writes: 1 added secrets\n", "writes: 1 added secrets\n"},
		{"one writes more", "writes: 1 added secrets, 2 deleted pods\nwatch /a: start, 2 deleted, 2 arrow\n",
			"writes: 1 deleted pods\nwatch /a: start, 1 deleted, 1 arrow\n",
			"writes: 1 deleted pods\nwatch /a: start, 1 deleted, 1 arrow\n"},
		{"starts and ends", "watch /a: recent, initial, added, cap\n", "watch /a: start, added, arrow\n",
			"watch /a: any, added\n"},
		{"nothing", "watch /a: start, arrow\n", "answers /a: read\n", ""},
		{"no event in common", "watch /a: start, added, cap\n", "watch /a: start, deleted, arrow\n",
			"watch /a: start\n"},
		{"nothing but a watch", "watch /a: start, added, cap\n", "watch /a: recent, deleted, arrow\n", ""},
		{"the better of two", "watch /a: start, added, arrow\n",
			"watch /a: start, added, arrow\nwatch /a: recent, initial, cap\n", "watch /a: start, added, arrow\n"},
	} {
		got := Common([]format.Picture{parse(t, c.one), parse(t, c.other)})
		if got.String() != c.want {
			t.Errorf("%s: got %q, want %q", c.name, got.String(), c.want)
		}
	}
}

// TestCompare wants a line for each difference, and none for what the goal lacks.
func TestCompare(t *testing.T) {
	const goal = "writes: 1 added secrets, 2 added secrets\n" +
		"watch /api/v1/namespaces/n/secrets: start, 1 added, 2 added, 2 arrow\n" +
		"watch /api/v1/namespaces/n/secrets: recent, 410\nanswers /api/v1/namespaces/n/secrets: page, 403\n"
	for _, c := range []struct {
		name, now string
		want      []string
	}{
		{"nothing", "", []string{"added a write is missing: secrets, created", "added a write is missing: secrets, created",
			"start a watch of n/secrets is missing: from a version",
			"410 a watch of n/secrets is missing: from the most recent state, ends with 410",
			"page a page is missing: n/secrets",
			"403 a refusal is missing: 403 for n/secrets"}},
		{"all", goal, []string{" all writes are there", " the watch of n/secrets is there",
			" the watch of n/secrets is there", " the answers for n/secrets are there"}},
		{"more, and other revisions", "writes: 1 deleted pods, 2 added secrets, 3 added secrets\n" +
			"watch /api/v1/namespaces/n/pods: zero, cap\n" +
			"watch /api/v1/namespaces/n/secrets: recent, initial, 410\n" +
			"watch /api/v1/namespaces/n/secrets: 1 start, 2 added, 2 modified, 3 added, end, 3 arrow\n" +
			"answers /api/v1/namespaces/n/secrets: read, page, 404, 403\n",
			[]string{" all writes are there", " the watch of n/secrets is there", " the watch of n/secrets is there",
				" the answers for n/secrets are there"}},
		{"part", "writes: 1 added secrets\nwatch /api/v1/namespaces/n/secrets: start, 1 added, cap\n" +
			"watch /api/v1/namespaces/n/secrets: recent, arrow\nanswers /api/v1/namespaces/n/secrets: 403\n",
			[]string{"added a write is missing: secrets, created",
				"added an event is missing in the watch of n/secrets: ADDED", "arrow the watch of n/secrets is not open",
				"410 the watch of n/secrets has not ended with 410", "page a page is missing: n/secrets"}},
	} {
		v := Compare(parse(t, goal), parse(t, c.now))
		var got []string
		for _, l := range v.Lines {
			got = append(got, l.Sign+" "+l.Text)
			if l.There != (l.Sign == "") {
				t.Errorf("%s: %+v", c.name, l)
			}
		}
		if !slices.Equal(got, c.want) {
			t.Errorf("%s: got %q\nwant %q", c.name, got, c.want)
		}
		if len(v.Goal) != len(v.Now) {
			t.Errorf("%s: %d rows beside %d", c.name, len(v.Now), len(v.Goal))
		}
	}
}
