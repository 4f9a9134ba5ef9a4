package room

import (
	"encoding/json"
	"fmt"
	"net/http"
	"slices"
	"strings"

	"github.com/tabernetes/tabernetes/core/apiserver"
	"github.com/tabernetes/tabernetes/core/auth"
	"github.com/tabernetes/tabernetes/core/internal/customresource"
	"github.com/tabernetes/tabernetes/core/internal/field/syntax"
	"github.com/tabernetes/tabernetes/core/mvcc"
	"github.com/tabernetes/tabernetes/core/object"
	"github.com/tabernetes/tabernetes/core/status"
)

// purge removes what a member has created, at once, as the act of the ControlPlane does with namespaces. The
// member may be gone. What governs the room stays, and so does what has objects of others in it.
func (r *Room) purge(w http.ResponseWriter, req *http.Request, c apiserver.Call) error {
	given, err := c.Parameters("member")
	if err != nil {
		return err
	}
	name, _ := given["member"].(string)
	if wrong := syntax.Subdomain(name); wrong != nil {
		return status.NewBadRequest("member: must be the name of a Member: " + strings.Join(wrong, "; "))
	}
	user := memberPrefix + name
	removed, err := r.registry.Erase(req.Context(), r.madeBy(user), c.WriteOptions)
	if err != nil {
		return err
	}
	w.Header().Set("Content-Type", "application/json")
	w.WriteHeader(http.StatusCreated)
	answer := struct {
		*status.Status
		// Details hides that of the Status: it says how many there were.
		Details map[string]any `json:"details"`
	}{status.Created(), map[string]any{"name": name, "group": group, "kind": Members.Plural, "removed": removed}}
	answer.Message = fmt.Sprintf("removed %d objects that %s has created", removed, name)
	return json.NewEncoder(w).Encode(answer)
}

// madeBy returns what a user has created, in the order in which it can be removed: namespaces first, so that
// nothing is created in them meanwhile, and definitions of custom resources last.
func (r *Room) madeBy(user string) []mvcc.Location {
	store := r.registry.Store
	namespaces := r.registry.Table.Resource("", "v1", "namespaces").Bucket()
	own := rolesOfRoom()
	var first, places, last []mvcc.Location
	for _, p := range store.Created(user) {
		switch {
		case governs[p.Bucket], own[p]:
		case p.Bucket == namespaces:
			if inside := store.Group(p.Key + "/"); !r.hasOthers(inside, user) {
				first = append(append(first, p), inside...)
			}
		case p.Bucket == customresource.Bucket:
			if inside := r.instancesOf(p.Key); !r.hasOthers(inside, user) {
				places, last = append(places, inside...), append(last, p)
			}
		default:
			places = append(places, p)
		}
	}
	once := map[mvcc.Location]bool{}
	return slices.DeleteFunc(slices.Concat(first, places, last), func(p mvcc.Location) bool {
		again := once[p]
		once[p] = true
		return again
	})
}

// hasOthers reports whether objects were created by somebody else than a user and the server.
func (r *Room) hasOthers(places []mvcc.Location, user string) bool {
	return slices.ContainsFunc(places, func(p mvcc.Location) bool {
		creator := r.registry.Store.Creator(p)
		return creator != "" && creator != user
	})
}

// instancesOf returns the custom resources of a definition.
func (r *Room) instancesOf(definition string) (places []mvcc.Location) {
	v := r.registry.Store.Latest(customresource.Bucket, definition)
	if v == nil {
		return nil
	}
	obj, _, err := object.Decode(v.Value, r.registry.ResourceOf(customresource.Bucket).Type())
	if err != nil {
		return nil // impossible: the object was stored
	}
	plural, group, _ := strings.Cut(definition, ".")
	for _, version := range object.GetList(obj, "spec", "versions") {
		name, _ := version.(map[string]any)["name"].(string)
		row := r.registry.Table.Resource(group, name, plural)
		if row == nil {
			continue
		}
		page, err := r.registry.Store.Range(row.Bucket(), mvcc.Query{})
		if err != nil {
			return nil
		}
		for _, item := range page.Items {
			places = append(places, mvcc.Location{Bucket: row.Bucket(), Key: item.Key})
		}
		return places // all versions have one bucket
	}
	return nil
}

// rolesOfRoom has the places of the roles of the room itself and of their bindings.
func rolesOfRoom() map[mvcc.Location]bool {
	all := map[mvcc.Location]bool{}
	for _, obj := range Objects() {
		kind := strings.ToLower(object.Kind(obj)) + "s"
		all[mvcc.Location{Bucket: auth.Group + "/v1/" + kind, Key: object.Name(obj)}] = true
	}
	return all
}
