package apiserver

import (
	"net/http"

	"github.com/tabernetes/tabernetes/core/source"
	"github.com/tabernetes/tabernetes/core/wellknown"
)

// explained returns the request with a context that takes down where its answer comes
// from, and what is taken down; nil if the client does not ask.
func explained(r *http.Request) (*http.Request, *source.Source) {
	if !source.Asked(r.Header.Get(wellknown.ExplainHeader)) {
		return r, nil
	}
	s := new(source.Source)
	return r.WithContext(source.With(r.Context(), s)), s
}

// explain adds to the head of the answer where it comes from, if the client asks and the
// answer tells of stored state.
func (a *answer) explain() {
	if a.source == nil {
		return
	}
	if text := a.source.String(); text != "" {
		a.Header().Set(wellknown.SourceHeader, text)
	}
}
