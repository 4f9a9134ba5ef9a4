//go:build !js

package lesson

import (
	"encoding/json"
	"maps"
	"net/http"
	"os"
	"slices"
	"strings"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"github.com/tabernetes/tabernetes/web/app"
	"github.com/tabernetes/tabernetes/web/course"
	"github.com/tabernetes/tabernetes/web/lesson/format"
	"github.com/tabernetes/tabernetes/web/lesson/play"
	"github.com/tabernetes/tabernetes/web/revisions"
	"github.com/tabernetes/tabernetes/web/room"
	"github.com/tabernetes/tabernetes/web/tap"
)

// texts is a store.
type texts map[string]string

func (s texts) get(key string) string { return s[key] }
func (s texts) set(key, value string) { s[key] = value }

// A home is what stays between visits.
type home struct {
	server http.Handler
	kept   texts
	clock  time.Time
}

// A visit is a page with the panel, in a bubble's time, whose requests go to a server.
type visit struct {
	*lessonPanel
	*home
	t     *testing.T
	sheet *sheet
	// said is what was announced, opened the panels, copied and downloaded the texts; sent are the requests, with their
	// origin; ran are kubectl's commands.
	said, opened, copied, downloaded, sent, ran []string
	state                                       app.State
	inRoom                                      *room.State
	commits                                     revisions.Log
	class                                       *course.ClassExam
	reported, closedBy                          string
	onPage                                      bool
	where                                       app.LessonAt
	// refused are requests that fail, by method and path, with what they are answered.
	refused map[string]string
	// missing are files that the site does not have.
	missing map[string]bool
	// putBack and terminal fail with these.
	putBackFails, terminalFails error
	// judged are what the judge says, one after another; judging is called before, and may be nil.
	judging func()
	judged  []string

	mu       sync.Mutex // held while sleepers is looked at
	sleepers []sleeper
	due      bool       // recheck is
	turn     sync.Mutex // held while a request that is answered at once is under way
	lastID   int
	streams  []chan chan bool // of streams, each of which is given its turn to hand on what has come
}

// lessonFile returns a lesson for tests.
func lessonFile(t *testing.T, id string) string {
	t.Helper()
	text, err := os.ReadFile("testdata/" + id + ".md")
	if err != nil {
		t.Fatal(err)
	}
	return string(text)
}

// courseOf returns a course of the test's lessons, one of which was a template once.
func courseOf(t *testing.T) *course.Index {
	t.Helper()
	x := &course.Index{}
	for i, id := range []string{"one", "two", "three"} {
		l, err := format.ParseAs(id, id+".md", lessonFile(t, id))
		if err != nil {
			t.Fatal(err)
		}
		e := course.Entry{ID: id, Title: l.Title, Part: l.Part, Minutes: l.Minutes, Number: i + 1}
		for _, s := range l.Steps {
			e.Steps = append(e.Steps, s.Title)
		}
		x.Lessons = append(x.Lessons, e)
	}
	for _, id := range []string{"spare", "names"} {
		x.Templates = append(x.Templates, course.Template{ID: id, Title: id, Lesson: "one", Step: 2, Exam: format.Asked,
			Seeds: seeds})
	}
	return x
}

// seeds is how many situations the templates have.
const seeds = 3

// deckOf returns a template of which all situations are the same.
func deckOf(t *testing.T, id string) string {
	t.Helper()
	source := strings.ReplaceAll(lessonFile(t, "question"), "NAME", id)
	l, err := format.ParseAs(id, id+".md", source)
	if err != nil {
		t.Fatal(err)
	}
	d := course.Deck{ID: id, Source: source, Rows: make([][][]int, seeds), Order: [][]int{nil}}
	for i, text := range l.Texts() {
		d.HTML, d.Order[0] = append(d.HTML, text.Markdown), append(d.Order[0], i)
	}
	b, err := json.Marshal(d)
	if err != nil {
		t.Fatal(err)
	}
	return string(b)
}

// inBubble runs a test in a bubble, with a visit that is the first one.
func inBubble(t *testing.T, test func(t *testing.T, v *visit)) {
	t.Helper()
	synctest.Test(t, func(t *testing.T) {
		c, err := play.Cluster(1)
		if err != nil {
			t.Fatal(err)
		}
		t.Cleanup(func() { c.Close() })
		synctest.Wait() // for what the controllers make in a new cluster
		test(t, newVisit(t, &home{c, texts{}, time.Unix(1e9, 0)}, ""))
	})
}

// newVisit opens the page at a place of the address.
func newVisit(t *testing.T, h *home, hash string) *visit {
	t.Helper()
	v := &visit{home: h, t: t, refused: map[string]string{}, missing: map[string]bool{},
		state: app.State{Phase: "ready", Target: "tab"},
		sheet: &sheet{hash: hash, counts: map[string]string{}, articles: map[string]*leaf{}}}
	v.lessonPanel = &lessonPanel{lab: tabOf{v}, store: h.kept, column: v.sheet, bus: &app.Bus{}, requests: &tap.Log{},
		index: courseOf(t), draw: func(int) int { return 1 }}
	v.now, v.after = func() time.Time { return v.clock }, v.wait
	v.sheet.visit, v.checkSoon = v, func() { v.due = true }
	v.restore()
	a, err := v.sheet.insert("one", lessonFile(t, "one"))
	if err == nil {
		err = v.adopt("one", a)
	}
	if err != nil {
		t.Fatal(err)
	}
	v.paintEntries()
	v.examChanged()
	v.openFirst()
	v.lessonPanel.welcome()
	v.listen()
	v.settle()
	v.meet("cluster")
	v.settle()
	t.Cleanup(v.close)
	return v
}

// again returns the visit after the page was loaded again.
func (v *visit) again(hash string) *visit {
	v.t.Helper()
	v.leave()
	v.close()
	return newVisit(v.t, v.home, hash)
}

// close ends what is under way.
func (v *visit) close() {
	for _, run := range slices.Collect(maps.Values(v.running)) {
		run.stop()
	}
	if v.endRedo != nil {
		v.endRedo()
	}
	v.settle()
}

// meet says which cluster the requests go to.
func (v *visit) meet(id string) {
	app.Emit(v.bus, revisions.Frame{State: &revisions.State{Cluster: id}})
}

// A sleeper waits until it is time.
type sleeper struct {
	until time.Time
	wake  chan time.Time
}

// wait is the panel's time.After.
func (v *visit) wait(d time.Duration) <-chan time.Time {
	v.mu.Lock()
	defer v.mu.Unlock()
	s := sleeper{v.clock.Add(d), make(chan time.Time)}
	v.sleepers = append(v.sleepers, s)
	return s.wake
}

// settle waits until all that follows from what was done has happened, in a fixed order: also what streams send, and
// what is done after a while.
func (v *visit) settle() {
	for idle := false; !idle; {
		synctest.Wait()
		idle = true
		for _, turn := range slices.Clone(v.streams) {
			done := make(chan bool)
			turn <- done
			idle = !<-done && idle
			synctest.Wait()
		}
		if len(v.sleepers) > 0 {
			next := slices.MinFunc(v.sleepers, func(a, b sleeper) int { return a.until.Compare(b.until) })
			v.sleepers = slices.DeleteFunc(v.sleepers, func(s sleeper) bool { return s == next })
			v.clock, idle = next.until, false
			select {
			case next.wake <- v.clock:
			default: // nobody waits any more
			}
			synctest.Wait()
		}
		if v.due {
			v.due, idle = false, false
			v.recheck()
		}
	}
}

// do acts as a person does, and waits for what follows.
func (v *visit) do(name string, o origin) {
	v.t.Helper()
	v.act(name, o)
	v.settle()
}

// act acts as a person does.
func (v *visit) act(name string, o origin) {
	v.t.Helper()
	i := slices.IndexFunc(acts, func(a act) bool { return a.name == name })
	if i < 0 {
		v.t.Fatalf("nothing acts on %s", name)
	}
	acts[i].on(v.lessonPanel, o)
}

// press runs a request of the open lesson.
func (v *visit) press(at string) { v.do("lesson-run", origin{lesson: v.open.id(), at: at}) }

// leaf returns the article of a document.
func (v *visit) leaf(id string) *leaf {
	v.t.Helper()
	l := v.sheet.articles[id]
	if l == nil {
		v.t.Fatalf("there is no article of %s", id)
	}
	return l
}

// takeSent returns the requests since the last call.
func (v *visit) takeSent() []string {
	sent := v.sent
	v.sent = nil
	return sent
}
