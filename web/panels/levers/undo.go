package levers

import (
	"context"
	"errors"
	"strconv"
	"time"

	"github.com/tabernetes/tabernetes/web/app"
	"github.com/tabernetes/tabernetes/web/revisions"
	"github.com/tabernetes/tabernetes/web/tap"
)

// undoFor is how long an act can be undone.
const undoFor = 60 * time.Second

// An undo takes the last lever back: an act by the snapshot taken before it, a setting by the values that it had. What
// it offers belongs to the cluster where the lever was pulled: it is put away while requests go to another one.
type undo struct {
	*app.App
	offered
	runs    int
	place   string             // the cluster that requests go to
	away    map[string]offered // by place
	watches func() int
}

// offered is what can be undone.
type offered struct {
	label    string
	snapshot int    // of an act: the page's number of the snapshot; 0: none
	patch    string // of a setting: what sets it back
	head     int64  // of an act: where the head was
	run      int    // which offer it is: an older one's time does not end a newer one
}

// offer publishes what can be undone now.
func (u *undo) offer() {
	e := app.UndoOffer{Label: u.label}
	switch {
	case u.label == "":
	case u.patch != "":
		e.Title = "Resets it to its previous value"
	default:
		e.Title = "Restores the cluster, within a minute and until the next write"
		if n := u.watches(); n > 0 {
			e.Title += "; ends " + strconv.Itoa(n) + " open watches"
		}
	}
	app.Emit(u.Bus, e)
}

// clear withdraws the offer.
func (u *undo) clear() {
	if u.snapshot > 0 {
		u.Page.Call("dropSnapshot", u.snapshot)
	}
	u.offered = offered{}
	u.offer()
}

// moved puts the offer away when requests go elsewhere, and brings back that of where they go now. A scene's cluster is
// gone when it is left.
func (u *undo) moved(place string) {
	switch {
	case place == u.place:
		return
	case tap.Passing(u.place):
		u.clear()
	case u.label != "":
		u.away[u.place] = u.offered
	}
	u.place = place
	u.offered = u.away[place]
	delete(u.away, place)
	u.offer()
}

// expire ends an offer whose time is over, wherever it is.
func (u *undo) expire(run int) {
	if u.run == run {
		u.clear()
	}
	for place, o := range u.away {
		if o.run == run {
			u.Page.Call("dropSnapshot", o.snapshot)
			delete(u.away, place)
		}
	}
}

// act offers to undo an act by a snapshot. The lever itself may have written:
// the revisions up to head are its own.
func (u *undo) act(label string, snapshot int, head int64) {
	u.clear()
	u.runs++
	run := u.runs
	u.offered = offered{label: label, snapshot: snapshot, head: head, run: run}
	u.offer()
	time.AfterFunc(undoFor, func() { u.expire(run) })
}

// setting offers to undo a setting by a patch.
func (u *undo) setting(label, patch string) {
	u.clear()
	u.offered = offered{label: label, patch: patch}
	u.offer()
}

// wrote withdraws the offer to undo an act at the next write, which undoing would lose.
func (u *undo) wrote(c *revisions.Commit) {
	if u.snapshot > 0 && c.Revision > u.head && c.Resource != "controlplanes" {
		u.clear()
	}
}

// take undoes the lever.
func (u *undo) take(say sayer) {
	label, snapshot, patch := u.label, u.snapshot, u.patch
	if label == "" {
		return
	}
	u.snapshot = 0 // it is used up
	u.clear()
	go func() {
		if patch != "" {
			res, err := u.Fetch(context.Background(), setting(patch))
			if err != nil || res.Status >= 400 {
				say(true, "It could not be undone: "+app.Message(res.Body))
				return
			}
			say(false, "Undone: "+label+".")
			return
		}
		if problem := await(u.Promise("putSnapshot", snapshot)); problem != "" {
			say(true, "It could not be undone: "+problem)
			return
		}
		say(false, "Undone: "+label+".")
	}()
}

// await returns what a promise of a text came to: why it was rejected, else the text.
func await(text string, err error) string {
	var rejected interface{ Full() string } // jsvalue.Rejected
	switch {
	case errors.As(err, &rejected):
		return rejected.Full()
	case err != nil:
		return err.Error()
	}
	return text
}

// take takes a snapshot of the cluster, as it is or as it was at a revision, and
// returns the page's number of it; 0 and why not.
func takeSnapshot(a *app.App, path string) (id int, problem string) {
	got := await(a.Promise("takeSnapshot", path))
	if n, err := strconv.Atoi(got); err == nil {
		return n, ""
	}
	return 0, got
}

// startUndo wires the button.
func startUndo(a *app.App, say sayer, watches func() int) *undo {
	u := &undo{App: a, watches: watches, away: map[string]offered{}}
	app.On(a.Bus, func(s app.State) { u.moved(s.Place) })
	a.OnUse("undo", func(app.Use) { u.take(say) })
	a.OnKey("u", func(app.Press) bool { u.take(say); return true })
	app.On(a.Bus, func(f revisions.Frame) {
		if f.Commit != nil {
			u.wrote(f.Commit)
		}
	})
	return u
}
