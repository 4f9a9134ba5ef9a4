package objects

import (
	"context"
	"strconv"
	"strings"
	"time"

	"github.com/a-h/templ"

	"github.com/tabernetes/tabernetes/web/app"
	"github.com/tabernetes/tabernetes/web/objects"
	"github.com/tabernetes/tabernetes/web/revisions"
)

// A past is what is shown while the page travels in time.
type past struct {
	at    int64
	exact map[string]PastRow // what the server read as of at; nil: nothing yet, or it cannot
	busy  bool
	note  string
}

// startPast follows the playhead.
func (p *panel) startPast() {
	app.On(p.Bus, func(e app.Travel) {
		was := p.past.at
		p.past = past{at: e.At}
		if e.At > 0 {
			if was == 0 {
				p.one = nil // the list shows first what there was
			}
			p.readPast()
		}
		p.draw()
	})
	p.OnUse("past-open", func(u app.Use) {
		if ref, ok := strings.CutPrefix(u.Attr("data-object"), "obj-"); ok {
			p.openVersion(ref, u.Int("data-rev"))
		}
	})
}

// settled is how long the playhead stays before the server is asked.
const settled = 60 * time.Millisecond

// readPast reads the state at the playhead, by exact lists of the types that have objects. For a compacted revision
// only the lab's notes are left.
func (p *panel) readPast() {
	at := p.past.at
	if at < p.Seen.Compacted {
		return
	}
	p.past.busy = true
	time.AfterFunc(settled, func() {
		if p.past.at != at {
			return
		}
		go p.exactLists(at)
	})
}

func (p *panel) exactLists(at int64) {
	exact, problem := map[string]PastRow{}, ""
	for _, typ := range p.Catalog.Preferred() {
		if n, known := p.tree.Counts.Of(typ.ID()); known && n == 0 && !p.Seen.Had(typ.ID()) {
			continue
		}
		path := typ.Collection("") + "?resourceVersion=" + strconv.FormatInt(at, 10) + "&resourceVersionMatch=Exact&limit=" +
			strconv.Itoa(shownPast)
		res, err := p.Fetch(context.Background(), app.Request{Method: "GET", Path: path, Quiet: true})
		if p.past.at != at {
			return
		}
		if err != nil || res.Status != 200 {
			if !leftOut(res.Status) {
				problem = "Some types cannot be read as of this revision: " + strconv.Itoa(res.Status) + " " + app.Message(res.Body)
			}
			continue
		}
		var s objects.Store
		if s.List(res.Body, true) != nil {
			continue
		}
		for _, o := range s.Rows() {
			c := revisions.Commit{Revision: o.Revision, Group: typ.Group, Resource: typ.Plural, Namespace: o.Namespace,
				Name: o.Name}
			exact[c.Ref()] = pastRow(c)
		}
	}
	p.past.exact, p.past.busy, p.past.note = exact, false, problem
	p.draw()
}

// drawPast returns the list as of the playhead.
func (p *panel) drawPast() templ.Component {
	v := pastView(p.past.at, &p.Seen.Commits, p.past.exact)
	v.Busy, v.Note = p.past.busy, p.past.note
	v.Notes = p.past.at < p.Seen.Compacted
	return Past(v)
}
