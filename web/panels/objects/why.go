package objects

import (
	"context"
	"net/http"
	"net/url"

	"github.com/tabernetes/tabernetes/web/app"
	"github.com/tabernetes/tabernetes/web/objects"
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
