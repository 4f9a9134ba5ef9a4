package room

import (
	"encoding/json"
	"errors"
	"net/http"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/tabernetes/tabernetes/web/app"
	"github.com/tabernetes/tabernetes/web/room"
)

// tokenPath is where the RoomTokens are.
const tokenPath = groupPath + "roomtokens"

// govern is what a teacher acts by, and what each member has of it for itself.
type govern struct {
	// people reads who joined when and by which link, usage draws what members take: soon.
	people, usage app.Later
	// known are the links that this tab has made, with their tokens.
	known []room.Link
	// perSecond is how often a member may ask in the long run; 0: not known.
	perSecond float64
	// guarded says that the browser asks before the tab closes.
	guarded bool
}

// reset begins with what the tab's session remembers.
func (g *govern) reset(links []kept) {
	g.known, g.perSecond = nil, 0
	for _, k := range links {
		g.known = append(g.known, room.Link{Name: k.Name, Role: k.Role, Token: k.Token, Created: k.Created})
	}
}

func (p *panel) startGovern() {
	p.people = app.Later{Wait: 300 * time.Millisecond, Run: func() { go p.readPeople() }}
	p.usage = app.Later{Wait: 300 * time.Millisecond, Run: p.used}
	on := func(action string, do func(name string)) {
		p.OnUse(action, func(u app.Use) { do(u.Attr("data-name")) })
	}
	on("room-own", func(string) {
		p.Copy(p.linkTo(p.own.Token), "your link back")
		p.view.Copied = true
		p.remember(func(r *own) { r.Copied = true })
		p.draw()
	})
	on("room-copy", func(name string) {
		if name == "" {
			p.Copy(p.shown.Link, "the link")
		} else if i := p.indexOf(name); i >= 0 {
			p.Copy(p.linkTo(p.known[i].Token), "the link")
		}
	})
	p.OnUse("room-invite", func(u app.Use) { go p.invite(u.Attr("data-role")) })
	on("room-lead", func(name string) { go p.set(`{"leader":` + quoted(name) + `}`) })
	on("room-freeze", func(string) { go p.set(`{"frozen":` + strconv.FormatBool(!p.view.Frozen) + `}`) })
	p.OnUse("room-most", func(app.Use) {
		if n, err := strconv.Atoi(p.Field("room-most").Value()); err == nil {
			go p.set(`{"maxMembers":` + strconv.Itoa(n) + `}`)
		}
	})
	p.OnUse("room-role", func(u app.Use) {
		name := u.Attr("data-name")
		go func() {
			if !p.setRole(name, u.Value()) {
				if m := p.state.Find(name); m != nil {
					u.SetValue(m.Role)
				}
			}
		}()
	})
	on("room-row", func(name string) {
		if p.view.Chosen == name {
			name = ""
		}
		p.choose(name)
	})
	on("room-look", func(string) {
		p.Open("room")
		if all := p.state.Flooding(); len(all) > 0 {
			p.view.Stop = all[0].Name
			p.choose(all[0].Name)
			p.Page.Call("focus", "room-row-"+all[0].Name)
		}
	})
	p.OnUse("room-at", p.onRows)
	p.OnUse("room-ask", func(u app.Use) {
		p.view.Asking = question{u.Attr("data-what"), u.Attr("data-name")}
		p.draw()
		p.Page.Call("focus", "room-sure")
	})
	on("room-keep", func(string) { p.answered() })
	on("room-purge", func(name string) { go p.purge(name) })
	on("room-remove", func(name string) { go p.removeMember(name) })
	on("room-end", func(name string) { go p.end(name) })
}

// onRows follows the focus among the rows, and takes back with Escape what was asked or opened there.
func (p *panel) onRows(u app.Use) {
	name := u.At("data-key")
	switch {
	case u.Type() == "focusin":
		if name != "" && p.view.Stop != name {
			p.view.Stop = name
			p.draw()
		}
	case u.Press().Key != "Escape":
	case p.view.Asking.What != "" && p.view.Asking.Name == name:
		u.PreventDefault()
		p.answered()
	case name != "" && p.view.Chosen == name:
		u.PreventDefault()
		p.choose("")
		p.Page.Call("focus", "room-row-"+name)
	}
}

// answered ends a question, and puts the focus where it was asked.
func (p *panel) answered() {
	asked := p.view.Asking
	p.view.Asking = question{}
	p.draw()
	p.Page.Call("focus", asked.id())
}

// choose opens the row of a member; "": none. How many objects it has made is asked for.
func (p *panel) choose(name string) {
	p.view.Chosen, p.view.Asking, p.view.Made = name, question{}, -1
	p.draw()
	if name == "" {
		return
	}
	go func() {
		n, err := p.purged(name, "?dryRun=All")
		if err == nil && p.view.Chosen == name {
			p.view.Made = n
			p.draw()
		}
	}()
}

// purged removes what a member has made, or only counts it in a dry run.
func (p *panel) purged(name, query string) (int64, error) {
	body, err := p.ask("POST", roomPath+"/purge"+query, `{"member":`+quoted(name)+`}`)
	var answer struct {
		Details struct{ Removed int64 }
	}
	if err == nil {
		err = json.Unmarshal([]byte(body), &answer)
	}
	return answer.Details.Removed, err
}

func (p *panel) purge(name string) {
	n, err := p.purged(name, "")
	p.after("The objects were not removed", err, plural(n, "object")+" of "+p.state.Title(name)+" removed")
	if p.view.Chosen == name {
		p.choose(name)
		p.Page.Call("focus", "room-row-"+name)
	}
	p.readUsage()
}

func (p *panel) removeMember(name string) {
	title := p.state.Title(name)
	_, err := p.ask("DELETE", memberPath+name, "")
	p.after(title+" was not removed", err, title+" was removed")
	if err == nil {
		p.choose("")
		p.Page.Call("focus", "room-title")
		p.readUsage()
	}
}

// setRole gives a member a role, and reports whether it has it.
func (p *panel) setRole(name, role string) bool {
	_, err := p.ask("PATCH", memberPath+name, `{"spec":{"role":`+quoted(role)+`}}`)
	p.after("The role was not changed", err, p.state.Title(name)+" is now a "+role)
	return err == nil
}

func (p *panel) end(name string) {
	_, err := p.ask("DELETE", tokenPath+"/"+name, "")
	var no *refused
	if errors.As(err, &no) && no.status == http.StatusNotFound {
		err = nil // somebody else was faster
	}
	p.after("The link was not ended", err, "The link has ended. Members who joined with it stay.")
	p.readPeople()
	p.Page.Call("focus", "room-title")
}

// after shows the result of an act, and removes its question.
func (p *panel) after(failed string, err error, done string) {
	p.view.Asking = question{}
	if err != nil {
		done = failed + ": " + err.Error()
	}
	p.Toast(done)
	p.draw()
}

// indexOf returns the index of a known link by its name, or -1 if the link is not known.
func (p *panel) indexOf(name string) int {
	return slices.IndexFunc(p.known, func(l room.Link) bool { return l.Name == name })
}

// tokenFor returns the token of a known link into a role that has not ended, or "" if no such link is known.
func (p *panel) tokenFor(role string) string {
	for _, l := range p.view.Links {
		if l.Role == role && !l.Ended && l.Token != "" {
			return l.Token
		}
	}
	return ""
}

// keepLink remembers a link that was made, by the answer.
func (p *panel) keepLink(body, role, token string) {
	var made struct {
		Metadata struct {
			Name              string
			CreationTimestamp time.Time
		}
	}
	if json.Unmarshal([]byte(body), &made) != nil || token == "" {
		return
	}
	l := room.Link{Name: made.Metadata.Name, Role: role, Token: token, Created: made.Metadata.CreationTimestamp}
	p.known = append(p.known, l)
	p.view.Links = append([]room.Link{l}, p.view.Links...) // until the room's are read
	all := make([]kept, len(p.known))
	for i, l := range p.known {
		all[i] = kept{l.Name, l.Role, l.Token, l.Created}
	}
	p.remember(func(r *own) { r.Links = all })
	p.people.Do()
}

// readPeople reads since when everybody is a member; for a teacher the room's links, too. It blocks.
func (p *panel) readPeople() {
	if !p.inside() || !p.state.Synced {
		return
	}
	if body, err := p.ask("GET", strings.TrimSuffix(memberPath, "/"), ""); err == nil {
		_ = p.state.TakeMembers(body) // else they stay as they are known
	}
	if p.view.teaches() {
		if body, err := p.ask("GET", tokenPath, ""); err == nil {
			if all, err := p.state.Links(body, p.known); err == nil {
				p.view.Links = all
			}
		}
	}
	p.draw()
}

// readUsage reads how much the members use, as far as the room shows that to this one, and draws it. It blocks.
func (p *panel) readUsage() {
	if body, err := p.ask("GET", roomPath+"/usage", ""); err == nil && p.state.TakeUsage(body) == nil {
		p.usage.Do()
	}
}

// used draws what members take, and says who begins and ends to take too much.
func (p *panel) used() {
	if p.view.teaches() {
		begun, ended := p.state.Floods(p.perSecond)
		for _, who := range begun {
			p.Announce(who + " floods the room")
		}
		for _, who := range ended {
			p.Announce(who + " no longer floods the room")
		}
	}
	p.draw()
}

// guard has the browser ask before the tab closes, or not.
func (p *panel) guard(on bool) {
	if p.guarded == on {
		return
	}
	p.guarded = on
	p.Page.Call("guard", on)
}
