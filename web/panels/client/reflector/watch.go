package reflector

import (
	"context"
	"strconv"
	"time"

	"github.com/tabernetes/tabernetes/web/objects"
)

// outcome says how a watch has ended.
type outcome byte

const (
	ended       outcome = iota // the stream is over: resume
	unavailable                // there is no server, or it is busy: the same again, later
	expired                    // the version is too old
	failed                     // anything else
)

// shortWatch is the time within which a watch without an event must not end.
const shortWatch = time.Second

// follow watches, once or many times, until it has to list again, and returns why.
func (c *Client) follow(ctx context.Context) (why string) {
	for first := true; ctx.Err() == nil; first = false {
		version, problem := c.version(ctx, first)
		if problem != "" {
			c.wait(ctx, problem)
			continue
		}
		how, why := c.watch(ctx, version)
		if ctx.Err() != nil {
			break
		}
		switch {
		case how == ended:
			continue
		case how == unavailable:
		case c.Mode == NewestObject: // it never lists again
		case c.Mode == KeepsDeleted && how == expired:
			c.Cache.Revision, c.at, c.fromAny = 0, 0, true
		default:
			c.lists = true
			c.wait(ctx, why)
			return why
		}
		c.wait(ctx, why)
	}
	return ""
}

// version returns the resourceVersion that the next watch begins at; first says that it
// follows a list. problem says why the version could not be read.
func (c *Client) version(ctx context.Context, first bool) (version int64, problem string) {
	switch {
	case c.Mode == NewestObject:
		for _, o := range c.Cache.Rows() {
			version = max(version, o.Revision)
		}
		return version, ""
	case c.Mode == SkipsMissed && !first:
		return c.newest(ctx)
	}
	return c.Cache.Revision, ""
}

// newest reads the present version of the collection.
func (c *Client) newest(ctx context.Context) (version int64, problem string) {
	counts := c.state.Counts
	counts.Lists++
	c.change(nil, State{Phase: Asking, Counts: counts})
	answer, err := c.Transport.Get(ctx, c.url("limit=1"))
	if err != nil {
		return 0, err.Error()
	}
	if answer.Status != 200 {
		problem, _ := refusal(answer)
		return 0, problem
	}
	var page objects.Store
	if err := page.List(answer.Body, true); err != nil {
		return 0, err.Error()
	}
	c.Cache.Revision = page.Revision
	return page.Revision, ""
}

// watch makes one watch from a version on.
func (c *Client) watch(ctx context.Context, version int64) (how outcome, why string) {
	query := "watch=1"
	if c.Mode != NewestObject {
		query += "&allowWatchBookmarks=true"
	}
	counts := c.state.Counts
	counts.Watches++
	c.at, c.fromAny = version, version == 0
	c.change(nil, State{Phase: Watching, After: version, Counts: counts})
	began, events, how := c.Clock.Now(), 0, ended
	answer, err := c.Transport.Watch(ctx, c.url(query+"&resourceVersion="+strconv.FormatInt(version, 10)),
		func(line string) {
			if how != ended || ctx.Err() != nil {
				return // an error is the last event
			}
			events++
			how, why = c.event(line)
		})
	c.refused = how == expired || answer.Status == 410
	switch {
	case err != nil:
		return unavailable, err.Error()
	case answer.Status != 200:
		why, _ = refusal(answer)
		switch answer.Status {
		case 410:
			return expired, why
		case 429:
			return unavailable, why
		}
		return failed, why
	case how == ended && events == 0 && c.Clock.Now().Sub(began) < shortWatch:
		return failed, "the watch ended at once"
	}
	return how, why
}

// event takes an event of a watch.
func (c *Client) event(line string) (how outcome, why string) {
	o, err := c.Cache.Event(line, c.Clock.Now())
	if err == objects.ErrGone {
		code, why := statusOf(line)
		if code == 410 {
			return expired, why
		}
		return failed, why
	}
	if err != nil {
		return failed, err.Error()
	}
	s := c.state
	if s.Events++; o == nil {
		s.Bookmarks++
	}
	c.refused = false
	c.at = max(c.at, c.Cache.Revision)
	s.After = c.at
	c.change(o, s)
	return ended, ""
}
