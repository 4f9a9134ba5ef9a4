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
func (pl *plot) found() bool {
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
	pl.dirty, pl.behind, pl.before = true, "", ""
	return true
}

// put writes what a layer has become. It reports whether the elements of the
// group are new ones.
func (g *group) put(patch timeline.Patch) bool {
	if patch.Replace {
		g.el.Set("innerHTML", patch.HTML)
	} else if patch.HTML != "" {
		g.el.Call("insertAdjacentHTML", "beforeend", patch.HTML)
	}
	if patch.Transform != g.at {
		g.at = patch.Transform
		g.el.Call("setAttribute", "transform", patch.Transform)
	}
	return patch.Replace
}

func (pl *plot) drawRuler(p *timelinePanel) {
	if !pl.found() {
		return
	}
	set(pl.back, &pl.behind, p.scene.RulerBack())
	if pl.marks[0].put(pl.marks[0].layer.Update(&p.scene, &p.model.Commits)) {
		p.refocus(pl)
	}
	set(pl.front, &pl.before, p.scene.RulerFront())
}

func (p *timelinePanel) drawLane(l *timeline.Lane, all bool) {
	pl := p.lanes[l.Req]
	if pl == nil {
		pl = newPlot("tl-plot-"+l.ID(), timeline.Outline, timeline.OnLane)
		pl.marks[0].layer.Ref, pl.marks[1].layer.Ref = l.Ref(), l.Ref()
		p.lanes[l.Req] = pl
	}
	if !pl.found() || !all && !pl.dirty {
		return
	}
	pl.dirty = false
	set(pl.back, &pl.behind, p.scene.LaneBack(l))
	fresh := false
	if l.State.Len() > 0 {
		fresh = pl.marks[0].put(pl.marks[0].layer.Update(&p.scene, &l.State))
	}
	if l.Marks.Len() > 0 {
		fresh = pl.marks[1].put(pl.marks[1].layer.Update(&p.scene, &l.Marks)) || fresh
	}
	if fresh {
		p.refocus(pl)
	}
}

func (p *timelinePanel) drawChain(c *timeline.Chain, all bool) {
	pl := p.chains[c]
	if pl == nil {
		pl = newPlot("tl-plot-"+c.ID(), timeline.Ghost)
		p.chains[c] = pl
	}
	if !pl.found() || !all && !pl.dirty {
		return
	}
	pl.dirty = false
	set(pl.back, &pl.behind, p.scene.ChainBack(c))
	if pl.marks[0].put(pl.marks[0].layer.Update(&p.scene, &c.Later)) {
		p.refocus(pl)
	}
}
