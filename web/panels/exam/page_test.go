//go:build !js

package exam

import (
	"encoding/json"
	"strings"
	"testing"
	"testing/synctest"

	"github.com/tabernetes/tabernetes/web/app"
	"github.com/tabernetes/tabernetes/web/room"
)

// TestOpen wants an exam to be set in the room as the form says, and its end; why it is refused is shown.
func TestOpen(t *testing.T) {
	for _, c := range []struct {
		seed, questions, each, action, want string
	}{
		{"7", "5", "", "class-open", `{"spec":{"exam":{"seed":7,"questions":5}}}`},
		{"7", "5", "on", "class-open", `{"spec":{"exam":{"seed":7,"each":true,"questions":5}}}`},
		{"", "", "", "class-end-now", `{"spec":{"exam":null}}`},
	} {
		synctest.Test(t, func(t *testing.T) {
			a := app.New()
			a.Page.Holds["course-index"] = "{}"
			p := start(a, nil)
			var asked app.Request
			a.Page.Serve = func(r app.Request) (app.Response, error) {
				asked = r
				return app.Response{Status: 403, Body: `{"message":"not you"}`}, nil
			}
			a.Page.Holds["class-seed"], a.Page.Holds["class-questions"] = c.seed, c.questions
			a.Page.Holds["class-each"] = c.each
			a.Page.Uses[c.action](app.Use{})
			synctest.Wait()
			if asked.Body != c.want || asked.Path != room.Path || asked.Target != "room" {
				t.Errorf("%s: %+v, not %s", c.action, asked, c.want)
			}
			if !strings.HasSuffix(p.problem, "not you") {
				t.Errorf("the refusal is not shown: %q", p.problem)
			}
		})
	}
}

// TestAsks wants an exam to be ended only once the teacher is sure.
func TestAsks(t *testing.T) {
	a := app.New()
	a.Page.Holds["course-index"] = "{}"
	p := start(a, nil)
	a.Page.Serve = func(r app.Request) (app.Response, error) {
		t.Errorf("asked %s %s", r.Method, r.Body)
		return app.Response{}, nil
	}
	for _, c := range []struct {
		action, focus string
		asks          bool
	}{{"class-end", "class-sure", true}, {"class-keep", "class-title", false}} {
		a.Page.Take()
		a.Page.Uses[c.action](app.Use{})
		if calls := strings.Join(a.Page.Take(), "; "); p.ending != c.asks || !strings.HasSuffix(calls, "focus "+c.focus) {
			t.Errorf("%s: asks %v, %s", c.action, p.ending, calls)
		}
	}
}

// TestDrawsSeed wants a seed where the form has none.
func TestDrawsSeed(t *testing.T) {
	a := app.New()
	a.Page.Holds["course-index"] = "{}"
	p := start(a, nil)
	var body string
	a.Page.Serve = func(r app.Request) (app.Response, error) {
		body = r.Body
		return app.Response{Status: 200}, nil
	}
	p.open()
	var sent struct {
		Spec struct{ Exam struct{ Seed uint64 } }
	}
	if err := json.Unmarshal([]byte(body), &sent); err != nil || sent.Spec.Exam.Seed == 0 {
		t.Errorf("%v, %s", err, body)
	}
	if calls := strings.Join(a.Page.Take(), "; "); !strings.HasSuffix(calls, "focus class-title") {
		t.Errorf("the focus is left in the form that is gone: %s", calls)
	}
}
