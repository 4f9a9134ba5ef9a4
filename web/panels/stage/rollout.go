package stage

import (
	"context"
	"net/url"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/a-h/templ"

	"github.com/tabernetes/tabernetes/web/apipath"
	"github.com/tabernetes/tabernetes/web/app"
	"github.com/tabernetes/tabernetes/web/objects"
	"github.com/tabernetes/tabernetes/web/panels/stage/timeline"
	"github.com/tabernetes/tabernetes/web/revisions"
	"github.com/tabernetes/tabernetes/web/tap"
)

const (
	// readRolloutEvery is how often a workload is read while it changes, at most.
	readRolloutEvery = 250 * time.Millisecond
	// mostBoxes is how many replicas have a box; of more they are one bar.
	mostBoxes = 12
)

// rollout is the line above the ruler: how far a workload is, and what was written for that.
type rollout struct {
	begin int64 // the write that it began with; 0: none is shown
	of    timeline.Object
	at    int64 // the revision that was asked for; 0: the newest
	have  replicas
	read  app.Later
	stale bool // the workload has changed since it was asked for
	busy  bool
}

// replicas is how far a workload is, in the words of kubectl's columns.
type replicas struct {
	known, gone   bool
	ready, wanted int
	word          string // "ready", "complete"
	updated       int    // as many are up to date; -1: its columns do not say that
}

// replicasOf reads the row of a workload; none: it is not there.
func replicasOf(rows []objects.TableRow) replicas {
	if len(rows) == 0 {
		return replicas{known: true, gone: true}
	}
	cells := rows[0].Cells
	number := func(text string) int {
		n, _ := strconv.Atoi(text)
		return n
	}
	r := replicas{known: true, word: "ready", updated: -1}
	some, all, paired := strings.Cut(cells["Ready"], "/")
	if of, job := cells["Completions"]; job {
		r.word = "complete"
		some, all, paired = strings.Cut(of, "/")
		_, parallel, found := strings.Cut(all, " of ") // no number is wanted: it ends with any of them
		if found {
			all = parallel
		}
	}
	if !paired {
		all = cells["Desired"]
	}
	r.ready, r.wanted = number(some), number(all)
	if n, ok := cells["Up-to-date"]; ok {
		r.updated = number(n)
	}
	return r
}

// startRollout reads a workload again when it has changed.
func (p *panel) startRollout() {
	p.rollout.read = app.Later{Wait: readRolloutEvery, Run: func() { go p.readRollout() }}
	p.OnUse("st-replay", func(u app.Use) {
		if rev := u.Int("data-rev"); rev > 0 {
			p.travel.playing = false
			p.Travel(rev)
			p.play(false)
		}
	})
	p.OnUse("st-chain", func(u app.Use) {
		if rev, err := strconv.ParseInt(u.Value(), 10, 64); err == nil && rev > 0 {
			p.cam.Show(rev)
			p.choose(rev)
			p.steered()
		}
	})
}

// rolls takes a commit that may change the workload that is shown.
func (p *panel) rolls(c *revisions.Commit) {
	r := &p.rollout
	if r.begin > 0 && c.Name == r.of.Name && c.Resource == r.of.Resource && c.Namespace == r.of.Namespace {
		r.stale = true
		r.read.Do()
	}
}

// findRollout returns what is shown: what led to the chosen write, else what was shown before in the past, else the
// newest.
func (p *panel) findRollout() (timeline.Rollout, bool) {
	sc := &p.scene
	if c := sc.Chosen; c.Rev > 0 && c.Last <= c.Rev {
		if r, ok := p.model.Rollout(p.model.Programs.Begin(c.Rev), sc.now()); ok && (r.Writes > 1 || sc.At > 0) {
			return r, true
		}
	}
	if before := p.rollout.begin; before > 0 && sc.At > 0 {
		if r, ok := p.model.Rollout(before, sc.now()); ok {
			return r, true
		}
	}
	return p.model.Rollout(0, sc.now())
}

// renderRollout brings the line up to date.
func (p *panel) renderRollout() {
	r := &p.rollout
	found, ok := p.findRollout()
	if !ok {
		r.begin, r.have = 0, replicas{}
		p.Draw("st-rollout", func() templ.Component { return templ.NopComponent })
		return
	}
	if found.Object != r.of || r.at != p.scene.At {
		if found.Object != r.of {
			r.have = replicas{}
		}
		r.of, r.at, r.stale = found.Object, p.scene.At, true
		r.read.Do()
	}
	r.begin = found.Begin.Rev
	p.Draw("st-rollout", func() templ.Component { return RolloutLine(p.scene.rolloutView(found, r.have)) })
}

// readRollout reads the workload that is shown, at its revision. It blocks.
func (p *panel) readRollout() {
	r := &p.rollout
	if r.busy || !r.stale || r.begin == 0 {
		return
	}
	typ := p.Catalog.ByID(apipath.GroupResource(r.of.Group, r.of.Resource))
	if typ == nil {
		return
	}
	r.busy, r.stale = true, false
	of, at := r.of, r.at
	path := typ.Collection(of.Namespace) + "?fieldSelector=" + url.QueryEscape("metadata.name="+of.Name)
	if at > 0 {
		path += "&resourceVersion=" + itoa(at) + "&resourceVersionMatch=Exact"
	}
	res, err := p.Fetch(context.Background(), app.Request{Method: "GET", Path: path, Quiet: true,
		Header: []tap.Field{{Name: "Accept", Value: objects.TableAccept}}})
	r.busy = false
	if of == r.of && at == r.at {
		r.have = replicas{}
		if rows, _, readable := objects.ReadTable(res.Body); err == nil && res.Status == 200 && readable == nil {
			r.have = replicasOf(rows)
		}
		p.renderRollout()
	}
	if r.stale {
		r.read.Do()
	}
}

// RolloutView is what the line shows.
type RolloutView struct {
	Name  string
	Have  replicas
	Said  string // "14 writes by 4 clients in 2.1 s"
	Held  string // ", while kube-scheduler is paused"
	Begin int64
	Pods  []timeline.Mark
	Names []string // of Pods
	Chain int64    // the one of Pods whose chain is drawn; 0: none is
}

func (sc *Scene) rolloutView(r timeline.Rollout, have replicas) RolloutView {
	v := RolloutView{Name: r.Object.Name, Have: have, Begin: r.Begin.Rev, Pods: r.Pods}
	v.Said = itoa(int64(r.Writes)) + plural(int64(r.Writes), " write", " writes")
	if r.Clients > 1 {
		v.Said += " by " + itoa(int64(r.Clients)) + " clients in " +
			strconv.FormatFloat(max(0, float64(r.Last.At-r.Begin.At)/1000), 'f', 1, 64) + " s"
	}
	var held []string
	if have.known && have.ready < have.wanted && sc.At == 0 {
		for _, program := range sc.Programs.List {
			if sc.Held[program.Name] > 0 {
				held = append(held, program.Name)
			}
		}
	}
	if len(held) > 0 {
		v.Held = ", while " + strings.Join(held, " and ") + plural(int64(len(held)), " is paused", " are paused")
	}
	for _, k := range r.Pods {
		v.Names = append(v.Names, sc.Objects.Get(k.Obj).Name)
		if slices.Contains(sc.Chain, k.Rev) {
			v.Chain = k.Rev
		}
	}
	return v
}

// Words says how far the workload is.
func (v RolloutView) Words() string {
	h := v.Have
	switch {
	case !h.known:
		return v.Name
	case h.gone:
		return v.Name + ": deleted"
	}
	s := v.Name + ": " + strconv.Itoa(h.ready) + " of " + strconv.Itoa(h.wanted) + " " + h.word
	if h.updated >= 0 && h.updated < min(h.wanted, h.ready) {
		s += ", " + strconv.Itoa(h.updated) + " up to date"
	}
	return s
}

// boxes draws a box for each replica that is wanted, full if it is ready; of many one bar.
func (h replicas) boxes() string {
	const side, apart, high = 12.0, 4.0, 14.0
	if !h.known || h.wanted == 0 {
		return ""
	}
	var m markup
	ready := min(h.ready, h.wanted)
	width := float64(h.wanted)*(side+apart) - apart
	if h.wanted > mostBoxes {
		width = mostBoxes*(side+apart) - apart
	}
	m.s(`<svg class="st-boxes" aria-hidden="true" viewBox="-1 -1 `).n(width + 2).s(" ").n(high).s(`">`)
	box := func(x, wide float64, class string) {
		m.s(`<rect class="`, class, `" x="`).n(x).s(`" y="0" width="`).n(wide).s(`" height="`).n(side).s(`" rx="2"/>`)
	}
	if h.wanted > mostBoxes {
		box(0, width, "is-open")
		if ready > 0 {
			box(0, width*float64(ready)/float64(h.wanted), "is-full")
		}
		return m.s(`</svg>`).String()
	}
	for i := range h.wanted {
		class := "is-open"
		if i < ready {
			class = "is-full"
		}
		box(float64(i)*(side+apart), side, class)
	}
	return m.s(`</svg>`).String()
}
