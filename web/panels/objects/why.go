package objects

import (
	"context"
	"net/http"
	"net/url"

	"github.com/a-h/templ"

	"github.com/tabernetes/tabernetes/web/app"
	"github.com/tabernetes/tabernetes/web/objects"
	"github.com/tabernetes/tabernetes/web/revisions"
)

// mostEvents is how many Events of a Pod are shown.
const mostEvents = 8

// why is what programs have written down of a Pod that waits, in their words.
type why struct {
	of     objects.PodStatus
	events []objects.Said
}

// Title asks what is answered.
func (w why) Title() string {
	if w.of.Phase == "Pending" {
		return "Why is this Pod pending?"
	}
	return "Why does a container of this Pod wait?"
}

// readWhy reads why a Pod waits, if it does. It blocks.
func (p *panel) readWhy(o *object) {
	o.why = why{}
	if o.typ.ID() != "pods" || o.gone {
		return
	}
	status, err := objects.ReadPodStatus(o.json)
	if err != nil || !status.Waits() {
		return
	}
	o.why.of = status
	events := p.Catalog.ByID("events")
	if events == nil {
		return
	}
	res, err := p.Fetch(context.Background(), app.Request{Method: "GET", Quiet: true,
		Path: events.Collection(o.namespace) + "?fieldSelector=" + url.QueryEscape("involvedObject.uid="+o.self.UID)})
	if err != nil || res.Status != http.StatusOK {
		return
	}
	all, err := objects.ReadEvents(res.Body)
	if err == nil {
		o.why.events = all[:min(len(all), mostEvents)]
	}
}

// saysWhy reports whether a commit may say more of why an object waits.
func (o *object) saysWhy(m *revisions.Commit) bool {
	return m.Resource == "events" && o.why.of.Waits() && m.Namespace == o.namespace
}

// besideNodes has it said beside the nodes, in the place of an answer, why a Pod waits: so that they stay in sight. It
// reports whether that place is in view. A Pod that does not wait any more is opened.
func (p *panel) besideNodes(ref string) bool {
	if p.answer == nil {
		p.answer = p.NewWindow("res-body")
	}
	p.answer.Measure()
	o := p.object(ref)
	if o == nil || !p.answer.Shown() {
		return false
	}
	p.beside = o
	p.readBeside(o)
	return true
}

// readBeside reads the Pod that is shown beside the nodes, again if it is being read.
func (p *panel) readBeside(o *object) {
	if !o.ask() {
		return
	}
	first := o.json == ""
	go func() {
		for o.next(p.beside == o) {
			p.readObject(o)
			if p.beside != o {
				continue
			}
			if first && !o.why.of.Waits() {
				p.beside = nil
				p.openTile(o.ref[len("obj-"):])
				continue
			}
			if first {
				p.Select(app.Selection{Object: o.ref}, "objects")
				p.Announce(o.why.Title())
			}
			name, why, gone := o.called(), o.why, o.gone
			app.Emit(p.Bus, app.ShowBeside{Ref: o.ref, Again: !first,
				Head: func() templ.Component { return WhoWaits(name) },
				Body: func() templ.Component { return Beside(name, why, gone) }})
			first = false
		}
	}()
}
