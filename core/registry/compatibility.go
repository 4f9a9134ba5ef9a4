package registry

// Compatibility says which parameters an API server ignores, as one that does not know them.
type Compatibility struct {
	// IgnoreMatch makes the server one from before v1.19, which does not know
	// resourceVersionMatch, nor sendInitialEvents.
	IgnoreMatch bool
	// IgnoreLimit is for limit: lists are whole. A continue token is heard anyway, and
	// answered with all that is left.
	IgnoreLimit bool
	// IgnoreBookmarks is for allowWatchBookmarks: there are none, nor the one that ends the
	// initial events.
	IgnoreBookmarks bool
	// IgnoreInitialEvents is for sendInitialEvents, and for the resourceVersionMatch that has
	// to come with it in a watch.
	IgnoreInitialEvents bool
}

// Without returns the options without what is ignored. To those of a watch it adds what a
// server takes for granted that knows sendInitialEvents.
func (o ListOptions) Without(c Compatibility) ListOptions {
	if c.IgnoreLimit {
		o.Limit = 0
	}
	if c.IgnoreBookmarks {
		o.AllowWatchBookmarks = false
	}
	if c.IgnoreMatch || c.IgnoreInitialEvents && o.Watch && o.SendInitialEvents != nil {
		o.ResourceVersionMatch = ""
	}
	if c.IgnoreMatch || c.IgnoreInitialEvents {
		o.SendInitialEvents = nil
		return o
	}
	o.Default()
	return o
}

// Compatibility returns that of the API server which the reader is.
func (r Reader) Compatibility() Compatibility { return r.Settings().Compatibility[r.server] }
