//go:build !js

package lesson

import (
	"errors"
	"net/http"
	"slices"
	"strings"
	"testing"

	"github.com/tabernetes/tabernetes/core/wellknown"
	"github.com/tabernetes/tabernetes/web/app"
	"github.com/tabernetes/tabernetes/web/room"
	"github.com/tabernetes/tabernetes/web/tap"
)

// openTwo opens the second lesson as a learner does, which begins it.
func (v *visit) openTwo() *leaf {
	v.t.Helper()
	v.sheet.goHash("#lesson-two")
	v.settle()
	return v.leaf("two")
}

// TestLessonBegins sets what a lesson requires, and makes what it starts with, once.
func TestLessonBegins(t *testing.T) {
	inBubble(t, func(t *testing.T, v *visit) {
		var begun []string
		app.On(v.bus, func(e app.LessonBegun) { begun = append(begun, e.ID) })
		two := v.openTwo()
		has(t, "what is sent", strings.Join(v.takeSent(), "\n"), "setup PATCH "+wellknown.ControlPlane,
			"setup POST /api/v1/namespaces\n", "setup POST /api/v1/namespaces/two/secrets")
		has(t, "the notice", two.view.Notice.Text, "Settings changed: Roles decide")
		r := v.settings.record
		if !slices.Equal(begun, []string{"two 0"}) || r.Lesson != "two" || r.Cluster != "cluster" || r.Making ||
			r.Revision == 0 {
			t.Errorf("begun: %q, the record is %+v", begun, r)
		}
		v.openTwo()
		v.press("0/0/0")
		if sent := v.takeSent(); slices.ContainsFunc(sent, func(s string) bool { return strings.HasPrefix(s, "setup") }) {
			t.Errorf("it begins twice: %q", sent)
		}
		v.sheet.goHash("#lesson-one")
		v.settle()
		has(t, "what is sent", strings.Join(v.takeSent(), "\n"), "setup POST "+wellknown.ControlPlane+"/purge",
			"setup PATCH "+wellknown.ControlPlane)
		if n := v.leaf("one").view.Notice; n.Text != "" || v.settings.record.Lesson != "one" {
			t.Errorf("what each lesson starts with is said: %+v", n)
		}
	})
}

// TestSettingsOfAnotherVisit offers settings to a lesson that is open and was not begun.
func TestSettingsOfAnotherVisit(t *testing.T) {
	inBubble(t, func(t *testing.T, v *visit) {
		v = v.again("#lesson-two") // an address opens a lesson, and begins nothing
		two := v.leaf("two")
		if n := two.view.Notice; n.Action != "lesson-set" || !strings.HasPrefix(n.Text, "Other settings are needed here: ") {
			t.Fatalf("the notice is %+v", n)
		}
		v.takeSent()
		v.do("lesson-dismiss", origin{})
		if two.view.Notice.Text != "" || two.focus != "next" {
			t.Errorf("the notice %+v cannot be dismissed", two.view.Notice)
		}
		v.do("lesson-set", origin{})
		has(t, "what is sent", strings.Join(v.takeSent(), "\n"), "setup PATCH "+wellknown.ControlPlane)
	})
}

// TestBeginFails has each request of a lesson's start fail in turn.
func TestBeginFails(t *testing.T) {
	for request, want := range map[string]struct{ says, action string }{
		"GET " + wellknown.ControlPlane:             {"The settings could not be read: 500 Internal Server Error: no", ""},
		"PATCH " + wellknown.ControlPlane:           {"The settings could not be changed: 500 Internal Server Error: no", ""},
		"POST " + wellknown.ControlPlane + "/purge": {"The setup has failed: ", "lesson-restart"},
		"POST /api/v1/namespaces/two/secrets":       {"The setup has failed: ", "lesson-restart"},
	} {
		t.Run(request, func(t *testing.T) {
			inBubble(t, func(t *testing.T, v *visit) {
				v.refused[request] = "no"
				n := v.openTwo().view.Notice
				if !strings.HasPrefix(n.Text, want.says) || n.Action != want.action {
					t.Errorf("the notice is %+v", n)
				}
				if v.begun(v.open) {
					t.Error("the lesson is said to have begun")
				}
				delete(v.refused, request)
				v.do("lesson-restart", origin{})
				if !v.begun(v.open) {
					t.Errorf("it does not begin when it can: %+v", v.leaf("two").view.Notice)
				}
			})
		})
	}
}

// TestTidyUpFails keeps what is to be deleted until it is.
func TestTidyUpFails(t *testing.T) {
	inBubble(t, func(t *testing.T, v *visit) {
		two := v.openTwo()
		purge := "POST " + wellknown.ControlPlane + "/purge"
		v.refused[purge] = "no"
		v.do("lesson-give-back", origin{})
		has(t, "the notice", two.view.Notice.Text, "Not everything could be deleted: ")
		if v.settings.record.Lesson != "two" {
			t.Error("it is forgotten")
		}
		v.sheet.goHash("#lesson-one")
		v.settle()
		has(t, "what is said", strings.Join(v.said, "\n"), "What was set up before this could not be deleted: ")
		delete(v.refused, purge)
		v.do("lesson-give-back", origin{})
		if v.settings.record.Lesson != "" {
			t.Errorf("afterwards the record is %+v", v.settings.record)
		}
		v.takeSent()
		v.do("lesson-give-back", origin{})
		if sent := v.takeSent(); len(sent) > 0 {
			t.Errorf("where nothing is to be deleted it sends %q", sent)
		}
	})
}

// TestPutBack restores the whole cluster.
func TestPutBack(t *testing.T) {
	inBubble(t, func(t *testing.T, v *visit) {
		v.do("lesson-put-back-now", origin{})
		if sent := strings.Join(v.takeSent(), "\n"); strings.Contains(sent, "put back") {
			t.Error("no lesson was begun, and the cluster is put back")
		}
		two := v.openTwo()
		v.do("lesson-put-back", origin{})
		if two.view.Notice.Action != "lesson-put-back-now" {
			t.Errorf("it asks %+v", two.view.Notice)
		}
		v.putBackFails = errors.New("compacted")
		v.do("lesson-put-back-now", origin{})
		has(t, "the notice", two.view.Notice.Text, "The cluster could not be restored: compacted")
		v.putBackFails = nil
		v.do("lesson-put-back-now", origin{})
		v.meet("restored")
		v.settle()
		has(t, "what is sent", strings.Join(v.takeSent(), "\n"), "put back to true")
		if two.view.Notice.Text != "The cluster is as it was before." ||
			v.settings.record.Lesson != "" {
			t.Errorf("afterwards: %+v, %+v", two.view.Notice, v.settings.record)
		}
	})
}

// TestOtherCluster forgets what was noted of a cluster that is gone, but not of one that the lesson has restored.
func TestOtherCluster(t *testing.T) {
	inBubble(t, func(t *testing.T, v *visit) {
		one := v.leaf("one")
		v.do("lesson-skip", origin{lesson: "one", step: 1})
		v.press("0/0/0")
		v.press("1/1/0")
		v.meet("")
		v.meet("cluster")
		v.settle()
		if one.view.Notice.Action == "lesson-restart" {
			t.Fatal("the same cluster is taken for another one")
		}
		v.console("PUT", wellknown.ControlPlane+"/snapshot", "?") // which puts a saved cluster in its place
		v.meet("restored")
		v.settle()
		if one.view.Notice.Action == "lesson-restart" || v.settings.record.Cluster != "restored" {
			t.Errorf("a cluster that was restored: %+v, %+v", one.view.Notice, v.settings.record)
		}
		v.meet("other")
		v.settle()
		if one.view.Notice.Action != "lesson-restart" {
			t.Errorf("another cluster: %+v", one.view.Notice)
		}
		if _, known := v.open.session.Value("made.response.body.metadata.name"); known || v.open.session.Passed() != 2 {
			t.Error("its values are known, or its steps are lost")
		}
	})
}

// TestGuest refuses lessons in the clusters of others.
func TestGuest(t *testing.T) {
	for name, c := range map[string]struct {
		target string
		member *room.State
		guest  bool
	}{
		"tab":       {"tab", nil, false},
		"devserver": {"devserver", nil, false},
		"scene":     {"scene", nil, true},
		"unknown":   {"room", nil, true},
		"learner":   {"room", &room.State{Role: room.Learner}, true},
		"teacher":   {"room", &room.State{Role: room.Teacher}, false},
	} {
		t.Run(name, func(t *testing.T) {
			inBubble(t, func(t *testing.T, v *visit) {
				v.state.Target, v.inRoom = c.target, c.member
				v.takeSent()
				v.press("0/0/0")
				one := v.leaf("one")
				if sent := len(v.takeSent()) > 0; sent == c.guest || one.done[0] == c.guest ||
					(one.view.Notice.Action == "lesson-own") != c.guest {
					t.Errorf("sent: %t, passed: %t, notice %+v", sent, one.done[0], one.view.Notice)
				}
				if !c.guest {
					return
				}
				v.do("lesson-give-back", origin{})
				v.do("lesson-put-back-now", origin{})
				v.do("lesson-set-up", origin{})
				v.do("lesson-set", origin{})
				v.console("GET", "/api/v1/namespaces/one/secrets?watch=0", "")
				v.meet("theirs")
				if sent := v.takeSent(); len(sent) != 1 || v.settings.cluster != "cluster" ||
					len(v.open.session.Progress().Ran) > 0 {
					t.Errorf("as a guest it sends %q, in %q", sent, v.settings.cluster)
				}
				v.do("lesson-own", origin{})
				if v.state.Target != "tab" || one.view.Notice.Text != "" {
					t.Errorf("it goes to %q, %+v", v.state.Target, one.view.Notice)
				}
			})
		})
	}
}

// TestRequestsOfAScene wants no request of a scene to count, also when the scene has just ended.
func TestRequestsOfAScene(t *testing.T) {
	inBubble(t, func(t *testing.T, v *visit) {
		one := v.leaf("one")
		for id, place := range []string{"scene 1", "tab"} {
			const path = "/api/v1/namespaces/one/secrets?watch=1"
			v.tell(tap.Event{Type: tap.Request, ID: 1000 + id, Method: "GET", URL: path, Origin: "page", Place: place})
			v.tell(tap.Event{Type: tap.Head, ID: 1000 + id, Status: http.StatusOK})
			v.settle()
			if passed := place == "tab"; one.done[0] != passed {
				t.Errorf("after a watch in %s the step has passed: %t", place, one.done[0])
			}
		}
	})
}

// TestSetUpAgain does the steps before one again.
func TestSetUpAgain(t *testing.T) {
	inBubble(t, func(t *testing.T, v *visit) {
		one := v.leaf("one")
		v.press("0/0/0")
		v.do("lesson-next", origin{})
		v.takeSent()
		v.do("lesson-set-up", origin{})
		has(t, "what is sent", strings.Join(v.takeSent(), "\n"), "setup POST "+wellknown.ControlPlane+"/purge",
			"lesson GET /api/v1/namespaces/one/secrets?watch=1")
		if one.view.Notice.Text != "Everything is as it is after the steps before this one." || v.open.asked ||
			one.focus != "run 1" {
			t.Errorf("afterwards: %+v, the focus is at %q", one.view.Notice, one.focus)
		}
		has(t, "what is said", strings.Join(v.said, "\n"), "The steps before this one are done again: 1 of 1")
		v.refused["GET /api/v1/namespaces/one/secrets?watch=1"] = "no"
		v.act("lesson-set-up", origin{})
		v.do("lesson-set-up", origin{}) // which it does already
		if n := one.view.Notice; !strings.HasPrefix(n.Text, "Not everything could be set up again: ") ||
			n.Action != "lesson-restart" {
			t.Errorf("where a step cannot be done again: %+v", n)
		}
	})
}

// TestStartOver starts a step or the lesson over.
func TestStartOver(t *testing.T) {
	inBubble(t, func(t *testing.T, v *visit) {
		one := v.leaf("one")
		v.do("lesson-ask", origin{})
		if v.asking || one.step != 0 {
			t.Error("where nothing is passed it asks")
		}
		v.do("lesson-skip", origin{lesson: "one", step: 1})
		v.press("0/0/0")
		v.press("1/1/0")
		v.do("lesson-ask", origin{})
		if !one.view.Asking || v.sheet.focus != "lesson-restart-one" {
			t.Errorf("it does not ask, the focus is at %q", v.sheet.focus)
		}
		v.do("lesson-keep", origin{})
		if one.view.Asking || v.sheet.focus != "lesson-ask-one" {
			t.Errorf("it asks on, the focus is at %q", v.sheet.focus)
		}
		v.do("lesson-again", origin{lesson: "none", step: 1})
		one.answers[1] = "0"
		v.do("lesson-again", origin{lesson: "one", step: 1})
		if !v.open.session.Step(0).Passed || v.open.session.Step(1).Passed || !one.silent["1/1/0"] || one.step != 1 ||
			v.open.session.Answer(1).Committed() {
			t.Errorf("step 2 is not over: %+v", v.open.session.Progress())
		}
		if one.answers[1] != "" {
			t.Errorf("in step 2 %q is still chosen", one.answers[1])
		}
		has(t, "what is said", strings.Join(v.said, "\n"), "Step 2 starts over")
		v.do("lesson-restart", origin{})
		if v.open.session.Passed() != 0 || one.step != 0 || one.buttons["0/0/0"].Text != "Run" ||
			v.sheet.counts["one"] != "2 min" {
			t.Errorf("the lesson is not over: %+v, %+v", v.open.session.Progress(), one.buttons["0/0/0"])
		}
	})
}

// TestRecordOfQuestion tidies up after a question that an earlier visit has begun.
func TestRecordOfQuestion(t *testing.T) {
	inBubble(t, func(t *testing.T, v *visit) {
		v.sheet.goHash("#practice-names-2")
		v.settle()
		if r := v.settings.record; r.Lesson != "names" || r.Seed != 2 {
			t.Fatalf("the record is %+v", r)
		}
		v = v.again("")
		v.openTwo()
		has(t, "what is sent", strings.Join(v.takeSent(), "\n"), "purge")
		v.missing["spare"] = true
		for _, r := range []lessonRecord{{Lesson: "names", Seed: seeds + 1}, {Lesson: "spare", Seed: 1}} {
			var err error
			go func() { _, err = v.recorded(r) }()
			if v.settle(); err == nil {
				t.Errorf("%+v is found", r)
			}
		}
	})
}
