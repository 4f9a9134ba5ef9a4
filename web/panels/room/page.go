package room

import (
	"cmp"
	"context"
	"encoding/json"
	"net/http"
	"strconv"
	"strings"
	"time"

	"github.com/a-h/templ"

	"github.com/tabernetes/tabernetes/core/wellknown"
	"github.com/tabernetes/tabernetes/web/app"
	"github.com/tabernetes/tabernetes/web/course"
	"github.com/tabernetes/tabernetes/web/revisions"
	"github.com/tabernetes/tabernetes/web/room"
)

// Paths of the room's API.
const (
	groupPath  = "/apis/" + wellknown.Group + "/v1/"
	roomPath   = room.Path
	memberPath = groupPath + "members/"
	whoPath    = "/apis/authentication.k8s.io/v1/selfsubjectreviews"
)

// panel is the room on the page.
type panel struct {
	*app.App
	own   *own // nil: the page is in no room
	state room.State
	view  View

	// stop ends the connection; nil if the page is not connected. A value on retry makes the next attempt start now.
	stop  context.CancelFunc
	retry chan struct{}
	lost  time.Time // when the connection was lost; zero: it is not
	read  time.Time // when the room's settings were read last

	// before is the room that an invitation into another one would have the page leave.
	before *own
	// shown is the invitation on display.
	shown Invitation

	follow
	progress
	govern
}

// Start runs the panel.
func Start(a *app.App) { start(a) }

func start(a *app.App) *panel {
	p := &panel{App: a, retry: make(chan struct{}, 1)}
	p.readOwn()
	p.view.State = &p.state
	p.actions()
	p.startFollow()
	p.startProgress()
	p.startGovern()
	app.On(a.Bus, func(s app.State) {
		away := s.Target != "room"
		if p.view.Away != away {
			p.view.Away = away
			if p.inside() {
				go p.readRoom()
				p.apply()
			}
		}
		p.draw()
	})
	app.On(a.Bus, func(f revisions.Frame) {
		if c := f.Commit; c != nil && c.Group == wellknown.Group && a.InRoom() && p.state.Synced {
			switch c.Resource {
			case "rooms":
				go p.readRoom()
			case "roomtokens":
				p.people.Do()
			}
		}
	})
	a.OnEvent("window", "online", func(app.Press) {
		if p.view.Out == "" {
			p.again()
		}
	})
	if p.inside() {
		p.enter()
	}
	a.OnRoomLink(p.arrive)
	p.draw()
	return p
}

// actions wires the buttons.
func (p *panel) actions() {
	plain := func(name string, do func()) { p.OnUse(name, func(app.Use) { do() }) }
	plain("room-open", func() { go p.open(strings.TrimSpace(p.Field("room-teacher").Value())) })
	plain("room-link", func() {
		// The address takes it from here, as if it had been opened.
		_, hash, found := strings.Cut(p.Field("room-pasted").Value(), "#")
		if !found || !strings.Contains(hash, "room=") {
			p.problem("That is not a link to a room: such a link contains #room=.")
			return
		}
		p.Field("room-pasted").Set("")
		p.Page.Call("setHash", hash)
	})
	plain("room-join", func() { go p.join(strings.TrimSpace(p.Field("room-name").Value())) })
	plain("room-cancel", p.cancel)
	plain("room-retry", p.again)
	plain("room-own-cluster", p.toOwn)
	plain("room-back", func() { p.SetTarget("room") })
	plain("room-fork", func() { go p.fork() })
	plain("room-leave", p.leave)
	plain("left-room", p.draw) // what is not seen is not drawn
}

// ask makes a request to the room, which is not reported. It blocks. The error of an answer is its own.
func (p *panel) ask(method, path, body string) (string, error) {
	r := app.Request{Method: method, Path: path, Body: body, Quiet: true, Target: "room"}
	if body != "" {
		kind := "application/json"
		if method == "PATCH" {
			kind = "application/merge-patch+json"
		}
		r.Header = app.ContentType(kind)
	}
	res, err := p.Fetch(context.Background(), r)
	if err == nil && res.Status >= http.StatusBadRequest {
		err = &refused{res.Status, app.Message(res.Body)}
	}
	return res.Body, err
}

// refused is the error of an answer.
type refused struct {
	status int
	words  string
}

func (e *refused) Error() string {
	return strings.TrimSpace(strconv.Itoa(e.status) + " " + http.StatusText(e.status) + ": " + e.words)
}

// set changes a setting of the room.
func (p *panel) set(spec string) {
	if _, err := p.ask("PATCH", roomPath, `{"spec":`+spec+`}`); err != nil {
		p.Toast("That could not be set: " + err.Error())
		return
	}
	p.readRoom()
}

// readRoom reads the room's settings. It blocks.
func (p *panel) readRoom() {
	p.read = time.Now()
	body, err := p.ask("GET", roomPath, "")
	var room struct {
		Spec struct {
			Leader     string
			Frozen     bool
			MaxMembers int64
			Exam       *course.ClassExam
			Quotas     struct{ RequestsPerSecond float64 }
		}
	}
	if err != nil || json.Unmarshal([]byte(body), &room) != nil {
		return
	}
	if now := room.Spec.Frozen; now != p.view.Frozen {
		p.Announce(map[bool]string{true: "Writes are frozen", false: "Writes are no longer frozen"}[now])
	}
	p.view.Frozen, p.view.Leader = room.Spec.Frozen, room.Spec.Leader
	p.view.Most = cmp.Or(room.Spec.MaxMembers, wellknown.UsualMembers)
	if was, is := p.Exam.Open, room.Spec.Exam; (was == nil) != (is == nil) || is != nil && *was != *is {
		p.Exam.Open = is
		app.Emit(p.Bus, p.Exam)
		if is != nil && !p.view.teaches() {
			p.Announce("An exam is open in the room")
		}
	}
	p.perSecond = room.Spec.Quotas.RequestsPerSecond
	p.draw()
}

// problem shows what went wrong; "": nothing.
func (p *panel) problem(text string) {
	p.Page.Call("text", "room-problem", text)
	p.Mark("room-problem", "hidden", text == "")
}

// showColumn opens the column, with the focus on a field of it.
func (p *panel) showColumn(field string) {
	p.Open("room")
	if field != "" {
		p.parts()
		p.Field(field).Focus()
	}
}

// closeColumn brings the lesson back.
func (p *panel) closeColumn() { p.Page.Call("closeLeft", "room") }

// parts shows the part of the column that applies.
func (p *panel) parts() {
	invited := p.own != nil && !p.inside()
	p.Mark("room-out", "hidden", p.own != nil)
	p.Mark("room-join", "hidden", !invited)
	p.Mark("room-in", "hidden", !p.inside())
	p.Mark("room-foot", "hidden", !p.inside())
	p.Mark("target-room", "hidden", !p.inside())
	p.Page.Call("text", "room-title", p.title())
}

// title returns what the column is called: with the room's id, by which its host knows it.
func (p *panel) title() string {
	if !p.inside() {
		return "Room"
	}
	_, id, _ := strings.Cut(p.own.Base, "/rooms/")
	return strings.TrimSpace("Room " + strings.TrimSuffix(id, "/"))
}

// draw brings the column, as far as it is seen, and the line up to date.
func (p *panel) draw() {
	p.parts()
	p.view.Exam, p.view.Taken, p.view.Asked = p.Exam.Open, p.Exam.Report, p.Exam.Shown
	p.view.Column = p.Page.Call("isLeft", "room").Bool()
	app.Emit(p.Bus, app.RoomChanged{})
	inside := p.inside()
	part := func(id string, shown bool, c func(View) templ.Component) {
		p.Draw(id, func() templ.Component {
			if !shown {
				return templ.NopComponent
			}
			return c(p.view)
		})
	}
	if !inside || p.view.Column {
		part("room-in", inside, Inside)
		part("room-foot", inside, Foot)
	}
	part("room-line", inside || p.view.Out != "", Line)
	p.guard(inside && p.view.governs())
	label := "Room"
	if inside && p.state.Synced {
		label += " · " + strconv.Itoa(p.state.Here())
	}
	p.Page.Call("text", "room-words", label)
}

// quoted returns a text as JSON.
func quoted(s string) string {
	b, _ := json.Marshal(s) // every text can be written
	return string(b)
}

// tokenIn returns the token in an answer.
func tokenIn(body string) string {
	var made struct {
		Status struct{ Token string }
	}
	_ = json.Unmarshal([]byte(body), &made) // then it has none
	return made.Status.Token
}
