package controlplane

import (
	"context"
	"fmt"
	"net/http"
	"strconv"

	"github.com/tabernetes/tabernetes/core/apiserver"
	"github.com/tabernetes/tabernetes/core/registry"
	"github.com/tabernetes/tabernetes/core/settings"
	"github.com/tabernetes/tabernetes/core/status"
)

// An act is a subresource with what carries it out.
type act struct {
	settings.Act
	// do carries out one with a body, whose parameters it is given.
	do func(*ControlPlane, context.Context, apiserver.Call, map[string]any) error
	// serve carries out any other.
	serve func(*ControlPlane, http.ResponseWriter, *http.Request, apiserver.Call) error
	// answer is the apiserver.Act without Serve.
	answer apiserver.Act
}

// acts are all acts, in the order of discovery. Those of one name are adjacent.
var acts = []act{
	// As long as the programs take that go by the clock.
	{Act: settings.Advance, do: (*ControlPlane).advance, answer: apiserver.Act{Streams: true}},
	{Act: settings.Compact, do: (*ControlPlane).compact},
	{Act: settings.Disconnect, do: (*ControlPlane).disconnect},
	{Act: settings.Purge, do: (*ControlPlane).purge},
	{Act: settings.Restart, do: (*ControlPlane).restart},
	{Act: settings.Reset, do: (*ControlPlane).reset},
	{Act: settings.Revisions, serve: (*ControlPlane).revisions,
		answer: apiserver.Act{Produces: "application/json", Streams: true}},
	{Act: settings.Snapshot, serve: (*ControlPlane).save, answer: apiserver.Act{Produces: snapshotType}},
	{Act: settings.Restore, serve: (*ControlPlane).restore,
		answer: apiserver.Act{MaxBody: maxSnapshot, Unread: true}},
	{Act: settings.Windows, serve: (*ControlPlane).windows, answer: apiserver.Act{Produces: "application/json"}},
}

// bind returns the act of a ControlPlane. For any other object than the existing one it answers 404.
func (a act) bind(p *ControlPlane) apiserver.Act {
	answer := a.answer
	answer.Serve = func(w http.ResponseWriter, r *http.Request, c apiserver.Call) error {
		if _, err := p.Registry.Get(r.Context(), registry.Target{Resource: c.Resource, Name: c.Name}); err != nil {
			return err
		}
		if a.serve != nil {
			return a.serve(p, w, r, c)
		}
		given, err := c.Parameters(a.Parameters...)
		if err != nil {
			return err
		}
		return a.do(p, r.Context(), c, given)
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
