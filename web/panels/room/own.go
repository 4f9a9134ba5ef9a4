package room

import (
	"encoding/json"
	"time"
)

// own is the room that the page is in, or is invited to, as it remembers it: Room of web/room/link/room.d.ts.
type own struct {
	Base   string `json:"base"`
	Token  string `json:"token"`
	Name   string `json:"name"`
	Share  bool   `json:"share"`
	Shows  bool   `json:"shows"`
	Copied bool   `json:"copied"`
	Links  []kept `json:"links"`
}

// A kept link is what the tab's session remembers of one.
type kept struct {
	Name    string    `json:"name"`
	Role    string    `json:"role"`
	Token   string    `json:"token"`
	Created time.Time `json:"created"`
}

// readOwn reads which room the page is in.
func (p *panel) readOwn() {
	p.own = nil
	_ = json.Unmarshal([]byte(p.Page.Call("room").String()), &p.own) // else it is in none
}

// setOwn remembers which room the page is in; nil: none.
func (p *panel) setOwn(room *own) {
	b, _ := json.Marshal(room) // texts and times can be written
	p.Page.Call("setRoom", string(b))
	p.readOwn() // a page inside of another has none
}

// noteOwn has requests to the room made with what is known of it, which is remembered once it is a member's.
func (p *panel) noteOwn() {
	b, _ := json.Marshal(p.own) // texts and times can be written
	p.Page.Call("noteRoom", string(b))
}

// inside reports whether the page is a member of a room, and not only invited.
func (p *panel) inside() bool { return p.own != nil && p.own.Name != "" }

// linkTo returns the link into the room with a token.
func (p *panel) linkTo(token string) string { return p.Page.Call("roomLink", token).String() }
