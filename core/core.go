package core

import (
	"errors"
	"io"
	"net/http"

	"github.com/tabernetes/tabernetes/core/clock"
	"github.com/tabernetes/tabernetes/core/journal"
)

// Options are what a cluster is given by its host.
type Options struct {
	// Clock is the cluster's time. Required.
	Clock clock.Clock
	// Rand is where uids and generated names come from. Required.
	Rand io.Reader
	// Storage keeps the cluster between runs. Nil: it lives in memory only.
	Storage journal.Storage
	// Controllers runs the small built-in controllers.
	Controllers bool
	// Build is the suffix of the version that /version reports, as semver build
	// metadata: "tabernetes" makes v1.36.3+tabernetes.
	Build string
}

// A Cluster is one Kubernetes API server with its store.
type Cluster struct{}

// Recovery says what New found in its Storage.
type Recovery struct {
	// Restored is whether a saved cluster was taken up again.
	Restored bool
	// SetAside is the name under which an unreadable saved state was put away;
	// empty when there was none.
	SetAside string
	// Problem says what was wrong with it.
	Problem string
}

// New starts a cluster.
func New(o Options) (*Cluster, error) {
	if o.Clock == nil || o.Rand == nil {
		return nil, errors.New("core: Options needs a Clock and a Rand")
	}
	return &Cluster{}, nil
}

// Recovery says what was found in the storage at start.
func (c *Cluster) Recovery() Recovery { return Recovery{} }

// ServeHTTP answers one API request. Watches and other streams are flushed as
// they happen and end when the request's context does.
func (c *Cluster) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	http.NotFound(w, r)
}

// Close ends all streams and closes the storage.
func (c *Cluster) Close() error { return nil }
