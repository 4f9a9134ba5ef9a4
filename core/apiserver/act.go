package apiserver

import (
	"cmp"
	"net/http"

	"github.com/tabernetes/tabernetes/core/status"
)

// act answers a request to a subresource that does something of its own.
func (s *Server) act(w *answer, r *http.Request, i *info, act Act) error {
	call := Call{Target: i.Target}
	if r.Method != http.MethodGet {
		var err error
		if call.WriteOptions, _, err = writeOptions(r, i.verb); err != nil {
			return err
		}
	}
	call.Warn = w.warn
	body, err := readBody(r, cmp.Or(act.MaxBody, maxBody))
	if err != nil {
		return err
	}
	call.Body = body
	if err := act.Serve(w, r, call); err != nil || w.written {
		return err
	}
	w.send(http.StatusCreated, status.Created().JSON())
	return nil
}
