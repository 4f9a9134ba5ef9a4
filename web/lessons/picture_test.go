//go:build !js

package lessons_test

import (
	"os"
	"slices"
	"strings"
	"testing"
	"testing/synctest"

	"github.com/tabernetes/tabernetes/web/lesson/format"
	"github.com/tabernetes/tabernetes/web/lesson/play"
)

// TestPicturesUpToDate wants the picture of each goal to be what its solutions leave on the stage, as far as they have
// it in common: who goes any of these ways sees nothing missing when the goal is reached, and something before.
func TestPicturesUpToDate(t *testing.T) { each(t, pictures) }

// pictures compares the pictures of a lesson's goals, or writes them.
func pictures(t *testing.T, l *format.Lesson) {
	texts := map[*format.Goal]string{}
	for i := range l.Steps {
		g := l.Steps[i].Goal()
		if g == nil {
			continue
		}
		var ways []format.Picture
		for _, way := range l.Steps[i].Ways() {
			ways = append(ways, left(t, l, i, way))
		}
		all, faults := play.Drawn(ways)
		if texts[g] = all.String(); !*update && texts[g] != g.Picture.String() {
			t.Errorf("%s:%d: the picture of the goal is out of date (%s): it is\n%s", l.File, g.Line, renew, texts[g])
		}
		for _, fault := range faults {
			t.Errorf("%s:%d: %s", l.File, g.Line, fault)
		}
	}
	if *update && len(texts) > 0 {
		writePictures(t, l, texts)
	}
}

// left goes a way, and returns what it leaves on the stage.
func left(t *testing.T, l *format.Lesson, step int, way []*format.Request) format.Picture {
	t.Helper()
	c, err := play.Cluster(7)
	must(t, l, err)
	defer c.Close()
	p := player(t, c, l)
	defer p.Close()
	must(t, l, p.Begin())
	for k := range step {
		must(t, l, p.Solve(k))
	}
	passed, err := p.Try(step, way)
	must(t, l, err)
	if !passed {
		t.Errorf("%s: a way of step %d does not pass: %s", l.File, step+1, p.Session.Step(step).Miss)
	}
	synctest.Wait()
	left, err := p.Picture(step)
	must(t, l, err)
	return left
}

// writePictures writes the pictures of a lesson's goals below them, each in the place of the one that was there.
func writePictures(t *testing.T, l *format.Lesson, texts map[*format.Goal]string) {
	t.Helper()
	src, err := os.ReadFile(l.File)
	must(t, l, err)
	lines := strings.Split(string(src), "\n")
	for i := range slices.Backward(l.Steps) {
		g := l.Steps[i].Goal()
		if g == nil {
			continue
		}
		end := g.Line + slices.Index(lines[g.Line:], "```") + 1 // behind the block of the goal
		after := end
		if lines[end+1] == "```picture" {
			after = end + 2 + slices.Index(lines[end+2:], "```") + 1
		}
		block := "\n```picture\n" + texts[g] + "```"
		lines = slices.Concat(lines[:end], strings.Split(block, "\n"), lines[after:])
	}
	must(t, l, os.WriteFile(l.File, []byte(strings.Join(lines, "\n")), 0o644))
}
