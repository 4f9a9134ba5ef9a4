package stage

import (
	"time"

	"github.com/tabernetes/tabernetes/web/app"
)

// travel is the playhead's state.
type travel struct {
	playing bool
	fast    bool
	run     int // which playing it is: an older one stops
}

// paces of playing, between two revisions.
const (
	pace     = time.Second / 4
	fastPace = time.Second / 16
)

func (p *panel) onTravel(e app.Travel) {
	was := p.scene.At
	p.scene.At = e.At
	p.Mark("panel-stage", "data-travel", e.At > 0)
	if e.At > 0 {
		p.cam.Follow(false)
		p.cam.Reveal(e.At)
		p.cursor.rev = e.At
		p.choose(e.At)
		if was == 0 {
			p.Announce("Showing revision " + itoa(e.At) + ". " + p.scene.Revision(e.At))
		}
	} else {
		p.travel.playing = false
		p.choose(0)
		if was > 0 {
			p.cam.Follow(true)
			p.Announce("Back to now, revision " + itoa(p.model.Head()))
		}
	}
	p.follows = p.cam.Following()
	p.changed = true
	p.renderBar()
	p.lists.Do()
	p.book()
}

// travelBy moves the playhead by whole revisions that are known.
func (p *panel) travelBy(delta int64) {
	at := p.scene.At
	if at == 0 {
		if at = p.model.Head(); delta > 0 {
			return
		}
	}
	if to := p.scene.stepFrom(at, delta); to > 0 {
		p.Travel(to)
	} else if delta > 0 {
		p.travel.playing = false
		p.renderBar()
	}
}

// travelToStart moves the playhead to the oldest revision.
func (p *panel) travelToStart() {
	p.Travel(p.scene.endOfFold(max(p.model.State.Compacted, p.oldest())))
}

// play steps on by itself until the head, or until it is stopped.
func (p *panel) play(fast bool) {
	t := &p.travel
	if t.playing {
		t.playing = false
		p.renderBar()
		return
	}
	t.playing, t.fast = true, fast
	t.run++
	run := t.run
	every := pace
	if fast {
		every = fastPace
	}
	var next func()
	next = func() {
		if !t.playing || t.run != run || p.scene.At == 0 {
			return
		}
		p.travelBy(1)
		if t.playing {
			time.AfterFunc(every, next)
		}
	}
	time.AfterFunc(every, next)
	p.renderBar()
}

// back ends the travel and follows the head.
func (p *panel) back() {
	p.Travel(0)
	p.cam.Follow(true)
	p.steered()
}
