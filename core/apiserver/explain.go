package apiserver

import (
	"net/http"

	"github.com/tabernetes/tabernetes/core/source"
	"github.com/tabernetes/tabernetes/core/wellknown"
)

// explained returns the request with a context that records the source of its answer, and that
// source; nil if the client does not ask for it.
func explained(r *http.Request) (*http.Request, *source.Source) {
	s := source.Asked(first(r.Header[wellknown.ExplainHeader]))
	if s == nil {
		return r, nil
	}
	return r.WithContext(source.With(r.Context(), s)), s
}

// explain adds the source to the header of the answer, if the client asks for it and the answer
// shows stored state.
func (a *answer) explain() {
	if a.source == nil {
		return
	}
	if text := a.source.String(); text != "" {
		a.Header().Set(wellknown.SourceHeader, text)
	}
}
