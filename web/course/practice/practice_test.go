//go:build !js

package practice

import (
	"flag"
	"fmt"
	"os"
	"slices"
	"strconv"
	"strings"
	"sync"
	"testing"
	"testing/synctest"

	"github.com/tabernetes/tabernetes/web/course"
	"github.com/tabernetes/tabernetes/web/lesson/format"
	"github.com/tabernetes/tabernetes/web/lesson/guess"
	"github.com/tabernetes/tabernetes/web/lesson/play"
	"github.com/tabernetes/tabernetes/web/lessons"
)

// only tries one template with all seeds: go test ./web/course/practice -only taken-or-free
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
	var mu sync.Mutex
	asked := map[string][]*guess.Question{}
	t.Run("play", func(t *testing.T) {
		for _, template := range all {
			if *only != "" && template.ID != *only {
				continue
			}
			t.Run(template.ID, func(t *testing.T) {
				t.Parallel()
				answers := map[string]bool{}
				for seed := 1; seed <= seeds; seed++ {
					l, err := template.Situation(seed)
					if err == nil {
						err = l.Validate()
					}
					if err != nil {
						t.Fatal(err)
					}
					if len(l.Steps) != 1 {
						t.Fatalf("%s has %d steps, not one", l.File, len(l.Steps))
					}
					synctest.Test(t, func(t *testing.T) {
						right := situation(t, l, seed)
						answers[right] = true
						if q := guess.Of(template.ID, &l.Steps[0], right); q != nil {
							mu.Lock()
							asked[template.ID] = append(asked[template.ID], q)
							mu.Unlock()
						}
					})
				}
				if q := question(t, template); seeds == Seeds && q != nil && len(answers) < 2 {
					t.Errorf("%s: the right answer is always %v", template.ID, answers)
				}
			})
		}
	})
	if *only == "" {
		guessing(t, asked)
	}
}

// guessing wants strategies that know nothing to be right no more often than guess.Most: in practice, where all
// templates count alike, and in exams.
func guessing(t *testing.T, asked map[string][]*guess.Question) {
	index, err := Index(allLessons(t))
	if err != nil {
		t.Fatal(err)
	}
	practice, exam := map[string]float64{}, map[string]float64{}
	for id := range asked {
		practice[id] = 1
	}
	for seed := range uint64(Seeds) {
		for _, q := range course.NewExam(index, seed).Questions {
			if asked[q.Template] != nil {
				exam[q.Template]++
			}
		}
	}
	for _, name := range guess.Strategies() {
		for where, weights := range map[string]map[string]float64{"practice": practice, "exams": exam} {
			sum, all := 0.0, 0.0
			for id, weight := range weights {
				all += weight
				for _, q := range asked[id] {
					sum += weight * q.Chance(name) / float64(len(asked[id]))
				}
			}
			t.Logf("%-8s %-26s %4.1f %%", where, name, 100*sum/all)
			if 100*sum > guess.Most*all {
				t.Errorf("%s is right in %.1f %% of %s, and may be in %d %%", name, 100*sum/all, where, guess.Most)
			}
		}
	}
}

func question(t *testing.T, template Template) *format.Prediction {
	t.Helper()
	l, err := template.Situation(1)
	if err != nil {
		t.Fatal(err)
	}
	q, _ := l.Steps[0].Prediction()
	return q
}

// situation plays one and returns which answer was right.
func situation(t *testing.T, l *format.Lesson, seed int) string {
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

// TestTemplatesComeFromLessons wants each template to name a step of a lesson, and to stay with it when another step is
// put before it.
func TestTemplatesComeFromLessons(t *testing.T) {
	all := allLessons(t)
	before, err := Index(all)
	if err != nil {
		t.Fatal(err)
	}
	for i := range all {
		if half := len(all[i].Steps) / 2; half > 0 {
			all[i].Steps = slices.Insert(all[i].Steps, half, format.Step{ID: "inserted", Title: "Inserted"})
		}
	}
	after, err := Index(all)
	if err != nil {
		t.Fatal(err)
	}
	moved := 0
	for i, was := range before.Templates {
		is := after.Templates[i]
		from, to := before.Lessons[before.Lesson(was.Lesson)], after.Lessons[after.Lesson(is.Lesson)]
		if a, b := from.Steps[was.Step-1], to.Steps[is.Step-1]; a != b {
			t.Errorf("%s comes from %q, and from %q when a step is inserted", was.ID, a, b)
		}
		if is.Step != was.Step {
			moved++
		}
	}
	if moved == 0 {
		t.Error("no template comes from a step after the inserted one")
	}
}

// TestLinksToSteps wants the link to each step to lead there, by its name and by its number.
func TestLinksToSteps(t *testing.T) {
	x, err := Index(allLessons(t))
	if err != nil {
		t.Fatal(err)
	}
	for _, e := range x.Lessons {
		for i := range e.Steps {
			for _, link := range []string{x.StepLink(e.ID, i+1), fmt.Sprintf("%s-%d", course.Link(e.ID), i+1)} {
				if got := x.Find(link); got.ID != e.ID || got.Step != i {
					t.Errorf("%s leads to %+v, not to step %d of %s", link, got, i+1, e.ID)
				}
			}
		}
	}
}

// TestNoSuchStep wants the index to refuse a template whose step is not in its lesson.
func TestNoSuchStep(t *testing.T) {
	all := allLessons(t)
	for i := range all {
		all[i].Steps = nil
	}
	if _, err := Index(all); err == nil || !strings.Contains(err.Error(), "has no step") {
		t.Errorf("lessons without steps: %v", err)
	}
}

// TestNames wants no two templates to share a name, now or before, no template to be called like a lesson, and former
// to have rows of templates alone.
func TestNames(t *testing.T) {
	all, err := All()
	if err != nil {
		t.Fatal(err)
	}
	owner := map[string]string{}
	for _, l := range allLessons(t) {
		owner[l.ID] = "the lesson"
	}
	rows := 0
	for _, template := range all {
		if len(template.Was) > 0 {
			rows++
		}
		for _, name := range append([]string{template.ID}, template.Was...) {
			if owner[name] != "" {
				t.Errorf("%s and %s have both the name %s", owner[name], template.ID, name)
			}
			owner[name] = template.ID
		}
	}
	if rows != len(former) {
		t.Errorf("former has %d rows, and %d templates have former names", len(former), rows)
	}
}

// TestSavedProgress reads what the page stored when templates were named by the numbers of lessons: all of it is found,
// under the names of now, and seeds make the same exam and the same situation.
func TestSavedProgress(t *testing.T) {
	x, err := Index(allLessons(t))
	if err != nil {
		t.Fatal(err)
	}
	saved, err := os.ReadFile("testdata/progress.json")
	if err != nil {
		t.Fatal(err)
	}
	r, err := x.ParseRecord(string(saved))
	if err != nil {
		t.Fatal(err)
	}
	if len(r.Queue) < len(former) {
		t.Errorf("%d templates are in the queue, and %d were renamed", len(r.Queue), len(former))
	}
	for id := range r.Queue {
		if template := x.Template(id); template == nil || template.ID != id {
			t.Errorf("the queue has %q", id)
		}
	}
	if c := r.Queue["newest-object"]; c.Due != 99 || c.Mistake == nil {
		t.Errorf("p03a was due on day 99 for a mistake, and newest-object is %+v", c)
	}
	same := course.NewExam(x, r.Exam.Seed)
	for i, q := range r.Exam.Questions {
		if now := same.Questions[i]; now.Template != q.Template || now.Seed != q.Seed {
			t.Errorf("question %d of exam %d was %s, %d, and is %s, %d", i+1, r.Exam.Seed, q.Template, q.Seed,
				now.Template, now.Seed)
		}
	}
	link := x.Find("#practice-p03c-7")
	if link.ID != "two-writers" || link.Seed != 7 {
		t.Errorf("an old link leads to %+v", link)
	}
	l, err := templateNamed(t, link.ID).Situation(7)
	if err != nil {
		t.Fatal(err)
	}
	const asked = "There is a Lease `o`. Ada wants it to have the label `red`, Bob wants the label `blue`."
	if text := l.Steps[0].Blocks[0].Markdown; !strings.Contains(text, asked) {
		t.Errorf("seed 7 is %s", text)
	}
}

func allLessons(t *testing.T) []format.Lesson {
	t.Helper()
	all, err := lessons.All()
	if err != nil {
		t.Fatal(err)
	}
	var out []format.Lesson
	for _, l := range all {
		out = append(out, *l)
	}
	return out
}

// TestNamespacesOfTemplates wants a template's namespaces to be named like it.
func TestNamespacesOfTemplates(t *testing.T) {
	all, err := All()
	if err != nil {
		t.Fatal(err)
	}
	for _, template := range all {
		l, err := template.Situation(1)
		if err != nil {
			t.Fatal(err)
		}
		for _, name := range l.Namespaces {
			if !strings.HasPrefix(name, template.ID) {
				t.Errorf("%s: the namespace %q is not named like the template", l.File, name)
			}
		}
	}
}

// TestByHand runs the requests of each question one by one: nothing is said to be wrong meanwhile.
func TestByHand(t *testing.T) {
	all, err := All()
	if err != nil {
		t.Fatal(err)
	}
	for _, template := range all {
		if *only != "" && template.ID != *only {
			continue
		}
		t.Run(template.ID, func(t *testing.T) {
			t.Parallel()
			l, err := template.Situation(1)
			if err != nil {
				t.Fatal(err)
			}
			synctest.Test(t, func(t *testing.T) {
				c, err := play.Cluster(1)
				if err != nil {
					t.Fatal(err)
				}
				defer c.Close()
				p := play.New(t.Context(), c, l)
				p.AfterRequest(synctest.Wait)
				defer p.Close()
				if err := p.Begin(); err != nil {
					t.Fatal(err)
				}
				for _, r := range l.Steps[0].Solve() {
					if _, err := p.Send(r); err != nil {
						t.Fatal(err)
					}
					if p.Passed(); p.Session.Step(0).Trouble != nil {
						t.Errorf("after %s: %q", r.Label(), p.Session.Step(0).Trouble.Title)
					}
				}
				if passed, err := p.Try(0, nil); !passed {
					t.Errorf("does not pass: %+v, %v", p.Session.Step(0), err)
				}
			})
		})
	}
}
