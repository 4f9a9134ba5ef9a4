//go:build !js

package practice

import (
	"flag"
	"fmt"
	"os"
	"strconv"
	"strings"
	"testing"
	"testing/synctest"

	"github.com/tabernetes/tabernetes/web/lesson"
	"github.com/tabernetes/tabernetes/web/lesson/play"
	"github.com/tabernetes/tabernetes/web/lessons"
)

// only tries one template with all seeds: go test ./web/practice -only p01c
var only = flag.String("only", "", "try this `template` alone, with all seeds")

// fewSeeds is with how many seeds each template is tried where there is not time for all.
const fewSeeds = 8

// TestSituations plays the situations of all templates. Exactly one answer to each
// question is right, as read off the run; the choices differ, and each wrong one has a
// reply; and which one is right is not always the same.
func TestSituations(t *testing.T) {
	all, err := All()
	if err != nil {
		t.Fatal(err)
	}
	seeds := fewSeeds
	if os.Getenv("TABERNETES_LONG") != "" || *only != "" {
		seeds = Seeds
	}
	for _, template := range all {
		if *only != "" && template.ID != *only {
			continue
		}
		t.Run(template.ID, func(t *testing.T) {
			t.Parallel()
			answers := map[string]bool{}
			for seed := 1; seed <= seeds; seed++ {
				l, err := template.Situation(seed)
				if err != nil {
					t.Fatal(err)
				}
				if len(l.Steps) != 1 {
					t.Fatalf("%s has %d steps, not one", l.File, len(l.Steps))
				}
				synctest.Test(t, func(t *testing.T) {
					right := situation(t, l, seed)
					answers[right] = true
				})
			}
			if q := question(t, template); seeds == Seeds && q != nil && len(answers) < 2 {
				t.Errorf("%s: the right answer is always %v", template.ID, answers)
			}
		})
	}
}

func question(t *testing.T, template Template) *lesson.Prediction {
	t.Helper()
	l, err := template.Situation(1)
	if err != nil {
		t.Fatal(err)
	}
	q, _ := l.Steps[0].Prediction()
	return q
}

// situation plays one and returns which answer was right.
func situation(t *testing.T, l *lesson.Lesson, seed int) string {
	t.Helper()
	where := fmt.Sprintf("%s, seed %d", l.File, seed)
	c, err := play.Cluster(uint64(seed))
	if err != nil {
		t.Fatal(err)
	}
	defer c.Close()
	p := play.New(t.Context(), c, l)
	p.AfterRequest(synctest.Wait)
	defer p.Close()
	if err := p.Begin(); err != nil {
		t.Fatalf("%s: %v", where, err)
	}
	if err := p.Solve(0); err != nil {
		t.Fatalf("%s: %v", where, err)
	}
	q, _ := l.Steps[0].Prediction()
	if q == nil {
		return ""
	}
	right := p.Session.Answer(0).Right
	if right == "?" {
		t.Fatalf("%s: not exactly one answer is right", where)
	}
	for n, choice := range q.Choices {
		if strconv.Itoa(n) != right && choice.Reply == "" {
			t.Errorf("%s: %q is wrong, and has no reply", where, choice.Text)
		}
		if q.Value != nil && choice.Text == right {
			t.Errorf("%s: the tempting %q is right", where, choice.Text)
		}
	}
	if q.Value != nil {
		return right
	}
	n, err := strconv.Atoi(right)
	if err != nil {
		t.Fatal(err)
	}
	return q.Choices[n].Text
}

// TestTemplatesComeFromLessons wants each template to name a lesson and a step of it.
func TestTemplatesComeFromLessons(t *testing.T) {
	steps := map[string]int{}
	course, err := lessons.All()
	if err != nil {
		t.Fatal(err)
	}
	for _, l := range course {
		steps[l.ID] = len(l.Steps)
	}
	all, err := All()
	if err != nil {
		t.Fatal(err)
	}
	for _, template := range all {
		l, err := template.Situation(1)
		if err != nil {
			t.Fatal(err)
		}
		if l.Step < 1 || l.Step > steps[l.Lesson] && steps[l.Lesson] > 0 {
			t.Errorf("%s comes from step %d of %q, which has %d", l.File, l.Step, l.Lesson, steps[l.Lesson])
		}
		for _, name := range l.Namespaces {
			if !strings.HasPrefix(name, template.ID) {
				t.Errorf("%s: the namespace %q is not named like the template", l.File, name)
			}
		}
	}
}
