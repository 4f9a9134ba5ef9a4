package core

import (
	"encoding/json"
	"fmt"
	"net/http"

	"github.com/tabernetes/tabernetes/core/apiserver"
	"github.com/tabernetes/tabernetes/core/registry"
	"github.com/tabernetes/tabernetes/core/status"
)

// acts are the subresources of the ControlPlane.
func (i *instance) acts() map[apiserver.Subresource]apiserver.Act {
	on := func(name, verb string) apiserver.Subresource {
		return apiserver.Subresource{Group: controlPlanes.Group, Resource: controlPlanes.Plural, Name: name, Verb: verb}
	}
	acts := map[apiserver.Subresource]apiserver.Act{
		on("compact", "create"):    i.actCompact,
		on("disconnect", "create"): i.actDisconnect,
		on("reset", "create"):      i.actReset,
		on("revisions", "get"):     i.actRevisions,
		on("snapshot", "get"):      i.actSave,
		on("snapshot", "update"):   i.actRestore,
	}
	for sub, act := range acts {
		acts[sub] = i.onTheOne(act)
	}
	return acts
}

// onTheOne makes an act answer 404 for any object but the one there is.
func (i *instance) onTheOne(act apiserver.Act) apiserver.Act {
	return func(w http.ResponseWriter, r *http.Request, t registry.Target, body []byte) error {
		if _, err := i.registry.Get(r.Context(), registry.Target{Resource: t.Resource, Name: t.Name}, ""); err != nil {
			return err
		}
		return act(w, r, t, body)
	}
}

// done answers an act.
func done(w http.ResponseWriter) error {
	w.Header().Set("Content-Type", "application/json")
	w.WriteHeader(http.StatusCreated)
	_, err := w.Write(status.Created().JSON())
	return err
}

// parameters reads the body of an act; an empty one has none.
func parameters(body []byte, into any) error {
	if len(body) == 0 {
		return nil
	}
	if err := json.Unmarshal(body, into); err != nil {
		return status.NewBadRequest("the body is not what this act takes: " + err.Error())
	}
	return nil
}

// actCompact forgets the history below a revision: all but the present if none
// is given.
func (i *instance) actCompact(w http.ResponseWriter, _ *http.Request, _ registry.Target, body []byte) error {
	var p struct {
		Revision *int64 `json:"revision"`
	}
	if err := parameters(body, &p); err != nil {
		return err
	}
	at := i.store.Status()
	rev := at.Head
	if p.Revision != nil {
		rev = *p.Revision
	}
	switch {
	case rev > at.Head:
		return status.NewBadRequest(fmt.Sprintf("revision %d is in the future: the head is at %d", rev, at.Head))
	case rev < 1:
		return status.NewBadRequest(fmt.Sprintf("revision %d: revisions begin at 1", rev))
	case rev > at.Compacted:
		if err := i.compact(rev); err != nil && i.store.Status().Compacted < rev {
			return err
		}
	}
	return done(w)
}

func (i *instance) actDisconnect(w http.ResponseWriter, _ *http.Request, _ registry.Target, body []byte) error {
	if err := parameters(body, &struct{}{}); err != nil {
		return err
	}
	i.registry.Disconnect()
	return done(w)
}

func (i *instance) actReset(w http.ResponseWriter, _ *http.Request, _ registry.Target, body []byte) error {
	if err := parameters(body, &struct{}{}); err != nil {
		return err
	}
	if err := i.cluster.replace(i.cluster.fresh); err != nil {
		return err
	}
	return done(w)
}

// actSave answers with the whole cluster, its history included.
func (i *instance) actSave(w http.ResponseWriter, _ *http.Request, _ registry.Target, _ []byte) error {
	w.Header().Set("Content-Type", "application/octet-stream")
	w.Header().Set("Content-Disposition", `attachment; filename="cluster.tabernetes"`)
	_, err := w.Write(i.snapshot())
	return err
}

// actRestore puts a saved cluster in the place of this one.
func (i *instance) actRestore(w http.ResponseWriter, _ *http.Request, _ registry.Target, body []byte) error {
	if len(body) == 0 {
		return status.NewBadRequest("the body has to be a saved cluster")
	}
	err := i.cluster.replace(func() (*instance, error) {
		next, err := i.cluster.load(body)
		if err != nil {
			return nil, status.NewBadRequest("the saved cluster cannot be read: " + err.Error())
		}
		return next, nil
	})
	if err != nil {
		return err
	}
	return done(w)
}
