package reflector

import (
	"context"
	"strconv"
	"strings"
	"time"

	"github.com/tabernetes/tabernetes/web/objects"
)

// A Transport makes the requests of a client.
type Transport interface {
	// Get makes a request and waits for its whole answer. An error means that no
	// answer came.
	Get(ctx context.Context, path string) (Answer, error)
	// Watch makes a request and calls line with each line of the answer, if its status
	// is 200. It returns when the answer ends or breaks off; an error means that no
	// answer came. Body is that of an answer with another status.
	Watch(ctx context.Context, path string, line func(string)) (Answer, error)
}

// An Answer is an API server's.
type Answer struct {
	Status int
	Body   string
}

// A Clock is what a client waits by.
type Clock interface {
	Now() time.Time
	// Wait returns after d, or when ctx is done.
	Wait(ctx context.Context, d time.Duration)
}

// System is the clock of the machine.
type System struct{}

// Now returns the present time.
func (System) Now() time.Time { return time.Now() }

// Wait waits for d.
func (System) Wait(ctx context.Context, d time.Duration) {
	timer := time.NewTimer(d)
	defer timer.Stop()
	select {
	case <-ctx.Done():
	case <-timer.C:
	}
}

// pageSize is how many objects are asked for at once, as in client-go.
const pageSize = 500

// A Client keeps the objects of a collection in its cache. Set the fields, then call
// Run once. Transport, Path and Cache are required.
type Client struct {
	Transport Transport
	Clock     Clock // nil: System
	// Path is the collection's, perhaps with selectors as its query.
	Path  string
	Mode  Mode
	Cache *objects.Store
	// Consistent makes every list a consistent read, for clients that want the newest state. Otherwise the first list
	// takes what the server's cache has (a resourceVersion of 0), and later ones what is not older than what was seen,
	// as client-go does it.
	Consistent bool
	// Changed is called after each change of the cache or the state. The object is
	// the one that an event was of, nil for any other change.
	Changed func(*objects.Object)

	state   State
	back    backoff
	paged   bool  // the first list came in pages: later ones ask for pages too
	seen    bool  // there was a list
	useless bool  // the version that was seen cannot be listed at
	lists   bool  // it is about to list, or does so
	at      int64 // the version that it has come to
	refused bool  // the last watch was refused, as its version was too old
	fromAny bool  // the watch began at version 0, with the objects that there were
}

// State returns what the client does now.
func (c *Client) State() State { return c.state }

// Run lists and watches until ctx is done. It blocks. The cache stays as it is then.
func (c *Client) Run(ctx context.Context) {
	if c.Clock == nil {
		c.Clock = System{}
	}
	c.back = backoff{clock: c.Clock}
	c.lists = true
	for why := ""; ctx.Err() == nil; {
		if problem := c.list(ctx, why); problem != "" {
			c.wait(ctx, problem)
			continue
		}
		why = c.follow(ctx)
	}
	c.change(nil, State{Counts: c.state.Counts})
}

// change sets what the client does now, and calls Changed.
func (c *Client) change(o *objects.Object, s State) {
	c.state = s
	if c.Changed != nil {
		c.Changed(o)
	}
}

// wait backs off.
func (c *Client) wait(ctx context.Context, why string) {
	if ctx.Err() != nil {
		return
	}
	d := c.back.next()
	c.change(nil, State{Phase: Waiting, Delay: d, Why: why, Counts: c.state.Counts})
	c.Clock.Wait(ctx, d)
}

// list replaces the cache. problem is why it could not; why is why it lists again.
func (c *Client) list(ctx context.Context, why string) (problem string) {
	version := c.listVersion()
	problem, tooOld := c.pages(ctx, why, version)
	if tooOld && version != "" {
		// What the server has forgotten, or has never had, cannot be asked for.
		c.useless = true
		problem, tooOld = c.pages(ctx, why, "")
	}
	if problem == "" && !tooOld {
		c.seen, c.useless, c.lists, c.refused = true, false, false, false
		c.at, c.fromAny = c.Cache.Revision, false
	}
	return problem
}

// listVersion returns the resourceVersion that the next list asks for.
func (c *Client) listVersion() string {
	switch {
	case c.Consistent, c.useless:
		return ""
	case !c.seen:
		return "0"
	}
	return strconv.FormatInt(c.Cache.Revision, 10)
}

// pages reads a list, in pages where the server has them. tooOld reports that the server does not have the version, or
// no longer.
func (c *Client) pages(ctx context.Context, why, version string) (problem string, tooOld bool) {
	var fresh objects.Store
	limit, token := pageSize, ""
	if version != "" && version != "0" && !c.paged {
		limit = 0 // or it would not come from the server's cache
	}
	for page := 1; ; page++ {
		counts := c.state.Counts
		counts.Lists++
		c.change(nil, State{Phase: Listing, Page: page, Again: c.seen, Why: why, Counts: counts})
		answer, err := c.Transport.Get(ctx, c.url(listQuery(limit, version, token)))
		switch {
		case err != nil:
			return err.Error(), false
		case answer.Status == 410 && token != "":
			// The snapshot is gone between two pages: all of it at once, then.
			limit, token = 0, ""
			fresh = objects.Store{}
			continue
		case answer.Status != 200:
			problem, tooLarge := refusal(answer)
			return problem, answer.Status == 410 || tooLarge
		}
		if err := fresh.List(answer.Body, token == ""); err != nil {
			return err.Error(), false
		}
		if token = fresh.Continue; token == "" {
			break
		}
		c.paged = true
	}
	fresh.Changed = c.Cache.Changed + 1
	*c.Cache = fresh
	return "", false
}

// listQuery returns the query of a list, or of one of its pages.
func listQuery(limit int, version, token string) string {
	var q []string
	if limit > 0 {
		q = append(q, "limit="+strconv.Itoa(limit))
	}
	switch {
	case token != "":
		q = append(q, "continue="+token)
	case version != "":
		q = append(q, "resourceVersion="+version)
	}
	return strings.Join(q, "&")
}

// url returns the collection's with more in its query.
func (c *Client) url(query string) string {
	switch {
	case query == "":
		return c.Path
	case strings.Contains(c.Path, "?"):
		return c.Path + "&" + query
	}
	return c.Path + "?" + query
}
