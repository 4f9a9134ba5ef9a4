//go:build js && wasm

package room

import (
	"strconv"
	"strings"

	"github.com/a-h/templ"

	"github.com/tabernetes/tabernetes/core/wellknown"
	"github.com/tabernetes/tabernetes/web/app"
)

// invite shows an invitation into a role. The page makes one for each role, and shows it again until it has ended.
func (p *panel) invite(role string) {
	token := p.tokenFor(role)
	if token == "" {
		body, err := p.ask("POST", roomPath+"/invite", `{"role":`+quoted(role)+`}`)
		if err != nil {
			p.Toast("There is no invitation: " + err.Error())
			return
		}
		token = tokenIn(body)
		p.keepLink(body, role, token)
	}
	i := Invitation{Role: role, Link: p.shim.Call("roomLink", token).String()}
	host := strings.TrimPrefix(strings.TrimPrefix(i.Link, "https://"), "http://")
	for _, own := range []string{"127.", "localhost", "[::1]"} {
		i.Local = i.Local || strings.HasPrefix(host, own)
	}
	if js, err := p.Load("room.js"); err == nil {
		code := js.Call("qrCode", i.Link)
		i.Path, i.Size = code.Get("path").String(), code.Get("size").Int()
	}
	p.shown = i
	p.RenderFunc(p.Doc.GetElementByID("room-invitation"), func() templ.Component { return Invited(i) })
	menu := p.Doc.GetElementByID("panel-invite").Underlying()
	if menu.Get("showPopover").Truthy() && !p.Page.Call("menuIsOpen", "panel-invite").Bool() {
		menu.Call("showPopover")
	}
}

// fork makes a copy of the room in the tab's own cluster, and goes there. What that held before is kept.
func (p *panel) fork() {
	p.Toast("Reading what you may list")
	js, err := p.Load("room.js")
	if err == nil {
		js, err = app.Await(js.Call("readRoom"))
	}
	if err != nil {
		p.Toast("The room could not be copied: " + err.Error())
		return
	}
	p.SetTarget("tab")
	p.Page.Call("closeMenus")
	kept, err := app.Await(p.Page.Call("takeSnapshot", wellknown.ControlPlane+"/snapshot"))
	if err == nil {
		if n, _ := strconv.Atoi(app.Text(kept)); n > 0 {
			app.Emit(p.Bus, app.ClusterKept{Snapshot: n, Name: "this tab’s own, before the copy of the room"})
		}
		js, err = app.Await(js.Call("copy"))
	}
	if err != nil {
		p.Toast("The room could not be copied: " + err.Error())
		return
	}
	p.Travel(0)
	p.Toast(js.String())
}
