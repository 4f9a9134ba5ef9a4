package lesson

import (
	"strconv"
	"strings"

	"github.com/tabernetes/tabernetes/web/course"
	"github.com/tabernetes/tabernetes/web/lesson/view"
)

// openFirst opens what the address names, or the lesson that was open last: links work before the lab runs, too.
func (p *lessonPanel) openFirst() {
	to := p.index.Find(p.column.address())
	if to.Page != "" {
		p.lab.Open("lesson")
	} else {
		to = course.Target{Page: "lesson", ID: p.store.get("lesson"), Step: -1}
		if p.index.Lesson(to.ID) < 0 && p.level(to.ID) == "" {
			to.ID = p.index.Lessons[0].ID
		}
	}
	p.goTo(to, false)
}

// moved opens what the address names since it has changed.
func (p *lessonPanel) moved(oldURL, newURL string) {
	was, now := place(oldURL), place(newURL)
	if to := p.index.Find(p.column.address()); to.Page != "" && (was == "" || was != now) {
		p.goTo(to, true) // else only what is looked at has changed
	}
}

// place returns an address without what is looked at there (web/app/address.js).
func place(url string) string {
	url, _, _ = strings.Cut(url, "&")
	return url
}

// follow opens where a link leads that the address names already. Any other link changes
// the address, and that opens it: not before, since the browser moves the focus with it.
func (p *lessonPanel) follow(o origin) {
	p.column.closeMenu()
	if o.value == p.column.address() {
		if to := p.index.Find(o.value); to.Page != "" {
			p.goTo(to, true)
		}
	}
}

// goTo opens what a fragment leads to. chosen says that the learner has asked for it.
func (p *lessonPanel) goTo(target course.Target, chosen bool) {
	p.column.closeMenu()
	if chosen {
		p.column.begun()
	}
	p.wanted++
	wanted := p.wanted
	switch target.Page {
	case "lesson":
		if d := p.docs[target.ID]; d != nil {
			p.enter(d, target.Step, chosen)
			return
		}
		go func() {
			d, err := p.load(target.ID)
			if wanted != p.wanted {
				return
			}
			if err != nil {
				p.lab.Alert("The lesson could not be loaded: " + err.Error())
				p.column.live()
				return
			}
			p.enter(d, target.Step, chosen)
		}()
	case "question":
		go p.openQuestion(target.ID, int(target.Seed), wanted)
	default:
		p.openPage(target, chosen)
	}
}

// enter shows a document, at a step, or where it was at -1.
func (p *lessonPanel) enter(d *document, step int, chosen bool) {
	if d == p.open {
		if step >= 0 {
			p.show(step, true)
		}
		if chosen {
			p.beginOpened(d)
		}
		return
	}
	p.leaveOpen()
	p.open = d
	p.clearBar()
	d.article.open(true)
	p.column.live()
	if d.question == nil {
		p.store.set("lesson", d.id())
	}
	if step >= 0 {
		p.showStep(d, step)
	}
	if chosen {
		p.lab.Open("lesson") // before anything is scrolled
	}
	p.paint()
	p.paintPlace()
	p.scrollOpened(d, step)
	p.checkSoon()
	if !chosen {
		return
	}
	d.article.focusTitle()
	p.beginOpened(d)
}

// clearBar removes what the bar holds besides the lesson's state.
func (p *lessonPanel) clearBar() { p.notice, p.asking, p.more = view.Notice{}, false, false }

// leaveOpen closes what is open.
func (p *lessonPanel) leaveOpen() {
	if p.open != nil {
		p.save(p.open)
		p.open.article.open(false)
		p.open = nil
		p.leaveBeside()
		p.tellExam()
	}
	p.closePage()
}

// show brings a step of the open lesson into view, folds the one before it, and if asked
// to moves the focus there. The number of steps stands for the end.
func (p *lessonPanel) show(step int, focused bool) {
	d := p.open
	if d == nil {
		return
	}
	if focused {
		p.column.blur() // the focus moves on, and does not keep the step before unfolded
	}
	p.showStep(d, step)
	d.article.scroll(d.shown)
	p.paint()
	if focused {
		p.seeGoal()
		d.article.focusStep(step)
	}
	if step == len(d.lesson.Steps) {
		p.paintPlace()
		go p.offerTidyUp()
	}
}

// showChosen shows a step of the open lesson that the learner has chosen.
func (p *lessonPanel) showChosen(o origin) { p.show(o.step, true) }

// showStep opens a step's text and folds the one that was shown.
func (p *lessonPanel) showStep(d *document, step int) {
	d.article.show(d.shown, step, p.teacher)
	d.shown = step
}

// scrollOpened scrolls a lesson that was opened: to its beginning, or to the step that the
// learner has come to.
func (p *lessonPanel) scrollOpened(d *document, step int) {
	at := d.shown
	if step < 0 && at == 0 {
		at = -1
	}
	d.article.scroll(at)
}

// next continues from a step that is passed.
func (p *lessonPanel) next() {
	d := p.open
	if d == nil || d.shown >= len(d.lesson.Steps) || !d.session.Step(d.shown).Passed {
		return
	}
	if d.question != nil {
		p.nextQuestion()
		return
	}
	p.column.setPlace(course.Link(d.id())) // one that names a step would lead back to it at the next visit
	p.clearBar()
	p.show(d.shown+1, true)
}

// unfolded makes a step that was opened by hand the shown one, as Next does, if Next can lead to it. What is looked up
// in other steps changes nothing.
func (p *lessonPanel) unfolded(o origin) {
	d := p.open
	if d == nil || !o.on || p.teacher || d.id() != o.lesson || o.step <= d.shown || o.step > d.session.Current() {
		return
	}
	p.clearBar()
	p.show(o.step, false)
}

// reveal opens the next hint, or the solution, of the shown step; or closes them all.
func (p *lessonPanel) reveal(o origin) {
	d, kind := p.open, o.value
	if d == nil || d.shown >= len(d.lesson.Steps) {
		return
	}
	switch at, all := d.article.opened(d.shown, kind); {
	case at == all:
		d.article.reveal(d.shown, kind, 0, all, false)
	case kind == "solution":
		d.article.reveal(d.shown, kind, at, all, true)
		p.more = false // so that there is space for what has been opened
	default:
		d.article.reveal(d.shown, kind, at, at+1, true)
		p.more = false
	}
	p.paint()
}

// again starts a step over: the lesson is set up again, and the steps before it are done
// again by their solutions, so that all is as the step expects.
func (p *lessonPanel) again(o origin) {
	d, step := p.docs[o.lesson], o.step
	if d == nil || d != p.open {
		return
	}
	for i := step; i < len(d.lesson.Steps); i++ {
		d.session.Reset(i)
	}
	p.clear(d, func(b *box) bool { return b.place.Step >= step })
	p.afterReset(d)
	p.lab.Announce("Step " + strconv.Itoa(step+1) + " starts over")
	p.show(step, true)
	go p.rebuild(d, step)
}

// ask asks whether to start over. Where nothing is passed there is nothing to ask.
func (p *lessonPanel) ask() {
	switch {
	case p.open == nil:
	case p.open.session.Passed() == 0:
		p.restart()
	default:
		p.asking = true
		p.paint()
		p.column.focusSoon("lesson-restart-" + p.open.id())
	}
}

// keep takes the question back.
func (p *lessonPanel) keep() {
	if p.open != nil {
		p.asking = false
		p.paint()
		p.column.focusSoon("lesson-ask-" + p.open.id())
	}
}

// restart starts the open lesson over.
func (p *lessonPanel) restart() {
	d := p.open
	if d == nil {
		return
	}
	d.session.ResetAll()
	p.clear(d, nil)
	p.notice, p.asking = view.Notice{}, false
	p.afterReset(d)
	p.lab.Announce("The lesson starts over")
	p.show(0, true)
	p.scrollOpened(d, -1)
	go p.begin(d, true)
}

func (p *lessonPanel) afterReset(d *document) {
	p.openAsked(d)
	d.session.Recheck()
	p.paintSteps(d)
	p.paintPredictions(d)
	p.takeBack(d)
	p.save(d)
}

// teach unfolds all steps with everything that they hide, for teachers; or folds them again.
func (p *lessonPanel) teach() {
	p.teacher = !p.teacher
	p.column.showTeacher(p.teacher)
	for _, d := range p.docs {
		p.unfold(d)
	}
	p.paint()
	p.paintPage()
}

// unfold shows a lesson's steps as teachers or as learners see them.
func (p *lessonPanel) unfold(d *document) {
	d.article.unfold(d.shown, p.teacher)
	p.showStep(d, d.shown)
	p.paintPredictions(d)
}
