package controlplane

import (
	"errors"
	"fmt"
	"net/http"

	"github.com/tabernetes/tabernetes/core/apiserver"
	"github.com/tabernetes/tabernetes/core/internal/history"
	"github.com/tabernetes/tabernetes/core/internal/persist"
	"github.com/tabernetes/tabernetes/core/journal"
	"github.com/tabernetes/tabernetes/core/mvcc"
	"github.com/tabernetes/tabernetes/core/status"
)

const (
	// snapshotType is the media type of a saved cluster.
	snapshotType = "application/octet-stream"
	// maxSnapshot is the maximum size of a saved cluster, in bytes: twice the maximum size of the
	// history.
	maxSnapshot = 2 * history.MaxBytes
)

// save answers with a snapshot of the cluster with its history, now or at ?revision=: then without
// what was written later.
func (p *ControlPlane) save(w http.ResponseWriter, r *http.Request, _ apiserver.Call) error {
	rev, err := revisionParameter(r, "revision", 1)
	if err != nil {
		return err
	}
	events, at, err := p.Registry.Store.Events(rev)
	switch {
	case errors.Is(err, mvcc.ErrCompacted):
		return status.NewExpired(fmt.Sprintf("revision %d is compacted: the history begins at %d",
			rev, p.Registry.Store.Status().Compacted))
	case errors.Is(err, mvcc.ErrFuture):
		return status.NewTooLargeResourceVersion(rev, p.Registry.Store.Status().Head, 0)
	case err != nil:
		return err
	}
	w.Header().Set("Content-Type", snapshotType)
	w.Header().Set("Content-Disposition", `attachment; filename="cluster.tabernetes"`)
	if err := journal.Write(w, p.Header.Snapshot(p.Clock), events, at); err != nil {
		panic(http.ErrAbortHandler) // the answer has begun
	}
	return nil
}

// restore replaces this cluster by a saved one.
func (p *ControlPlane) restore(_ http.ResponseWriter, _ *http.Request, c apiserver.Call) error {
	replace, err := p.Cluster.Load(c.Unread)
	switch {
	case c.Unread.Err != nil:
		return c.Unread.Err
	case errors.Is(err, persist.ErrEmpty):
		return status.NewBadRequest("the body has to be a saved cluster")
	case err != nil:
		return status.NewBadRequest("the saved cluster cannot be read: " + err.Error())
	case c.DryRun:
		return nil
	}
	return replace()
}
