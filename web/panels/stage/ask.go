package stage

import (
	"context"
	"reflect"
	"time"

	"github.com/tabernetes/tabernetes/core/wellknown"
	"github.com/tabernetes/tabernetes/web/app"
	"github.com/tabernetes/tabernetes/web/revisions"
)

// How often the API servers are asked what they remember, at most: those of a room answer all its members.
const (
	askEvery     = 150 * time.Millisecond
	askRoomEvery = time.Second
	// looksUp is when API servers have looked up a compaction, and dropped the snapshots from before.
	looksUp = 16 * time.Second
)

// asking is how the stage asks the API servers what they remember: nothing is sent for types that are not on it.
type asking struct {
	often app.Throttle
	busy  bool // an answer is awaited
	again bool // and is too old already
}

// startAsking asks when the stage opens, and when another panel wants to know.
func (p *panel) startAsking() {
	p.asking.often.Every = askEvery
	app.On(p.Bus, func(s app.State) {
		p.asking.often.Every = askEvery
		if s.Target == "room" {
			p.asking.often.Every = askRoomEvery
		}
		if s.Phase == "ready" {
			p.ask()
		}
	})
	app.On(p.Bus, func(app.AskWindows) { p.ask() })
	app.On(p.Bus, func(w revisions.Windows) { p.take(p.model.Remember(w)) })
}

// ask asks what the API servers remember, soon.
func (p *panel) ask() {
	p.asking.often.Do(func() {
		if p.asking.busy {
			p.asking.again = true
			return
		}
		p.asking.busy = true
		go p.fetchWindows()
	})
}

// fetchWindows asks, and publishes the answer if it is news. In a room it asks the room: its copy in the page has not
// all that the caches remember there.
func (p *panel) fetchWindows() {
	r := app.Request{Method: "GET", Path: wellknown.ControlPlane + "/windows", Quiet: true}
	if p.asking.often.Every == askRoomEvery {
		r.Target = "room"
	}
	res, err := p.Fetch(context.Background(), r)
	p.asking.busy = false
	if again := p.asking.again; again {
		p.asking.again = false
		p.ask()
	}
	var w revisions.Windows
	if err == nil && res.Status == 200 {
		w, _ = revisions.ParseWindows(res.Body)
	}
	if reflect.DeepEqual(w, p.model.Windows) {
		return
	}
	app.Emit(p.Bus, w)
	p.renderBar()
}
