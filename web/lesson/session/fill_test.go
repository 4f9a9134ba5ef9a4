package session

import (
	"testing"

	"github.com/tabernetes/tabernetes/web/tap"
)

// TestRunAgain runs a step's list again. Its other boxes fill in what ran last, unless the step's check has no use for
// that any more: then what the check has found.
func TestRunAgain(t *testing.T) {
	const (
		made  = "- Made\n  made: POST /pods -> 201\n"
		watch = "- Watched\n  watch: GET /api/v1/pods -> 200\n  request.query.watch = 1\n" +
			"  request.query.resourceVersion = {{list.response.body.metadata.resourceVersion}}\n"
	)
	const ref = "list.response.body.metadata.resourceVersion"
	for name, test := range map[string]struct {
		before, after []string // what was run: a version is that of a list
		earlier       bool     // the list is of the step before, reload: the page was loaded again after it
		reload        bool
		want          string
	}{
		"once":               {before: []string{"5"}, after: []string{"made"}, want: "5"},
		"before the write":   {before: []string{"5", "6"}, after: []string{"made"}, want: "6"},
		"after the write":    {before: []string{"5"}, after: []string{"made", "7"}, want: "5"},
		"and the write, too": {before: []string{"5"}, after: []string{"made", "7", "made"}, want: "7"},
		"refused":            {before: []string{"5"}, after: []string{"made", "500"}, want: "5"},
		"after a reload":     {before: []string{"5"}, reload: true, after: []string{"made", "7"}, want: "5"},
		"of an earlier step": {before: []string{"5"}, earlier: true, after: []string{"made", "7"}, want: "7"},
	} {
		t.Run(name, func(t *testing.T) {
			checks := []string{listRow + made + watch}
			if test.earlier {
				checks = []string{listRow, made + watch}
			}
			p := session(t, checks...)
			run := func(what []string) {
				for _, v := range what {
					status, body := 200, list(v)
					switch v {
					case "made":
						p.do("POST", "/pods", 201, "{}")
					case "500":
						status, body = 500, "{}"
						fallthrough
					default:
						p.do("GET", "/api/v1/pods", status, body)
						p.s.live["list"] = ran(status, body)
					}
					p.s.Recheck()
				}
			}
			run(test.before)
			if test.reload {
				p = &taps{t: t, s: New(p.s.Lesson, ParseProgress(p.s.Progress().String()), new(tap.Log))}
				p.s.Recheck()
			}
			run(test.after)
			if got, _ := p.s.Value(ref); got != test.want {
				t.Errorf("fills in %q, want %q", got, test.want)
			}
			p.open("GET", "/api/v1/pods?watch=1&resourceVersion="+test.want, 200)
			p.passed(len(checks))
		})
	}
}

// ran returns an exchange as Run notes it: none of the page's log.
func ran(status int, body string) exchange {
	var log tap.Log
	x := log.Add(tap.Event{Type: tap.Request, Method: "GET", URL: "/api/v1/pods"})
	log.Add(tap.Event{Type: tap.Head, Status: status})
	log.Add(tap.Event{Type: tap.Chunk, Text: body})
	log.Add(tap.Event{Type: tap.End})
	return exchange{x, 0}
}
