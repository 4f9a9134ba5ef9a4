package lesson

import (
	"context"
	"errors"
	"fmt"
	"time"

	"github.com/tabernetes/tabernetes/web/lesson/session"
	"github.com/tabernetes/tabernetes/web/lesson/view"
)

// setUpAgain sets the shown step of the open lesson up again, as it is asked to by a button. Steps before it that have
// not passed are done, too.
func (p *lessonPanel) setUpAgain() {
	d := p.open
	if d == nil || d.asked || d.shown >= len(d.lesson.Steps) || p.refuseGuest() {
		return
	}
	step := d.shown
	d.asked = true
	p.clear(d, nil)
	p.paint()
	go func() {
		p.rebuild(d, step) // once what the lesson makes when it opens is there
		d.asked = false
		p.checkSoon()
		p.paintSteps(d)
		p.paint()
		if d == p.open {
			p.seeGoal()
			d.article.focusRun(step, true)
		}
	}()
}

// make makes what a lesson starts with, and if it continues at a later step, what the steps before that make, by their
// solutions. It blocks, and returns what to say of it.
func (p *lessonPanel) make(d *document, step int) (string, error) {
	if p.endRedo != nil {
		p.endRedo() // the watches of the last time
	}
	var ctx context.Context
	ctx, p.endRedo = context.WithCancel(context.Background())
	if step >= len(d.lesson.Steps) || len(d.lesson.Namespaces) == 0 {
		if err := d.session.Prepare(ctx, p.transport(nil), p.lab.Settle); err != nil {
			return "", &session.SetupError{Step: -1, Err: err}
		}
		return "", nil
	}
	d.settingUp = true
	defer func() { d.settingUp = false }()
	wait := redoWait
	if d.lesson.Programs {
		wait = redoWaitPrograms
	}
	runner := session.Runner{Session: d.session, Transport: p.transport(nil),
		Wait: func(ctx context.Context, done func() bool) error { return p.waitFor(ctx, wait, done) },
		AfterRequest: func() {
			<-p.after(pauseAfterRequest)
			p.lab.Settle()
		}}
	err := runner.SetUp(ctx, step, func(i int) {
		p.say(view.Notice{Text: fmt.Sprintf("The steps before this one are done again: %d of %d.", i+1, step)})
	})
	p.paintPredictions(d)
	p.save(d)
	text := ""
	if step > 0 {
		text = "Everything is as it is after the steps before this one."
	}
	return text, err
}

// pauseAfterRequest is how long controllers have between two requests of a step that is done again.
const pauseAfterRequest = 50 * time.Millisecond

// redoWait limits how long a step that is done again may take to pass, redoWaitPrograms where programs take part, which
// are slower.
const (
	redoWait         = 20 * time.Second
	redoWaitPrograms = 3 * time.Minute
)

// waitFor looks again every few milliseconds, for so long.
func (p *lessonPanel) waitFor(ctx context.Context, wait time.Duration, done func() bool) error {
	for late := p.now().Add(wait); !done(); {
		select {
		case now := <-p.after(recheckAfter / 2):
			if now.After(late) {
				return errors.New("it takes too long")
			}
		case <-ctx.Done():
			return ctx.Err()
		}
	}
	return nil
}
