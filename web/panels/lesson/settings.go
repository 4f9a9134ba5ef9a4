//go:build js && wasm

package lesson

import (
	"context"
	"encoding/json"
	"errors"
	"net/http"
	"strconv"
	"strings"
	"time"

	"github.com/tabernetes/tabernetes/web/app"
	model "github.com/tabernetes/tabernetes/web/lesson"
)

// A lessonRecord is kept over visits: which lesson has set the control plane's
// settings, and what they were before.
type lessonRecord struct {
	Cluster, Lesson string
	Before          model.Settings
	// Left are the lessons that were left although their steps had set something
	// that the rest of them needs.
	Left []string
}

func loadRecord() lessonRecord {
	var r lessonRecord
	if err := json.Unmarshal([]byte(stored("lesson-settings")), &r); err != nil {
		return lessonRecord{} // nothing is kept, or by an older version
	}
	return r
}

func (p *lessonPanel) keepRecord(r lessonRecord) {
	p.settings.record = r
	if b, err := json.Marshal(r); err == nil && r.Cluster != "" {
		store("lesson-settings", string(b))
	}
}

// clusterWait bounds how long a lesson's start waits to be told which cluster
// it is in, after that has answered: nothing is kept over visits then.
const clusterWait = 2 * time.Second

// begin sets what a lesson requires and gives back what the one before it has
// changed, unless the lesson has begun already; anew does it in any case. It
// blocks. Where settings cannot be read or set, the bar says so.
func (p *lessonPanel) begin(i int, anew bool) {
	p.settings.busy.Lock()
	defer p.settings.busy.Unlock()
	l := p.lessons[i]
	if p.begun(i) && !anew {
		return
	}
	now, err := p.readSettings()
	if err != nil {
		p.say(model.Notice{Text: "What this lesson requires could not be read: " + err.Error()})
		return
	}
	select {
	case <-p.settings.known:
	case <-time.After(clusterWait):
	}
	if p.begun(i) && !anew { // by an earlier visit, in the cluster that is known now
		return
	}
	r := p.settings.record
	if r.Cluster != p.settings.cluster || r.Lesson == "" {
		r = lessonRecord{Cluster: p.settings.cluster, Before: now}
	}
	text := p.leave(&r, i, now, anew)
	r.Lesson = l.ID
	change := model.Changes(now, r.Before, l.Requires)
	if change.Patch != "" {
		if err := p.patchSettings(change.Patch); err != nil {
			p.say(model.Notice{Text: "What this lesson requires could not be set: " + err.Error()})
			return
		}
	}
	p.keepRecord(r)
	if text = strings.TrimSpace(change.Words() + " " + text); text != "" && i == p.open {
		p.say(model.Notice{Text: text})
	}
}

// begun reports whether a lesson has set what it requires.
func (p *lessonPanel) begun(i int) bool {
	r := p.settings.record
	return r.Lesson == p.lessons[i].ID && r.Cluster == p.settings.cluster
}

// leave notes whether the lesson that is left would need what its steps have
// set, and says it of the one that begins.
func (p *lessonPanel) leave(r *lessonRecord, i int, now model.Settings, anew bool) string {
	id := p.lessons[i].ID
	left := r.Left[:0:0]
	text := ""
	for _, other := range r.Left {
		if other != id {
			left = append(left, other)
		} else if s := p.sessions[i]; !anew && s.Passed() > 0 && s.Passed() < len(p.lessons[i].Steps) {
			text = "What its earlier steps had set was set back when you left it: start it over."
		}
	}
	if from := p.index(r.Lesson); from >= 0 && from != i {
		needs := r.Before.With(p.lessons[from].Requires)
		if !now.Equal(needs) && p.sessions[from].Current() < len(p.lessons[from].Steps) {
			left = append(left, r.Lesson)
		}
	}
	r.Left = left
	return text
}

// compareSettings says so when the cluster is not as the open lesson, which was
// not begun, requires. It changes nothing by itself: whoever comes back may
// have other plans than a lesson.
func (p *lessonPanel) compareSettings() {
	if p.begun(p.open) || p.session().Current() == len(p.lessons[p.open].Steps) {
		return
	}
	now, err := p.readSettings()
	if err != nil || p.notice.Text != "" {
		return
	}
	if change := model.Changes(now, now, p.lessons[p.open].Requires); change.Patch != "" {
		p.say(model.Notice{
			Text:   "This lesson needs other settings: " + strings.Join(change.Set, ", ") + ".",
			Action: "lesson-set", Label: "Set them",
		})
	}
}

// offerToGiveBack says at a lesson's end what can be given back.
func (p *lessonPanel) offerToGiveBack() {
	if !p.begun(p.open) {
		return
	}
	now, err := p.readSettings()
	if err != nil {
		return
	}
	change := model.Changes(now, p.settings.record.Before, nil)
	if change.Patch != "" && p.drawn[p.open].shown == len(p.drawn[p.open].steps) {
		p.say(model.Notice{
			Text:   "Settings can be as before the lesson: " + strings.Join(change.Restored, ", ") + ".",
			Action: "lesson-give-back", Label: "Set back",
		})
	}
}

// giveBack sets what a lesson has changed back as it was.
func (p *lessonPanel) giveBack() {
	p.settings.busy.Lock()
	defer p.settings.busy.Unlock()
	r := p.settings.record
	if r.Lesson == "" || r.Cluster != p.settings.cluster {
		return
	}
	now, err := p.readSettings()
	if err == nil {
		if change := model.Changes(now, r.Before, nil); change.Patch != "" {
			err = p.patchSettings(change.Patch)
			p.say(model.Notice{Text: change.Words()})
		}
	}
	if err != nil {
		p.say(model.Notice{Text: "What the lesson has changed could not be set back: " + err.Error()})
		return
	}
	p.keepRecord(lessonRecord{Cluster: r.Cluster, Left: r.Left})
}

func (p *lessonPanel) readSettings() (model.Settings, error) {
	res, err := p.app.Fetch(context.Background(), app.Request{Method: "GET", Path: app.ControlPlane, Quiet: true})
	if err == nil {
		err = refusal(res)
	}
	if err != nil {
		return model.Settings{}, err
	}
	return model.ParseSettings(res.Body)
}

// patchSettings makes the request that sets settings. It stands among the
// requests as a lever's does.
func (p *lessonPanel) patchSettings(patch string) error {
	p.settings.own[patch]++
	res, err := p.app.Fetch(context.Background(), app.Request{
		Method: "PATCH", Path: app.ControlPlane, Body: patch, Origin: "lever", Header: app.ContentType("application/merge-patch+json"),
	})
	if err != nil {
		return err
	}
	return refusal(res)
}

// refusal is the error of an answer that is a failure.
func refusal(res app.Response) error {
	if res.Status < 400 {
		return nil
	}
	return errors.New(strconv.Itoa(res.Status) + " " + http.StatusText(res.Status) + ": " + app.Message(res.Body))
}
