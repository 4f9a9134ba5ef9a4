package apiserver

import (
	"cmp"
	"context"
	"encoding/binary"
	"errors"
	"io"
	"net/http"
	"net/url"
	"runtime/debug"
	"time"

	"github.com/tabernetes/tabernetes/core/lasting"
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
	defer lasting.End(r.Context(), events.Close)
	c, err := w.converter()
	if err != nil {
		return err
	}
	if !w.media.streams() {
		return status.NewNotAcceptable(notAcceptable + listOf(streamed(s.served())))
	}
	media, codec, left := w.media, codecs[w.media], w.eventsLeft()
	// It waits without a buffer, and keeps nothing of the request: most watches are idle. One whose client does not
	// read keeps one piece, and shares large objects with others.
	next := func(ctx context.Context, send func([]byte) error) error {
		if left != nil && *left == 0 {
			return errCut
		}
		batch, err := events.Next(ctx)
		if left != nil {
			if *left <= int64(len(batch)) {
				batch, err = batch[:*left], errCut
			}
			*left -= int64(len(batch))
		}
		if len(batch) == 0 {
			return err
		}
		p := takePiece(send)
		defer p.free()
		for _, e := range batch {
			shown, end := media.eventObject(c, e)
			if end != nil {
				return cmp.Or(p.flush(), end)
			}
			p.append(codec.event(p.buffer(), e.Type, len(shown)), shown, codec.after)
		}
		return cmp.Or(p.flush(), err)
	}
	if err := beginStream(w, codec.stream); err != nil {
		return err
	}
	ctx, path, sent := r.Context(), r.URL.Path, w.sent
	if w.fault == nil && lasting.Continue(ctx, func(out io.Writer) error { return s.rest(ctx, path, out, sent, next) }) {
		return nil
	}
	return stream(ctx, w, next)
}

// rest writes the rest of a watch after its handlers have returned, and counts its bytes.
func (s *Server) rest(ctx context.Context, path string, out io.Writer, sent *int64, next nextPiece) (err error) {
	defer func() {
		if p := recover(); p != nil {
			if err = http.ErrAbortHandler; p != err && s.OnPanic != nil {
				s.OnPanic(&http.Request{Method: http.MethodGet, URL: &url.URL{Path: path}}, p, debug.Stack())
			}
		}
	}()
	return pump(ctx, next, func(b []byte) error {
		n, err := out.Write(b)
		if sent != nil {
			*sent += int64(n)
		}
		return err
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

// appendEventHead adds the beginning of a frame of a JSON watch: one object per line.
func appendEventHead(b []byte, kind string, _ int) []byte {
	b = append(b, `{"type":"`...)
	b = append(b, kind...)
	return append(b, `","object":`...)
}

// Stream answers with a stream of JSON: the header at once, and then what next appends, until next
// returns io.EOF or the client disconnects.
func Stream(ctx context.Context, w http.ResponseWriter, next func(context.Context, []byte) ([]byte, error)) error {
	if err := beginStream(w, string(mediaJSON)); err != nil {
		return err
	}
	var buffer []byte
	return stream(ctx, w, func(ctx context.Context, send func([]byte) error) error {
		b, err := next(ctx, buffer[:0])
		if len(b) > 0 {
			if err := send(b); err != nil {
				return err
			}
			if buffer = b; cap(b) > 1<<20 {
				buffer = nil // do not keep a burst's memory
			}
		}
		return err
	})
}

// asksEarly reports whether the client asks for a byte of the body with the head. A fault that counts
// bytes counts only those of the stream.
func asksEarly(w http.ResponseWriter) bool {
	a, ok := w.(*answer)
	return ok && a.fault == nil && first(a.request.Header[wellknown.EarlyHeader]) != ""
}

// beginStream sends the head of a stream.
func beginStream(w http.ResponseWriter, contentType string) error {
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
	return http.NewResponseController(w).Flush()
}

// A nextPiece waits for the next part of a stream, and sends it. The error io.EOF is the end of the stream, any other
// one cuts it off.
type nextPiece func(ctx context.Context, send func([]byte) error) error

// stream writes the rest of a stream while its handlers wait.
func stream(ctx context.Context, w http.ResponseWriter, next nextPiece) error {
	control := http.NewResponseController(w)
	if pump(ctx, next, func(b []byte) error {
		_, err := w.Write(b)
		if err == nil {
			err = control.Flush()
		}
		return err
	}) != nil {
		panic(http.ErrAbortHandler)
	}
	return nil
}

// pump sends the parts of a stream until its end. The error says that it is cut off.
func pump(ctx context.Context, next nextPiece, send func([]byte) error) error {
	for {
		err := next(ctx, send)
		switch {
		case errors.Is(err, io.EOF):
			return nil
		case err != nil:
			return err
		}
	}
}
