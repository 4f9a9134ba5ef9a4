//go:build !js

package lesson

import (
	"errors"
	"slices"
	"strings"
	"testing"

	"github.com/tabernetes/tabernetes/web/app"
	"github.com/tabernetes/tabernetes/web/course"
)

// The judge's verdicts.
const (
	passedRun = `{"seed": "1", "level": 1, "passed": true, "path": "/api/v1/namespaces/shop/secrets"}`
	failedRun = `{"seed": "1", "level": 1, "passed": false, "path": "/api/v1/namespaces/shop/secrets",
		"verdict": {"Rule": "lost", "Title": "Lost", "Text": "An object is missing."}}`
)

// TestCapstone has code judged.
func TestCapstone(t *testing.T) {
	inBubble(t, func(t *testing.T, v *visit) {
		v.sheet.goHash("#capstone")
		v.do("capstone-edit", origin{value: "code"})
		v.sheet.code, v.sheet.level, v.sheet.seed = "code", 1, -4
		v.judged = []string{failedRun}
		v.do("capstone-run", origin{})
		view := v.capstone.view
		if view.Run == nil || view.Run.Passed || view.Done != 0 || view.Running != "" || view.Seed != 1 {
			t.Errorf("code that fails: %+v", view)
		}
		v.do("capstone-run", origin{})
		if got := v.capstone.view; got.Failed != "no judge" || got.Run != nil {
			t.Errorf("without a judge: %+v", got)
		}
		v.judged = []string{"{"}
		if v.do("capstone-run", origin{}); v.capstone.view.Failed == "" {
			t.Error("what is no run is taken for one")
		}
		v.judged = []string{passedRun}
		v.do("capstone-run", origin{})
		if got := v.capstone.view; got.Done != 1 || got.Passed != 0 || !slices.Equal(v.singles(), []int{1}) {
			t.Errorf("one run that passes: %+v, %v", got, v.singles())
		}
		v.judged = []string{passedRun, passedRun, failedRun}
		v.do("capstone-all", origin{})
		if got := v.capstone.view; got.Done != 2 || got.Of != course.CapstoneSeeds || got.Passed != 0 {
			t.Errorf("a third run that fails: %+v", got)
		}
		v.judged = slices.Repeat([]string{passedRun}, course.CapstoneSeeds)
		v.do("capstone-all", origin{})
		if got := v.capstone.view; got.Passed != 1 || v.kept["capstone"] != "1" {
			t.Errorf("all runs pass: %+v", got)
		}
		var scenes []string
		app.On(v.bus, func(s app.PlayScene) { scenes = append(scenes, s.Source) })
		v.do("capstone-watch", origin{})
		if len(scenes) != 1 {
			t.Errorf("the stage gets %q", scenes)
		}
		v.do("capstone-level", origin{value: "2"})
		v.do("capstone-open", origin{})
		if v.capstone.view.Level != 2 || v.kept["capstone-open"] == "" {
			t.Errorf("level %d is chosen", v.capstone.view.Level)
		}
		v = v.again("#capstone-3")
		if got := v.capstone.view; got.Code != "code" || got.Passed != 1 || got.Level != 3 ||
			v.sheet.counts["capstone"] != "level 2" {
			t.Errorf("the next visit has %+v, %q", got, v.sheet.counts["capstone"])
		}
		v.do("capstone-watch", origin{}) // of nothing
		v.do("capstone-level", origin{value: "7"})
		if got := v.capstone.view; got.Level != course.ControllerLevel || !strings.Contains(got.Code, "reconcile(") {
			t.Errorf("the code of the controller is %q", got.Code)
		}
		v.do("capstone-edit", origin{value: "controller"})
		v.sheet.code, v.sheet.level, v.sheet.seed = "controller", course.ControllerLevel, 1
		v.judged = slices.Repeat([]string{passedRun}, course.CapstoneSeeds)
		v.do("capstone-all", origin{})
		if got := v.capstoneView(); got.Passed != 1 || !got.Levels[6].Passed || got.Levels[5].Passed {
			t.Errorf("the controller is passed, and nothing else: %d, %+v", got.Passed, got.Levels)
		}
		v = v.again("#capstone-7")
		if got := v.capstone.view; got.Code != "controller" {
			t.Errorf("the code of the controller is now %q", got.Code)
		}
		if v.do("capstone-level", origin{value: "1"}); v.capstone.view.Code != "code" {
			t.Errorf("the code of the reflector is now %q", v.capstone.view.Code)
		}
	})
}

// TestCapstoneStops shows nothing of a run that was stopped.
func TestCapstoneStops(t *testing.T) {
	inBubble(t, func(t *testing.T, v *visit) {
		v.sheet.goHash("#capstone")
		v.sheet.level, v.sheet.seed = 1, 1
		v.judging = func() {
			if v.capstone.view.Running != "The judge is running: seed 1 of 21." {
				t.Errorf("meanwhile it says %q", v.capstone.view.Running)
			}
			v.act("capstone-stop", origin{})
		}
		v.judged = []string{passedRun}
		v.do("capstone-all", origin{})
		if got := v.capstone.view; got.Run != nil || got.Running != "" || !slices.Equal(v.ran, []string{"stop"}) {
			t.Errorf("a run that was stopped: %+v, %q", got, v.ran)
		}
	})
}

// TestRecord saves the progress, forgets it, and loads it.
func TestRecord(t *testing.T) {
	inBubble(t, func(t *testing.T, v *visit) {
		v.press("0/0/0")
		v.sheet.goHash("#exam")
		v.do("exam-begin", origin{})
		v.sheet.goHash("#progress")
		v.settle()
		v.do("progress-save", origin{})
		name, text, _ := strings.Cut(v.downloaded[0], ": ")
		if name != "tabernetes-progress.json" {
			t.Errorf("the file is %q", name)
		}
		has(t, "the file", text, `"watch"`, `"questions"`)
		seed := v.practice.exam.Seed

		v.do("progress-forget", origin{})
		if !v.page.forgetting || v.sheet.counts["one"] != "1 of 3" {
			t.Error("one press forgets all")
		}
		has(t, "the page", v.sheet.html, "Press again to delete all progress")
		v.do("progress-forget", origin{})
		if v.sheet.counts["one"] != "2 min" || v.docs["one"].session.Passed() != 0 || v.practice.exam != nil ||
			v.leaf("one").step != 0 {
			t.Errorf("it is not forgotten: %q, %+v", v.sheet.counts["one"], v.practice.exam)
		}
		has(t, "the page", v.sheet.html, "All progress is deleted.")
		if v = v.again("#progress"); v.docs["one"].session.Passed() != 0 || v.practice.exam != nil {
			t.Error("the next visit has it")
		}
		for failed, want := range map[error]string{nil: "this is not saved progress", errors.New("gone"): "gone"} {
			v.loadRecord("?", failed)
			has(t, "the page", v.sheet.html, "Nothing was loaded: "+want)
		}
		v.loadRecord(text, nil)
		has(t, "the page", v.sheet.html, "Loaded.")
		if v.sheet.counts["one"] != "1 of 3" || v.leaf("one").step != 1 || v.practice.exam == nil ||
			v.practice.exam.Seed != seed {
			t.Errorf("what was loaded is %q, %+v", v.sheet.counts["one"], v.practice.exam)
		}
	})
}
