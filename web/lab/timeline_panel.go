//go:build js && wasm

package lab

import (
	"strings"
	"syscall/js"
	"time"

	"github.com/a-h/templ"

	"github.com/tabernetes/tabernetes/web/revisions"
	"github.com/tabernetes/tabernetes/web/tap"
	"github.com/tabernetes/tabernetes/web/timeline"
)

func init() { panels = append(panels, startTimeline) }

// recent is the stretch of time whose revisions following keeps in sight.
const recent = 20_000

// timelinePanel puts the ruler, the lanes and the paging strip on the screen.
// The plots are written here, once per animation frame and only where something
// changed; the lists beside them go through App.Render like any panel.
type timelinePanel struct {
	app   *App
	model *timeline.Model
	cam   *timeline.Camera
	scene timeline.Scene

	ruler  *plot
	lanes  map[int]*plot             // by request
	chains map[*timeline.Chain]*plot // by list

	frame    js.Func
	sight    js.Value // an IntersectionObserver: which plots can be seen
	frames   int
	spent    time.Duration
	booked   bool
	last     float64 // the time of the last frame, while gliding
	drawn    timeline.View
	redraw   bool // all plots, whatever changed
	moved    bool // heads or wall
	showLane bool // the panels have a size
	showPage bool

	paused     bool
	lists      due
	tables     due
	ages       due
	opened     map[string]bool // tables that are shown
	pointed    int64           // revision under the pointer
	focus      focus
	refocusing bool
	dragged    bool // the pointer moved the view: what follows is no click
	follows    bool // what the Follow button shows

	lever map[int]bool  // requests that change the control plane's settings
	asked *serverChoice // the API server that the form's watch is to be opened at
}

func startTimeline(a *App) {
	p := &timelinePanel{
		app: a, model: timeline.New(), cam: timeline.NewCamera(),
		lanes: map[int]*plot{}, chains: map[*timeline.Chain]*plot{}, opened: map[string]bool{},
		lever: map[int]bool{}, redraw: true, follows: true,
		asked: a.serverChoice(a.field("tl-open-server"), a.Doc.GetElementByID("tl-open-server")),
	}
	if a.Panel("ruler") == nil {
		return
	}
	p.ruler = newPlot("tl-ruler", timeline.OnRuler)
	p.frame = js.FuncOf(func(_ js.Value, args []js.Value) any {
		p.draw(args[0].Float())
		return nil
	})
	p.lists = due{wait: 120 * time.Millisecond, run: p.renderLists}
	p.tables = due{wait: 400 * time.Millisecond, run: p.renderTables}
	p.ages = due{wait: time.Second, run: p.tick}
	p.listen()
	p.actions()
	a.goRevision = func(rev int64) {
		p.cam.Show(rev)
		p.steered()
		if p.scene.Selected != rev {
			p.selectRev(rev)
		}
	}
	a.OnFrame(p.onFrame)
	a.OnTap(p.onTap)
	a.OnState(func(s State) {
		if s.Phase == "ready" {
			go p.readRetention()
		}
	})
	p.lists.later()
}

func (p *timelinePanel) onFrame(f revisions.Frame) {
	ch := p.model.Frame(f)
	if ch.Reset {
		p.lanes, p.chains = map[int]*plot{}, map[*timeline.Chain]*plot{}
		p.ruler.marks[0].layer.Invalidate()
		p.scene.Selected, p.pointed = 0, 0
		p.paused, p.scene.Until = false, 0
		p.renderTools()
		p.renderReadout()
		p.cam.Follow(true)
		go p.readRetention()
	}
	p.take(ch)
}

func (p *timelinePanel) onTap(e tap.Event) {
	if e.Type == tap.Request && e.Method != "GET" && strings.Contains(e.URL, "/controlplanes/default") {
		p.lever[e.ID] = true
	}
	if p.lever[e.ID] && (e.Type == tap.End || e.Type == tap.Fail) {
		delete(p.lever, e.ID)
		go p.readRetention()
	}
	p.take(p.model.Tap(e))
}

// take books what a change needs. It runs for every event, so it does no more.
func (p *timelinePanel) take(ch timeline.Changes) {
	if ch.Alert != "" {
		p.app.Alert(ch.Alert)
	}
	if ch.Say != "" {
		p.app.Announce(ch.Say)
	}
	if ch.Ruler || ch.Reset {
		p.moved = true
		if len(p.opened) > 0 {
			p.tables.later()
		}
	}
	if ch.Lane != nil {
		if pl := p.lanes[ch.Lane.Req]; pl != nil {
			pl.dirty = true
		}
		p.lists.later()
	}
	if ch.Lanes || ch.Pages {
		p.lists.later()
	}
	if ch.Pages {
		for _, pl := range p.chains {
			pl.dirty = true
		}
	}
	if p.paused && ch.Ruler {
		p.lists.later() // the number of revisions that wait
		return
	}
	if ch.Ruler || ch.Lane != nil || ch.Pages {
		p.book()
	}
}

// book asks for a frame.
func (p *timelinePanel) book() {
	if !p.booked {
		p.booked = true
		p.app.page.Call("soon", p.frame)
	}
}

// draw is one animation frame.
func (p *timelinePanel) draw(now float64) {
	began := time.Now()
	p.booked = false
	if p.moved && !p.paused {
		p.cam.Extend(p.model.Oldest(), p.model.Head(), p.model.Recent(recent))
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
	sc := &p.scene
	sc.View, sc.Objects = p.cam.View, &p.model.Objects
	sc.State = p.model.State
	sc.State.Head = p.model.Head()
	all := p.redraw || sc.View != p.drawn || p.moved
	sc.Now = now
	if all || p.ruler.dirty {
		p.ruler.drawRuler(p)
	}
	if p.showLane {
		for _, l := range p.model.Lanes.List {
			p.drawLane(l, all)
		}
	}
	if p.showPage {
		for _, c := range p.model.Chains.List {
			p.drawChain(c, all)
		}
	}
	if sc.View != p.drawn && p.opened["tl-ruler-table"] {
		p.tables.later()
	}
	p.drawn, p.redraw, p.moved = sc.View, false, false
	p.app.page.Call("refreshRelated") // new marks may belong to what is pointed at
	p.count(time.Since(began))
}

// count tells tests and the benchmark how many events have been drawn, in how
// many frames, and what the frames cost this side of the border.
func (p *timelinePanel) count(took time.Duration) {
	lab := js.Global().Get("__lab")
	if lab.IsUndefined() {
		lab = js.Global().Get("Object").New()
		js.Global().Set("__lab", lab)
	}
	p.frames++
	p.spent += took
	lab.Set("drawn", p.model.Taken())
	lab.Set("frames", p.frames)
	lab.Set("drawMs", p.spent.Seconds()*1000)
}

// renderLists brings the lists beside the plots up to date.
func (p *timelinePanel) renderLists() {
	doc := p.app.Doc
	p.app.RenderFunc(doc.GetElementByID("tl-lanes"), func() templ.Component {
		p.redraw = true
		p.book()
		return timeline.LaneList(p.model.LaneViews())
	})
	p.app.RenderFunc(doc.GetElementByID("tl-chains"), func() templ.Component {
		return timeline.ChainList(p.model.ChainViews(time.Now(), p.scene.Compact))
	})
	p.app.RenderFunc(doc.GetElementByID("tl-collections"), func() templ.Component {
		return timeline.Collections(p.model.Collections())
	})
	if p.paused {
		p.renderTools()
	}
	if len(p.opened) > 0 {
		p.tables.later()
	}
	for _, c := range p.model.Chains.List {
		if c.Token != "" && c.Gone == "" {
			p.ages.later()
			break
		}
	}
}

// tick renews the ages of tokens, while there are tokens.
func (p *timelinePanel) tick() {
	if !js.Global().Get("document").Get("hidden").Bool() && p.showPage && !p.paused {
		p.app.RenderFunc(p.app.Doc.GetElementByID("tl-chains"), func() templ.Component {
			return timeline.ChainList(p.model.ChainViews(time.Now(), p.scene.Compact))
		})
	}
	for _, c := range p.model.Chains.List {
		if c.Token != "" && c.Gone == "" {
			p.ages.later()
			return
		}
	}
}

func (p *timelinePanel) renderTables() {
	doc := p.app.Doc
	if p.opened["tl-ruler-table"] {
		lo, hi := p.cam.View.Range()
		hi = min(hi, p.model.Head())
		lo = max(lo, 1)
		p.app.Render(doc.GetElementByID("tl-ruler-table"), timeline.RevisionTable(p.model.RevisionRows(lo, hi), lo, hi))
	}
	if p.opened["tl-lanes-table"] {
		p.app.Render(doc.GetElementByID("tl-lanes-table"), timeline.LaneTable(p.model.LaneViews(), p.model.LaneRows()))
	}
	if p.opened["tl-pages-table"] {
		p.app.Render(doc.GetElementByID("tl-pages-table"), timeline.PageTable(p.model.ChainViews(time.Now(), p.scene.Compact)))
	}
}

func (p *timelinePanel) renderTools() {
	t := timeline.ToolsView{Following: p.cam.Following(), Paused: p.paused, Table: p.opened["tl-ruler-table"]}
	if p.paused {
		t.Waiting = p.model.Head() - p.scene.Until
	}
	p.app.Render(p.app.Doc.GetElementByID("tl-tools"), timeline.Tools(t))
}

func (p *timelinePanel) renderReadout() {
	rev := p.scene.Selected
	if p.pointed != 0 {
		rev = p.pointed
	}
	p.app.Render(p.app.Doc.GetElementByID("tl-readout"), timeline.Readout(p.model.Readout(rev)))
}

// due is work that is done once, some time after it was asked for.
type due struct {
	wait   time.Duration
	run    func()
	booked bool
}

func (d *due) later() {
	if d.booked {
		return
	}
	d.booked = true
	time.AfterFunc(d.wait, func() {
		d.booked = false
		d.run()
	})
}
