//go:build js && wasm

package room

import (
	"context"
	"encoding/json"
	"errors"
	"net/http"
	"strings"
	"syscall/js"
	"time"

	"github.com/tabernetes/tabernetes/web/app"
	"github.com/tabernetes/tabernetes/web/app/dom"
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
	nowhere := p.Doc.GetElementByID("room-nowhere")
	app.Toggle(nowhere, "hidden", made.Token != "")
	if made.Token == "" {
		if text := app.Message(res.Body); text != "" { // a server that has rooms, and refuses
			app.Toggle(nowhere, "hidden", true)
			p.problem("No room was opened: " + text)
		} else {
			p.Alert("This page’s server does not offer rooms")
		}
		return
	}
	p.disconnect()
	p.setRoom(dom.Origin()+made.Path, made.Token, "")
	if p.identify() && name != "" {
		if _, err := p.ask("PATCH", memberPath+p.name(), `{"spec":{"displayName":`+quoted(name)+`}}`); err != nil {
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
	case !strings.HasPrefix(base, dom.Origin()+"/"):
		// The page's policy lets it speak with its own server only.
		p.showColumn("")
		p.problem("This room is on another server, " + base + ", and a page can only reach its own server. " +
			"Open that server’s page with the part of the link that starts with #.")
		return
	}
	p.disconnect()
	if p.inside() {
		p.before = p.shim.Get("room")
	}
	p.setRoom(base, token, "")
	p.shim.Get("room").Set("copied", true) // if it is a member's: whoever comes by a link back has it
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
		p.shim.Get("room").Set("name", name)
		p.shim.Call("setRoom", p.shim.Get("room"))
		p.SetTarget("room")
		p.enter()
		return true
	}
	if role, ok := strings.CutPrefix(user, "invitation:"); ok {
		p.Doc.GetElementByID("room-role").SetTextContent(role)
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
	room := p.shim.Get("room")
	room.Set("token", token)
	room.Set("copied", false)
	room.Set("share", p.Doc.GetElementByID("room-share-first").Underlying().Get("checked"))
	p.before = js.Value{}
	if p.identify() { // the column stays: its link back comes first in it
		p.Toast("You are in the room")
	}
}

// cancel declines an invitation: the page is where it was before.
func (p *panel) cancel() {
	before := p.before
	p.before = js.Value{}
	if !before.Truthy() {
		p.shim.Call("setRoom", nil)
		p.SetTarget(p.State().Target) // which is not the room any more
		p.draw()
		return
	}
	p.shim.Call("setRoom", before)
	p.SetTarget("room")
	p.enter()
}

// enter begins to follow the room that the page is a member of.
func (p *panel) enter() {
	p.state, p.lost = room.State{}, time.Time{}
	room := p.shim.Get("room")
	p.view = View{State: &p.state, Away: !p.InRoom(), Shares: room.Get("share").Truthy(),
		Copied: room.Get("copied").Truthy(), Made: -1}
	p.govern.reset(room.Get("links"))
	p.follow.reset(p.shim.Get("room").Get("shows").Truthy())
	p.Room = &p.state
	p.connect()
	p.draw()
}

// leave forgets the room.
func (p *panel) leave() {
	p.disconnect()
	p.Room, p.state = nil, room.State{}
	p.Exam.Open = nil
	app.Emit(p.Bus, p.Exam)
	p.view = View{State: &p.state}
	p.shim.Call("setRoom", nil)
	p.SetTarget("tab")
	p.closeColumn()
	p.draw()
	p.Toast("You have left the room. Its token is deleted; your link back brings you in again.")
}
