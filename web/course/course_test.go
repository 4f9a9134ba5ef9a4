package course

import (
	"errors"
	"fmt"
	"os"
	"reflect"
	"slices"
	"strings"
	"testing"

	"github.com/tabernetes/tabernetes/web/lesson/format"
	"github.com/tabernetes/tabernetes/web/lesson/session"
)

// index returns a course of lessons a to e with three templates each, in two parts.
func index() *Index {
	x := &Index{}
	for i, id := range []string{"a", "b", "410-c", "part", "part-2"} {
		part := "One"
		if i > 2 {
			part = "Two"
		}
		x.Lessons = append(x.Lessons, Entry{ID: id, Title: strings.ToUpper(id), Part: part, Minutes: 10,
			Steps: []string{"x", "y", "z"}})
		for j, letter := range "abc" {
			exam := []format.ExamKind{format.Must, format.Asked, format.InTurn}[j]
			x.Templates = append(x.Templates,
				Template{ID: fmt.Sprintf("p%02d%c", i+1, letter), Title: "T", Lesson: id, Step: j + 1, Exam: exam, Seeds: 200})
		}
	}
	return x
}

func TestFind(t *testing.T) {
	x := index()
	none := Target{Step: -1}
	for hash, want := range map[string]Target{
		"#lesson-a":          {"lesson", "a", -1, 0},
		"#lesson-a-1":        {"lesson", "a", 0, 0},
		"#lesson-410-c":      {"lesson", "410-c", -1, 0},
		"#lesson-410-c-3":    {"lesson", "410-c", 2, 0},
		"#lesson-part-2":     {"lesson", "part-2", -1, 0}, // a lesson's own id, before another one's step
		"#lesson-part-3":     {"lesson", "part", 2, 0},
		"#lesson-part-2-1":   {"lesson", "part-2", 0, 0},
		"#lesson-a-x":        {"lesson", "a", 0, 0},
		"#lesson-part-2-z":   {"lesson", "part-2", 2, 0},
		"#lesson-part-z":     {"lesson", "part", 2, 0},
		"#lesson-410-c-y":    {"lesson", "410-c", 1, 0},
		"#lesson-a-w":        none,
		"#lesson-a--1":       none,
		"#lesson-a-0":        none,
		"#lesson-a-4":        none,
		"#lesson-a-03":       none,
		"#lesson-x":          none,
		"#lesson-":           none,
		"#practice":          {"practice", "", -1, 0},
		"#practice-p01a-17":  {"question", "p01a", -1, 17},
		"#practice-p01a-0":   none,
		"#practice-p01a-201": none,
		"#practice-p01a":     none,
		"#practice-x-1":      none,
		"#exam":              {"exam", "", -1, 0},
		"#exam-7":            {"exam", "", -1, 7},
		"#exam-x":            none,
		"#progress":          {"progress", "", -1, 0},
		"#capstone":          {"capstone", "", -1, 0},
		"#capstone-1":        {"capstone", "", -1, 1},
		"#capstone-7":        {"capstone", "", -1, 7},
		"#capstone-8":        none,
		"#progress-1":        none,
		"":                   none,
		"#req-path":          none,
	} {
		if got := x.Find(hash); got != want {
			t.Errorf("%s: %+v, want %+v", hash, got, want)
		}
	}
	if got := x.After("part-2").Href; got != "#capstone" {
		t.Errorf("after the last lesson comes %s", got)
	}
	if got := x.After("a"); got.Href != "#lesson-b" || got.Label != "Next lesson" {
		t.Errorf("after a comes %+v", got)
	}
	if got, err := ParseIndex(x.String()); err != nil || !reflect.DeepEqual(got, x) {
		t.Errorf("read again: %+v, %v", got, err)
	}
}

func TestQueue(t *testing.T) {
	q := Queue{}
	if _, ok := q.Next(); ok {
		t.Error("something is due of nothing")
	}
	q.Add([]string{"p01a", "p01b"}, 100)
	if got := q.Due(100); !slices.Equal(got, []string{"p01a", "p01b"}) {
		t.Errorf("due at once: %v", got)
	}
	day := 100
	for _, days := range []int{1, 3, 7, 21, 60, 60} {
		q.Answered("p01a", true, false, day)
		if got := q["p01a"].Due - day; got != days {
			t.Errorf("right again: due in %d days, want %d", got, days)
		}
		day = q["p01a"].Due
	}
	q.Answered("p01a", false, false, day)
	if c := q["p01a"]; c.Due != day+1 || c.Stage != 0 || c.Seen != 7 || c.Wrong != 1 {
		t.Errorf("wrong: %+v", c)
	}
	q.Answered("p01a", true, false, day+1)
	if c := q["p01a"]; c.Due != day+2 {
		t.Errorf("right after that: %+v", c)
	}
	q.Answered("p01b", true, false, 100)
	q.Answered("p01b", true, false, 101)
	q.Recall([]string{"p01b", "p02a"}, Mistake{"a", 2, "y"}, 101)
	if q["p01b"].Due != 102 || q["p01b"].Stage != 0 || q["p02a"].Due != 102 {
		t.Errorf("predicted wrong: %+v", q)
	}
	if q["p02a"].Mistake == nil || q["p02a"].Mistake.Title != "y" {
		t.Errorf("the mistake is not named: %+v", q["p02a"])
	}
	q["p03a"] = Card{Due: 90}
	q.Answered("p02a", false, true, 101)
	if got := q.Due(102); got[0] != "p02a" {
		t.Errorf("sure and wrong does not come first: %v", got)
	}
	q.Answered("p02a", true, true, 102)
	if c := q["p02a"]; c.Sure || c.Mistake != nil {
		t.Errorf("right after that: %+v", c)
	}
	delete(q, "p03a")
	q.Add([]string{"p01b"}, 300)
	if q["p01b"].Due != 102 {
		t.Error("what is in the queue was put in again")
	}
}

func TestSession(t *testing.T) {
	x, q := index(), Queue{}
	for _, e := range x.Lessons {
		q.Add(x.Of(e.ID), 5)
	}
	q.Add([]string{"gone"}, 1)
	got := q.Session(x, 5)
	if len(got) != AtOnce {
		t.Fatalf("%d questions: %v", len(got), got)
	}
	for i := 1; i < len(got); i++ {
		if x.Template(got[i]).Lesson == x.Template(got[i-1]).Lesson {
			t.Errorf("two of one lesson running: %v", got)
		}
	}
	if got := q.Session(x, 4); len(got) != 0 {
		t.Errorf("the day before: %v", got)
	}
	// Those that are mixed up come together, though one is not due.
	for _, pair := range mixedUp {
		first, second := pair[0], pair[1]
		x.Templates = append(x.Templates, Template{ID: first, Lesson: "a"}, Template{ID: second, Lesson: "b"})
		q = Queue{first: {Due: 1}, second: {Due: 90}}
		if got := q.Session(x, 1); !slices.Equal(got, []string{first, second}) {
			t.Errorf("a pair: %v", got)
		}
		for _, id := range pair {
			if _, err := os.Stat("practice/templates/" + id + ".md"); err != nil {
				t.Errorf("one of a pair: %v", err)
			}
		}
	}
}

func TestExam(t *testing.T) {
	x := index()
	for i := range 10 { // as many as there are in the course
		for j, exam := range []format.ExamKind{format.Must, format.Asked, format.Asked, format.InTurn} {
			x.Templates = append(x.Templates, Template{ID: fmt.Sprintf("q%02d%d", i, j), Lesson: "a", Exam: exam, Seeds: 200})
		}
	}
	x.Templates = x.Templates[:15+4*7-1]
	e := NewExam(x, 42)
	if again := NewExam(x, 42); !reflect.DeepEqual(e, again) {
		t.Error("one seed made two exams")
	}
	if other := NewExam(x, 43); reflect.DeepEqual(e.Questions, other.Questions) {
		t.Error("two seeds made one exam")
	}
	if len(e.Questions) != Questions {
		t.Fatalf("%d questions", len(e.Questions))
	}
	turns, must, seen := 0, 0, map[string]bool{}
	for _, q := range e.Questions {
		switch x.Template(q.Template).Exam {
		case format.InTurn:
			turns++
		case format.Must:
			must++
			if !q.Must {
				t.Errorf("%s need not be right", q.Template)
			}
		}
		if seen[q.Template] || q.Seed < 1 || q.Seed > 200 {
			t.Errorf("question %+v", q)
		}
		seen[q.Template] = true
	}
	if turns < inTurn || must != 12 {
		t.Errorf("%d in turn, %d that have to be right", turns, must)
	}
	answer := func(wrong func(i int, q Question) bool) Result {
		for i := range e.Questions {
			e.Questions[i].Answered, e.Questions[i].Right = true, !wrong(i, e.Questions[i])
		}
		return e.Result(x)
	}
	n := 0
	res := answer(func(_ int, q Question) bool {
		if !q.Must && n < 3 {
			n++
			return true
		}
		return false
	})
	if !res.Passed || res.Right != 27 || res.Missed {
		t.Errorf("three wrong: %+v", res)
	}
	if total := res.Areas[0].Total + res.Areas[1].Total; len(res.Areas) != 2 || total != 30 {
		t.Errorf("areas %+v", res.Areas)
	}
	if res := answer(func(i int, _ Question) bool { return i < 4 }); res.Passed {
		t.Errorf("four wrong: %+v", res)
	}
	n = 0
	if res := answer(func(_ int, q Question) bool { n++; return q.Must && n < 3 }); res.Passed || !res.Missed {
		t.Errorf("one that has to be right: %+v", res)
	}
	e.Questions[5].Answered, e.Questions[5].Right = false, false
	if e.Next() != 5 || e.Result(x).Passed {
		t.Error("not done yet")
	}
	if v := NewExamView(x, &e, 0); !strings.Contains(v.verdict(), ", 1 not answered: ") || mark(e.Questions[5]) != "–" {
		t.Errorf("what was not asked: %q, marked %s", v.verdict(), mark(e.Questions[5]))
	}
	if text := NewExamView(x, &e, 0).Text("2026-01-01"); !strings.Contains(text, "exam 42") ||
		!strings.Contains(text, "30. ") {
		t.Errorf("as text: %s", text)
	}
}

func TestRecord(t *testing.T) {
	r := NewRecord()
	r.Lessons["a"] = session.Progress{Passed: []string{"x"}, Saved: map[string]string{"k": "v"}, Cluster: "c",
		Answers: map[string]session.Answer{"x": {Given: "1", Right: "1"}, "y": {Given: "0", Right: "1"},
			"z": {Skipped: true, Right: "0"}}}
	r.Queue.Add([]string{"p01a"}, 3)
	e := NewExam(index(), 1)
	r.Exam = &e
	got, err := index().ParseRecord(r.String())
	if err != nil || got.Lessons["a"].Saved != nil || got.Lessons["a"].Cluster != "" ||
		!slices.Equal(got.Lessons["a"].Passed, []string{"x"}) {
		t.Errorf("read again: %+v, %v", got, err)
	}
	if !reflect.DeepEqual(got.Queue, r.Queue) || !reflect.DeepEqual(got.Exam, r.Exam) {
		t.Errorf("read again: %+v", got)
	}
	if got := r.Predictions(); got != (Predictions{Right: 1, Wrong: 1, Skipped: 1}) {
		t.Errorf("predictions %+v", got)
	}
	for _, bad := range []string{"", "[]", "{}", `{"version": 2}`, `{"version": 1, "queue": 3}`} {
		if _, err := index().ParseRecord(bad); !errors.Is(err, ErrRecord) {
			t.Errorf("%q: %v", bad, err)
		}
	}
}

// TestFormerNames reads links and progress of when templates had other names.
func TestFormerNames(t *testing.T) {
	x := index()
	is := &x.Templates[4]
	is.ID, is.Was = "two-names", []string{"p02b", "second-name"}
	for hash, want := range map[string]Target{
		"#practice-p02b-17":        {"question", "two-names", -1, 17},
		"#practice-second-name-17": {"question", "two-names", -1, 17},
		"#practice-two-names-17":   {"question", "two-names", -1, 17},
		"#practice-two-names":      {Step: -1},
		"#practice-two-17":         {Step: -1},
	} {
		if got := x.Find(hash); got != want {
			t.Errorf("%s: %+v, want %+v", hash, got, want)
		}
	}
	const queue = `{"p02b": {"due": 4, "stage": 2, "seen": 3}, "p01a": {"due": 2}, "none": {"due": 1}}`
	const exam = `{"seed": 5, "questions": [{"template": "p01a", "seed": 1}, {"template": "second-name", "seed": 2}]}`
	wantQueue := Queue{"two-names": {Due: 4, Stage: 2, Seen: 3}, "p01a": {Due: 2}, "none": {Due: 1}}
	wantExam := &Exam{Seed: 5, Questions: []Question{{Template: "p01a", Seed: 1}, {Template: "two-names", Seed: 2}}}
	if got := x.ParseQueue(queue); !reflect.DeepEqual(got, wantQueue) {
		t.Errorf("the queue is %+v", got)
	}
	if got := x.ParseExam(exam); !reflect.DeepEqual(got, wantExam) {
		t.Errorf("the exam is %+v", got)
	}
	r, err := x.ParseRecord(`{"version": 1, "queue": ` + queue + `, "exam": ` + exam + `}`)
	if err != nil || !reflect.DeepEqual(r.Queue, wantQueue) || !reflect.DeepEqual(r.Exam, wantExam) {
		t.Errorf("the file is %+v, %v", r, err)
	}
	both := x.ParseQueue(`{"p02b": {"due": 4, "stage": 2}, "two-names": {"due": 9, "stage": 3}}`)
	if !reflect.DeepEqual(both, Queue{"two-names": {Due: 9, Stage: 3}}) {
		t.Errorf("with both names: %+v", both)
	}
	for _, bad := range []string{"", "[]", "3", "{"} {
		if q, e := x.ParseQueue(bad), x.ParseExam(bad); q == nil || len(q) > 0 || e != nil {
			t.Errorf("%q: %+v, %+v", bad, q, e)
		}
	}
}

// TestMistakeMoves wants a mistake to lead to its step when another has been put in before that.
func TestMistakeMoves(t *testing.T) {
	x := index()
	x.Lessons[1].Number, x.Lessons[1].Steps = 2, []string{"x", "In between", "y", "z"}
	q := Queue{"p02a": {Due: 1, Mistake: &Mistake{"b", 2, "y"}}, "p02b": {Due: 1, Mistake: &Mistake{"b", 3, "Renamed"}}}
	v := NewPracticeView(x, q, 1, func(Template) int { return 1 })
	want := []MistakeRow{{Mistake{"b", 3, "y"}, "2.3", "#lesson-b-y", "due"},
		{Mistake{"b", 3, "Renamed"}, "2.3", "#lesson-b-y", "due"}}
	if !slices.Equal(v.Mistakes, want) {
		t.Errorf("%+v, want %+v", v.Mistakes, want)
	}
}

func FuzzParseRecord(f *testing.F) {
	f.Add(NewRecord().String())
	f.Add(`{"version": 1, "lessons": {"a": {}}, "queue": {"p": {"due": 1}}, "exam": {"questions": [{}]}}`)
	f.Fuzz(func(t *testing.T, text string) {
		r, err := index().ParseRecord(text)
		if err != nil {
			if !errors.Is(err, ErrRecord) {
				t.Fatalf("error %v", err)
			}
			return
		}
		if _, err := index().ParseRecord(r.String()); err != nil {
			t.Fatalf("written as %s: %v", r, err)
		}
	})
}

func TestFill(t *testing.T) {
	values := map[string]string{"a": "x & `y`", "b": "z"}
	if got, err := Fill("{{$a}}-{{$b}} {{$index}} {{n.response.status}}", values); err != nil ||
		got != "x & `y`-z {{$index}} {{n.response.status}}" {
		t.Errorf("%q, %v", got, err)
	}
	if got, err := fillHTML("<p>{{$a}} <code>{{$a}}</code></p>", values); err != nil ||
		got != "<p>x &amp; <code>y</code> <code>x &amp; `y`</code></p>" {
		t.Errorf("%q, %v", got, err)
	}
	for _, bad := range []string{"{{$c}}", "{{$a"} {
		if _, err := Fill(bad, values); err == nil {
			t.Errorf("%q was filled", bad)
		}
	}
}

func TestFootTexts(t *testing.T) {
	for days, want := range map[int]string{0: "Due today: 4", 1: "Due today: 4, since yesterday",
		9: "You were away for 9 days. Due today: 4"} {
		if got := Welcome(4, days); got != want {
			t.Errorf("after %d days: %q, want %q", days, got, want)
		}
	}
	if got := []string{DueText(0), DueText(4), LevelText(0), LevelText(2), LevelText(len(Levels))}; !slices.Equal(got,
		[]string{"", "4 due", "level 1", "level 3", "passed"}) {
		t.Errorf("%q", got)
	}
}
