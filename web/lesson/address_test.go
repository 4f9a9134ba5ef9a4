package lesson

import "testing"

func TestFindLink(t *testing.T) {
	three := make([]Step, 3)
	var lessons []*Lesson
	for _, id := range []string{"paging", "410-gone", "part-2", "part"} {
		lessons = append(lessons, &Lesson{ID: id, Steps: three})
	}
	for hash, want := range map[string]struct {
		lesson, step int
		ok           bool
	}{
		"#lesson-paging":      {0, -1, true},
		"#lesson-paging-1":    {0, 0, true},
		"#lesson-paging-3":    {0, 2, true},
		"#lesson-410-gone":    {1, -1, true},
		"#lesson-410-gone-2":  {1, 1, true},
		"#lesson-part-2":      {2, -1, true}, // a lesson's own id, before another one's step
		"#lesson-part-3":      {3, 2, true},
		"#lesson-part-2-1":    {2, 0, true},
		"#lesson-paging-0":    {},
		"#lesson-paging-4":    {},
		"#lesson-paging-03":   {},
		"#lesson-paging-x":    {},
		"#lesson-none":        {},
		"#lesson-":            {},
		"#req-path":           {},
		"":                    {},
		"lesson-paging":       {},
		"#lesson-paging-1-1 ": {},
	} {
		lesson, step, ok := FindLink(lessons, hash)
		if ok != want.ok || ok && (lesson != want.lesson || step != want.step) {
			t.Errorf("%s: lesson %d, step %d, %v", hash, lesson, step, ok)
		}
	}
	if got := lessons[1].Link(); got != "#lesson-410-gone" {
		t.Errorf("link %s", got)
	}
}
