package lesson

import (
	"github.com/tabernetes/tabernetes/web/lesson/view"
)

// askToPutBack says what is lost if the whole cluster is restored, and asks whether to do it.
func (p *lessonPanel) askToPutBack() {
	p.say(view.Notice{
		Text:   "Everything written since this began is lost, including what you did elsewhere, and open watches end.",
		Action: "lesson-put-back-now", Label: "Restore the cluster",
	})
}

// putBack restores the cluster to the revision at which the lesson began, as far as history goes back. It blocks.
func (p *lessonPanel) putBack() {
	if p.refuseGuest() {
		return
	}
	p.settings.busy.Lock()
	defer p.settings.busy.Unlock()
	r := p.settings.record
	if r.Lesson == "" || r.Cluster != p.settings.cluster {
		return
	}
	p.settings.restored = true
	if err := p.lab.PutBack(r.Revision); err != nil {
		p.settings.restored = false
		p.say(view.Notice{Text: "The cluster could not be restored: " + err.Error(), Action: "lesson-give-back",
			Label: "Tidy up"})
		return
	}
	p.keepRecord(lessonRecord{Cluster: p.settings.cluster})
	p.say(view.Notice{Text: "The cluster is as it was before."})
}
