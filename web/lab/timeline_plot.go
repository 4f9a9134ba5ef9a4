//go:build js && wasm

package lab

import (
	"syscall/js"

	"github.com/tabernetes/tabernetes/web/timeline"
)

// plot is one drawing on the axis: a group behind the marks, groups of marks,
// and on the ruler one before them.
type plot struct {
	id    string
	svg   js.Value
	back  js.Value
	front js.Value
	marks []group
	dirty bool
	// hidden says that it is scrolled out of sight: nothing is drawn then.
	hidden bool

	behind, before string // what back and front hold
}

// set writes a group's content where it differs from what the group holds.
func set(el js.Value, held *string, html string) {
	if *held != html {
		*held = html
		el.Set("innerHTML", html)
	}
}

// group is a layer and the element that shows it.
type group struct {
	layer timeline.Layer
	el    js.Value
	at    string // its transform
}

func newPlot(id string, styles ...timeline.Style) *plot {
	pl := &plot{id: id, dirty: true}
	for _, s := range styles {
		pl.marks = append(pl.marks, group{layer: timeline.Layer{Style: s}})
	}
	return pl
}

// found finds the plot's elements; a list may not have been rendered yet, or
// rendered anew.
func (pl *plot) found(p *timelinePanel) bool {
	if pl.svg.Truthy() && pl.svg.Get("isConnected").Bool() {
		return true
	}
	pl.svg = js.Global().Get("document").Call("getElementById", pl.id)
	if !pl.svg.Truthy() {
		return false
	}
	pl.back = pl.svg.Call("querySelector", ".tl-back")
	pl.front = pl.svg.Call("querySelector", ".tl-front")
	groups := pl.svg.Call("querySelectorAll", ".tl-marks")
	for i := range pl.marks {
		g := &pl.marks[i]
		g.el, g.at = groups.Index(i), ""
		g.layer.Invalidate()
	}
	pl.dirty, pl.hidden, pl.behind, pl.before = true, false, "", ""
	p.sight.Call("observe", pl.svg)
	return true
}

// draw writes what a series has become.
func (pl *plot) draw(p *timelinePanel, g *group, s *timeline.Series) {
	patch := g.layer.Update(&p.scene, s)
	if patch.Again {
		pl.dirty = true
		p.book()
	}
	if patch.Replace {
		g.el.Set("innerHTML", patch.HTML)
	} else if patch.HTML != "" {
		g.el.Call("insertAdjacentHTML", "beforeend", patch.HTML)
	}
	if patch.Transform != g.at {
		g.at = patch.Transform
		g.el.Call("setAttribute", "transform", patch.Transform)
	}
	if patch.Replace {
		p.refocus(pl)
	}
}

func (pl *plot) drawRuler(p *timelinePanel) {
	if !pl.found(p) {
		return
	}
	pl.dirty = false
	set(pl.back, &pl.behind, p.scene.RulerBack())
	pl.draw(p, &pl.marks[0], &p.model.Commits)
	set(pl.front, &pl.before, p.scene.RulerFront())
}

func (p *timelinePanel) drawLane(l *timeline.Lane, all bool) {
	pl := p.lanes[l.Req]
	if pl == nil {
		pl = newPlot("tl-plot-"+l.ID(), timeline.Outline, timeline.OnLane)
		pl.marks[0].layer.Ref, pl.marks[1].layer.Ref = l.Ref(), l.Ref()
		p.lanes[l.Req] = pl
	}
	if !pl.found(p) || pl.hidden || !all && !pl.dirty {
		return
	}
	pl.dirty = false
	set(pl.back, &pl.behind, p.scene.LaneBack(l))
	if l.State.Len() > 0 {
		pl.draw(p, &pl.marks[0], &l.State)
	}
	if l.Marks.Len() > 0 {
		pl.draw(p, &pl.marks[1], &l.Marks)
	}
}

func (p *timelinePanel) drawChain(c *timeline.Chain, all bool) {
	pl := p.chains[c]
	if pl == nil {
		pl = newPlot("tl-plot-"+c.ID(), timeline.Ghost)
		p.chains[c] = pl
	}
	if !pl.found(p) || pl.hidden || !all && !pl.dirty {
		return
	}
	pl.dirty = false
	set(pl.back, &pl.behind, p.scene.ChainBack(c))
	pl.draw(p, &pl.marks[0], &c.Later)
}
