package app

import (
	"context"

	"github.com/tabernetes/tabernetes/web/catalog"
	"github.com/tabernetes/tabernetes/web/course"
	"github.com/tabernetes/tabernetes/web/revisions"
	"github.com/tabernetes/tabernetes/web/room"
	"github.com/tabernetes/tabernetes/web/tap"
)

// App is the running lab: what panels share.
type App struct {
	screen

	// Bus carries the events that panels send to each other.
	Bus *Bus

	last State
	// Catalog is what discovery says of the cluster.
	Catalog *catalog.Catalog
	// Seen is what the lab has learnt of the cluster on the way, and away what it has of others, by their places.
	Seen *Seen
	away map[string]*Seen
	// Called is what servers call the page, in the commits of its requests.
	Called string
	// Requests are all requests of the page, of all clusters.
	Requests *tap.Log

	showing int // views that are to be shown, once the cluster is known

	// Selection is what is chosen, At the revision that is travelled to; 0: live.
	Selection Selection
	At        int64

	// Lesson is where the learner is, Scene where the scene is that plays.
	Lesson LessonAt
	Scene  SceneAt

	// Room is the room that the page is in; nil: none. Requests may go elsewhere all the same: see InRoom.
	Room *room.State

	// Kubectl says that lessons and scenes are done with kubectl, where it can do the same as their requests.
	Kubectl bool

	// Exam is the exam of a class.
	Exam RoomExam
	// Closed says why people's own requests are refused; empty: they are not.
	Closed string

	course *course.Index

	// refollow makes the revisions stream be opened again.
	refollow func()
}

// begin returns the lab of a page, whose requests go to a place.
func begin(s screen, place, called string) *App {
	a := &App{
		screen: s, Bus: &Bus{}, Called: called,
		Catalog: &catalog.Catalog{}, Requests: &tap.Log{}, Seen: &Seen{}, away: map[string]*Seen{},
	}
	a.last.Place = place
	a.see()
	a.log()
	return a
}

// log keeps the requests of the page.
func (a *App) log() {
	On(a.Bus, func(ev tap.Event) {
		if e := a.Requests.Add(ev); e != nil {
			Emit(a.Bus, EntryChanged{e, ev})
		}
	})
	On(a.Bus, func(f revisions.Frame) {
		if f.Commit == nil {
			return
		}
		if id := f.Commit.By(a.Called); id > 0 {
			if e := a.Requests.Wrote(id, f.Commit.Revision); e != nil {
				Emit(a.Bus, EntryChanged{Exchange: e})
			}
		}
	})
}

// Here reports whether a request was made of the cluster that is shown, so that its revisions are those of the lab.
func (a *App) Here(x *tap.Exchange) bool {
	return x != nil && x.Place == a.last.Place && x.Started.After(a.Seen.Since)
}

// Left reports whether a revision that a request wrote or read is one of a cluster that was left, and which the cluster
// that is shown does not share: it has another one of that number, or will have.
func (a *App) Left(x *tap.Exchange, revision int64) bool {
	return x.Place == a.last.Place && !x.Started.After(a.Seen.Since) && revision > a.Seen.Forked
}

// Announce announces text to screen readers. Calls within a second are joined.
func (a *App) Announce(text string) { a.Page.Call("announce", text, false) }

// Alert announces text to screen readers at once: for errors.
func (a *App) Alert(text string) { a.Page.Call("announce", text, true) }

// Toast shows text for a moment.
func (a *App) Toast(text string) {
	a.Page.Call("toast", text)
	a.Announce(text)
}

// Open brings the panel of that name into view: its tab, and its place if
// another panel is enlarged over it.
func (a *App) Open(panel string) { a.Page.Call("open", panel) }

// Select sets the selection; from names the panel that did it.
func (a *App) Select(s Selection, from string) {
	a.Selection = s
	Emit(a.Bus, Selected{s, from})
}

// Travel shows everything as of a revision; 0: as it is now.
func (a *App) Travel(at int64) {
	if a.At != at {
		a.At = at
		Emit(a.Bus, Travel{at})
	}
}

// Copy puts text on the clipboard; what names it in the message.
func (a *App) Copy(s, what string) {
	a.Page.Call("copy", s)
	a.Toast("Copied " + what)
}

// Send makes a request and shows its answer. It does not block. The answer
// reaches the panels through the tap, as every other does.
func (a *App) Send(r Request) {
	if r.Origin == "" {
		r.Origin = "console"
	}
	Emit(a.Bus, Requesting{r})
	a.Page.Call("showAnswer")
	go a.Stream(context.Background(), r, nil, nil)
}

// Forget has the page forget its requests of the cluster that is shown, those from before a reload, too.
func (a *App) Forget() {
	a.Requests.Drop(func(x *tap.Exchange) bool { return x.Place == a.last.Place })
	a.shim("forget", a.last.Place)
}
