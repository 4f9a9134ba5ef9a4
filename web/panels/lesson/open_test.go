//go:build !js

package lesson

import (
	"slices"
	"strings"
	"testing"

	"github.com/tabernetes/tabernetes/web/app"
)

// TestAddresses opens what the page's address names.
func TestAddresses(t *testing.T) {
	for hash, want := range map[string]struct {
		open, page string
		step       int
		panel      bool
	}{
		"":                  {"one", "", 0, false},
		"#nothing":          {"one", "", 0, false},
		"#lesson-none":      {"one", "", 0, false},
		"#lesson-two":       {"two", "", 0, true},
		"#lesson-one-write": {"one", "", 1, true},
		"#lesson-one-3":     {"one", "", 2, true},
		"#practice":         {"", "practice", 0, true},
		"#practice-names-2": {"names", "", 0, true},
		"#practice-names-9": {"one", "", 0, false},
		"#exam":             {"", "exam", 0, true},
		"#exam-7":           {"", "exam", 0, true},
		"#capstone-2":       {"", "capstone", 0, true},
		"#progress":         {"", "progress", 0, true},
	} {
		t.Run(hash, func(t *testing.T) {
			inBubble(t, func(t *testing.T, first *visit) {
				v := newVisit(t, &home{first.server, texts{}, first.clock}, hash)
				open, step := "", 0
				if v.open != nil {
					open, step = v.open.id(), v.open.shown
				}
				if open != want.open || v.sheet.page != want.page || step != want.step ||
					slices.Contains(v.opened, "lesson") != want.panel {
					t.Errorf("step %d of %q is open, or the page %q; panels: %q", step, open, v.sheet.page, v.opened)
				}
				entry := want.open + want.page
				if v.sheet.shown.Entry != entry || v.sheet.shown.First != (entry == "one") {
					t.Errorf("the place is %+v", v.sheet.shown)
				}
			})
		})
	}
}

// TestMoved follows the address.
func TestMoved(t *testing.T) {
	inBubble(t, func(t *testing.T, v *visit) {
		for _, c := range []struct {
			was, is string
			opens   string
		}{
			{"http://here/#lesson-one&rev=1", "#lesson-one&rev=2", ""}, // only what is looked at has changed
			{"#lesson-one", "#nothing", ""},
			{"#lesson-one", "#lesson-two", "two"},
			{"", "#lesson-one", "one"}, // the same place, chosen
		} {
			v.opened = nil
			v.sheet.hash = place(c.is)
			v.moved(place(c.was), c.is)
			if strings.HasPrefix(c.was, "http") {
				v.moved(c.was, "http://here/"+c.is)
			}
			v.settle()
			if c.opens == "" && len(v.opened) == 0 {
				continue
			}
			if v.open.id() != c.opens || !slices.Equal(v.opened, []string{"lesson"}) || v.leaf(c.opens).focus != "title" {
				t.Errorf("from %q to %q: %s is open, %q", c.was, c.is, v.open.id(), v.opened)
			}
		}
		v.opened = nil
		v.do("lesson-open", origin{value: "#lesson-two"}) // the browser changes the address, which opens it
		if len(v.opened) > 0 {
			t.Errorf("a link to elsewhere opens %q", v.opened)
		}
		v.do("lesson-open", origin{value: v.sheet.hash})
		if v.open.id() != "one" {
			t.Errorf("a link to the same place opens %s", v.open.id())
		}
		v.kept.set("lesson", "two")
		if v = v.again(""); v.open.id() != "two" {
			t.Errorf("the next visit begins with %s", v.open.id())
		}
	})
}

// TestLoading asks for lessons that do not come, or come too late.
func TestLoading(t *testing.T) {
	inBubble(t, func(t *testing.T, v *visit) {
		v.missing["two"], v.missing["names"] = true, true
		v.sheet.goHash("#lesson-two")
		v.sheet.goHash("#practice-names-1")
		v.settle()
		if v.open.id() != "one" {
			t.Fatalf("%s is open", v.open.id())
		}
		if want := []string{"! The question could not be loaded: 404"}; !slices.Equal(v.said, want) {
			t.Errorf("it says %q: what is not wanted any more says nothing", v.said)
		}
		v.sheet.goHash("#lesson-two")
		v.settle()
		has(t, "what is said", strings.Join(v.said, "\n"), "! The lesson could not be loaded: 404")
		delete(v.missing, "two")
		delete(v.missing, "names")
		v.sheet.goHash("#lesson-two")
		v.sheet.goHash("#progress")
		v.settle()
		if v.open != nil || v.sheet.page != "progress" || !v.leaf("one").removed && v.leaf("one").isOpen {
			t.Error("what comes late is shown")
		}
		v.sheet.noRoom = true
		v.sheet.goHash("#practice-names-1")
		v.settle()
		has(t, "what is said", strings.Join(v.said, "\n"), "! The question could not be drawn: no room")
		delete(v.docs, "two")
		v.sheet.goHash("#lesson-two")
		v.settle()
		has(t, "what is said", strings.Join(v.said, "\n"), "! The lesson could not be loaded: no room")
		v.sheet.noRoom = false
		for text, want := range map[string]string{"": "the lesson bad has no source", "# Bad": "bad.md"} {
			if err := v.adopt("bad", newLeaf(text)); err == nil || !strings.Contains(err.Error(), want) {
				t.Errorf("the source %q: %v", text, err)
			}
		}
	})
}

// TestReveal opens hints one by one, and solutions together.
func TestReveal(t *testing.T) {
	inBubble(t, func(t *testing.T, v *visit) {
		one := v.leaf("one")
		for i, want := range []int{1, 2, 0, 1} {
			v.do("lesson-more", origin{})
			if !one.view.More {
				t.Error("More shows no more")
			}
			v.do("lesson-reveal", origin{value: "hint"})
			if got := one.parts["0hint"]; got != want || one.view.HintsOpen != want || one.view.More != (want == 0) {
				t.Errorf("press %d: %d hints are open, %+v", i+1, got, one.view)
			}
			v.more = false
		}
		v.do("lesson-reveal", origin{value: "solution"})
		if !one.view.Solution.Open {
			t.Error("the solution is not open")
		}
		v.do("lesson-reveal", origin{value: "solution"})
		if one.view.Solution.Open {
			t.Error("the solution is not closed")
		}
		v.do("lesson-show", origin{step: 3})
		v.do("lesson-reveal", origin{value: "hint"})
		v.do("lesson-set-up", origin{})
		v.do("lesson-next", origin{})
		if one.step != 3 {
			t.Errorf("the end leads to step %d", one.step)
		}
	})
}

// TestUnfolded opens steps by hand.
func TestUnfolded(t *testing.T) {
	inBubble(t, func(t *testing.T, v *visit) {
		v.press("0/0/0")
		for _, c := range []struct {
			o    origin
			want int
		}{
			{origin{lesson: "one", step: 2, on: true}, 0}, // it cannot be done yet
			{origin{lesson: "two", step: 1, on: true}, 0}, // of a lesson that is not open
			{origin{lesson: "one", step: 1}, 0},           // it was folded
			{origin{lesson: "one", step: 1, on: true}, 1},
			{origin{lesson: "one", step: 0, on: true}, 1}, // it is only looked up
		} {
			v.do("lesson-unfolded", c.o)
			if v.open.shown != c.want {
				t.Errorf("%+v: step %d is shown", c.o, v.open.shown)
			}
		}
		v.do("lesson-next", origin{})
		if v.open.shown != 1 {
			t.Error("Next goes on from a step that has not passed")
		}
	})
}

// TestTeach unfolds everything for teachers.
func TestTeach(t *testing.T) {
	inBubble(t, func(t *testing.T, v *visit) {
		v.do("lesson-teach", origin{})
		one := v.leaf("one")
		if q := one.asked[1]; !v.sheet.teacher || !one.all || !q.Explained || !q.Choices[0].Reply || q.Committed {
			t.Errorf("teachers see %+v", q)
		}
		v.sheet.goHash("#lesson-two")
		v.settle()
		if !v.leaf("two").all {
			t.Error("a lesson that comes later is folded")
		}
		v.do("lesson-teach", origin{})
		if q := one.asked[1]; v.sheet.teacher || one.all || q.Explained || q.Choices[0].Reply {
			t.Errorf("learners see %+v", q)
		}
	})
}

// TestGoAlong shows the step that somebody else in a room is at.
func TestGoAlong(t *testing.T) {
	inBubble(t, func(t *testing.T, v *visit) {
		for _, c := range []struct {
			to   app.OpenLesson
			open string
			step int
		}{
			{app.OpenLesson{ID: "none"}, "one", 0},
			{app.OpenLesson{ID: "one", Step: -1}, "one", 0},
			{app.OpenLesson{ID: "one", Step: 9}, "one", 0},
			{app.OpenLesson{ID: "one", Step: 2}, "one", 2},
			{app.OpenLesson{ID: "two", Step: 1}, "one", 2}, // it has one step
			{app.OpenLesson{ID: "two"}, "two", 0},
		} {
			v.takeSent()
			app.Emit(v.bus, c.to)
			v.settle()
			if v.open.id() != c.open || v.open.shown != c.step || v.leaf(c.open).focus != "" {
				t.Errorf("%+v: step %d of %s is shown", c.to, v.open.shown, v.open.id())
			}
			if sent := v.takeSent(); slices.ContainsFunc(sent, func(s string) bool { return strings.HasPrefix(s, "setup") }) {
				t.Errorf("%+v begins something: %q", c.to, sent)
			}
		}
		if v.where.ID != "two" || v.where.Steps != 1 {
			t.Errorf("it says that the learner is at %+v", v.where)
		}
	})
}
