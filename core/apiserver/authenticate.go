package apiserver

import (
	"net/http"

	"github.com/tabernetes/tabernetes/core/audit"
	"github.com/tabernetes/tabernetes/core/auth"
	"github.com/tabernetes/tabernetes/core/status"
)

// admit authenticates and authorizes a request. It comes before everything that depends on the
// resource. The request it returns carries its user and its attributes.
func (s *Server) admit(w *answer, r *http.Request) (*http.Request, error) {
	if s.Access == nil {
		return r, nil
	}
	if err := s.authenticate(w, r); err != nil {
		return nil, err
	}
	ctx, access, user := r.Context(), w.access, w.user
	wanted, err := auth.Wanted(r.Header)
	if err != nil {
		return nil, err
	}
	record := audit.Of(ctx)
	if _, all := access.Authorizer.(auth.AlwaysAllow); all && wanted == nil {
		record.Decided(true, "")
		if user == auth.Admin {
			return r, nil
		}
		return r.WithContext(auth.WithUser(ctx, user)), nil
	}
	a := attributesOf(r)
	a.User = user
	if wanted != nil {
		if a.User, err = access.Impersonate(a, wanted, access.Authorizer); err != nil {
			return nil, err
		}
	}
	if wanted != nil {
		record.As(a.User)
	}
	allowed, reason := access.Authorize(a)
	record.Decided(allowed, reason)
	if !allowed {
		return nil, a.Forbidden(reason)
	}
	return r.WithContext(auth.WithAttributes(ctx, a)), nil
}

// authenticate determines the user of a request, unless that was done before.
func (s *Server) authenticate(w *answer, r *http.Request) (err error) {
	if w.access != nil {
		return nil
	}
	if w.access, err = s.Access(r.Context()); err != nil {
		return err
	}
	w.user, err = w.access.Authenticate(auth.CredentialsOf(r), w.warn)
	if err != nil {
		return status.New(http.StatusUnauthorized, status.Unauthorized, "Unauthorized", nil)
	}
	audit.Of(r.Context()).By(w.user)
	return nil
}
