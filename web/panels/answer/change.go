package answer

import (
	"context"
	"strconv"

	"github.com/a-h/templ"

	"github.com/tabernetes/tabernetes/web/app"
	"github.com/tabernetes/tabernetes/web/objects"
	"github.com/tabernetes/tabernetes/web/panels/answer/verdict"
	"github.com/tabernetes/tabernetes/web/revisions"
	"github.com/tabernetes/tabernetes/web/text"
	"github.com/tabernetes/tabernetes/web/ui"
)

// A change is what is shown of a revision, or of two that are compared, instead of an exchange; or what another panel
// has shown beside it.
type change struct {
	shown  bool
	beside *app.ShowBeside
	lo, hi int64 // hi 0: one revision
	told   string
	texts  map[string]version // by revision and object
	open   map[string]bool    // objects whose difference is shown
}

// version is an object's text at a revision.
type version struct {
	json    string
	problem string
	busy    bool
}

// startChange shows what is chosen on the stage.
func (r *response) startChange() {
	r.change.texts, r.change.open = map[string]version{}, map[string]bool{}
	app.On(r.Bus, func(e app.Selected) {
		if e.From != "stage" || e.Revision == 0 {
			return
		}
		c := &r.change
		c.shown, c.beside, c.lo, c.hi, c.told = true, nil, e.Revision, 0, e.Told
		if e.Last > e.Revision {
			c.hi = e.Last
		}
		clear(c.open)
		r.apply = false
		r.ToTop("res-body")
		r.drawChange()
	})
	app.On(r.Bus, func(e app.ShowBeside) {
		c := &r.change
		if e.Again && !(c.shown && c.beside != nil && c.beside.Ref == e.Ref) {
			return
		}
		c.shown, c.beside, r.apply = true, &e, false
		if !e.Again {
			r.ToTop("res-body")
		}
		r.drawChange()
	})
	app.On(r.Bus, func(app.ClusterChanged) {
		clear(r.change.texts)
		r.change.shown = false
	})
	r.OnUse("change-open", func(u app.Use) {
		key := u.Attr("data-ref-key")
		r.change.open[key] = !r.change.open[key]
		r.drawChange()
	})
	r.OnUse("change-request", func(u app.Use) {
		r.change.shown = false
		r.Select(app.Selection{Request: int(u.Int("data-id"))}, "change")
	})
}

// drawChange shows the revision, or the comparison.
func (r *response) drawChange() {
	c := &r.change
	if !c.shown {
		return
	}
	r.Draw("res-tools", func() templ.Component { return ui.ResponseTools(ui.ResponseView{}) })
	r.Mark("res-body", "data-stick", false)
	if b := c.beside; b != nil {
		r.Draw("res-status", b.Head)
		r.Draw("res-verdict", func() templ.Component { return templ.NopComponent })
		r.Draw("res-body", b.Body)
		return
	}
	if c.hi > 0 {
		r.drawComparison()
		return
	}
	commit, ok := r.Seen.Commits.Find(c.lo)
	r.Draw("res-status", func() templ.Component { return ChangeHead(itoa(c.lo), name(commit)) })
	r.Draw("res-verdict", func() templ.Component {
		if !ok {
			if r.InRoom() {
				return r.verdictView(verdict.Verdict{Title: itoa(c.lo) + " is not shown to you.",
					Words: "It changed something of the room that you may not read, such as the token of a link."})
			}
			return r.verdictView(verdict.Verdict{Title: itoa(c.lo) + " is not known.",
				Words: "No write with that revision is known."})
		}
		v := verdict.Verdict{Title: itoa(c.lo) + " " + done(commit.Verb) + " the " + commit.Kind + " " + commit.Name + ".",
			Words: c.told}
		return r.verdictView(v)
	})
	r.Draw("res-body", func() templ.Component {
		if !ok {
			return templ.NopComponent
		}
		html, note := r.difference(commit, c.lo-1, c.lo)
		return ChangeDiff(html, note)
	})
}

// done returns what a write did.
func done(v revisions.Verb) string {
	switch v {
	case revisions.Added:
		return "created"
	case revisions.Deleted:
		return "deleted"
	}
	return "changed"
}

// name returns an object as the panels write it.
func name(c revisions.Commit) string {
	s := c.Resource + "/" + c.Name
	if c.Namespace != "" {
		s = c.Namespace + "/" + s
	}
	return s
}

// drawComparison lists what is different between two revisions.
func (r *response) drawComparison() {
	c := &r.change
	changes := revisions.Changes(r.Seen.Commits.Between(c.lo+1, c.hi))
	var count [4]int
	for _, ch := range changes {
		switch ch.Verb {
		case revisions.Added:
			count[0]++
		case revisions.Modified:
			count[1]++
		case revisions.Deleted:
			count[2]++
		default:
			count[3]++
		}
	}
	r.Draw("res-status", func() templ.Component { return ChangeHead(itoa(c.lo)+" to "+itoa(c.hi), "what is different") })
	r.Draw("res-verdict", func() templ.Component {
		v := verdict.Verdict{Title: itoa(c.lo) + " to " + itoa(c.hi) + ": " + text.Plural(c.hi-c.lo, "write", "writes") +
			", " +
			text.Plural(int64(len(changes)), "object", "objects") + "."}
		v.Words = strconv.Itoa(count[0]) + " added, " + strconv.Itoa(count[1]) + " changed, " + strconv.Itoa(count[2]) +
			" removed"
		if count[3] > 0 {
			v.Words += ", " + strconv.Itoa(count[3]) + " came and went"
		}
		v.Words += ". Enter on the stage zooms in."
		return r.verdictView(v)
	})
	r.Draw("res-body", func() templ.Component {
		rows := make([]ChangeRow, 0, min(len(changes), shownChanges))
		for _, ch := range changes[max(0, len(changes)-shownChanges):] {
			row := ChangeRow{Key: ch.Ref(), Object: name(ch.Commit), Verb: ch.Verb, Rev: ch.Revision, Writes: ch.Writes,
				Open: c.open[ch.Ref()]}
			if row.Open {
				row.Diff, row.Note = r.difference(ch.Commit, c.lo, c.hi)
			}
			rows = append(rows, row)
		}
		return Changes(rows)
	})
}

// shownChanges are listed of a comparison: the newest.
const shownChanges = 500

// difference returns how an object differs between two revisions, or why that is not known. Its texts are fetched when
// they are first asked for.
func (r *response) difference(c revisions.Commit, lo, hi int64) (html, note string) {
	before, after := r.versionAt(c, lo), r.versionAt(c, hi)
	switch {
	case before.busy || after.busy:
		return "", "reading…"
	case after.problem != "":
		return "", after.problem
	}
	if before.problem != "" {
		note = "The previous revision can no longer be read: this is the whole object."
	}
	if before.json == "" && note == "" {
		note = "Before: nothing."
	}
	if after.json == "" {
		note = "After: nothing."
	}
	return text.DiffYAML(before.json, after.json, r.unfolded), note
}

// versionAt returns an object at a revision, by an exact list.
func (r *response) versionAt(c revisions.Commit, rev int64) version {
	key := itoa(rev) + " " + c.Ref()
	if v, ok := r.change.texts[key]; ok {
		return v
	}
	if rev < r.Seen.Compacted {
		v := version{problem: "Revision " + itoa(rev) +
			" is compacted: its text can no longer be read. This is what the lab recorded of it."}
		r.change.texts[key] = v
		return v
	}
	typ := r.Catalog.Resource(c.Group, c.Version, c.Resource)
	if typ == nil {
		return version{problem: "The cluster no longer has this resource type."}
	}
	v := version{busy: true}
	r.change.texts[key] = v
	go func() {
		path := typ.Collection(c.Namespace) + "?resourceVersion=" + itoa(rev) +
			"&resourceVersionMatch=Exact&fieldSelector=metadata.name%3D" + c.Name
		res, err := r.Fetch(context.Background(), app.Request{Method: "GET", Path: path, Quiet: true})
		v := version{}
		switch {
		case err != nil:
			v.problem = err.Error()
		case res.Status != 200:
			v.problem = strconv.Itoa(res.Status) + " " + app.Message(res.Body)
		default:
			var s objects.Store
			if s.List(res.Body, true) == nil && s.Len() == 1 {
				v.json = s.Rows()[0].JSON
			}
		}
		r.change.texts[key] = v
		r.drawChange()
	}()
	return v
}
