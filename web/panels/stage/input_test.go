//go:build !js

package stage

import (
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/tabernetes/tabernetes/web/app"
)

// TestClick wants what a click means: a revision is chosen, chosen with another, or let go of, and the axis travels.
func TestClick(t *testing.T) {
	play(t, func(t *testing.T, p *panel, s *paper) {
		axis := p.spotAt("ruler", 7)
		axis.y = p.layout.ruler - 1
		for _, c := range []struct {
			name            string
			at              spot
			extend          bool
			first, last, to int64
		}{
			{"a revision", p.spotAt("w1", 10), false, 10, 0, 0},
			{"the same again", p.spotAt("w1", 10), false, 0, 0, 0},
			{"another", p.spotAt("ruler", 6), false, 6, 0, 0},
			{"with the one before", p.spotAt("ruler", 9), true, 6, 9, 0},
			{"where nothing is", p.spotAt("ruler", 90), false, 0, 0, 0},
			{"a grip", spot{row: "ruler", x: 5, grip: "wall"}, false, 0, 0, 0},
			{"the axis", axis, false, 7, 0, 7},
		} {
			p.clicked(c.at, c.extend)
			p.draws()
			if s := p.Selection; s.Revision != c.first || s.Last != c.last || p.At != c.to {
				t.Errorf("%s: %d to %d, at %d", c.name, s.Revision, s.Last, p.At)
			}
		}
		p.Travel(0)
		p.choose(10)
		chosen := p.Selection
		if chosen.Request != 1 || chosen.Object != "obj-pods/default/p10" ||
			!strings.Contains(chosen.Told, "w1 received") {
			t.Errorf("%+v", chosen)
		}
	})
}

// TestTip wants what lies below the pointer to be said.
func TestTip(t *testing.T) {
	play(t, func(t *testing.T, p *panel, s *paper) {
		axis := p.spotAt("ruler", 7)
		axis.y = p.layout.ruler - 1
		for _, c := range []struct {
			at    spot
			mouse bool
			want  string
		}{
			{p.spotAt("w1", 10), true, "10 created default/p10"}, {p.spotAt("w1", 9), false, ""}, {axis, true, "Travel to 7"},
			{spot{row: "ruler", grip: "wall", x: 1}, true, "Drag to the right to compact etcd"},
			{spot{row: "ruler", grip: "playhead", x: 2}, true, "Drag through time"}, {spot{x: 3}, true, ""},
		} {
			p.hovers(c.at, c.mouse, false)
			if c.want == "10 created default/p10" && strings.HasPrefix(s.words, "10 ") && strings.Contains(s.words, "p10") {
				continue
			}
			if s.words != c.want {
				t.Errorf("%+v: %q, not %q", c.at, s.words, c.want)
			}
		}
		if p.left(); p.hover != 0 || s.words != "" {
			t.Errorf("%d is still pointed at, with %q", p.hover, s.words)
		}
	})
}

// TestKeys wants the keys of the stage to move its cursor, and others to be left to the page.
func TestKeys(t *testing.T) {
	play(t, func(t *testing.T, p *panel, s *paper) {
		ruler := spot{row: "ruler"}
		p.cursor.row = -1
		for _, c := range []struct {
			press       app.Press
			used        bool
			rev, chosen int64
		}{
			{app.Press{Key: "ArrowLeft"}, true, 10, 0}, {app.Press{Key: "ArrowLeft"}, true, 9, 0},
			{app.Press{Key: "ArrowRight"}, true, 10, 0}, {app.Press{Key: "ArrowRight"}, true, 10, 0},
			{app.Press{Key: "Enter"}, true, 10, 10}, {app.Press{Key: "ArrowLeft", Alt: true}, false, 10, 10},
			{app.Press{Key: "x"}, false, 10, 10}, {app.Press{Key: "Escape"}, true, 10, 0},
			{app.Press{Key: "Escape"}, false, 10, 0},
		} {
			if used := p.key(ruler, c.press); used != c.used || p.cursor.rev != c.rev || p.Selection.Revision != c.chosen {
				t.Errorf("%+v: used: %v, at %d, %d is chosen", c.press, used, p.cursor.rev, p.Selection.Revision)
			}
		}
		if p.key(spot{}, app.Press{Key: "ArrowLeft"}) {
			t.Error("a key in a form was used")
		}
		for _, c := range []struct {
			key string
			row int
		}{{"]", 0}, {"]", len(p.shown()) - 1}, {"[", len(p.shown()) - 2}} {
			if p.Page.Press(app.Press{Key: c.key}); p.cursor.row != c.row {
				t.Errorf("after %s: in row %d, not %d", c.key, p.cursor.row, c.row)
			}
		}
		p.key(ruler, app.Press{Key: "End"})
		if !p.cam.Following() {
			t.Error("End does not follow")
		}
	})
}

// TestHand wants fingers to pan, pinch and rest, and a grip to be dragged.
func TestHand(t *testing.T) {
	here := func() spot { return spot{} }
	for _, c := range []struct {
		name string
		do   func(p *panel, s *paper) bool
	}{
		{"a small move is a click", func(p *panel, s *paper) bool {
			p.press(p.spotAt("w1", 9), 1, 100, false)
			p.drag(1, 102, true, here)
			p.lift(1, true)
			return !p.hand.dragged && !s.drags
		}},
		{"a pan", func(p *panel, s *paper) bool {
			before := p.cam.View.Left
			p.press(p.spotAt("w1", 9), 1, 100, false)
			p.drag(1, 160, true, here)
			p.draws()
			moved := p.hand.dragged && s.drags && !p.cam.Following()
			p.lift(1, true)
			return moved && !s.drags && p.cam.View.Left <= before
		}},
		{"a pinch", func(p *panel, s *paper) bool {
			p.press(p.spotAt("w1", 9), 1, 100, true)
			p.press(p.spotAt("w1", 9), 2, 200, true)
			before := p.cam.View.PerRev
			p.drag(2, 300, true, here)
			p.draws()
			return p.cam.View.PerRev > before
		}},
		{"a finger that rests", func(p *panel, s *paper) bool {
			p.press(p.spotAt("w1", 10), 1, 100, true)
			time.Sleep(2 * longPress)
			synctest.Wait()
			shows := p.hover == 10 && s.words != ""
			p.lift(1, true)
			return shows && p.hover == 0 && p.hand.dragged
		}},
		{"a finger that moves", func(p *panel, s *paper) bool {
			p.press(p.spotAt("w1", 10), 1, 100, true)
			p.drag(1, 140, true, here)
			time.Sleep(2 * longPress)
			synctest.Wait()
			return p.hover == 0
		}},
		{"the playhead", func(p *panel, s *paper) bool {
			at := p.spotAt("ruler", 9)
			at.grip = "playhead"
			p.press(at, 1, at.x, false)
			p.drag(1, p.cam.View.X(6), true, here)
			return p.At == 6
		}},
	} {
		play(t, func(t *testing.T, p *panel, s *paper) {
			if !c.do(p, s) {
				t.Errorf("%s: %+v, at %d, %d pointed at, %q", c.name, p.hand, p.At, p.hover, s.words)
			}
		})
	}
}

// TestWall wants the wall to compact to where it is lifted, unless the browser took the pointer away.
func TestWall(t *testing.T) {
	for _, c := range []struct {
		to   int64
		does bool
		want string
	}{
		{6, true, `{"forgets":"etcd","revision":6}`}, {6, false, ""}, {1, true, ""},
	} {
		play(t, func(t *testing.T, p *panel, s *paper) {
			got := ""
			app.On(p.Bus, func(e app.RunAct) { got = e.Act.Body(e.Parameters) })
			at := p.spotAt("ruler", 3)
			at.grip = "wall"
			p.press(at, 1, at.x, false)
			p.drag(1, p.cam.View.X(c.to), true, func() spot { return at })
			if p.lift(1, c.does); got != c.want || p.scene.WallPreview != 0 {
				t.Errorf("to %d: %q, preview %d", c.to, got, p.scene.WallPreview)
			}
		})
	}
}

// TestPreview wants what each way of compacting would do to be seen before.
func TestPreview(t *testing.T) {
	play(t, func(t *testing.T, p *panel, s *paper) {
		for _, c := range []struct {
			body        string
			over        bool
			wall, edges int64
		}{
			{"{}", true, 10, 11}, {`{"forgets":"etcd"}`, true, 10, 0}, {`{"forgets":"caches"}`, true, 0, 11}, {"", false, 0, 0},
		} {
			p.preview(c.body, c.over)
			if p.scene.WallPreview != c.wall || p.scene.EdgePreview != c.edges {
				t.Errorf("%s: %d, %d", c.body, p.scene.WallPreview, p.scene.EdgePreview)
			}
		}
	})
}

// TestWheel wants the wheel to zoom on the ruler, and over rows with Ctrl; sideways it pans.
func TestWheel(t *testing.T) {
	for _, c := range []struct {
		row         string
		turn        turn
		used, zooms bool
	}{
		{"ruler", turn{y: -120}, true, true}, {"w1", turn{y: -120}, false, false},
		{"w1", turn{y: -120, ctrl: true}, true, true},
		{"w1", turn{x: -60}, true, false}, {"w1", turn{y: -60, shift: true}, true, false}, {"", turn{x: -60}, false, false},
	} {
		play(t, func(t *testing.T, p *panel, s *paper) {
			before := p.cam.View.PerRev
			used := p.wheel(spot{row: c.row, x: 400}, c.turn)
			if p.draws(); used != c.used || (p.cam.View.PerRev > before) != c.zooms {
				t.Errorf("%s %+v: used: %v, %g to %g", c.row, c.turn, used, before, p.cam.View.PerRev)
			}
		})
	}
}
