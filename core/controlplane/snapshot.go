package controlplane

import (
	"errors"
	"fmt"
	"net/http"

	"github.com/tabernetes/tabernetes/core/apiserver"
	"github.com/tabernetes/tabernetes/core/history"
	"github.com/tabernetes/tabernetes/core/journal"
	"github.com/tabernetes/tabernetes/core/mvcc"
	"github.com/tabernetes/tabernetes/core/persist"
	"github.com/tabernetes/tabernetes/core/status"
)

const (
	// snapshotType is the media type of a saved cluster.
	snapshotType = "application/octet-stream"
	// maxSnapshot bounds a saved cluster, in bytes: twice what the history keeper lets the
	// history come to.
	maxSnapshot = 2 * history.MaxBytes
)

// save answers with the whole cluster, its history included, as it is or as it was at
// ?revision=: what the history keeps of the time before is kept, and what came later is
// left out.
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
		panic(http.ErrAbortHandler) // it has begun
	}
	return nil
}

// restore puts a saved cluster in the place of this one.
func (p *ControlPlane) restore(_ http.ResponseWriter, _ *http.Request, c apiserver.Call) error {
	replace, err := p.Cluster.Load(c.Unread)
	switch {
	case c.Unread.Err != nil:
		return c.Unread.Err
	case errors.Is(err, persist.ErrNothing):
		return status.NewBadRequest("the body has to be a saved cluster")
	case err != nil:
		return status.NewBadRequest("the saved cluster cannot be read: " + err.Error())
	case c.DryRun:
		return nil
	}
	return replace()
}
