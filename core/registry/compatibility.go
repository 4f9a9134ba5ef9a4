package registry

import "github.com/tabernetes/tabernetes/core/gates"

// Compatibility lists the parameters that an API server ignores because it does not know them.
type Compatibility struct {
	// IgnoreMatch makes the server one from before v1.19, which does not know resourceVersionMatch, nor
	// sendInitialEvents.
	IgnoreMatch bool
	// IgnoreLimit ignores limit: lists are complete. A continue token is still used, and answered with
	// the whole rest.
	IgnoreLimit bool
	// IgnoreBookmarks ignores allowWatchBookmarks: no bookmarks are sent, nor the one that ends the initial
	// events.
	IgnoreBookmarks bool
	// IgnoreInitialEvents makes the server one from before v1.27: it ignores sendInitialEvents, and refuses the
	// resourceVersionMatch that has to come with it in a watch, unless it ignores that too.
	IgnoreInitialEvents bool
}

// Without returns the options without the ignored ones. For a watch it adds the defaults of a
// server that knows sendInitialEvents and has its gate on.
func (o ListOptions) Without(c Compatibility, on gates.Set) ListOptions {
	if c.IgnoreLimit {
		o.Limit = 0
	}
	if c.IgnoreBookmarks {
		o.AllowWatchBookmarks = false
	}
	if c.IgnoreMatch {
		o.ResourceVersionMatch = ""
	}
	if c.IgnoreMatch || c.IgnoreInitialEvents {
		o.SendInitialEvents, o.withoutInitial = nil, true
		return o
	}
	if on.Enabled(gates.WatchList) {
		o.Default()
	}
	return o
}

// Compatibility returns that of the reader's API server.
func (r Reader) Compatibility() Compatibility { return r.Settings().Compatibility[r.server] }
