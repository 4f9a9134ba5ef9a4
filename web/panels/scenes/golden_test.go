package scenes

import (
	"regexp"
	"testing"

	"github.com/a-h/templ"

	"github.com/tabernetes/tabernetes/web/internal/golden"
	"github.com/tabernetes/tabernetes/web/lesson/format"
	"github.com/tabernetes/tabernetes/web/panels/stage"
)

// one is a scene with all signs.
func one() []*format.Scene {
	return []*format.Scene{{
		Lesson: &format.Lesson{ID: "gone", Title: "410 <Gone>", Steps: make([]format.Step, 6)},
		Line:   "A client is away.", Picture: [][]string{{"start", "modified", "410", "wall"}, {"cache"}},
	}}
}

func TestGolden(t *testing.T) {
	golden.Test(t, map[string]templ.Component{"skeleton": Skeleton(one()), "cards": Cards(one())})
}

// TestSigns wants each sign that a scene may have to be drawn.
func TestSigns(t *testing.T) {
	for _, sign := range format.SceneSigns {
		got, none := stage.Picture([][]string{{sign}}), stage.Picture([][]string{{"nothing"}})
		if sign != "blank" && (got == none || !regexp.MustCompile(`^<`).MatchString(got)) {
			t.Errorf("%s is drawn as %q", sign, got)
		}
	}
}

func TestLinked(t *testing.T) {
	for hash, want := range map[string]struct {
		id           string
		known, large bool
	}{
		"#scene=gone": {"gone", true, false}, "#scene=gone&present": {"gone", true, true},
		"#scene=gone&x": {"gone", true, false}, "#scene=none": {"none", false, false},
		"#scene=none&present": {"none", false, true}, "#scene=": {},
		"#lesson-gone": {}, "": {},
	} {
		if id, known, large := linked(hash, []string{"gone"}); id != want.id || known != want.known || large != want.large {
			t.Errorf("%s: %q, %v, %v", hash, id, known, large)
		}
	}
}
