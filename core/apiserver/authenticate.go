package apiserver

import (
	"net/http"
	"slices"
	"time"

	"github.com/tabernetes/tabernetes/core/auth"
	"github.com/tabernetes/tabernetes/core/status"
)

// admit finds out who makes a request and whether they may. It comes before
// everything that depends on what the request is about. The request it returns
// knows its user and its attributes.
func (s *Server) admit(w *answer, r *http.Request) (*http.Request, error) {
	if err := checkDeadline(r); err != nil {
		return nil, err
	}
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
		if a.User, err = access.Become(a, wanted, access.Authorizer); err != nil {
			return nil, err
		}
	}
	if err := a.Check(access.Authorizer); err != nil {
		return nil, err
	}
	return r.WithContext(auth.WithAttributes(ctx, a)), nil
}

// checkDeadline is the 400 for a timeout that cannot be read, which is looked at but for
// requests that may take long.
func checkDeadline(r *http.Request) error {
	if r.URL.RawQuery == "" {
		return nil
	}
	text := r.URL.Query().Get("timeout")
	if text == "" {
		return nil
	}
	_, err := time.ParseDuration(text)
	if err == nil {
		return nil
	}
	switch a := attributesOf(r); {
	case a.Verb == "watch", a.Verb == "proxy":
		return nil
	case slices.Contains([]string{"attach", "exec", "proxy", "log", "portforward"}, a.Subresource):
		return nil
	}
	return status.NewBadRequest("invalid timeout specified in the request URL - " + err.Error())
}
