//go:build js && wasm

// More than 400 lines: the handlers of one panel share its state.

package stage

import (
	"math"
	"strconv"
	"strings"
	"syscall/js"
	"time"

	"github.com/a-h/templ"

	"github.com/tabernetes/tabernetes/web/app"
	"github.com/tabernetes/tabernetes/web/app/dom"
	"github.com/tabernetes/tabernetes/web/panels/stage/timeline"
	"github.com/tabernetes/tabernetes/web/revisions"
	"github.com/tabernetes/tabernetes/web/tap"
)

func init() { Start = start }

const (
	// recent is the time whose revisions following keeps in view, in milliseconds.
	recent = 20_000
	// motion is how long a write's way along its chain is seen, and still is how
	// long its column stays washed where nothing may move, in milliseconds.
	motion, still = 320, 1500
	// burst is how many revisions a frame may bring and still show a motion.
	burst = 4
	// notes is how many compacted revisions are on the axis: of more only the end is worth the space.
	notes = 200
)

// panel puts the stage on the screen. Plots are written here, once per frame
// and only where something changed; heads and bars go through App.Render.
type panel struct {
	*app.App
	ofCluster
	place string               // names the cluster
	away  map[string]ofCluster // what is kept of others, by their places
	scene Scene

	ruler   plot
	rows    map[string]*plot // by row
	layout  layout
	frame   js.Func
	booked  bool
	changed bool    // heads, wall, or commits
	last    float64 // the time of the last frame, while gliding
	drawn   int64   // the newest revision that was drawn
	sinceAt float64 // when the motion began

	paused  bool
	follows bool // what the Live button shows
	hover   int64
	cursor  cursor
	tables  bool
	lists   app.Later
	asked   string // what the form's watch asks for, while it is not open
	wanted  int    // its request, while it has no lane
	tabled  app.Later
	travel  travel
	levers  levers
	problem string
	asking  asking
	pointed time.Time // when the pointer last moved over the stage
	lesson  string    // which one began last
	forking int64     // the revision of a fork that is being made
	story   story
}

// ofCluster is what belongs to one cluster, and is put away while requests go to another one. Its requests that go on
// meanwhile still reach its model.
type ofCluster struct {
	model  *timeline.Model
	cam    *Camera
	opened map[int64]bool // folds that the user has opened, by their first revision
	notes  map[int]app.LaneNote
	forked int64
}

// of returns what the stage has of a cluster that is not the one that is shown.
func (p *panel) of(place string) ofCluster {
	c, ok := p.away[place]
	if !ok {
		c = ofCluster{model: timeline.New(p.Requests), cam: NewCamera(), opened: map[int64]bool{},
			notes: map[int]app.LaneNote{}}
		c.model.Since, c.model.Page = time.Now(), p.Called
		p.away[place] = c
	}
	return c
}

// moved shows the cluster that requests go to now, as it was. A scene's is gone when requests no longer go there.
func (p *panel) moved(place string) {
	if place == p.place {
		return
	}
	p.Travel(0)
	p.forked = p.scene.Forked
	if p.away[p.place] = p.ofCluster; tap.Passing(p.place) {
		delete(p.away, p.place)
	}
	was := p.cam
	p.place, p.ofCluster = place, p.of(place)
	p.cam.Still = was.Still
	p.cam.Resize(was.Width, was.U)
	p.clear()
	p.take(timeline.Changes{Ruler: true, Lanes: true, Pages: true})
}

// clear takes off the stage what was drawn of another cluster.
func (p *panel) clear() {
	sc := &p.scene
	p.rows = map[string]*plot{}
	p.paused, p.hover, p.drawn = false, 0, 0
	sc.Model, sc.Notes, sc.Forked, sc.Until, sc.Chosen = p.model, p.notes, p.forked, 0, Chosen{}
	p.Select(app.Selection{}, "stage")
	go p.readSettings()
}

// plot is one drawing on the axis.
type plot struct {
	el   js.Value
	held string // what it holds
}

// set writes a plot's content where it differs from what it holds.
func (p *plot) set(html string) {
	if p.held != html {
		p.held = html
		p.el.Set("innerHTML", html)
	}
}

func start(a *app.App) {
	p := &panel{
		App: a, place: a.State().Place, away: map[string]ofCluster{}, rows: map[string]*plot{},
		changed: true, follows: true,
	}
	p.ofCluster = p.of(p.place)
	p.scene = Scene{Model: p.model, Notes: p.notes, U: 1}
	if a.Doc.GetElementByID("st-ruler") == nil {
		return
	}
	p.ruler.el = a.Doc.GetElementByID("st-ruler-marks").Underlying()
	p.frame = js.FuncOf(func(_ js.Value, args []js.Value) any {
		p.draw(args[0].Float())
		return nil
	})
	p.lists = app.Later{Wait: 120 * time.Millisecond, Run: p.renderRows}
	p.tabled = app.Later{Wait: 400 * time.Millisecond, Run: p.renderTables}
	p.measure()
	p.listen()
	p.actions()
	p.startLevers()
	app.On(a.Bus, p.onFrame)
	app.On(a.Bus, p.onTap)
	app.On(a.Bus, func(s app.State) {
		p.moved(s.Place)
		if s.Phase == "ready" {
			go p.readSettings()
		}
		p.renderBar()
	})
	app.On(a.Bus, p.onSelected)
	app.On(a.Bus, p.onTravel)
	app.On(a.Bus, func(e app.GoTo) {
		p.cam.Show(e.Revision)
		p.steered()
		p.choose(e.Revision)
	})
	app.On(a.Bus, p.onNote)
	app.On(a.Bus, func(e app.Forking) { p.forking = e.At })
	app.On(a.Bus, p.resumeLost)
	app.On(a.Bus, func(e app.Related) { p.point(revisionIn(e.Refs)) })
	p.startAsking()
	p.startStory()
	p.lists.Do()
}

// revisionIn returns the revision among names of the shared selection; 0 if none.
func revisionIn(refs []string) int64 {
	for _, r := range refs {
		if s, ok := strings.CutPrefix(r, "rev-"); ok {
			n, _ := strconv.ParseInt(s, 10, 64)
			return n
		}
	}
	return 0
}

func (p *panel) onFrame(f revisions.Frame) {
	if f.State != nil && f.State.Compacted != p.model.State.Compacted && len(p.model.Chains.List) > 0 {
		time.AfterFunc(looksUp, p.ask)
	}
	ch := p.model.Frame(f)
	if ch.Reset {
		clear(p.opened)
		clear(p.notes)
		p.forked, p.forking = p.forking, 0
		p.clear()
		p.Travel(0)
		p.cam.Follow(true)
	}
	if f.State != nil && p.levers.told(f.State) {
		p.renderBar()
	}
	p.take(ch)
}

func (p *panel) onTap(e tap.Event) {
	x := p.Requests.Get(e.ID)
	if x == nil {
		return
	}
	here, model := x.Place == p.place, p.model
	if !here {
		model = p.of(x.Place).model
	}
	ch := model.Tap(e)
	if e.Type == tap.Head && ch.Lane != nil {
		app.Emit(p.Bus, app.LaneNamed{Request: e.ID, Lane: ch.Lane.ID()})
	}
	if here {
		p.levers.tapped(e)
		p.story.tapped(ch)
		p.take(ch)
	}
}

// onNote keeps what a client says beside its lane.
func (p *panel) onNote(n app.LaneNote) {
	if n.Words == "" {
		delete(p.notes, n.Request)
	} else {
		p.notes[n.Request] = n
	}
	p.lists.Do()
}

// take notes what a change makes necessary. It runs for every event, so it does no more.
func (p *panel) take(ch timeline.Changes) {
	if ch.Alert != "" {
		p.Alert(ch.Alert)
	}
	if ch.Say != "" {
		p.Announce(ch.Say)
	}
	if ch.Asks {
		p.ask()
	}
	if ch.Ruler || ch.Reset {
		p.changed = true
		if p.tables {
			p.tabled.Do()
		}
	}
	if ch.Lane != nil || ch.Lanes || ch.Pages {
		p.lists.Do()
	}
	if ch.Ruler && (p.paused || p.scene.At > 0) {
		p.lists.Do() // the bar says how many revisions came meanwhile
	}
	if ch.Ruler && p.paused {
		return
	}
	if ch.Ruler || ch.Lane != nil || ch.Pages {
		p.book()
	}
	p.story.often.Do(p.tell)
}

// book asks for an animation frame.
func (p *panel) book() {
	if !p.booked {
		p.booked = true
		p.Page.Call("soon", p.frame)
	}
}

// draw is one animation frame.
func (p *panel) draw(now float64) {
	p.booked = false
	sc := &p.scene
	if p.changed && !p.paused {
		p.fold()
		p.cam.Extend(p.oldest(), p.model.Head(), p.model.Recent(recent))
		p.renderRevision()
	}
	elapsed := 16.0
	if p.last > 0 && now > p.last {
		elapsed = min(now-p.last, 100)
	}
	p.last = 0
	if p.cam.Step(elapsed) {
		p.last = now
		p.book()
	}
	sc.View, sc.U, sc.Retained = p.cam.View, p.cam.U, p.oldest()
	p.move(now)
	p.changed = false
	sc.Chosen.Soft = false
	chosen := sc.Chosen
	if p.hover > 0 && p.hover != chosen.Rev {
		sc.Chosen = Chosen{Rev: p.hover, Chip: p.chip(p.hover), Soft: true}
	}
	if !p.layout.hidden {
		p.ruler.set(sc.Ruler(p.layout.ruler))
		p.drawRows()
	}
	sc.Chosen = chosen
	if bin := p.scene.View.Bin(Countable * p.cam.U); bin != p.layout.bin {
		p.layout.bin = bin
		p.renderBar()
	}
	if p.tables {
		p.tabled.Do()
	}
}

// move begins and ends the motion of what is new.
func (p *panel) move(now float64) {
	sc := &p.scene
	head := p.model.Head()
	long := float64(motion)
	if p.cam.Still {
		long = still
	}
	if fresh := head - p.drawn; !p.paused && fresh > 0 {
		if p.drawn > 0 && fresh <= burst && !sc.bars() {
			if sc.Since == 0 || now-p.sinceAt > long {
				sc.Since, p.sinceAt = p.drawn+1, now
			}
		} else {
			sc.Since = 0
		}
		p.drawn = head
	}
	if sc.Since == 0 {
		return
	}
	if age := now - p.sinceAt; age < long {
		p.layout.root.Get("style").Call("setProperty", "--age", strconv.FormatFloat(-age, 'f', 0, 64)+"ms")
		time.AfterFunc(time.Duration(long-age)*time.Millisecond+20*time.Millisecond, p.book)
		return
	}
	sc.Since = 0
}

// oldest returns where the axis begins: with what is retained, and before it what the lab has noted of compacted
// revisions.
func (p *panel) oldest() int64 {
	first := max(1, min(p.model.Commits.First(), p.model.Head()))
	if p.model.State.Compacted-first > notes {
		return p.model.Oldest()
	}
	return first
}

// fold folds what is one mark, unless the user has unfolded it.
func (p *panel) fold() {
	var folds []Fold
	for _, f := range p.scene.Folds() {
		for _, part := range p.scene.Split(f) {
			if !p.opened[part.Lo] {
				folds = append(folds, part)
			}
		}
	}
	p.cam.Fold(folds)
}

// drawRows writes the plots of the rows that are in view.
func (p *panel) drawRows() {
	sc, l := &p.scene, &p.layout
	top, bottom := l.scrolled-40, l.scrolled+l.height+40
	y := 0.0
	for _, r := range p.shown() {
		h := r.units * p.cam.U
		if y+h >= top && y <= bottom {
			if pl := p.plot(r.id); pl != nil {
				switch {
				case r.lane != nil:
					pl.set(sc.Lane(r.lane, h))
				case r.chain != nil:
					pl.set(sc.Page(r.chain, h))
				default:
					pl.set(sc.Server(r.server, h))
				}
			}
		}
		y += h
	}
}

// plot finds the drawing of a row; it may not have been rendered yet.
func (p *panel) plot(id string) *plot {
	if pl := p.rows[id]; pl != nil && pl.el.Get("isConnected").Bool() {
		return pl
	}
	el := p.Doc.GetElementByID("st-plot-" + id)
	if el == nil {
		return nil
	}
	p.rows[id] = &plot{el: el.Underlying()}
	return p.rows[id]
}

// shownRow is a row of the stage: a server, a lane or a list.
type shownRow struct {
	id     string
	units  float64
	server int
	lane   *timeline.Lane
	chain  *timeline.Chain
}

// shown returns the rows below the ruler: servers, then clients and lists, each in the order of their age. The order
// never changes.
func (p *panel) shown() []shownRow {
	var out []shownRow
	for i := range p.scene.ServerRows() {
		out = append(out, shownRow{id: "C" + strconv.Itoa(i), units: ServerUnits * p.layout.grow, server: i})
	}
	lanes := p.model.Lanes.List
	if p.layout.most > 0 {
		lanes = Newest(lanes, p.layout.most, p.scene.Spoken)
	}
	for _, l := range lanes {
		out = append(out, shownRow{id: l.ID(), units: p.layout.lane, lane: l})
	}
	for i := len(p.model.Chains.List) - 1; i >= 0; i-- {
		c := p.model.Chains.List[i]
		if len(c.Pages) == 1 && c.Done() && !c.Midway {
			continue // it came whole
		}
		out = append(out, shownRow{id: c.ID(), units: PageUnits * p.layout.grow, chain: c})
	}
	return out
}

// renderRows brings the rows and their heads up to date.
func (p *panel) renderRows() {
	p.fit()
	p.RenderFunc(p.Doc.GetElementByID("st-rows"), func() templ.Component {
		p.book()
		if l := p.model.Lanes.Get(p.wanted); l != nil {
			p.wanted = 0
			p.focusHead(l)
		}
		sc := &p.scene
		rows := p.shown()
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
	p.RenderFunc(p.Doc.GetElementByID("st-collections"), func() templ.Component {
		return Collections(p.model.Collections())
	})
	if p.paused || p.scene.At > 0 {
		p.renderBar()
	}
	if p.tables {
		p.tabled.Do()
	}
}

func (p *panel) renderRevision() {
	el := p.Doc.GetElementByID("st-revision")
	app.Toggle(el, "data-past", p.scene.At > 0)
	p.Page.Call("text", "st-from-head", "after "+itoa(p.model.Head())+", now")
	p.RenderFunc(el, func() templ.Component { return RevisionHead(p.scene.RevisionView()) })
}

func (p *panel) renderTables() {
	if !p.tables {
		return
	}
	p.RenderFunc(p.Doc.GetElementByID("st-tables"), func() templ.Component {
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

// author says who made a revision, as far as the room tells.
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

// value reads a field inside a form.
func value(form *dom.Element, selector string) string {
	el := form.QuerySelector(selector)
	if el == nil {
		return ""
	}
	return el.Underlying().Get("value").String()
}
