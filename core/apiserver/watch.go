package apiserver

import (
	"context"
	"encoding/binary"
	"errors"
	"io"
	"net/http"
	"time"

	"github.com/tabernetes/tabernetes/core/registry"
	"github.com/tabernetes/tabernetes/core/status"
)

// minWatch is the shortest time after which the server ends a watch that has
// no timeoutSeconds; the longest is twice that.
const minWatch = 30 * time.Minute

func (s *Server) watch(w *answer, r *http.Request, i *info, reader registry.Reader) error {
	events, err := s.openWatch(r, i, reader)
	if err != nil {
		return err
	}
	defer events.Close()
	if !w.media.streams() {
		return status.NewNotAcceptable(notAcceptable + string(mediaJSON) + ";stream=watch")
	}
	return Stream(r.Context(), w, func(ctx context.Context, b []byte) ([]byte, error) {
		batch, err := events.Next(ctx)
		for _, e := range batch {
			b = appendEvent(b, e)
		}
		return b, err
	})
}

func (s *Server) openWatch(r *http.Request, i *info, reader registry.Reader) (*registry.Watch, error) {
	o, err := s.listOptions(r.URL.Query(), i)
	if err != nil {
		return nil, err
	}
	if name, ok := o.Fields.RequiresExact("metadata.name"); i.Name != "" && !o.Fields.Empty() && (!ok || name != i.Name) {
		return nil, status.NewBadRequest("fieldSelector metadata.name doesn't match requested name")
	}
	if o.Timeout == 0 {
		o.Timeout = s.watchTimeout()
	}
	return reader.Watch(r.Context(), i.Target, o)
}

// watchTimeout is random, so that clients that began together do not all come
// back at once.
func (s *Server) watchTimeout() time.Duration {
	var b [8]byte
	if _, err := io.ReadFull(s.Registry.Rand, b[:]); err != nil {
		return minWatch
	}
	return minWatch + time.Duration(binary.LittleEndian.Uint64(b[:])%uint64(minWatch))
}

// appendEvent adds a frame of a JSON watch: one object to a line.
func appendEvent(b []byte, e registry.WatchEvent) []byte {
	b = append(b, `{"type":"`...)
	b = append(b, e.Type...)
	b = append(b, `","object":`...)
	b = append(b, e.Object...)
	return append(b, "}\n"...)
}

// Stream answers with a stream of JSON: the head at once, and then what next
// appends, as it comes, until next returns io.EOF or the client goes.
func Stream(ctx context.Context, w http.ResponseWriter, next func(context.Context, []byte) ([]byte, error)) error {
	control := http.NewResponseController(w)
	w.Header().Set("Content-Type", string(mediaJSON))
	w.WriteHeader(http.StatusOK)
	if err := control.Flush(); err != nil {
		return err
	}
	var buffer []byte
	for {
		b, err := next(ctx, buffer[:0])
		if len(b) > 0 {
			if _, err := w.Write(b); err != nil {
				panic(http.ErrAbortHandler)
			}
			if err := control.Flush(); err != nil {
				panic(http.ErrAbortHandler)
			}
			if buffer = b; cap(b) > 1<<20 {
				buffer = nil // do not hold on to a burst's memory
			}
		}
		switch {
		case errors.Is(err, io.EOF):
			return nil
		case err != nil:
			panic(http.ErrAbortHandler)
		}
	}
}
