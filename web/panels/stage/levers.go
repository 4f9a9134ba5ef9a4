package stage

import (
	"context"
	"encoding/json"
	"slices"
	"strings"
	"time"

	"github.com/tabernetes/tabernetes/core/wellknown"
	"github.com/tabernetes/tabernetes/web/app"
	"github.com/tabernetes/tabernetes/web/revisions"
	"github.com/tabernetes/tabernetes/web/tap"
	"github.com/tabernetes/tabernetes/web/ui"
)

// levers is what the bar shows of the control plane.
type levers struct {
	undo  app.UndoOffer
	state revisions.State
	asked map[int]bool // requests that change the control plane
	then  func()
}

// startLevers keeps what the bar says of the control plane up to date.
func (p *panel) startLevers() {
	l := &p.levers
	l.asked = map[int]bool{}
	l.then = func() { go p.readSettings() }
	app.On(p.Bus, func(e app.UndoOffer) {
		l.undo = e
		p.renderBar()
	})
	app.Every(time.Second, func() { p.Page.Call("text", "st-clock", p.clockWords()) })
}

// set takes the state of the control plane, and reports whether the bar changes.
func (l *levers) set(s *revisions.State) bool {
	was := l.state
	l.state = *s
	return len(was.Caches) != len(s.Caches) || !slices.Equal(was.Replicas, s.Replicas) || was.Clock != s.Clock
}

// tapped notices requests that change the control plane's settings.
func (l *levers) tapped(e tap.Event) {
	if e.Type == tap.Request && e.Method != "GET" && strings.Contains(e.URL, "/controlplanes/default") {
		l.asked[e.ID] = true
	}
	if l.asked[e.ID] && (e.Type == tap.End || e.Type == tap.Fail) {
		delete(l.asked, e.ID)
		l.then()
	}
}

func (l *levers) fill(v *BarView, p *panel) {
	s := p.model.State
	v.Servers = max(len(s.Caches), 1)
	for _, r := range s.Replicas {
		v.Late = v.Late || r.Frozen || r.Lag > 0
	}
	v.Buffers = capacityWords(p.model.Windows)
	v.Clock, v.ClockOff = p.clockWords(), ui.Off(s.Clock)
	v.Undo, v.UndoTitle = l.undo.Label, l.undo.Title
}

// clockWords returns the cluster's time of day.
func (p *panel) clockWords() string {
	return p.model.State.Clock.At(time.Now()).Local().Format("15:04:05")
}

// readSettings reads how long history is kept.
func (p *panel) readSettings() {
	r, err := p.Fetch(context.Background(), app.Request{Method: "GET", Path: wellknown.ControlPlane, Quiet: true})
	if err != nil || r.Status != 200 {
		return
	}
	var cp struct {
		Spec struct {
			History struct{ RetentionSeconds int64 }
		}
	}
	if json.Unmarshal([]byte(r.Body), &cp) == nil {
		p.model.Retention = time.Duration(cp.Spec.History.RetentionSeconds) * time.Second
		p.renderBar()
		p.lists.Do()
	}
}
