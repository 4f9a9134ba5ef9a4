package room

import (
	"encoding/json"
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
	i := Invitation{Role: role, Link: p.linkTo(token)}
	host := strings.TrimPrefix(strings.TrimPrefix(i.Link, "https://"), "http://")
	for _, own := range []string{"127.", "localhost", "[::1]"} {
		i.Local = i.Local || strings.HasPrefix(host, own)
	}
	if code, err := p.Promise("qrCode", i.Link); err == nil {
		_ = json.Unmarshal([]byte(code), &i) // its path and size; on an error no QR code is shown
	}
	p.shown = i
	p.Draw("room-invitation", func() templ.Component {
		p.Page.Call("openMenu", "panel-invite") // not earlier: until then the one shown last is there, for another role
		return Invited(i)
	})
	p.Attend()
}

// fork makes a copy of the room in the tab's own cluster, and goes there. What that held before is kept.
func (p *panel) fork() {
	p.Toast("Reading what you may list")
	if _, err := p.Promise("readRoom"); err != nil {
		p.Toast("The room could not be copied: " + err.Error())
		return
	}
	p.SetTarget("tab")
	p.Page.Call("closeMenus")
	kept, err := p.Promise("takeSnapshot", wellknown.ControlPlane+"/snapshot")
	done := ""
	if err == nil {
		if n, _ := strconv.Atoi(kept); n > 0 {
			app.Emit(p.Bus, app.ClusterKept{Snapshot: n, Name: "this tab’s own, before the copy of the room"})
		}
		done, err = p.Promise("copyRoom")
	}
	if err != nil {
		p.Toast("The room could not be copied: " + err.Error())
		return
	}
	p.Travel(0)
	p.Toast(done)
}
