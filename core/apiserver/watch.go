package apiserver

import (
	"context"
	"encoding/binary"
	"errors"
	"io"
	"net/http"
	"time"

	"github.com/tabernetes/tabernetes/core/random"
	"github.com/tabernetes/tabernetes/core/registry"
	"github.com/tabernetes/tabernetes/core/status"
	"github.com/tabernetes/tabernetes/core/wellknown"
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
	c, err := w.converter()
	if err != nil {
		return err
	}
	if !w.media.streams() {
		return status.NewNotAcceptable(notAcceptable + listOf(streamed(s.served())))
	}
	codec, left := codecs[w.media], w.eventsLeft()
	return stream(r.Context(), w, codec.stream, func(ctx context.Context, b []byte) ([]byte, error) {
		if left != nil && *left == 0 {
			return b, errCut
		}
		batch, err := events.Next(ctx)
		if left != nil {
			if *left <= int64(len(batch)) {
				batch, err = batch[:*left], errCut
			}
			*left -= int64(len(batch))
		}
		for _, e := range batch {
			shown, end := w.media.eventObject(c, e)
			if end != nil {
				return b, end
			}
			b = codec.event(b, e.Type, shown)
		}
		return b, err
	})
}

// eventObject returns an event's object as written in a watch with a conversion; nil for none. It
// is made once for all watches with the same conversion.
func (t mediaType) eventObject(c *converter, e registry.WatchEvent) ([]byte, error) {
	shown := e.Object
	encoded := struct {
		mediaType
		conversion
	}{mediaType: t}
	if c != nil {
		var err error
		if shown, err = c.event(e); err != nil {
			return nil, err
		}
		encoded.conversion = c.conversion
	}
	if codecs[t].document == nil {
		return shown, nil
	}
	return e.Memo(encoded, func() []byte {
		if document, ok := t.encode(shown); ok {
			return document
		}
		return shown
	}), nil
}

func (s *Server) openWatch(r *http.Request, i *info, reader registry.Reader) (*registry.Watch, error) {
	o, err := listOptions(r, i, reader)
	if err != nil {
		return nil, err
	}
	if name, ok := o.Fields.RequiresExact("metadata.name"); i.Name != "" && !o.Fields.Empty() && (!ok || name != i.Name) {
		return nil, status.NewBadRequest("fieldSelector metadata.name doesn't match requested name")
	}
	if o.Timeout == 0 {
		o.Timeout = s.watchTimeout(i.Target)
	}
	return reader.Watch(r.Context(), i.Target, o)
}

// watchTimeout is random, so that clients that began together do not all come
// back at once.
func (s *Server) watchTimeout(t registry.Target) time.Duration {
	var b [8]byte
	if _, err := io.ReadFull(random.For(s.Registry.Rand, "watch", t.Group, t.Plural, t.Namespace, t.Name),
		b[:]); err != nil {
		return minWatch
	}
	return minWatch + time.Duration(binary.LittleEndian.Uint64(b[:])%uint64(minWatch))
}

// appendEvent adds a frame of a JSON watch: one object per line.
func appendEvent(b []byte, kind string, object []byte) []byte {
	b = append(b, `{"type":"`...)
	b = append(b, kind...)
	b = append(b, `","object":`...)
	b = append(b, object...)
	return append(b, "}\n"...)
}

// Stream answers with a stream of JSON: the header at once, and then what next appends, until next
// returns io.EOF or the client disconnects.
func Stream(ctx context.Context, w http.ResponseWriter, next func(context.Context, []byte) ([]byte, error)) error {
	return stream(ctx, w, string(mediaJSON), next)
}

// asksEarly reports whether the client asks for a byte of the body with the head. A fault that counts
// bytes counts only those of the stream.
func asksEarly(w http.ResponseWriter) bool {
	a, ok := w.(*answer)
	return ok && a.fault == nil && a.request.Header.Get(wellknown.EarlyHeader) != ""
}

// stream answers with a stream of any content type.
func stream(ctx context.Context, w http.ResponseWriter, contentType string,
	next func(context.Context, []byte) ([]byte, error)) error {
	control := http.NewResponseController(w)
	w.Header().Set("Content-Type", contentType)
	early := asksEarly(w) && contentType == string(mediaJSON)
	if early {
		w.Header().Set(wellknown.EarlyHeader, "1")
	}
	w.WriteHeader(http.StatusOK)
	if early {
		if _, err := w.Write([]byte{'\n'}); err != nil {
			panic(http.ErrAbortHandler)
		}
	}
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
				buffer = nil // do not keep a burst's memory
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
