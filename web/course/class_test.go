package course

import (
	"encoding/json"
	"fmt"
	"reflect"
	"slices"
	"strings"
	"testing"
	"time"
)

func TestFirstAnswerCounts(t *testing.T) {
	var q Question
	if !q.Give("2") || q.Give("1") || q.Given != "2" {
		t.Errorf("given twice: %+v", q)
	}
	done := Question{Answered: true}
	if done.Give("1") {
		t.Error("answered after it was done with")
	}
}

func TestAgainAfterADay(t *testing.T) {
	begun := time.Unix(1_000_000, 0)
	e := &Exam{Seed: 7, Begun: begun.Unix()}
	for _, test := range []struct {
		exam  *Exam
		after time.Duration
		want  time.Duration
	}{
		{nil, 0, 0}, {e, 0, Pause}, {e, 23*time.Hour + 30*time.Minute, 30 * time.Minute}, {e, Pause, 0},
		{e, 30 * time.Hour, 0},
		{e, -5 * time.Hour, Pause}, // a clock that was set back keeps nobody out for longer
		{&Exam{Seed: 7, Begun: begun.Unix(), Class: true}, 0, 0}, {&Exam{Seed: 7}, 0, 0},
	} {
		if got := test.exam.Wait(begun.Add(test.after)); got != test.want {
			t.Errorf("%+v after %v: %v, want %v", test.exam, test.after, got, test.want)
		}
	}
	draws := []int{6, 6, 41}
	draw := func(int) int { n := draws[0]; draws = draws[1:]; return n }
	if got := e.NextSeed(7, draw); got != 42 {
		t.Errorf("the seed of the last exam again: %d", got)
	}
	if got := e.NextSeed(9, draw); got != 9 {
		t.Errorf("another seed: %d", got)
	}
	view := func(after time.Duration) string { return ExamView{Wait: e.Wait(begun.Add(after))}.again() }
	if a, b, c := view(0), view(23*time.Hour+time.Minute), view(Pause); !strings.Contains(a, "in 24 hours") ||
		!strings.Contains(b, "within the hour") || c != "" {
		t.Errorf("%q, %q, %q", a, b, c)
	}
}

// TestVerdicts wants what a verdict names as the reason to be the reason.
func TestVerdicts(t *testing.T) {
	for _, test := range []struct {
		right  int
		missed bool
		want   string
	}{
		{0, true, "0 of 30 right: not passed, 27 are needed."}, {26, false, "26 of 30 right: not passed, 27 are needed."},
		{28, true, "28 of 30 right: enough, but not passed, since one of those marked ★ was wrong."},
		{28, false, "28 of 30 right: passed."},
	} {
		v := ExamView{Result: Result{Right: test.right, Total: 30, Missed: test.missed,
			Passed: test.right >= ToPass && !test.missed}}
		if got := v.verdict(); got != test.want {
			t.Errorf("%d right, one missed %v: %q, want %q", test.right, test.missed, got, test.want)
		}
	}
}

func TestClassExam(t *testing.T) {
	x := index()
	one := ClassExam{Seed: 7, Questions: 4}
	a, b := one.For(x, "ada"), one.For(x, "bo")
	if !reflect.DeepEqual(a, b) || len(a.Questions) != 4 || !a.Class {
		t.Errorf("one seed for all: %+v, %+v", a, b)
	}
	each := ClassExam{Seed: 7, Questions: 4, Each: true}
	c, d := each.For(x, "ada"), each.For(x, "bo")
	if reflect.DeepEqual(c.Questions, d.Questions) || !reflect.DeepEqual(c, each.For(x, "ada")) {
		t.Errorf("a seed for each: %+v, %+v", c, d)
	}
	a.Questions[0].Answered, a.Questions[0].Right, a.Questions[0].Given = true, true, "1"
	a.Questions[1].Answered, a.Questions[1].Given = true, "2"
	a.Questions[2].Answered = true
	r := a.Report()
	if r.String() != "7 r2x." || r.Right() != 1 || r.Done() != 3 || r.Next() != 3 {
		t.Errorf("report %q: %d right, %d done, next is %d", r, r.Right(), r.Done(), r.Next())
	}
	if again, ok := ParseReport(r.String()); !ok || again != r {
		t.Errorf("read again: %+v", again)
	}
	for _, bad := range []string{"", "7", "7 ", "x r", "7 ?", "7 " + strings.Repeat("r", 31)} {
		if _, ok := ParseReport(bad); ok {
			t.Errorf("%q is a report", bad)
		}
	}
}

// TestWhatIsKept wants nothing to be stored of the questions that have not been asked, and all to be there again.
func TestWhatIsKept(t *testing.T) {
	x := index()
	own := NewExam(x, 7)
	class := ClassExam{Seed: 7, Questions: 6}.For(x, "ada")
	if slices.ContainsFunc(class.Questions, func(q Question) bool { return slices.Contains(own.Questions, q) }) {
		t.Error("one's own exam with the seed of a class's has its questions")
	}
	for name, e := range map[string]*Exam{"own": &own, "class": class} {
		kept := func() string {
			b, err := json.Marshal(e)
			if err != nil {
				t.Fatal(err)
			}
			if got := x.ParseExam(string(b)); !reflect.DeepEqual(got, e) {
				t.Errorf("%s: %s is read as %+v, not %+v", name, b, got, e)
			}
			return string(b)
		}
		has := func(text string, n int) {
			t.Helper()
			for i, q := range e.Questions {
				if strings.Contains(text, `"`+q.Template+`"`) != (i < n) {
					t.Errorf("%s: question %d of %d that were asked: %s", name, i+1, n, text)
				}
			}
		}
		has(kept(), 0)
		e.Questions[0].Open = true
		has(kept(), 1)
		e.Questions[0].Answered, e.Questions[0].Given = true, "2"
		has(kept(), 1)
		e.Questions[1].Open = true
		has(kept(), 2)
		e.End(false)
		has(kept(), len(e.Questions)) // the result names them
	}
	// As pages kept it that stored all of them.
	if e := x.ParseExam(`{"seed":7,"questions":[{"template":"p01a","seed":3},{"template":"p02b","seed":4}]}`); e == nil ||
		len(e.Questions) != 2 {
		t.Errorf("as it was kept before: %+v", e)
	}
	for _, bad := range []string{"", "{}", "[]", `{"seed":7,"of":-3}`} {
		if e := x.ParseExam(bad); e != nil {
			t.Errorf("%q is the exam %+v", bad, e)
		}
	}
}

// situationOf returns a template with one situation, whose wrong choices have these replies.
func situationOf(id string, replies ...string) *Deck {
	var b strings.Builder
	b.WriteString("---\nlesson: a\nstep: x\nnamespaces: " + id + "\n---\n\n# T\n\n## Q\n\n```predict\nWhat?\n- right\n" +
		"  got.response.status = 200\n")
	d := &Deck{ID: id, HTML: []string{"<p>What?</p>", "right"}, Names: nil, Rows: [][][]int{{}, {}}}
	for i, reply := range replies {
		fmt.Fprintf(&b, "- wrong %d\n  got.response.status = %d\n  reply %q\n", i, 400+i, reply)
		d.HTML = append(d.HTML, fmt.Sprintf("wrong %d", i), "<p>"+reply+"</p>")
	}
	b.WriteString("---\nSo it is.\n```\n\n```http\n# @name got\nGET /api\n```\n")
	d.HTML = append(d.HTML, "<p>So it is.</p>")
	d.Source = b.String()
	order := make([]int, len(d.HTML))
	for i := range order {
		order[i] = i
	}
	d.Order = [][]int{order}
	return d
}

func TestBelieved(t *testing.T) {
	x := index()
	for i := range x.Templates {
		x.Templates[i].Seeds = 1
	}
	exam := ClassExam{Seed: 3, Questions: 2}.For(x, "")
	decks := map[string]*Deck{}
	for _, q := range exam.Questions {
		decks[q.Template] = situationOf(q.Template, "No, this.", "No, that.")
	}
	sitter := func(name, marks string) Sitter { return Sitter{Name: name, Report: Report{3, marks}} }
	class := []Sitter{sitter("Ada", "1r"), sitter("Bo", "12"), sitter("Chen", "2."), {Name: "Dmitri"}}
	got, first := x.Believed(class, decks), x.Template(exam.Questions[0].Template)
	if len(got) != 3 || got[0].Count != 2 || got[0].Of != 3 || got[0].Text != "wrong 0" ||
		got[0].Href != x.StepLink(first.Lesson, first.Step) {
		t.Errorf("believed %+v", got)
	}
	if ids := x.Decks(class); len(ids) != 2 {
		t.Errorf("needed: %v", ids)
	}
	if some := x.Believed(class, nil); len(some) != 0 {
		t.Errorf("without decks: %+v", some)
	}
	want := "who,seed,1,2,right,answered\nAda,3,wrong,right,1,2\n'=Bo,3,wrong,wrong,0,2\nChen,3,wrong,,0,1\n"
	class[1].Name = "=Bo"
	if got := CSV(class[:3]); got != want {
		t.Errorf("as CSV:\n%swant\n%s", got, want)
	}
}

func TestBelievedInLessons(t *testing.T) {
	x := index()
	class := []LessonReport{{"b", Mistakes([][2]int{{1, 0}, {2, 1}})}, {"a", "3.1"}, {"b", "2.1"}, {"b", "9.9 x"}}
	got := x.InLessons(class, func(lesson string, step, choice int) (text, reply string, ok bool) {
		return fmt.Sprintf("%s %d %d", lesson, step, choice), "", step < 4
	})
	var words []string
	for _, b := range got {
		words = append(words, fmt.Sprintf("%s: %d of %d %s", b.Text, b.Count, b.Of, b.Href))
	}
	want := []string{"a 3 1: 1 of 1 #lesson-a-z", "b 2 1: 2 of 3 #lesson-b-y", "b 1 0: 1 of 3 #lesson-b-x"}
	if !reflect.DeepEqual(words, want) {
		t.Errorf("believed %q, want %q", words, want)
	}
	var many [][2]int
	for i := range 40 {
		many = append(many, [2]int{i, 1})
	}
	if text := Mistakes(many); len(text) > 100 || !strings.HasSuffix(text, " 39.1") {
		t.Errorf("%d bytes: %s", len(text), text)
	}
}

// TestLevels wants each level to be opened by its lesson, and by nothing before it.
func TestLevels(t *testing.T) {
	x := &Index{}
	for i, id := range opens {
		x.Lessons = append(x.Lessons, Entry{ID: id, Number: i + 4, Title: id})
		if Opened(id) != i+1 || !strings.Contains(x.After(id).Opens, fmt.Sprintf("level %d ", i+1)) ||
			x.After(id).OpensHref != CapstoneLink(i+1) {
			t.Errorf("%s opens %d: %+v", id, Opened(id), x.After(id))
		}
	}
	if Opened("verbs") != 0 || x.After("verbs").Opens != "" || len(opens) != len(Levels) {
		t.Error("a lesson that opens nothing")
	}
	words := func(levels []Level) (out []string) {
		for _, l := range levels {
			out = append(out, l.state())
		}
		return out
	}
	done := func(id string) bool { return id == opens[1] }
	want := []string{"✓ passed", "one run passed", "after lesson 6", "after lesson 7", "after lesson 8",
		"after lesson 9", "after lesson 10"}
	if got := words(x.LevelsFor(done, 1, []int{2, 3}, false)); !reflect.DeepEqual(got, want) {
		t.Errorf("levels %q", got)
	}
	if got := (CapstoneView{Levels: x.LevelsFor(done, 1, nil, false)}).closed(); got == nil || got.Number != 3 {
		t.Errorf("the next that opens: %+v", got)
	}
	some := CapstoneView{Levels: x.LevelsFor(done, 0, nil, false), Level: 1}
	if some.open() {
		t.Error("a level that no lesson has opened can be tried")
	}
	if some.Level = 2; !some.open() {
		t.Error("a level that a lesson has opened cannot be tried")
	}
	if got := (CapstoneView{Levels: x.LevelsFor(done, 0, nil, true)}).closed(); got != nil {
		t.Errorf("all are wanted, and %+v is closed", got)
	}
}

// TestRunsAndLevels wants one run and a level to be distinguished, and errors to have their line.
func TestRunsAndLevels(t *testing.T) {
	run := &Run{Seed: "7", Level: 2, Passed: true, Seconds: 90}
	lost := &Run{Seed: "8", Level: 2, Line: 4, Verdict: &Verdict{Rule: "R4", Title: "no gap", At: 61_000}}
	for _, test := range []struct {
		view CapstoneView
		want string
	}{
		{CapstoneView{Run: run, Of: 1, Done: 1}, "One run of level 2 is passed: seed 7, 1:30 of the cluster’s time."},
		{CapstoneView{Run: run, Of: 21, Done: 2}, "2 of 21 seeds of level 2 are passed so far."},
		{CapstoneView{Run: run, Of: 21, Done: 21}, "Level 2 is passed: all 21 seeds were, one after another."},
		{CapstoneView{Run: lost, Of: 1}, "Rule R4, no gap, was broken at 1:01 with seed 8."},
		{CapstoneView{Run: lost, Of: 21, Done: 3},
			"Rule R4, no gap, was broken at 1:01 with seed 8, after 3 of 21 seeds were passed."},
	} {
		if got := test.view.verdict(); got != test.want {
			t.Errorf("%q, want %q", got, test.want)
		}
	}
	if a, b, c := (CapstoneView{Run: lost}).line(), (CapstoneView{Failed: "Line 12: SyntaxError: no"}).line(),
		(CapstoneView{Failed: "the code exports no function reflect"}).line(); a != 4 || b != 12 || c != 0 {
		t.Errorf("lines %d, %d, %d", a, b, c)
	}
	passed := RunEntry{What: "store", Call: "put", Name: "undefined", Objects: -1, Version: "x"}
	all := RunEntry{What: "store", Call: "replace", Objects: 3, Version: "7"}
	if passed.words() != "store.put(undefined, x)" || all.words() != "store.replace(3 objects, 7)" {
		t.Errorf("%s; %s", passed.words(), all.words())
	}
}
