package format

import (
	"fmt"
	"strings"
	"testing"
)

// practised is a practice template's, with these http blocks and what comes after them.
func practised(http, after string) string {
	return "---\nlesson: x\nstep: y\nnamespaces: p\n---\n\n# T\n\n## Q\n\n```predict\nWhat?\n- this\n" +
		"  seen.response.status = 200\n- that\n  seen.response.status = 404\n  reply \"No.\"\n---\n" +
		"So it is.\n```\n\n```http\n" + http + "\n```\n" + after
}

// TestDerivedChecks wants a question's check to follow from its requests.
func TestDerivedChecks(t *testing.T) {
	const path = "/api/v1/namespaces/p/secrets"
	const made = "# @name made\nPOST " + path + "\n\n{\"metadata\": {\"name\": \"a\"}}\n\n###\n"
	const watched = "# @name watched\nGET " + path + "?watch=1&timeoutSeconds=1\nTabernetes-Replica: 1\n\n###\n"
	const seen = "# @name seen\nGET " + path + "/a?resourceVersion={{made.response.body.metadata.resourceVersion}}"
	row := func(c *Check, i int) string {
		r := c.Rows[i]
		text := fmt.Sprintf("%s: %s %v %v", r.Name, r.Method, r.Paths, r.Statuses)
		for _, c := range r.Conds {
			if c.Op == Equal {
				text += "; " + c.Left.String()
			}
		}
		return text
	}
	l, err := ParseAs("p", "p.md", practised(made+watched+"GET "+path+"\n\n###\n"+seen, ""))
	if err != nil {
		t.Fatal(err)
	}
	c := l.Steps[0].Check
	want := []string{
		"made: POST [" + path + "] [200 201]; request.body.metadata.name",
		"watched: GET [" + path + "] []; request.query.watch; request.headers.Tabernetes-Replica; response.ended",
		"seen: GET [" + path + "/a] []; request.query.resourceVersion",
	}
	if len(c.Rows) != len(want) {
		t.Fatalf("%d rows: a request without a name has none", len(c.Rows))
	}
	for i := range want {
		if got := row(c, i); got != want[i] {
			t.Errorf("row %d is %q, want %q", i, got, want[i])
		}
	}
	absent := 0
	for _, cond := range c.Rows[2].Conds {
		if cond.Op == IsAbsent && strings.HasPrefix(cond.Left.String(), "request.query.") {
			absent++
		}
	}
	if absent != len(compared)-1 {
		t.Errorf("%d parameters have to be absent", absent)
	}

	// What is given is kept: in a request's place, and behind them all.
	given := "\n```check\n- It was refused\n  made: POST " + path + " -> 409\n" +
		"- An event came\n  event: ADDED in watched\n  after watched\n```\n"
	l, err = ParseAs("p", "p.md", practised(made+watched+seen, given))
	if err != nil {
		t.Fatal(err)
	}
	names := ""
	for _, r := range l.Steps[0].Check.Rows {
		names += r.Name + " "
	}
	if names != "made watched seen event " || l.Steps[0].Check.Rows[0].Statuses[0] != 409 {
		t.Errorf("rows %s: %+v", names, l.Steps[0].Check.Rows[0])
	}

	// A lesson's own steps have to say what they want.
	lesson := strings.Replace(practised(made+seen, ""), "lesson: x\nstep: y\n", "", 1)
	if _, err := ParseAs("p", "p.md", lesson); err == nil || !strings.Contains(err.Error(), "has no check") {
		t.Errorf("a lesson without a check: %v", err)
	}
}
