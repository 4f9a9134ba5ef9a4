package stage

import (
	"slices"
	"time"

	"github.com/tabernetes/tabernetes/web/apipath"
	"github.com/tabernetes/tabernetes/web/app"
	"github.com/tabernetes/tabernetes/web/panels/stage/timeline"
	"github.com/tabernetes/tabernetes/web/revisions"
)

// tellEvery is how often the presenter's line may change.
const tellEvery = 100 * time.Millisecond

// story is what the presenter's line says: what is chosen, else the last thing that happened.
type story struct {
	// last says the last thing, as it is now: a revision is received by more clients after it was written.
	last  func() Narration
	state revisions.State
	often app.Throttle
	said  app.Narrated
	lanes []app.LaneState
}

// startStory publishes what the presenter's line says, and which lanes there are.
func (p *panel) startStory() {
	s := &p.story
	s.often.Every = tellEvery
	soon := func() { s.often.Do(p.tell) }
	app.On(p.Bus, func(f revisions.Frame) {
		switch {
		case f.Commit != nil && f.Commit.Revision > s.state.Head && s.state.Cluster != "":
			rev := f.Commit.Revision
			s.last = func() Narration { return p.scene.NarrateRevision(rev, p.kind) }
		case f.State != nil:
			n := NarrateState(s.state, *f.State)
			if f.State.Cluster != s.state.Cluster {
				s.last = nil
			}
			if n.Text != "" {
				s.last = func() Narration { return n }
			}
			s.state = *f.State
		}
	})
	app.On(p.Bus, func(j app.Judged) {
		if x := p.Requests.Get(j.Request); (x == nil || len(x.Source.Wrote) == 0) && p.model.Lanes.Get(j.Request) == nil {
			s.last = func() Narration { return Narration{Sign: j.Sign, Text: j.Text} }
			soon()
		}
	})
	app.On(p.Bus, func(app.Selected) { soon() })
	app.On(p.Bus, func(app.Travel) { soon() })
	app.On(p.Bus, p.act)
}

// tapped takes what a request's event has changed.
func (s *story) tapped(ch timeline.Changes) {
	if ch.Lanes && ch.Lane != nil {
		l := ch.Lane
		s.last = func() Narration { return new(Scene).NarrateLane(l) }
	}
}

// tell publishes what has changed.
func (p *panel) tell() {
	s := &p.story
	var now app.Narrated
	chosen := p.scene.Chosen
	switch l := p.model.Lanes.Get(p.Selection.Request); {
	case p.scene.At > 0 && (l == nil || chosen.Rev > 0): // it follows the playhead
		now.Chosen = p.scene.NarrateRevision(p.scene.At, p.kind)
	case chosen.Rev > 0 && chosen.Last > chosen.Rev:
		now.Chosen.Text = "Revisions " + itoa(chosen.Rev) + " to " + itoa(chosen.Last) + " are chosen."
	case chosen.Rev > 0:
		now.Chosen = p.scene.NarrateRevision(chosen.Rev, p.kind)
	case l != nil:
		now.Chosen = p.scene.NarrateLane(l)
	}
	if s.last != nil {
		now.News = s.last()
	}
	if now != s.said {
		s.said = now
		app.Emit(p.Bus, now)
	}
	var lanes []app.LaneState
	for _, l := range p.model.Lanes.List {
		lanes = append(lanes, app.LaneState{ID: l.ID(), Request: l.Req, Server: l.Replica, Over: l.Over(),
			Resume: l.Resume, Expired: l.Expired()})
	}
	if !slices.Equal(lanes, s.lanes) {
		s.lanes = lanes
		app.Emit(p.Bus, app.LanesChanged{Lanes: lanes})
	}
}

// kind returns the kind of an object, as far as discovery names it.
func (p *panel) kind(o timeline.Object) string {
	if r := p.Catalog.ByID(apipath.GroupResource(o.Group, o.Resource)); r != nil {
		return r.Kind
	}
	return o.Resource
}

// act does with a lane what another panel asks for.
func (p *panel) act(e app.LaneAct) {
	l := p.model.Lanes.ByID(e.Lane)
	if l == nil {
		return
	}
	switch e.Act {
	case app.CutLane:
		p.Cut(l.Req)
	case app.CloseLane:
		p.Abort(l.Req)
	case app.ResumeLane:
		p.watch(l.ResumeURL(), l.Pin()...)
	case app.ListLane:
		p.relist(l)
	}
}
