//go:build !js

package lesson

import (
	"io/fs"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"
)

// ofPage are the actions that need the page itself: start.go wires them.
var ofPage = []string{"capstone-line", "exam-print", "lesson-menu", "lesson-typed", "progress-load", "progress-pick"}

// elsewhere are acts whose buttons are not in the templates: question.go adds one to a form, the room's exam has one.
var elsewhere = []string{"practice-sure", "exam-class"}

var (
	dataAction   = regexp.MustCompile(`data-action="((?:lesson|practice|exam|progress|capstone)-[a-z-]+)"`)
	noticeAction = regexp.MustCompile(`(?:Action|Other):\s+"([a-z-]+)"`)
)

// names returns those of the acts.
func names() (all []string) {
	for _, a := range acts {
		all = append(all, a.name)
	}
	return all
}

// TestActs wants each button of lessons and pages to do something, and each act to have a button.
func TestActs(t *testing.T) {
	used := map[string]bool{}
	extension := map[string]string{"../../lesson": ".templ", "../../course": ".templ", ".": ".go"}
	for dir, pattern := range map[string]*regexp.Regexp{"../../lesson": dataAction, "../../course": dataAction,
		".": noticeAction} {
		err := filepath.WalkDir(dir, func(name string, _ fs.DirEntry, err error) error {
			if err != nil || filepath.Ext(name) != extension[dir] || strings.HasSuffix(name, "_test.go") {
				return err
			}
			text, err := os.ReadFile(name)
			for _, m := range pattern.FindAllStringSubmatch(string(text), -1) {
				used[m[1]] = true
			}
			return err
		})
		if err != nil {
			t.Fatal(err)
		}
	}
	for name := range used {
		if slices.Contains(names(), name) == slices.Contains(ofPage, name) {
			t.Errorf("%s: there has to be one that does it", name)
		}
	}
	for _, name := range slices.Concat(names(), ofPage) {
		if !used[name] && !slices.Contains(elsewhere, name) {
			t.Errorf("no button is called %s", name)
		}
	}
	inBubble(t, func(t *testing.T, v *visit) {
		for _, name := range names() {
			v.sheet.goHash("#progress") // where no lesson is open
			v.do(name, origin{lesson: "none", at: "0/0/0", step: 9})
		}
	})
}

// TestNumberOf reads numbers of the page.
func TestNumberOf(t *testing.T) {
	for text, want := range map[string]int{"": 0, "7": 7, "-1": -1, "x": 0, "1.5": 0} {
		if got := numberOf(text); got != want {
			t.Errorf("%q is %d, not %d", text, got, want)
		}
	}
}
