package stage

import (
	"strconv"
	"strings"

	"github.com/tabernetes/tabernetes/web/app"
	"github.com/tabernetes/tabernetes/web/panels/stage/timeline"
)

// choose makes a revision the chosen one, with the request that made it and the
// object that it changed; 0 lets go.
func (p *panel) choose(rev int64) {
	s := app.Selection{Revision: rev}
	if k, ok := p.model.Commits.Find(rev); ok && rev > 0 {
		s.Object = p.model.Objects.Get(k.Obj).Ref()
		if w, ok := p.model.Writes.Of(rev); ok {
			s.Request = w.Req
		}
		s.Told = p.deliveries(rev)
	}
	p.show(s, false)
	p.Select(s, "stage")
}

// chooseRange makes a stretch of revisions the chosen one.
func (p *panel) chooseRange(lo, hi int64) {
	s := app.Selection{Revision: lo, Last: min(hi, p.model.Head())}
	p.show(s, false)
	p.Select(s, "stage")
}

// onSelected shows on the stage what another panel chose: for a request, what it
// wrote, or the state that it read.
func (p *panel) onSelected(e app.Selected) {
	if e.From == "stage" {
		return
	}
	s := e.Selection
	if s.Revision == 0 && s.Request > 0 {
		if x := p.Requests.Get(s.Request); p.Here(x) {
			if wrote := x.Source.Wrote; len(wrote) > 0 {
				s.Revision = wrote[0].First
				if last := wrote[len(wrote)-1].Last; last > s.Revision+8 {
					s.Last = last
				}
			} else {
				s.Revision = timeline.ReadAt(&x.Source)
			}
		}
	}
	p.show(s, e.From == "scenes" && s == app.Selection{})
	if s.Revision > 0 && p.scene.At == 0 {
		p.cam.Show(s.Revision)
		p.steered()
	}
}

// show draws a selection. Beside a terminal the answer is shown to what is chosen only: where it stays, that does not
// change.
func (p *panel) show(s app.Selection, stays bool) {
	c := Chosen{Rev: s.Revision, Last: s.Last}
	if c.Rev > 0 && c.Last <= c.Rev {
		c.Chip = p.chip(c.Rev)
	}
	p.scene.Chosen, p.scene.Spoken = c, s.Request
	var refs []string
	if s.Request != 0 {
		refs = append(refs, "req-"+strconv.Itoa(s.Request))
	}
	if s.Revision > 0 && s.Last <= s.Revision {
		refs = append(refs, "rev-"+itoa(s.Revision))
	}
	if len(refs) == 0 && s.Object != "" {
		refs = append(refs, s.Object)
	}
	p.Page.Call("choose", strings.Join(refs, " "), stays)
	p.lists.Do()
	p.book()
}

// deliveries says who made the request of a revision, and which clients received an event of it.
func (p *panel) deliveries(rev int64) string {
	s := ""
	if c, _ := p.Seen.Commits.Find(rev); p.Author(c) != "" {
		s = "By " + p.Author(c) + ". "
	}
	if w, ok := p.model.Writes.Of(rev); ok {
		if e := p.Requests.Get(w.Req); e != nil {
			s += "Asked by " + e.Method + " " + shortPath(e) + ", answered " + strconv.Itoa(e.Status) + ". "
		}
	}
	s += p.sayChain(rev)
	var heard, not []string
	for _, l := range p.model.Lanes.List {
		if _, ok := l.Delivered(rev); ok {
			heard = append(heard, l.ID())
		} else if why := p.scene.Why(l, rev); why != "" {
			not = append(not, l.ID()+": "+why)
		}
	}
	switch {
	case len(heard) == 0 && len(not) == 0:
		return s + "No watch was open."
	case len(heard) > 0:
		s += strings.Join(heard, ", ") + plural(int64(len(heard)), " received it", " received it")
	default:
		s += "No watch received it"
	}
	if len(not) > 6 {
		not = append(not[:6], "…")
	}
	if len(not) > 0 {
		s += "; " + strings.Join(not, ", ")
	}
	return s + "."
}
