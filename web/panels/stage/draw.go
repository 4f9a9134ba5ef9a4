package stage

import (
	"maps"
	"strconv"
	"time"

	"github.com/tabernetes/tabernetes/web/panels/stage/timeline"
)

// draw is one animation frame.
func (p *panel) draw(now float64) {
	p.booked = false
	sc := &p.scene
	if p.changed && !p.paused {
		p.fold()
		p.cam.Extend(p.oldest(), p.model.Head(), p.model.Recent(recent))
		p.renderRevision()
	}
	elapsed := 16.0
	if p.last > 0 && now > p.last {
		elapsed = min(now-p.last, 100)
	}
	p.last = 0
	if p.cam.Step(elapsed) {
		p.last = now
		p.book()
	}
	sc.View, sc.U, sc.Retained = p.cam.View, p.cam.U, p.oldest()
	p.move(now)
	p.changed = false
	sc.Chosen.Soft = false
	chosen := sc.Chosen
	if p.hover > 0 && p.hover != chosen.Rev {
		sc.Chosen = Chosen{Rev: p.hover, Chip: p.chip(p.hover), Soft: true}
	}
	p.chained()
	if !p.layout.hidden {
		if len(p.parts) > 0 && !maps.Equal(p.onScreen, p.look()) {
			p.lists.Do()
		}
		p.on.plot("ruler-marks", sc.Ruler(p.layout.ruler))
		p.drawRows()
	}
	sc.Chosen = chosen
	if bin := p.scene.View.Bin(Countable * p.cam.U); bin != p.layout.bin {
		p.layout.bin = bin
		p.renderBar()
	}
	if p.tables {
		p.tabled.Do()
	}
}

// move begins and ends the motion of what is new.
func (p *panel) move(now float64) {
	sc := &p.scene
	head := p.model.Head()
	long := float64(motion)
	if p.cam.Still {
		long = still
	}
	if fresh := head - p.drawn; !p.paused && fresh > 0 {
		if p.drawn > 0 && fresh <= burst && !sc.bars() {
			if sc.Since == 0 || now-p.sinceAt > long {
				sc.Since, p.sinceAt = p.drawn+1, now
			}
		} else {
			sc.Since = 0
		}
		p.drawn = head
	}
	if sc.Since == 0 {
		return
	}
	if age := now - p.sinceAt; age < long {
		p.on.style("--age", strconv.FormatFloat(-age, 'f', 0, 64)+"ms")
		time.AfterFunc(time.Duration(long-age)*time.Millisecond+20*time.Millisecond, p.book)
		return
	}
	sc.Since = 0
}

// oldest returns where the axis begins: with what is retained, and before it what the lab has noted of compacted
// revisions.
func (p *panel) oldest() int64 {
	first := max(1, min(p.model.Commits.First(), p.model.Head()))
	if p.model.State.Compacted-first > notes {
		return p.model.Oldest()
	}
	return first
}

// fold folds what is one mark, unless the user has unfolded it.
func (p *panel) fold() {
	var folds []Fold
	for _, f := range p.scene.Folds() {
		for _, part := range p.scene.Split(f) {
			if !p.opened[part.Lo] {
				folds = append(folds, part)
			}
		}
	}
	p.cam.Fold(folds)
}

// drawRows writes the plots of the rows that are in view.
func (p *panel) drawRows() {
	sc, l := &p.scene, &p.layout
	top, bottom := l.scrolled-40, l.scrolled+l.height+40
	y := 0.0
	rows := p.shown()
	links := sc.links(rows, 0)
	for _, r := range rows {
		h := r.units * p.cam.U
		if y+h >= top && y <= bottom {
			id := "plot-" + r.id
			switch {
			case r.written != nil:
				p.on.plot(id, sc.Written(r.written, links, y, h))
			case r.lane != nil:
				p.on.plot(id, sc.Lane(r.lane, h))
			case r.chain != nil:
				p.on.plot(id, sc.Page(r.chain, h))
			default:
				p.on.plot(id, sc.Server(r.server, h))
			}
		}
		y += h
	}
}

// shownRow is a row of the stage: a server, what a program wrote, a lane or a list.
type shownRow struct {
	id      string
	units   float64
	server  int
	written *written
	lane    *timeline.Lane
	chain   *timeline.Chain
}

// shown returns the rows below the ruler: servers, programs, then clients and lists, each in the order of their age.
// The order never changes.
func (p *panel) shown() []shownRow {
	var out []shownRow
	for i := range p.scene.ServerRows() {
		out = append(out, shownRow{id: "C" + strconv.Itoa(i), units: ServerUnits * p.layout.grow, server: i})
	}
	out = append(out, p.programRows()...)
	lanes := p.model.Lanes.List
	if p.layout.most > 0 {
		lanes = Newest(lanes, p.layout.most, p.scene.Spoken)
	}
	for _, l := range lanes {
		out = append(out, shownRow{id: l.ID(), units: p.layout.lane, lane: l})
	}
	for i := len(p.model.Chains.List) - 1; i >= 0; i-- {
		c := p.model.Chains.List[i]
		if len(c.Pages) == 1 && c.Done() && !c.Midway {
			continue // it came whole
		}
		out = append(out, shownRow{id: c.ID(), units: PageUnits * p.layout.grow, chain: c})
	}
	return out
}
