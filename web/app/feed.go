package app

import (
	"context"
	"errors"
	"strconv"
	"strings"
	"time"

	"github.com/tabernetes/tabernetes/core/wellknown"
	"github.com/tabernetes/tabernetes/web/revisions"
	"github.com/tabernetes/tabernetes/web/tap"
)

// revisionsPath is the stream of every commit of the cluster.
const revisionsPath = wellknown.ControlPlane + "/revisions"

// CatchUp waits until all that the tap has reported is known. It blocks. Otherwise that takes until the next frame,
// which may be some time on a busy machine: who fills values of answers into a request has to catch up first.
func (a *App) CatchUp() { _, _ = a.Promise("caughtUp") }

// Settle waits until the programs of the control plane, if they run, have done what they do at once, and catches up. It
// blocks. Who makes requests one after another, with nobody who looks at each, is faster than they are otherwise.
func (a *App) Settle() { _, _ = a.Promise("settled") }

// moved notes where requests go, and publishes the state. What is known of the cluster that they went to is put away,
// and brought back with it; a scene's is gone.
func (a *App) moved() {
	target, place := a.where()
	a.last.Target = target
	if was := a.last.Place; place != was {
		a.away[was] = a.Seen
		if tap.Passing(was) {
			delete(a.away, was)
			a.Requests.Drop(func(x *tap.Exchange) bool { return x.Place == was })
		}
		if a.Seen = a.away[place]; a.Seen == nil {
			a.Seen = &Seen{}
		}
		a.last.Place = place
	}
	Emit(a.Bus, a.last)
}

// follow reads the revisions stream, and opens it again whenever it ends: at a reset, a restart of the worker, or a
// change of the target.
func (a *App) follow() {
	wait := 100 * time.Millisecond
	for {
		var frames revisions.Decoder
		path := revisionsPath + "?since=" + strconv.FormatInt(a.Seen.followed, 10)
		s := a.Seen
		since := s.followed
		ok := false
		restart := false
		ctx, cancel := context.WithCancel(context.Background())
		a.refollow = cancel
		a.Stream(ctx, Request{Method: "GET", Path: path, Quiet: true}, func(h Response) {
			ok = h.Status == 200
		}, func(text string) {
			if !ok || restart || ctx.Err() != nil { // what a stream says that was given up is of another cluster
				return
			}
			wait = 100 * time.Millisecond
			frames.Feed(text, func(f revisions.Frame) {
				if restart || ctx.Err() != nil {
					return
				}
				if f.State != nil && f.State.Cluster != s.Cluster {
					s.followed = 0
					if since > 0 {
						// Another cluster: its commits from the first one on are wanted.
						restart = true
						cancel()
						return
					}
				}
				if f.Commit != nil {
					if f.Commit.Revision <= s.followed {
						return
					}
					s.followed = f.Commit.Revision
				}
				Emit(a.Bus, f)
				a.Yield() // there may be hundreds in a chunk
			})
		})
		cancel()
		if restart {
			continue
		}
		time.Sleep(wait)
		wait = min(wait*2, 5*time.Second)
	}
}

// SetTarget points all API requests at "tab", "devserver" or "room".
func (a *App) SetTarget(target string) {
	a.shim("setTarget", target)
	a.moved()
	a.Refollow()
}

// newCluster limits how long the page waits for the first state of another cluster.
const newCluster = 20 * time.Second

// OpenScene begins a cluster in memory, for a scene, and points all API requests at it. It blocks until the revisions
// stream is that of the new cluster. Of a scene that plays byItself, before anybody has asked for one, the requests of
// people and of the page's scripts go to the tab's cluster all the same. programs says that those of the control plane
// run there: "on", or which of their features differ, as in "Name=false"; empty: they do not.
func (a *App) OpenScene(byItself bool, programs string) error {
	if err := a.beginScene(byItself, programs); err != nil {
		return err
	}
	a.moved()
	a.Refollow()
	for late := time.Now().Add(newCluster); a.Seen.Cluster == ""; time.Sleep(10 * time.Millisecond) {
		if time.Now().After(late) {
			return errors.New("the cluster of the scene does not start")
		}
	}
	return nil
}

// InScene reports whether API requests go to the cluster of a scene.
func (a *App) InScene() bool { return a.last.Target == "scene" }

// Refollow opens the revisions stream again, from where it is.
func (a *App) Refollow() {
	if a.refollow != nil {
		a.refollow()
	}
}

// InRoom reports whether API requests go to a room.
func (a *App) InRoom() bool { return a.last.Target == "room" }

// Author says who wrote a commit and with what, as far as its room knows: "Ada with kubectl"; or which program of the
// control plane or other tab did.
func (a *App) Author(c revisions.Commit) string {
	if o, ok := c.Origin(); ok && o.Client != "" {
		return o.Client + " of " + o.Program
	} else if ok {
		return o.Program
	}
	if page, _, ok := strings.Cut(c.Request, "."); ok && page != a.Called && a.last.Tabs > 1 && !a.InRoom() {
		return a.tab(page)
	}
	who := c.User
	if a.Room != nil {
		who = a.Room.Title(who)
	}
	if who != "" && c.Manager != "" {
		who += " with "
	}
	return who + c.Manager
}

// State returns the state last reported.
func (a *App) State() State { return a.last }
