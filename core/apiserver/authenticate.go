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
	if err := s.authenticate(w, r); err != nil {
		return nil, err
	}
	ctx, access, user := r.Context(), w.access, w.user
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
		return status.New(http.StatusUnauthorized, "Unauthorized", "Unauthorized", nil)
	}
	return nil
}
