package controlplane

import (
	"fmt"
	"net/http"
	"strconv"

	"github.com/tabernetes/tabernetes/core/apiserver"
	"github.com/tabernetes/tabernetes/core/registry"
	"github.com/tabernetes/tabernetes/core/status"
)

// An act is a subresource with an effect.
type act struct {
	// name and verb are the subresource's. The acts of one name are adjacent.
	name, verb string
	// numbers are the integer parameters of its GET, besides those of all resources.
	numbers []string
	// serve carries it out.
	serve func(*ControlPlane, http.ResponseWriter, *http.Request, apiserver.Call) error
	// answer is the apiserver.Act without Serve.
	answer apiserver.Act
}

// acts are all acts, in the order of discovery.
var acts = []act{
	{name: "advance", verb: "create", serve: (*ControlPlane).advance},
	{name: "compact", verb: "create", serve: (*ControlPlane).compact},
	{name: "disconnect", verb: "create", serve: (*ControlPlane).disconnect},
	{name: "purge", verb: "create", serve: (*ControlPlane).purge},
	{name: "restart", verb: "create", serve: (*ControlPlane).restart},
	{name: "reset", verb: "create", serve: (*ControlPlane).reset},
	{name: "revisions", verb: "get", numbers: []string{"since"}, serve: (*ControlPlane).revisions,
		answer: apiserver.Act{Produces: "application/json", Streams: true}},
	{name: "snapshot", verb: "get", numbers: []string{"revision"}, serve: (*ControlPlane).save,
		answer: apiserver.Act{Produces: snapshotType}},
	{name: "snapshot", verb: "update", serve: (*ControlPlane).restore,
		answer: apiserver.Act{MaxBody: maxSnapshot, Unread: true}},
	{name: "windows", verb: "get", serve: (*ControlPlane).windows,
		answer: apiserver.Act{Produces: "application/json"}},
}

// bind returns the act of a ControlPlane. For any other object than the existing one it answers 404.
func (a act) bind(p *ControlPlane) apiserver.Act {
	answer := a.answer
	answer.Serve = func(w http.ResponseWriter, r *http.Request, c apiserver.Call) error {
		if _, err := p.Registry.Get(r.Context(), registry.Target{Resource: c.Resource, Name: c.Name}); err != nil {
			return err
		}
		return a.serve(p, w, r, c)
	}
	return answer
}

// revisionParameter reads a parameter of the query; 0 if it is missing.
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
