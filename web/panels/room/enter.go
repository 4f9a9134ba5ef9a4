package room

import (
	"context"
	"encoding/json"
	"errors"
	"net/http"
	"strings"
	"time"

	"github.com/tabernetes/tabernetes/web/app"
	"github.com/tabernetes/tabernetes/web/room"
)

// open opens a room on the page's server, and enters it as its teacher.
func (p *panel) open(name string) {
	p.problem("")
	res, err := p.Fetch(context.Background(), app.Request{Method: "POST", Path: "/rooms", Quiet: true})
	var made struct{ Path, Token string }
	if err == nil && res.Status == http.StatusCreated {
		err = json.Unmarshal([]byte(res.Body), &made)
	}
	p.Mark("room-nowhere", "hidden", made.Token != "")
	if made.Token == "" {
		if text := app.Message(res.Body); text != "" { // a server that has rooms, and refuses
			p.Mark("room-nowhere", "hidden", true)
			p.problem("No room was opened: " + text)
		} else {
			p.Alert("This page’s server does not offer rooms")
		}
		return
	}
	p.disconnect()
	p.setOwn(&own{Base: p.Origin() + made.Path, Token: made.Token})
	entered := p.identify()
	if entered {
		p.Page.Call("focus", "room-title") // the form that had the focus is gone
	}
	if entered && name != "" {
		if _, err := p.ask("PATCH", memberPath+p.own.Name, `{"spec":{"displayName":`+quoted(name)+`}}`); err != nil {
			p.problem("The room is open, but your name was not accepted: " + err.Error())
		}
	}
}

// arrive takes a link: a member enters, the guest of an invitation is asked for a name.
func (p *panel) arrive(base, token string) {
	p.problem("")
	switch {
	case base == "":
		p.showColumn("room-teacher")
		return
	case base == "?" || token == "":
		p.showColumn("")
		p.problem("This link is not complete. It needs the address of a room and a token; ask for it again.")
		return
	case !strings.HasPrefix(base, p.Origin()+"/"):
		// The page's policy lets it speak with its own server only.
		p.showColumn("")
		p.problem("This room is on another server, " + base + ", and a page can only reach its own server. " +
			"Open that server’s page with the part of the link that starts with #.")
		return
	}
	p.disconnect()
	if p.inside() {
		p.before = p.own
	}
	p.setOwn(&own{Base: base, Token: token, Copied: true}) // who enters by a link back has that link already
	go func() {
		if !p.identify() {
			return
		}
		p.closeColumn()
		p.Toast("You are in the room")
	}()
}

// identify asks the room whose token the page has, and enters as that member. It reports whether it did: an
// invitation has to be accepted first, and any other token is forgotten.
func (p *panel) identify() bool {
	body, err := p.ask("POST", whoPath, `{"apiVersion":"authentication.k8s.io/v1","kind":"SelfSubjectReview"}`)
	var review struct {
		Status struct {
			UserInfo struct{ Username string }
		}
	}
	if err == nil {
		err = json.Unmarshal([]byte(body), &review)
	}
	user := review.Status.UserInfo.Username
	if name, ok := strings.CutPrefix(user, "member:"); ok {
		p.own.Name = name
		p.setOwn(p.own)
		p.SetTarget("room")
		p.enter()
		return true
	}
	if role, ok := strings.CutPrefix(user, "invitation:"); ok {
		p.Page.Call("text", "room-role", role)
		p.showColumn("room-name")
		p.draw()
		return false
	}
	p.cancel()
	p.showColumn("")
	why := "This link does not lead to a room"
	var no *refused
	if errors.As(err, &no) && no.status == http.StatusUnauthorized {
		why = "This link is no longer valid: ask for another one"
	} else if err != nil {
		why += ": " + err.Error()
	}
	p.problem(why + ".")
	return false
}

// join accepts an invitation.
func (p *panel) join(name string) {
	p.problem("")
	body, err := p.ask("POST", roomPath+"/join", `{"displayName":`+quoted(name)+`}`)
	token := tokenIn(body)
	if err != nil || token == "" {
		if err != nil {
			p.problem("You could not join: " + err.Error())
		}
		return
	}
	p.own.Token, p.own.Copied, p.own.Share = token, false, p.Page.Call("checked", "room-share-first").Bool()
	p.noteOwn()
	p.before = nil
	if p.identify() { // the column stays: its link back comes first in it
		p.Page.Call("focus", "room-title")
		p.Toast("You are in the room")
	}
}

// cancel declines an invitation: the page is where it was before.
func (p *panel) cancel() {
	before := p.before
	p.before = nil
	if before == nil {
		p.setOwn(nil)
		p.SetTarget(p.State().Target) // which is not the room any more
		p.draw()
		return
	}
	p.setOwn(before)
	p.SetTarget("room")
	p.enter()
}

// enter begins to follow the room that the page is a member of.
func (p *panel) enter() {
	p.state, p.lost, p.Exam.Over = room.State{}, time.Time{}, false
	p.view = View{State: &p.state, Away: !p.InRoom(), Shares: p.own.Share, Copied: p.own.Copied, Made: -1}
	p.govern.reset(p.own.Links)
	p.follow.reset(p.own.Shows)
	p.Room = &p.state
	p.connect()
	p.draw()
}

// leave forgets the room.
func (p *panel) leave() {
	p.forget()
	p.closeColumn()
	p.draw()
	p.Toast("You have left the room. Its token is deleted; your link back brings you in again.")
}

// forget asks the room nothing any longer, and deletes the token.
func (p *panel) forget() {
	p.endExam()
	p.Room, p.state = nil, room.State{}
	p.view = View{State: &p.state}
	p.setOwn(nil)
	p.toTab()
}

// endExam ends the connection, and the exam of the room with it.
func (p *panel) endExam() {
	p.disconnect()
	p.Exam.Open, p.Exam.Over = nil, true
	app.Emit(p.Bus, p.Exam)
}

// toTab has requests go to the tab's own cluster, if a room's is not there for them.
func (p *panel) toTab() {
	if !p.InScene() {
		p.SetTarget("tab")
	}
}

// out takes that this page's member is in the room no longer, as a frame of the room says.
func (p *panel) out(change room.Change) {
	p.forget()
	if p.view.Out = outRemoved; change == room.Left {
		p.view.Out = outLeft
	}
	p.problem(p.view.outWords() + ". Another invitation lets you in again. Your own cluster is in this tab.")
	p.draw()
	p.Alert(p.view.outWords())
}

// refuse takes that the room does not know the token: it is asked no more, until somebody wants that. The token is
// kept, since the room does not say why.
func (p *panel) refuse() {
	p.endExam()
	p.view.Out = outRefused
	p.view.Lost, p.view.Wait = true, 0
	p.toTab()
	p.draw()
	p.Alert(p.view.outWords())
}

// toOwn leads to the tab's own cluster, from what is said of a room that the page is in no longer.
func (p *panel) toOwn() {
	if p.view.Out != outRefused {
		p.view.Out = ""
		p.problem("")
	}
	p.toTab()
	p.closeColumn()
	p.draw()
}
