package stage

import (
	"strconv"
	"strings"
	"time"

	"github.com/tabernetes/tabernetes/web/app"
	"github.com/tabernetes/tabernetes/web/panels/stage/timeline"
	"github.com/tabernetes/tabernetes/web/revisions"
	"github.com/tabernetes/tabernetes/web/tap"
)

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

	on      surface
	layout  layout
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
	parts   map[string]bool // programs whose clients have rows
	// onScreen are the clients that have them: those that wrote in the part on screen.
	onScreen map[*timeline.Writer]bool
	// opens is a program that has just been opened, and reveals one whose rows are to be in sight.
	opens, reveals string
	travel         travel
	hand           hand
	over           spot // where the pointer of a mouse was last
	levers         levers
	problem        string
	asking         asking
	pointed        time.Time   // when the pointer last moved over the stage
	lesson         string      // which one began last
	forking        app.Forking // the fork that is being made
	story          story
	rollout        rollout
}

// ofCluster is what belongs to one cluster, and is put away while requests go to another one. Events of its requests
// that are still open then reach its model all the same.
type ofCluster struct {
	model  *timeline.Model
	cam    *Camera
	opened map[int64]bool // folds that the user has opened, by their first revision
	notes  map[int]app.LaneNote
	forked app.Forking // the fork with which it began
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
	p.paused, p.hover, p.drawn = false, 0, 0
	sc.Model, sc.Notes, sc.Until = p.model, p.notes, 0
	sc.Forked, sc.Branch = p.forked.At, p.forked.Head
	p.rollout.begin, p.rollout.of, p.rollout.have = 0, timeline.Object{}, replicas{}
	p.choose(0)
	go p.readSettings()
}

// A surface is where the stage is drawn.
type surface interface {
	// plot makes a drawing on the axis hold what it shows, as SVG, if the drawing is there.
	plot(id, svg string)
	// frame has panel.draw called in the next animation frame.
	frame()
	// style sets a property of the stage's style.
	style(name, value string)
	// left returns where the axis begins, in pixels of the window.
	left() float64
	// tip shows words at a place, or none.
	tip(at spot, words string)
	// dragging shows that something is being dragged.
	dragging(on bool)
}

func start(a *app.App, on surface) *panel {
	p := &panel{App: a, on: on, place: a.State().Place, away: map[string]ofCluster{}, changed: true, follows: true}
	p.layout.lane, p.layout.program, p.layout.grow, p.layout.bin = LaneUnits, ProgramUnits, 1, 1
	p.ofCluster = p.of(p.place)
	p.parts = map[string]bool{}
	p.scene = Scene{Model: p.model, Notes: p.notes, U: 1, Kind: p.kind}
	p.lists = app.Later{Wait: 120 * time.Millisecond, Run: p.renderRows}
	p.tabled = app.Later{Wait: 400 * time.Millisecond, Run: p.renderTables}
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
	app.On(a.Bus, func(e app.Forking) { p.forking = e })
	app.On(a.Bus, p.resumeLost)
	app.On(a.Bus, func(e app.Related) { p.point(revisionIn(e.Refs)) })
	p.startAsking()
	p.startStory()
	p.startRollout()
	p.lists.Do()
	return p
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
	if f.Commit != nil {
		p.rolls(f.Commit)
	}
	if ch.Reset {
		clear(p.opened)
		clear(p.notes)
		p.forked, p.forking = p.forking, app.Forking{}
		p.clear()
		p.Travel(0)
		p.cam.Follow(true)
	}
	if f.State != nil && p.levers.set(f.State) {
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
		p.on.frame()
	}
}
