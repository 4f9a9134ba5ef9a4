package app

import (
	"errors"
	"time"

	"github.com/a-h/templ"

	"github.com/tabernetes/tabernetes/core/settings"
	"github.com/tabernetes/tabernetes/web/course"
	"github.com/tabernetes/tabernetes/web/tap"
)

// Request is one API request.
type Request struct {
	Method string
	Path   string // path and query
	Header []tap.Field
	Body   string
	// Bytes says that Body is no text.
	Bytes bool
	// Origin is put on the tap events: "console", "lesson", "sample", "setup", "lever".
	Origin string
	// Quiet requests are the lab's own bookkeeping: they are not tapped.
	Quiet bool
	// Target is where it goes: "room", "tab", or empty: where the page's requests go.
	Target string
}

// Response is an API server's answer.
type Response struct {
	Request int // the tap's id; 0 of a quiet request
	Status  int
	Header  []tap.Field
	Body    string
}

// Get returns the first header of that name, in any case.
func (r Response) Get(name string) string { return tap.Get(r.Header, name) }

// ErrAborted is the error of a request whose context was cancelled.
var ErrAborted = errors.New("aborted")

// Press is a key that was pressed, or the modifiers alone that were held at another event.
type Press struct {
	Key                            string
	Shift, Alt, Ctrl, Meta, Repeat bool
}

// A Drawing is the id of an element, and what makes its content.
type Drawing struct {
	ID   string
	Make func() templ.Component
}

// State is the state of the server in the tab, as the shim reports it.
type State struct {
	Phase      string // "loading", "ready", "crashed", "damaged"
	Persistent bool   // the cluster is kept between visits
	Evictable  bool   // the browser has not promised to keep it
	SecondTab  bool   // another tab has the saved cluster; this one is a copy in memory
	Tab        string // what this tab is called among the Tabs that share the cluster
	Tabs       int
	SetAside   string // name of an unreadable saved state that was put away
	Problem    string // what was wrong with it, or why nothing is kept
	Target     string // "tab", "devserver", "room" or "scene"
	Place      string // names the cluster that this is, as tap.Event.Place does
}

// The events of the Bus, beside tap.Event (every event of every request that is
// tapped, from the page's first on), revisions.Frame (every frame of the
// cluster's revisions stream; those that came before come again only if the
// cluster is another one) and State (now and whenever it changes).

// Compose asks for a request to be put into the console, unsent.
type Compose struct{ Request }

// Requesting says that a request is about to be made whose answer is to be shown.
type Requesting struct{ Request }

// EntryChanged says that a request of the log has changed by a tap event; by a commit, if that has no Type.
type EntryChanged struct {
	*tap.Exchange
	Event tap.Event
}

// A Selection is the one thing that is chosen in the whole page: a request, a
// revision, or an object. Everything that belongs to it lights up. The zero
// Selection means that nothing is chosen.
type Selection struct {
	Request  int    // the tap's id
	Revision int64  // the first of the revisions, if it stands for several
	Last     int64  // the last of them; 0: only Revision
	Object   string // as in data-ref, "obj-pods/default/web"
	Lane     string // of a watch's event: the lane
	Told     string // of a revision: who made the request and which clients got an event, in words
}

// Selected says that something was chosen, or let go of. From names the panel in
// which it was: it has shown it already.
type Selected struct {
	Selection
	From string
}

// LaneNamed says in which lane of the stage a watch is drawn.
type LaneNamed struct {
	Request int
	Lane    string
}

// A LaneState is what can be done with a lane of the stage.
type LaneState struct {
	ID      string
	Request int // of its newest connection
	Server  int
	Over    bool
	Resume  int64 // the version to resume from; 0: none
	Expired bool  // a 410: only a new list helps
}

// LanesChanged says which lanes there are on the stage, or that one of them has begun or ended.
type LanesChanged struct{ Lanes []LaneState }

// LaneAct asks the stage to do something with a lane.
type LaneAct struct{ Lane, Act string }

// The acts of a LaneAct.
const (
	CutLane    = "cut"    // break its connection, as a network does
	CloseLane  = "close"  // have its client close it
	ResumeLane = "resume" // watch again, from its resume point
	ListLane   = "list"   // list, and watch from there
)

// A Sentence is what the presenter's line says: Text, in which `code` is marked as in Markdown, and its sign on the
// stage (stage.Sign). No Text: nothing.
type Sentence struct{ Sign, Text string }

// Narrated is what can be said of the stage: the last thing that happened there, and what is chosen.
type Narrated struct{ News, Chosen Sentence }

// Judged is the verdict on the answer of the newest request that a person or a script of the page has made.
type Judged struct {
	Request    int
	Sign, Text string
}

// GoalRequests are the requests that count for the goal of the lesson's step: their ids in the log, the number of the
// first of them, and how many are enough. None: there is no goal, or nothing was asked yet.
type GoalRequests struct {
	IDs           []int
	First, Fewest int
}

// SceneAt says which scene plays, and where it is; the zero SceneAt: none plays. App.Scene keeps it.
type SceneAt struct {
	ID, Title string
	// Step is how many of the Steps are done, Shown how many of them the playhead shows.
	Step, Shown, Steps int
	// Says is the sentence of the step that is shown, in which `code` is marked as in Markdown.
	Says string
	// Next is what Space does.
	Next string
	// Busy: a step is under way. Auto: it plays by itself. Bad: Says is what went wrong. Touched: a person has done
	// something since Says came. Intro: it is what a first visit begins with.
	Busy, Auto, Bad, Touched, Intro bool
}

// PlayScene asks for a scene to be played from its beginning, one of an ID or that of a Source, or else for an Act.
// With an ID the act AutoPlay has it play by itself.
type PlayScene struct {
	ID, Source string
	Act        string
}

// The acts of a PlayScene.
const (
	NextStep   = "next"
	BackStep   = "back"
	AutoPlay   = "auto"
	LeaveScene = "leave"
)

// A LaneNote is a client's note beside the lane of its watch on the stage, in a few words; none: nothing. Bad:
// something is wrong.
type LaneNote struct {
	Request int
	Words   string
	Bad     bool
}

// LessonBegun says that a lesson, or a situation to practise with, begins: what it starts with is made next.
type LessonBegun struct{ ID string }

// Forking says that the cluster is about to become another one, as this one was at a revision; 0: it did not. Head is
// the newest revision of the one that is left.
type Forking struct{ At, Head int64 }

// AskWindows asks for revisions.Windows, which are published when the API servers have said what they remember.
type AskWindows struct{}

// Related says what the pointer or the focus is on, as the names in data-ref.
type Related struct{ Refs []string }

// OpenObject asks for an object to be shown; Ref is as in data-ref without "obj-".
type OpenObject struct{ Ref string }

// ShowBeside asks for something to be shown in the place of an answer, beside the panel that it is from. Ref names it.
// Again says that it has changed: it is drawn if it is still shown.
type ShowBeside struct {
	Ref        string
	Again      bool
	Head, Body func() templ.Component
}

// ShowRepresentations asks for an object to be shown in all its representations. Ref is as in data-ref without "obj-",
// Path the object's; Title is the object's title.
type ShowRepresentations struct{ Ref, Path, Title string }

// GoTo asks for a revision to be brought into view on the stage, and chosen.
type GoTo struct{ Revision int64 }

// Travel says that everything is to be shown as of a revision; 0: as it is now.
type Travel struct{ At int64 }

// CatalogChanged says that the resource types have changed.
type CatalogChanged struct{}

// ClusterChanged says that the cluster is another one than before: nothing that was known of it holds. What was asked
// before the first one was known was asked of that.
type ClusterChanged struct{}

// Applied is the outcome of applying one object of a manifest.
type Applied struct {
	Line   int // of the manifest
	Name   string
	Result string // "created", "configured", "unchanged", "failed"; empty: under way
	Text   string // the error
	Refs   string
}

// Applying is the progress of applying a manifest.
type Applying struct{ Rows []Applied }

// RunAct asks for one of the control plane's acts, with parameters, of which Value says in words what it is done with.
type RunAct struct {
	Act        settings.Act
	Parameters settings.Values
	Value      string
}

// ChangeSetting asks for a setting of the control plane to be changed by a merge patch. Back is the patch that undoes
// it and Label its name there; Done is announced when it is done.
type ChangeSetting struct{ Patch, Back, Label, Done string }

// LessonAt says where the learner is now in the open lesson: at a step, from 0, of so many; as many for its end. Right
// and Wrong count the predictions whose outcome is known. App.Lesson keeps it.
type LessonAt struct {
	ID                        string
	Step, Steps, Right, Wrong int
	// Mistakes are the predictions that were wrong, as course.Mistakes writes them.
	Mistakes string
}

// RoomExam is the exam that is open in the room, as the room says, and how far this page's member is in it, as the
// lessons say. App.Exam keeps it.
type RoomExam struct {
	Open   *course.ClassExam
	Report string
	// Shown says that a question of it is on the page, Over that the page is in the room no longer.
	Shown, Over bool
}

// RoomChanged says that something was learnt of the room.
type RoomChanged struct{}

// OpenLesson asks for a lesson to be shown at a step, from 0. It begins nothing.
type OpenLesson struct {
	ID   string
	Step int
}

// ClusterKept says that the tab's own cluster was kept as one of the page's snapshots, before another took its place.
type ClusterKept struct {
	Snapshot int
	Name     string
}

// RoomBack says that the connection to the room is back, which was lost at a time.
type RoomBack struct{ Lost time.Time }

// UndoOffer says what can be undone now; the zero offer: nothing.
type UndoOffer struct {
	Label string // "compacted to 26"
	Title string // what would be lost
}

// Unfolded says whether managedFields are to be shown in full.
type Unfolded struct{ On bool }

// A Panel is a row of the lab's table of panels.
type Panel struct {
	ID    string // of the element "panel-<id>", of its tab, and for App.Open
	Title string
	// Key is the digit that moves the focus to the panel, with Alt; "" for none.
	Key    string
	Region Region
	// With is the panel in whose tab this one lies, of the dock; "": it has its own.
	With string
	// Render is the panel as it is before anything has loaded; nil where there is a page.
	Render func() templ.Component
	// Start runs the panel; nil where there is no page.
	Start func(*App)
}

// Region is where a panel lies.
type Region string

// The regions.
const (
	Lesson Region = "lesson" // the column at the left
	Left   Region = "left"   // opens in the lesson's place; one at a time
	Stage  Region = "stage"  // the picture
	Dock   Region = "dock"   // below it, at the left: one of several tabs
	Answer Region = "answer" // below it, at the right: what is chosen
	Over   Region = "over"   // opens in the place of stage and dock
	Edge   Region = "edge"   // at the lower edge of the window: in the presenter, and while a scene plays
	Menu   Region = "menu"   // opens over the others
	Header Region = "header"
)
