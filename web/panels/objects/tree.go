package objects

import (
	"strconv"
	"strings"
	"time"

	"github.com/tabernetes/tabernetes/web/apipath"
	"github.com/tabernetes/tabernetes/web/app"
	"github.com/tabernetes/tabernetes/web/objects"
)

// treeActions registers the actions on the tree.
func (p *panel) treeActions() {
	p.OnUse("objects-scroll", func(app.Use) {
		p.measure()
		p.draw()
	})
	p.OnUse("objects-namespace", func(u app.Use) {
		p.seen.ToTop()
		p.reset(u.Value())
	})
	p.OnUse("objects-all", func(app.Use) {
		p.tree.All = !p.tree.All
		p.tree.Layout()
		p.draw()
	})
	p.OnUse("objects-row", func(u app.Use) {
		p.active = u.Attr("data-key")
		p.enter()
	})
	p.OnUse("objects-key", p.key)
}

// key takes a key that is pressed in the tree.
func (p *panel) key(u app.Use) {
	press := u.Press()
	if press.Ctrl || press.Meta || press.Alt {
		return
	}
	key := press.Key
	p.tree.Layout()
	at := p.tree.Index(p.active)
	to, act := p.tree.Press(at, key, p.seen.Page())
	text := p.typed.Key(key, time.Now())
	if act == objects.Unused {
		if text == "" {
			return
		}
		u.PreventDefault()
		if len(text) > 1 {
			at-- // what is typed on may fit the row where one is
		}
		if to = p.tree.Find(at, text); to < 0 {
			return
		}
		act = objects.Go
	}
	u.PreventDefault()
	n := p.tree.At(to)
	p.active = n.Key
	switch act {
	case objects.Unfold, objects.Fold:
		p.fold(n, act == objects.Fold)
	case objects.Enter:
		p.enter()
	}
	p.seen.Reveal(to)
	p.draw()
}

// enter does what a click on the active row does.
func (p *panel) enter() {
	i := p.tree.Index(p.active)
	if i < 0 {
		return
	}
	n := p.tree.At(i)
	switch {
	case n.Object != nil:
		p.open(n.Type.ID + "/" + app.RefKey(n.Object.Key()))
		p.focus("object-back")
	case n.Opens:
		p.fold(n, n.Open)
	}
	p.draw()
}

// fold closes or opens a group or a type.
func (p *panel) fold(n objects.Node, folded bool) {
	switch {
	case n.Level == 1:
		p.tree.Fold(n.Group, folded)
	case folded:
		p.tree.Close(n.Type.ID)
	default:
		if b := p.tree.Open(n.Type.ID); b != nil {
			p.read(b)
		}
	}
}

// window is the part of the tree that can be seen, and a little more.
func (p *panel) window() Window {
	w := Window{Total: p.tree.Len()}
	from, to, above, below := p.seen.Rows(w.Total)
	w.First, w.Above, w.Below = from, above, below
	if p.tree.Index(p.active) < 0 {
		p.active = p.tree.At(0).Key
	}
	now := p.Seen.State.Clock.At(time.Now())
	for i := from; i < to; i++ {
		n := p.tree.At(i)
		w.Rows = append(w.Rows, p.row(n, now))
		if n.Object != nil && n.Object.Stale {
			p.refresh(n.Type.ID)
		}
	}
	return w
}

func (p *panel) row(n objects.Node, now time.Time) Row {
	r := Row{
		ID: "tree-" + n.Key, Key: n.Key, Level: n.Level, Pos: n.Pos, Of: n.Of, Label: n.Label, Opens: n.Opens, Open: n.Open,
		Active: n.Key == p.active, Note: n.Note != "", Problem: n.NoteSays,
	}
	if n.Level == 2 {
		r.Count = count(n.Count, n.Known)
	}
	o := n.Object
	if o == nil {
		return r
	}
	if p.tree.Counts.Namespace == "" && o.Namespace != "" {
		r.Prefix = o.Namespace + "/"
	}
	r.Revision, r.Deleting = strconv.FormatInt(o.Revision, 10), o.Deleting
	r.Refs = apipath.ObjectRef(n.Type.Group, n.Type.Plural, o.Namespace, o.Name) + " rev-" + r.Revision
	if !o.Created.IsZero() {
		r.Age = objects.Age(now.Sub(o.Created))
	}
	if o.Verb != "" && time.Since(o.At) < freshFor {
		r.Fresh = strings.ToLower(o.Verb)
	}
	return r
}
