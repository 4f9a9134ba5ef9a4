package core

import (
	"context"
	"errors"
	"fmt"
	"net/http"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/tabernetes/tabernetes/core/apiserver"
	"github.com/tabernetes/tabernetes/core/field/syntax"
	"github.com/tabernetes/tabernetes/core/history"
	"github.com/tabernetes/tabernetes/core/journal"
	"github.com/tabernetes/tabernetes/core/mvcc"
	"github.com/tabernetes/tabernetes/core/object"
	"github.com/tabernetes/tabernetes/core/random"
	"github.com/tabernetes/tabernetes/core/registry"
	"github.com/tabernetes/tabernetes/core/status"
)

// acts are the subresources of the ControlPlane.
func (i *instance) acts() map[apiserver.Subresource]apiserver.Act {
	on := func(name, verb string) apiserver.Subresource {
		return apiserver.Subresource{Group: controlPlanes.Group, Resource: controlPlanes.Plural, Name: name, Verb: verb}
	}
	acts := map[apiserver.Subresource]apiserver.Act{
		on("compact", "create"):    {Serve: i.actCompact},
		on("advance", "create"):    {Serve: i.actAdvance},
		on("disconnect", "create"): {Serve: i.actDisconnect},
		on("purge", "create"):      {Serve: i.actPurge},
		on("reset", "create"):      {Serve: i.actReset},
		on("revisions", "get"):     {Serve: i.actRevisions, Produces: "application/json", Streams: true},
		on("snapshot", "get"):      {Serve: i.actSave, Produces: snapshotType},
		on("snapshot", "update"):   {Serve: i.actRestore, MaxBody: maxSnapshot, Unread: true},
	}
	for sub, act := range acts {
		act.Serve = i.onTheOne(act.Serve)
		acts[sub] = act
	}
	return acts
}

const (
	// snapshotType is the media type of a saved cluster.
	snapshotType = "application/octet-stream"
	// maxSnapshot bounds a saved cluster, in bytes: twice what forget lets the
	// objects and their history come to.
	maxSnapshot = 2 * history.MaxBytes
	// maxAdvance is how far the clock may be moved at once, in seconds: a year.
	maxAdvance = 365 * 24 * 60 * 60
)

// serve is how an act is carried out.
type serve = func(http.ResponseWriter, *http.Request, apiserver.Call) error

// onTheOne makes an act answer 404 for any object but the one there is.
func (i *instance) onTheOne(act serve) serve {
	return func(w http.ResponseWriter, r *http.Request, c apiserver.Call) error {
		if _, err := i.registry.Get(r.Context(), registry.Target{Resource: c.Resource, Name: c.Name}); err != nil {
			return err
		}
		return act(w, r, c)
	}
}

// parameters reads the body of an act, which has no others than the known ones;
// an empty body has none.
func parameters(c apiserver.Call, known ...string) (map[string]any, error) {
	if len(c.Body) == 0 {
		return nil, nil
	}
	given, problems, err := object.Decode(c.Body, nil)
	for name := range given {
		if !slices.Contains(known, name) {
			problems = append(problems, fmt.Sprintf("unknown field %q", name))
		}
	}
	if err == nil && len(problems) > 0 {
		slices.Sort(problems)
		err = errors.New(strings.Join(problems, ", "))
	}
	if err != nil {
		return nil, status.NewBadRequest("the body is not what this act takes: " + err.Error())
	}
	return given, nil
}

// actCompact forgets the history below a revision: all but the present if none
// is given.
func (i *instance) actCompact(_ http.ResponseWriter, r *http.Request, c apiserver.Call) error {
	p, err := parameters(c, "revision")
	if err != nil {
		return err
	}
	at := i.store.Status()
	rev := at.Head
	if given := p["revision"]; given != nil {
		whole, ok := given.(int64)
		if !ok {
			return status.NewBadRequest(fmt.Sprintf("revision: %v is not a revision", given))
		}
		rev = whole
	}
	switch {
	case rev > at.Head:
		return status.NewBadRequest(fmt.Sprintf("revision %d is in the future: the head is at %d", rev, at.Head))
	case rev < 1:
		return status.NewBadRequest(fmt.Sprintf("revision %d: revisions begin at 1", rev))
	case rev > at.Compacted && !c.DryRun:
		if err := i.history.Compact(rev); err != nil && i.store.Status().Compacted < rev {
			return err
		}
		return i.flush(r.Context())
	}
	return nil
}

// actAdvance moves the cluster's clock forward. What that makes old is
// forgotten before the answer.
func (i *instance) actAdvance(_ http.ResponseWriter, r *http.Request, c apiserver.Call) error {
	p, err := parameters(c, "seconds")
	if err != nil {
		return err
	}
	seconds, ok := p["seconds"].(int64)
	if !ok || seconds < 1 || seconds > maxAdvance {
		return status.NewBadRequest(fmt.Sprintf("seconds: has to be a whole number from 1 to %d", maxAdvance))
	}
	if c.DryRun {
		return nil
	}
	i.clock.Advance(time.Duration(seconds) * time.Second)
	i.history.Forget()
	return i.flush(r.Context())
}

// flush waits until what the levers changed is durable.
func (i *instance) flush(ctx context.Context) error {
	return i.registry.StorageError(i.storage.Flush(ctx))
}

func (i *instance) actDisconnect(_ http.ResponseWriter, _ *http.Request, c apiserver.Call) error {
	if _, err := parameters(c); err != nil || c.DryRun {
		return err
	}
	i.registry.Disconnect()
	return nil
}

// maxPurge is how many namespaces may be removed at once.
const maxPurge = 1000

// actPurge removes namespaces with all that is in them, whatever holds it.
func (i *instance) actPurge(_ http.ResponseWriter, r *http.Request, c apiserver.Call) error {
	p, err := parameters(c, "namespaces")
	if err != nil {
		return err
	}
	list, ok := p["namespaces"].([]any)
	if !ok || len(list) == 0 || len(list) > maxPurge {
		return status.NewBadRequest(fmt.Sprintf("namespaces: has to be a list of 1 to %d names", maxPurge))
	}
	names := make([]string, len(list))
	for n, one := range list {
		name, ok := one.(string)
		if !ok || syntax.Label(name) != nil {
			return status.NewBadRequest(fmt.Sprintf("namespaces[%d]: %v cannot be the name of a namespace", n, one))
		}
		if name == "default" || strings.HasPrefix(name, "kube-") {
			return status.NewForbidden(status.GroupResource{Resource: "namespaces"}, name, "a namespace of the system may not be purged")
		}
		names[n] = name
	}
	return i.registry.Purge(r.Context(), names, c.WriteOptions)
}

// actReset makes a new cluster. With a seed, what is random in that follows from it.
func (i *instance) actReset(_ http.ResponseWriter, _ *http.Request, c apiserver.Call) error {
	p, err := parameters(c, "seed")
	if err != nil {
		return err
	}
	source := i.cluster.options.Rand
	if given := p["seed"]; given != nil {
		seed, ok := given.(int64)
		if !ok || seed < 0 || seed > maxSeed {
			return status.NewBadRequest(fmt.Sprintf("seed: has to be a whole number from 0 to %d", int64(maxSeed)))
		}
		source = random.NewSeeded(seed)
	}
	if c.DryRun {
		return nil
	}
	return i.cluster.replace(func() (*instance, error) { return i.cluster.fresh(source) })
}

// actSave answers with the whole cluster, its history included, as it is or as it was at
// ?revision=: what the history keeps of the time before is kept, and what came later is
// left out.
func (i *instance) actSave(w http.ResponseWriter, r *http.Request, _ apiserver.Call) error {
	rev, err := revisionParameter(r, "revision", 1)
	if err != nil {
		return err
	}
	events, at, err := i.store.Events(rev)
	switch {
	case errors.Is(err, mvcc.ErrCompacted):
		return status.NewExpired(fmt.Sprintf("revision %d is compacted: the history begins at %d", rev, i.store.Status().Compacted))
	case errors.Is(err, mvcc.ErrFuture):
		return status.NewTooLargeResourceVersion(rev, i.store.Status().Head, 0)
	case err != nil:
		return err
	}
	w.Header().Set("Content-Type", snapshotType)
	w.Header().Set("Content-Disposition", `attachment; filename="cluster.tabernetes"`)
	if err := journal.Write(w, i.header.Snapshot(i.clock), events, at); err != nil {
		panic(http.ErrAbortHandler) // it has begun
	}
	return nil
}

// revisionParameter reads a parameter of the query, 0 if it is not there.
func revisionParameter(r *http.Request, name string, least int64) (int64, error) {
	text := r.URL.Query().Get(name)
	if text == "" {
		return 0, nil
	}
	n, err := strconv.ParseUint(text, 10, 62)
	if err != nil {
		return 0, status.NewBadRequest(name + ": " + err.Error())
	}
	if int64(n) < least {
		return 0, status.NewBadRequest(fmt.Sprintf("%s: %d: revisions begin at %d", name, n, least))
	}
	return int64(n), nil
}

// actRestore puts a saved cluster in the place of this one.
func (i *instance) actRestore(_ http.ResponseWriter, _ *http.Request, c apiserver.Call) error {
	next, err := i.cluster.readmit(c.Unread)
	switch {
	case c.Unread.Err != nil:
		return c.Unread.Err
	case errors.Is(err, errNothing):
		return status.NewBadRequest("the body has to be a saved cluster")
	case err != nil:
		return status.NewBadRequest("the saved cluster cannot be read: " + err.Error())
	case c.DryRun:
		return nil
	}
	return i.cluster.replace(func() (*instance, error) { return next, nil })
}
