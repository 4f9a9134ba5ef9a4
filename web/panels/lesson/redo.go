//go:build js && wasm

package lesson

import (
	"context"
	"errors"
	"strconv"
	"time"

	model "github.com/tabernetes/tabernetes/web/lesson"
)

// redo does the steps before one once more, by their solutions, and returns the notice about it.
func (p *lessonPanel) redo(d *document, step int) string {
	p.say(model.Notice{Text: "The steps before this one are done again, to restore their results."})
	d.session.Redo(step)
	runner := model.Runner{Session: d.session, Transport: lessonTransport{p.app}, Wait: waitFor,
		AfterRequest: func() { time.Sleep(pauseAfterRequest) }}
	for i := range step {
		if err := runner.Solve(context.Background(), i); err != nil {
			p.paintSteps(d)
			return "Step " + strconv.Itoa(i+1) + " could not be done again. Start over, or do it yourself."
		}
	}
	p.paintSteps(d)
	p.paintPredictions(d)
	p.save(d)
	return "Everything is as it is after the steps before this one."
}

// pauseAfterRequest is how long controllers have between two requests of a step that is done once more.
const pauseAfterRequest = 50 * time.Millisecond

// redoWait limits how long a step that is done once more may take to pass.
const redoWait = 20 * time.Second

// waitFor looks again every few milliseconds.
func waitFor(ctx context.Context, done func() bool) error {
	late := time.After(redoWait)
	for !done() {
		select {
		case <-time.After(recheckAfter / 2):
		case <-ctx.Done():
			return ctx.Err()
		case <-late:
			return errors.New("it takes too long")
		}
	}
	return nil
}
