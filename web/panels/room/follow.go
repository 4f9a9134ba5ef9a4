package room

import (
	"context"
	"encoding/json"
	"errors"
	"net/http"
	"strings"
	"time"

	"github.com/tabernetes/tabernetes/web/app"
	"github.com/tabernetes/tabernetes/web/revisions/scan"
	"github.com/tabernetes/tabernetes/web/room"
)

// showEvery is the time between two looks at what this page shows.
const showEvery = 300 * time.Millisecond

// awayEvery is how often the room's settings are read by a page that looks at another cluster.
const awayEvery = 5 * time.Second

// follow is what the page shows to others, and what it follows.
type follow struct {
	// showing says that this page shows its view; run is which time, sent what was sent last.
	showing bool
	run     int
	sent    string

	applying bool      // the page moves by itself
	applied  room.View // where it went last
}

func (f *follow) reset(showing bool) { *f = follow{showing: showing, run: f.run + 1} }

func (p *panel) startFollow() {
	p.OnUse("room-show", func(app.Use) { p.setShowing(!p.state.Shows()) })
	p.OnUse("room-follow", func(app.Use) { p.setFollows(!p.view.Follows) })
	app.On(p.Bus, func(app.Travel) {
		if !p.applying && p.view.Follows && p.view.followable() && p.InRoom() {
			p.view.Follows = false
			p.Toast("You have moved the playhead: this page no longer follows")
			p.draw()
		}
	})
}

// connect opens the follow stream, and opens it again whenever it ends, until disconnect.
func (p *panel) connect() {
	p.disconnect()
	ctx, cancel := context.WithCancel(context.Background())
	p.stop = cancel
	go func() {
		var wait room.Wait
		for ctx.Err() == nil {
			why, status := p.stream(ctx, func() { wait = room.Wait{} })
			switch {
			case ctx.Err() != nil:
			case status == http.StatusUnauthorized:
				p.refuse()
			default:
				p.lose(why)
				p.pause(ctx, wait.Next())
			}
		}
	}()
}

func (p *panel) disconnect() {
	if p.stop != nil {
		p.stop()
		p.stop = nil
	}
	p.run++ // nothing is shown any longer
}

// stream reads the follow stream until it ends, and returns why, and the status of the answer; 0 without one. It
// blocks; begun is called when it has begun.
func (p *panel) stream(ctx context.Context, begun func()) (why string, status int) {
	ctx, cancel := context.WithCancel(ctx)
	defer cancel()
	silence := time.AfterFunc(room.Silence*time.Second, cancel)
	defer silence.Stop()
	var lines scan.Lines
	var refusal strings.Builder
	err := p.Stream(ctx, app.Request{Method: "GET", Path: roomPath + "/follow", Quiet: true, Target: "room"},
		func(h app.Response) { status = h.Status }, func(text string) {
			silence.Reset(room.Silence * time.Second)
			if status != http.StatusOK {
				refusal.WriteString(text)
				return
			}
			lines.Feed(text, func(line string) {
				begun()
				p.take(line)
			})
		})
	p.view.Refused = status >= http.StatusBadRequest && status < http.StatusInternalServerError
	switch {
	case status >= http.StatusBadRequest:
		why = (&refused{status, app.Message(refusal.String())}).Error()
	case err != nil && !errors.Is(err, app.ErrAborted):
		why = err.Error()
	}
	return why, status
}

// lose notes that the connection is lost.
func (p *panel) lose(why string) {
	if p.lost.IsZero() {
		p.lost = time.Now()
		p.Alert("The connection to the room is lost")
	}
	p.view.Lost, p.view.Why = true, why
}

// pause waits before the next attempt, counting down.
func (p *panel) pause(ctx context.Context, seconds int) {
	select {
	case <-p.retry: // pressed too late
	default:
	}
	tick := time.NewTicker(time.Second)
	defer tick.Stop()
	for p.view.Wait = seconds; p.view.Wait > 0; p.view.Wait-- {
		p.draw()
		select {
		case <-tick.C:
		case <-p.retry:
			p.view.Wait = 1
		case <-ctx.Done():
			return
		}
	}
	p.draw()
}

// again has the next attempt made now.
func (p *panel) again() {
	switch {
	case p.view.Out == outRefused:
		p.view.Out = ""
		p.connect()
		p.draw()
	case p.view.Lost:
		select {
		case p.retry <- struct{}{}:
		default:
		}
	}
}

// take reads a frame of the stream.
func (p *panel) take(line string) {
	was := p.state.Show
	change, another := p.state.Take(strings.Clone(line))
	if p.view.Away && time.Since(p.read) > awayEvery {
		go p.readRoom() // no commit of the room is seen here that would say that it has changed
	}
	switch change {
	case "", room.Beat:
		return
	case room.Hello:
		p.back()
		if another {
			p.sent = ""
			p.reported = ""
		}
	case room.Joined:
		if p.state.Synced && p.view.teaches() {
			p.people.Do()
		}
	case room.Used:
		p.usage.Do()
		return
	case room.Synced:
		go func() {
			p.readRoom()
			p.readPeople()
			p.readUsage()
		}()
		p.report.Do()
		if p.showing { // the page was loaded again, or the connection is back
			p.setShowing(true)
		}
	case room.Shown:
		p.shownFrame(was)
	case room.Removed, room.Left:
		p.out(change)
		return
	}
	p.draw()
}

// back notes that the connection is there again.
func (p *panel) back() {
	p.view.Lost, p.view.Why, p.view.Wait, p.view.Refused = false, "", 0, false
	if p.lost.IsZero() {
		return
	}
	lost := p.lost
	p.lost = time.Time{}
	p.Toast("Connected to the room again")
	if p.InRoom() {
		p.Refollow()
		app.Emit(p.Bus, app.RoomBack{Lost: lost})
	}
}

// shownFrame takes what is shown, which was something else before.
func (p *panel) shownFrame(was *room.Show) {
	s := p.state.Show
	if p.showing && (s == nil && p.state.Synced && p.sent != "" || s != nil && !p.state.Shows()) {
		p.endShow() // the lead has passed to somebody else
	}
	if !p.view.followable() {
		p.applied = room.View{}
		return
	}
	if was == nil || was.By != s.By {
		p.view.Follows = true
		p.Toast("Following " + p.state.Title(s.By))
	}
	p.apply()
}

// setFollows begins or ends following.
func (p *panel) setFollows(on bool) {
	p.view.Follows = on
	p.applied = room.View{}
	if on && !p.InRoom() {
		p.SetTarget("room")
	}
	p.apply()
	p.draw()
}

// apply brings the page to where the view is that it follows.
func (p *panel) apply() {
	if !p.view.followable() || !p.view.Follows || !p.InRoom() {
		return
	}
	v, was := p.state.Show.View, p.applied
	p.applied = v
	p.applying = true
	defer func() { p.applying = false }()
	if v.Panel != was.Panel && v.Panel != "" && p.Has("tab-"+v.Panel) && !p.Presents() {
		p.Open(v.Panel)
	}
	p.Show(v, was)
	if v.Lesson != "" && (v.Lesson != was.Lesson || v.Step != was.Step) {
		app.Emit(p.Bus, app.OpenLesson{ID: v.Lesson, Step: v.Step})
	}
}

// setShowing begins or ends showing this page's view.
func (p *panel) setShowing(on bool) {
	if !on {
		if p.showing || p.state.Shows() {
			p.endShow()
			go p.ask("POST", roomPath+"/show", `{"view":null}`)
		}
		return
	}
	p.showing = true
	p.remember(func(r *own) { r.Shows = true })
	p.run++
	run := p.run
	go func() {
		for p.run == run && p.showing {
			if v := p.look(); v != p.sent && !p.view.Lost {
				p.sent = v
				if _, err := p.ask("POST", roomPath+"/show", `{"view":`+v+`}`); err != nil {
					var no *refused
					if errors.As(err, &no) && no.status == http.StatusForbidden && p.run == run {
						p.endShow()
						p.Toast("Your view is not shown: " + no.words)
						p.draw()
						return
					}
					p.sent = ""
					time.Sleep(time.Second)
				}
			}
			time.Sleep(showEvery)
		}
	}()
}

// endShow shows nothing any longer.
func (p *panel) endShow() {
	p.showing, p.sent = false, ""
	p.run++
	p.remember(func(r *own) { r.Shows = false })
}

// remember notes a fact of the room for as long as the tab's session lasts.
func (p *panel) remember(change func(*own)) {
	if p.own != nil {
		change(p.own)
		p.setOwn(p.own)
	}
}

// look returns what this page looks at, as JSON. In another cluster than the room's that is the room as it is.
func (p *panel) look() string {
	v := p.Look()
	if !p.InRoom() {
		v.Revision, v.Selected = 0, ""
	}
	b, _ := json.Marshal(v) // every view can be written
	return string(b)
}
