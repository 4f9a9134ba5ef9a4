package room

import (
	"net/http"

	"github.com/tabernetes/tabernetes/core/apiserver"
	"github.com/tabernetes/tabernetes/core/internal/field"
	"github.com/tabernetes/tabernetes/core/object"
	"github.com/tabernetes/tabernetes/core/registry"
	"github.com/tabernetes/tabernetes/core/status"
)

// own returns the error for an act that members carry out on themselves only.
func (r *Room) own(req *http.Request, what string, c apiserver.Call) error {
	name, _, err := r.memberOf(req, what, c)
	if err == nil && name != c.Name {
		err = forbidden(what, c, "a member does that for itself only")
	}
	return err
}

// leave removes a member and its tokens.
func (r *Room) leave(_ http.ResponseWriter, req *http.Request, c apiserver.Call) error {
	if _, err := c.Parameters(); err != nil {
		return err
	}
	if err := r.own(req, "leave", c); err != nil {
		return err
	}
	ctx, o := serverContext(req.Context()), registry.DeleteOptions{WriteOptions: c.WriteOptions}
	r.setLeaving(c.Name, true)
	defer r.setLeaving(c.Name, false)
	// The member first: from then on its tokens are worth nothing.
	_, _, err := r.registry.Delete(ctx, registry.Target{Resource: Members, Name: c.Name}, o)
	for _, name := range r.tokensOf(c.Name) {
		if err == nil {
			_, _, err = r.registry.Delete(ctx, registry.Target{Resource: RoomTokens, Name: name}, o)
		}
		if status.Is(err, status.NotFound) {
			err = nil // a teacher was faster
		}
	}
	return err
}

// setLeaving notes whether a member leaves by itself at this moment.
func (r *Room) setLeaving(name string, on bool) {
	r.mu.Lock()
	defer r.mu.Unlock()
	if on {
		r.leaving[name] = true
	} else {
		delete(r.leaving, name)
	}
}

// tokensOf returns the names of a member's RoomTokens.
func (r *Room) tokensOf(member string) (names []string) {
	r.mu.RLock()
	defer r.mu.RUnlock()
	for name, hash := range r.hashes {
		if r.tokens[hash].member == member {
			names = append(names, name)
		}
	}
	return names
}

// rename changes what a member is called.
func (r *Room) rename(_ http.ResponseWriter, req *http.Request, c apiserver.Call) error {
	given, err := c.Parameters("displayName")
	if err != nil {
		return err
	}
	if errs := validateDisplayName(given["displayName"], field.NewPath("displayName")); len(errs) > 0 {
		return status.NewBadRequest(errs.Message())
	}
	if err := r.own(req, "rename", c); err != nil {
		return err
	}
	o := registry.WriteOptions{DryRun: c.DryRun, Manager: c.Manager}
	_, _, err = r.registry.Update(serverContext(req.Context()), registry.Target{Resource: Members, Name: c.Name},
		func(member map[string]any) (map[string]any, error) {
			object.SetNested(member, given["displayName"], "spec", "displayName")
			return member, nil
		}, false, o)
	return err
}
