//go:build !js

package play

import (
	"context"
	"fmt"
	"net/http/httptest"

	"github.com/tabernetes/tabernetes/core/wellknown"
	"github.com/tabernetes/tabernetes/web/lesson/format"
	"github.com/tabernetes/tabernetes/web/lesson/picture"
	"github.com/tabernetes/tabernetes/web/revisions"
)

// Picture returns what the requests that count for a step's goal have left on the stage.
func (p *Player) Picture(step int) (format.Picture, error) {
	_, head, err := p.controlPlane()
	if err != nil {
		return nil, err
	}
	ctx, stop := context.WithCancel(p.ctx)
	defer stop()
	w := &commits{ResponseRecorder: httptest.NewRecorder(), until: head, stop: stop}
	func() {
		defer func() { _ = recover() }() // the handler gives up on a client that does
		p.server.ServeHTTP(w, httptest.NewRequestWithContext(ctx, "GET", wellknown.ControlPlane+"/revisions?since=0", nil))
	}()
	return picture.Of(&p.log, p.Session.ForGoal(step), w.log.Find), nil
}

// Drawn returns what the ways to a goal leave on the stage in common, which is the picture of the goal, and what is
// wrong with it: who goes any of these ways sees nothing missing when the goal is reached, and something before.
func Drawn(ways []format.Picture) (all format.Picture, faults []string) {
	all = picture.Common(ways)
	for n, way := range ways {
		for _, line := range picture.Compare(all, way).Lines {
			if !line.There {
				faults = append(faults, fmt.Sprintf("when way %d is gone, it says: %s", n+1, line.Text))
			}
		}
	}
	if len(picture.Compare(all, nil).Lines) == 0 {
		faults = append(faults, "the ways to the goal have nothing in common that could be shown")
	}
	return all, faults
}

// commits takes the revisions stream up to a revision.
type commits struct {
	*httptest.ResponseRecorder
	decoder revisions.Decoder
	log     revisions.Log
	until   int64
	stop    context.CancelFunc
}

func (c *commits) Write(b []byte) (int, error) {
	err := c.decoder.Feed(string(b), func(f revisions.Frame) {
		if f.Commit != nil {
			c.log.Add(*f.Commit)
		}
		// What was compacted up to the head has no commit that could be waited for.
		if f.Commit != nil && f.Commit.Revision >= c.until || f.State != nil && f.State.Compacted >= c.until {
			c.stop()
		}
	})
	return len(b), err
}
