package stage

import (
	"math"
	"strconv"
	"time"

	"github.com/a-h/templ"

	"github.com/tabernetes/tabernetes/web/tap"
)

// renderRows brings the rows and their heads up to date.
func (p *panel) renderRows() {
	p.onScreen = p.look()
	if p.opens != "" {
		p.reveals, p.opens = p.opens, ""
	}
	p.fit()
	p.Draw("st-rows", func() templ.Component {
		p.book()
		if l := p.model.Lanes.Get(p.wanted); l != nil {
			p.wanted = 0
			p.focusHead(l)
		}
		sc := &p.scene
		rows := p.shown()
		p.revealOpened(rows)
		out := make([]Row, 0, len(rows))
		none, over := true, 0
		more, last := len(p.model.Lanes.List), ""
		for _, r := range rows {
			if r.lane != nil {
				more, last = more-1, r.id
			}
		}
		for i, r := range rows {
			row := Row{ID: r.id}
			if i == p.cursor.row && r.lane != nil {
				row.Cursor = partNames[p.cursor.part]
			}
			switch {
			case r.written != nil:
				v := sc.ProgramView(r.written)
				row.Kind, row.Words, row.Head = "written", v.Words(), ProgramHead(v)
			case r.lane != nil:
				v := sc.LaneView(r.lane, p.layout.lane == DenseUnits)
				row.Kind, row.Words, row.Ref, row.Head = "lane", v.Words, r.lane.Ref(), LaneHead(v)
				if v.Dense {
					row.Kind = "lane is-dense"
				}
				if r.lane.Over() {
					over++
				}
				if none = false; more > 0 && r.id == last {
					row.Head = templ.Join(row.Head, More(more))
				}
			case r.chain != nil:
				row.Kind, row.Words, row.Head = "page", PageWords(r.chain), PageHead(r.chain, r.chain.Expired(sc.Listed(r.chain)))
			default:
				v := sc.ServerView(r.server)
				row.Kind, row.Words, row.Head = "server", v.Words(sc.State.Cache(r.server)), ServerHead(v)
			}
			out = append(out, row)
		}
		add := AddView{Chosen: sc.Chosen.Rev, None: none, Over: over, Problem: p.problem}
		if n := len(sc.State.Caches); n > 1 {
			for i := range n {
				add.Servers = append(add.Servers, sc.State.CacheName(i))
			}
		}
		return Rows(out, add, len(rows) == 0)
	})
	p.Draw("st-collections", func() templ.Component {
		return Collections(p.model.Collections())
	})
	p.renderRollout()
	if p.paused || p.scene.At > 0 {
		p.renderBar()
	}
	if p.tables {
		p.tabled.Do()
	}
}

func (p *panel) renderRevision() {
	p.Mark("st-revision", "data-past", p.scene.At > 0)
	p.Page.Call("text", "st-from-head", "after "+itoa(p.model.Head())+", now")
	p.Draw("st-revision", func() templ.Component { return RevisionHead(p.scene.RevisionView()) })
}

func (p *panel) renderTables() {
	if !p.tables {
		return
	}
	p.Draw("st-tables", func() templ.Component {
		lo, hi := p.scene.View.Range()
		hi, lo = min(hi, p.model.Head()), max(lo, 1)
		rows := p.scene.RevisionRows(lo, hi)
		for i := range rows {
			c, _ := p.Seen.Commits.Find(rows[i].Rev)
			rows[i].By = p.Author(c)
		}
		return templ.Join(
			RevisionTable(rows, lo, hi),
			LaneTable(p.scene.LaneViews(), p.scene.LaneRows()),
			PageTable(p.model.Chains.List),
		)
	})
}

// chip names the request that made a revision, in few words; of another's in a room, who made it.
func (p *panel) chip(rev int64) string {
	w, ok := p.model.Writes.Of(rev)
	if !ok {
		return p.author(rev)
	}
	e := p.Requests.Get(w.Req)
	if e == nil {
		return p.author(rev)
	}
	s := e.Method + " " + shortPath(e)
	if p.scene.Narrow {
		s = e.Method
	} else if c := e.Command(); c != "" {
		s = c + " → " + s
	}
	if e.Status > 0 {
		s += " · " + strconv.Itoa(e.Status)
	}
	if p.scene.Narrow {
		return s + " → " + itoa(rev)
	}
	if d := e.Duration(time.Time{}); !e.Live() {
		s += " · " + strconv.FormatFloat(math.Max(1, float64(d)/float64(time.Millisecond)), 'f', 0, 64) + " ms"
	}
	return s
}

// author returns who made a revision, as far as the room shows that.
func (p *panel) author(rev int64) string {
	c, _ := p.Seen.Commits.Find(rev)
	most := 48
	if p.scene.Narrow {
		c.Manager, most = "", 20
	}
	s := []rune(p.Author(c))
	if len(s) > most {
		s = append(s[:most-1], '…')
	}
	return string(s)
}

// shortPath returns a request's object without group, version and namespace.
func shortPath(e *tap.Exchange) string {
	i := e.Info
	if i.Resource == "" {
		return e.URL
	}
	s := i.Resource
	if i.Name != "" {
		s += "/" + i.Name
	}
	if i.Subresource != "" {
		s += "/" + i.Subresource
	}
	if len(s) > 48 { // the end says most
		s = "…" + s[len(s)-47:]
	}
	return s
}
