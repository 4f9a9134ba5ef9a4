package apiserver

import (
	"fmt"
	"net/http"

	"github.com/tabernetes/tabernetes/core/auth"
	"github.com/tabernetes/tabernetes/core/internal/field"
	"github.com/tabernetes/tabernetes/core/status"
)

// unsafeDelete is the path of the option deletion.unsafe, for objects that cannot be read. It is known to API servers
// with the gate AllowUnsafeMalformedObjectDeletion.
const unsafeDelete = field.Path("ignoreStoreReadErrorWithClusterBreakingPotential")

// unsafeVerb is the verb of the right to use it.
const unsafeVerb = "unsafe-delete-ignore-read-errors"

// validateUnsafe returns the options that do not go with it.
func validateUnsafe(options map[string]any, dryRun bool) (errs field.ErrorList) {
	forbid := func(name string) {
		errs = append(errs, field.Invalid(unsafeDelete, true, "cannot be set together with ."+name))
	}
	if dryRun {
		forbid("dryRun")
	}
	for _, name := range []string{"propagationPolicy", "orphanDependents", "gracePeriodSeconds", "preconditions"} {
		if options[name] != nil {
			forbid(name)
		}
	}
	return errs
}

// refuseUnsafe answers such a deletion. Every object can be read here: what is damaged is not loaded.
func (s *Server) refuseUnsafe(r *http.Request, i *info) error {
	if a, ok := auth.AttributesOf(r.Context()); ok {
		access, err := s.Access(r.Context())
		if err != nil {
			return err
		}
		if allowed, reason := access.Authorize(a.As(unsafeVerb)); !allowed {
			return status.NewForbidden(i.GroupResource(), i.Name,
				fmt.Sprintf("not permitted to do %q, reason: %s", unsafeVerb, reason))
		}
	}
	return status.NewInvalid(status.GroupKind{Group: i.Group, Kind: i.Plural}, i.Name, field.ErrorList{
		field.Invalid(unsafeDelete, true,
			"is exclusively used to delete corrupt object(s), try again by removing this option")})
}
