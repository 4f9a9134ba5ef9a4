package lesson

import (
	"context"
	"encoding/json"
	"errors"
	"net/http"
	"slices"
	"strconv"
	"strings"
	"sync"
	"time"

	"github.com/tabernetes/tabernetes/core/wellknown"
	"github.com/tabernetes/tabernetes/web/app"
	"github.com/tabernetes/tabernetes/web/lesson/format"
	"github.com/tabernetes/tabernetes/web/lesson/session"
	"github.com/tabernetes/tabernetes/web/lesson/view"
)

// lessonSettings are what the panel keeps of the control plane's settings.
type lessonSettings struct {
	// cluster is the one that requests go to; known is closed when it is known.
	cluster string
	known   chan struct{}
	record  lessonRecord
	// restored reports whether the lesson that is open has restored a saved cluster, which will have
	// another name.
	restored bool
	// busy is held while a lesson is set up, or what it has made is deleted.
	busy sync.Mutex
}

// A lessonRecord is kept over visits: which lesson has set the control plane's settings, and what they were before.
type lessonRecord struct {
	Cluster string
	// Lesson is the lesson that was begun last, or the template of the question, whose Seed is
	// not 0.
	Lesson string
	Seed   int
	Before format.Settings
	// Namespaces are those of a level, which may not be kept any more when another lesson begins.
	Namespaces []string
	// Revision is that of the cluster when the lesson began.
	Revision int64
	// Making says that what the lesson starts with is not all made yet: a visit may end in the middle of that.
	Making bool
}

// keptRecord returns the record of an earlier visit; an empty one where nothing is kept, or by an older version.
func (p *lessonPanel) keptRecord() lessonRecord {
	var r lessonRecord
	if err := json.Unmarshal([]byte(p.store.get("lesson-settings")), &r); err != nil {
		return lessonRecord{}
	}
	return r
}

func (p *lessonPanel) keepRecord(r lessonRecord) {
	p.settings.record = r
	if b, err := json.Marshal(r); err == nil && r.Cluster != "" {
		p.store.set("lesson-settings", string(b))
	}
}

// clusterWait limits how long a lesson's start waits to learn which cluster
// it is in, after that has answered: nothing is kept over visits then.
const clusterWait = 2 * time.Second

// setCluster takes the id of the cluster. If it is another one, what was noted of the old one no longer holds.
func (p *lessonPanel) setCluster(id string) {
	if id == "" || id == p.settings.cluster {
		return
	}
	first := p.settings.cluster == ""
	if p.settings.restored && p.open != nil {
		p.settings.restored = false
		p.open.session.AdoptCluster(id)
		if r := p.settings.record; r.Cluster == p.settings.cluster {
			r.Cluster = id
			p.keepRecord(r)
		}
	}
	p.settings.cluster = id
	if first {
		close(p.settings.known)
	}
	lost := false
	for _, d := range p.docs {
		if d.session.SetCluster(id) {
			lost = lost || d == p.open
			d.session.Recheck()
			p.paintSteps(d)
		}
		if d.session.Passed() > 0 {
			p.save(d)
		}
	}
	if lost {
		p.say(view.Notice{
			Text: "This is not the same cluster as before: versions that you noted there are meaningless here. " +
				"Start the lesson over.",
			Action: "lesson-restart", Label: "Start over",
		})
	}
	p.paint()
	if first {
		go p.compareSettings()
	}
}

// begin sets what a lesson requires, makes what it starts with, and deletes and resets what the
// one before it has made and changed, unless the lesson has begun already; over does it in any
// case. It blocks. If something fails, the bar says so.
func (p *lessonPanel) begin(d *document, over bool) {
	if p.guest() {
		return
	}
	p.settings.busy.Lock()
	defer p.settings.busy.Unlock()
	if p.begun(d) && !over {
		return
	}
	p.beginLocked(d, over, d.session.Current())
}

// rebuild restores the state before a step, whatever has happened. It blocks.
func (p *lessonPanel) rebuild(d *document, step int) {
	if p.refuseGuest() {
		return
	}
	p.settings.busy.Lock()
	defer p.settings.busy.Unlock()
	p.beginLocked(d, true, step)
}

func (p *lessonPanel) beginLocked(d *document, over bool, step int) {
	now, revision, err := p.readControlPlane()
	if err != nil {
		p.say(view.Notice{Text: "The settings could not be read: " + err.Error()})
		return
	}
	select {
	case <-p.settings.known:
	case <-p.after(clusterWait):
	}
	if p.begun(d) && !over { // by an earlier visit, in the cluster that is known now
		return
	}
	r := p.settings.record
	if r.Cluster != p.settings.cluster || r.Lesson == "" {
		r = lessonRecord{Cluster: p.settings.cluster, Before: now, Revision: revision}
	} else if err := p.tidyBefore(r, d); err != nil {
		p.say(view.Notice{Text: "What was set up before this could not be deleted: " + err.Error()})
	} else if !p.begun(d) { // Revision is that of the cluster without what the other lesson made
		if _, revision, err = p.readControlPlane(); err == nil {
			r.Revision = revision
		}
	}
	r.Lesson, r.Seed, r.Namespaces = d.id(), 0, nil
	if format.IsLevel(r.Lesson) {
		r.Namespaces = d.lesson.Namespaces
	}
	if d.question != nil {
		r.Seed = d.question.Seed
	}
	change := format.Changes(now, r.Before, d.lesson.Requires)
	if change.Patch != "" {
		if err := p.patchSettings(change.Patch); err != nil {
			p.say(view.Notice{Text: "The settings could not be changed: " + err.Error()})
			return
		}
	}
	app.Emit(p.bus, app.LessonBegun{ID: r.Lesson + " " + strconv.Itoa(r.Seed)})
	r.Making = true
	p.keepRecord(r)
	text, err := p.make(d, step)
	var failed *session.SetupError
	if errors.As(err, &failed) && failed.Step < 0 {
		p.say(view.Notice{Text: "The setup has failed: " + failed.Err.Error(), Action: "lesson-restart",
			Label: "Start over"})
		return
	}
	r.Making = false
	p.keepRecord(r)
	if err != nil {
		p.say(view.Notice{Text: "Not everything could be set up again: " + err.Error(), Action: "lesson-restart",
			Label: "Start over"})
		return
	}
	if text == "" {
		text = change.Words()
	}
	if text != "" && d == p.open && p.asked(d) == nil { // in the exam the question has the room
		p.say(view.Notice{Text: text})
	}
}

// tidyBefore removes what the lesson of a record has made, unless it is the one that begins, which does that itself.
func (p *lessonPanel) tidyBefore(r lessonRecord, next *document) error {
	if r.Lesson == "" || r.Lesson == next.id() && r.Seed == 0 {
		return nil
	}
	d, err := p.recorded(r)
	if err != nil || d == next {
		return err
	}
	return d.session.Tidy(context.Background(), p.transport(nil))
}

// recorded returns the document of a record. It blocks.
func (p *lessonPanel) recorded(r lessonRecord) (*document, error) {
	if format.IsLevel(r.Lesson) { // it leaves nothing outside of its namespaces
		l := &format.Lesson{ID: r.Lesson, Namespaces: r.Namespaces}
		return &document{lesson: l, session: session.New(l, session.Progress{}, p.requests)}, nil
	}
	if r.Seed == 0 {
		return p.load(r.Lesson)
	}
	deck, err := p.deck(r.Lesson)
	if err != nil {
		return nil, err
	}
	l, err := deck.Situation(r.Seed)
	if err != nil {
		return nil, err
	}
	return &document{lesson: l, session: session.New(l, session.Progress{}, p.requests)}, nil
}

// begun reports whether a lesson has set what it requires and made what it starts with.
func (p *lessonPanel) begun(d *document) bool {
	r := p.settings.record
	seed := 0
	if d.question != nil {
		seed = d.question.Seed
	}
	return r.Lesson == d.id() && r.Seed == seed && r.Cluster == p.settings.cluster && !r.Making
}

// compareSettings shows a notice when the cluster is not as the open lesson, which was not begun, requires. It changes
// nothing by itself: the learner may have other plans than a lesson.
func (p *lessonPanel) compareSettings() {
	d := p.open
	if d == nil || p.begun(d) || d.session.Current() == len(d.lesson.Steps) {
		return
	}
	now, err := p.readSettings()
	if err != nil || p.notice.Text != "" {
		return
	}
	if change := format.Changes(now, now, d.lesson.Requires); len(change.Set) > 0 {
		p.say(view.Notice{
			Text:   "Other settings are needed here: " + strings.Join(change.Set, ", ") + ".",
			Action: "lesson-set", Label: "Set them",
		})
	}
}

// offerTidyUp offers at a lesson's end to remove what it has made and to restore settings. The first look has one way
// on, which does that.
func (p *lessonPanel) offerTidyUp() {
	d := p.open
	if d == nil || !p.begun(d) || p.guest() || p.firstLook(d) {
		return
	}
	now, err := p.readSettings()
	if err != nil {
		return
	}
	change := format.Changes(now, p.settings.record.Before, nil)
	if change.Patch == "" && len(d.lesson.Namespaces)+len(d.lesson.Restore) == 0 || d.shown != len(d.lesson.Steps) {
		return
	}
	text := "What was set up here can be deleted now"
	if len(d.lesson.Namespaces) > 0 {
		text += ": " + namespaceWords(d.lesson.Namespaces)
	}
	if len(change.Restored) > 0 {
		text += ", and the settings reset"
	}
	p.say(view.Notice{
		Text: text + ". The next lesson does that, too.", Action: "lesson-give-back", Label: "Tidy up",
		Other: "lesson-put-back", OtherLabel: "Restore everything",
	})
}

func namespaceWords(names []string) string {
	quoted := slices.Clone(names)
	if len(names) == 1 {
		return "the namespace " + quoted[0]
	}
	return "the namespaces " + strings.Join(quoted, ", ")
}

// tidyUp removes what a lesson has made, and restores the settings that it has changed.
func (p *lessonPanel) tidyUp() {
	if p.refuseGuest() {
		return
	}
	p.settings.busy.Lock()
	defer p.settings.busy.Unlock()
	r := p.settings.record
	if r.Lesson == "" || r.Cluster != p.settings.cluster {
		return
	}
	d, err := p.recorded(r)
	if err == nil {
		err = d.session.Tidy(context.Background(), p.transport(nil))
	}
	now, readErr := p.readSettings()
	if err = errors.Join(err, readErr); err == nil {
		if change := format.Changes(now, r.Before, nil); change.Patch != "" {
			err = p.patchSettings(change.Patch)
		}
	}
	if err != nil {
		p.say(view.Notice{Text: "Not everything could be deleted: " + err.Error()})
		return
	}
	p.keepRecord(lessonRecord{Cluster: r.Cluster})
	p.say(view.Notice{Text: "Everything is as it was before."})
}

// readControlPlane reads the settings, and the revision that the cluster has reached.
func (p *lessonPanel) readControlPlane() (format.Settings, int64, error) {
	res, err := p.lab.Fetch(context.Background(), app.Request{Method: "GET", Path: wellknown.ControlPlane, Quiet: true})
	if err == nil {
		err = refusal(res)
	}
	if err != nil {
		return nil, 0, err
	}
	var plane struct{ Status struct{ Revision int64 } }
	if err := json.Unmarshal([]byte(res.Body), &plane); err != nil {
		return nil, 0, err
	}
	s, err := format.ParseSettings(res.Body)
	return s, plane.Status.Revision, err
}

func (p *lessonPanel) readSettings() (format.Settings, error) {
	s, _, err := p.readControlPlane()
	return s, err
}

// patchSettings makes the request that sets settings. It stands among the requests as the
// setup's do.
func (p *lessonPanel) patchSettings(patch string) error {
	res, err := p.lab.Fetch(context.Background(), app.Request{
		Method: "PATCH", Path: wellknown.ControlPlane, Body: patch, Origin: string(session.FromSetup),
		Header: app.ContentType("application/merge-patch+json"),
	})
	if err != nil {
		return err
	}
	return refusal(res)
}

// refusal returns the error of an answer that is a failure.
func refusal(res app.Response) error {
	if res.Status < 400 {
		return nil
	}
	return errors.New(strconv.Itoa(res.Status) + " " + http.StatusText(res.Status) + ": " + app.Message(res.Body))
}
