package apiserver

import (
	"net/http"

	"github.com/tabernetes/tabernetes/core/auth"
	"github.com/tabernetes/tabernetes/core/status"
)

// admit authenticates and authorizes a request. It comes before everything that depends on the
// resource. The request it returns carries its user and its attributes.
func (s *Server) admit(w *answer, r *http.Request) (*http.Request, error) {
	if s.Access == nil {
		return r, nil
	}
	ctx := r.Context()
	access, err := s.Access(ctx)
	if err != nil {
		return nil, err
	}
	user, err := access.Authenticate(r.Header.Get("Authorization"), w.warn)
	if err != nil {
		return nil, status.New(http.StatusUnauthorized, "Unauthorized", "Unauthorized", nil)
	}
	wanted, err := auth.Wanted(r.Header)
	if err != nil {
		return nil, err
	}
	if _, all := access.Authorizer.(auth.AlwaysAllow); all && wanted == nil {
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
	if err := a.Check(access.Authorizer); err != nil {
		return nil, err
	}
	return r.WithContext(auth.WithAttributes(ctx, a)), nil
}
