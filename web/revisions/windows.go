package revisions

import (
	"encoding/json"
	"fmt"

	"github.com/tabernetes/tabernetes/core/horizon"
)

// Windows is what the API servers of a cluster remember of each type: where watches and lists of the
// past can begin. The zero Windows is not known, as with an older server.
type Windows struct {
	// Capacity is the limits of how many events a buffer has room for.
	Capacity Capacity
	Progress int64 // the interval in which etcd tells caches its head, in seconds
	Servers  []ServerWindows
}

// A Capacity is the limits of a buffer's capacity: one that is empty has the least.
type Capacity struct{ Least, Most int }

// ServerWindows is what one API server remembers: nothing from before Since.
type ServerWindows struct {
	Since int64
	Why   horizon.Cause
	Types []Window // those that differ from an empty buffer that begins at Since
}

// A Window is what an API server remembers of a type.
type Window struct {
	Group, Resource string
	// Horizon is the oldest version from which a watch can continue, and Why says why not from an older one.
	Horizon int64
	Why     horizon.Cause
	// Lists is the oldest version at which a list is answered.
	Lists int64
	// Held is how many events the buffer has, and Capacity for how many it has room; both are 0 if the
	// type has no buffer, and etcd answers.
	Held, Capacity int
}

// ParseWindows reads an answer of the act "windows".
func ParseWindows(body string) (Windows, error) {
	var w Windows
	var in struct {
		Capacity        Capacity
		ProgressSeconds int64
		Servers         []ServerWindows
	}
	if err := json.Unmarshal([]byte(body), &in); err != nil {
		return w, fmt.Errorf("revisions: windows: %w", err)
	}
	return Windows{in.Capacity, in.ProgressSeconds, in.Servers}, nil
}

// Known reports whether an API server has said what it remembers.
func (w Windows) Known() bool { return len(w.Servers) > 0 }

// Of returns what an API server remembers of a type, in the state s of the cluster; false if that is not
// known.
func (w Windows) Of(server int, group, resource string, s State) (Window, bool) {
	if server < 0 || server >= len(w.Servers) {
		return Window{Group: group, Resource: resource, Horizon: s.Compacted, Lists: s.Compacted,
			Why: horizon.Compacted}, false
	}
	all := w.Servers[server]
	for _, t := range all.Types {
		if t.Group == group && t.Resource == resource {
			if t.Buffered() {
				return t, true
			}
			t.Horizon, t.Lists = max(t.Horizon, s.Compacted), max(t.Lists, s.Compacted)
			return t, true
		}
	}
	return Window{Group: group, Resource: resource, Horizon: all.Since, Why: all.Why,
		Lists: min(all.Since, max(s.Compacted, 1)), Capacity: w.Capacity.Least}, true
}

// Buffered reports whether the type has a buffer: without one etcd answers.
func (w Window) Buffered() bool { return w.Capacity > 0 }

// Start returns the first revision that can still be had: what is older is gone.
func (w Window) Start() int64 {
	if w.Buffered() {
		return w.Horizon + 1
	}
	return w.Horizon
}

// Whole reports whether nothing that ever was is gone.
func (w Window) Whole() bool { return w.Horizon <= 1 }

// Full reports whether the next event pushes the oldest one out.
func (w Window) Full() bool { return w.Buffered() && w.Held == w.Capacity }
