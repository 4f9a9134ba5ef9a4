package apiserver

import (
	"cmp"
	"net/http"

	"github.com/tabernetes/tabernetes/core/status"
	"github.com/tabernetes/tabernetes/core/wellknown"
)

// act answers a request to a subresource with its own handler.
func (s *Server) act(w *answer, r *http.Request, i *info, act Act) error {
	call := Call{Target: i.Target}
	if r.Method != http.MethodGet {
		var err error
		if call.WriteOptions, _, err = writeOptions(r, i.verb); err != nil {
			return err
		}
	}
	call.Warn = w.warn
	if limit := cmp.Or(act.MaxBody, wellknown.MaxBody); act.Unread {
		call.Unread = newUnreadBody(r, limit, nil)
		if err := w.held.more(limit); err != nil { // what is read is a separate cluster: one at a time
			return err
		}
	} else {
		body, err := w.readBody(r, limit)
		if err != nil {
			return err
		}
		call.Body = body
	}
	if err := act.Serve(w, r, call); err != nil || w.written {
		return err
	}
	w.send(http.StatusCreated, status.Created().JSON())
	return nil
}
