package conformance

import (
	"context"
	"encoding/binary"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/http"
	"strings"
	"time"
)

// A watch is an open stream of events. Its reader runs until the stream ends or
// the watch is closed, whichever is first.
type watch struct {
	events chan any // closed at the end of the stream
	end    error    // why it ended; nil for a proper end. Set before events is closed.
	close  context.CancelFunc
}

func (c *conversation) openWatch(ctx context.Context, st *Step) (*Outcome, error) {
	// The stream outlives this step, whose bound is only for the answer's head.
	life, cancel := context.WithCancel(context.WithoutCancel(ctx))
	stop := context.AfterFunc(ctx, cancel)
	res, err := c.send(life, st.Request)
	if err != nil {
		cancel()
		return nil, err
	}
	if res.StatusCode != http.StatusOK {
		defer cancel()
		p, err := read(res)
		if err != nil {
			return nil, err
		}
		return c.keep(st, p)
	}
	if !stop() {
		cancel()
		return nil, ctx.Err()
	}
	next := jsonEvents
	switch t := res.Header.Get("Content-Type"); {
	case strings.Contains(t, "protobuf"):
		next = protobufEvents
	case !strings.Contains(t, "json"):
		cancel()
		return nil, fmt.Errorf("cannot read a watch of type %q", t)
	}
	w := &watch{events: make(chan any, 256), close: cancel}
	c.watches[st.ID] = w
	go w.read(life, res.Body, next(res.Body))
	return c.keep(st, head(res))
}

// jsonEvents returns a function that reads the next event of a JSON stream.
func jsonEvents(body io.Reader) func() (any, error) {
	d := json.NewDecoder(body)
	d.UseNumber()
	return func() (e any, err error) {
		err = d.Decode(&e)
		return e, err
	}
}

// protobufEvents returns a function that reads the next event of a stream of frames: four bytes of
// length and a WatchEvent, represented by its type and the envelope of its object.
func protobufEvents(body io.Reader) func() (any, error) {
	return func() (any, error) {
		var size [4]byte
		if _, err := io.ReadFull(body, size[:]); err != nil {
			return nil, err
		}
		n := binary.BigEndian.Uint32(size[:])
		if n > bodyLimit {
			return nil, fmt.Errorf("a frame of %d bytes", n)
		}
		frame := make([]byte, n)
		if _, err := io.ReadFull(body, frame); err != nil {
			return nil, err
		}
		event := fields(frame)
		shown := map[string]any{"type": string(event[1])}
		if envelope, ok := strings.CutPrefix(string(fields(event[2])[1]), magic); ok {
			kind := fields(fields([]byte(envelope))[1])
			shown["object"] = map[string]any{"magic": `k8s\0`, "apiVersion": string(kind[1]), "kind": string(kind[2])}
		}
		return shown, nil
	}
}

func (w *watch) read(life context.Context, body io.Closer, next func() (any, error)) {
	defer close(w.events)
	defer body.Close()
	for {
		e, err := next()
		if err != nil {
			if !errors.Is(err, io.EOF) {
				w.end = err
			}
			return
		}
		select {
		case w.events <- e:
		case <-life.Done():
			return
		}
	}
}

// ending describes how a stream ended.
func (w *watch) ending() string {
	if w.end != nil {
		return "the watch broke off: " + w.end.Error()
	}
	return "the server ended the watch"
}

func (c *conversation) followWatch(ctx context.Context, st *Step, w *watch) (*Outcome, error) {
	var events []any
	outcome := func(captured map[string]string) *Outcome {
		for i, e := range events {
			events[i] = st.Compare.narrowEvent(c.asRecorded(e))
		}
		return &Outcome{Events: events, Captured: captured}
	}
	switch st.Do {
	case doWatchClose:
		w.close()

	case doWatchRead:
		limit := time.After(readLimit)
		for len(events) < st.Count {
			missing := ""
			select {
			case e, ok := <-w.events:
				if ok {
					events = append(events, e)
					continue
				}
				missing = w.ending()
			case <-limit:
				missing = fmt.Sprintf("%v passed", readLimit)
			}
			return outcome(nil), fmt.Errorf("want %d events, got %d: %s", st.Count, len(events), missing)
		}
		st.Compare.settleEvents(events)
		captured, err := c.capture(st, events)
		return outcome(captured), err

	case doWatchQuiet:
		select {
		case e, ok := <-w.events:
			if !ok {
				return &Outcome{}, fmt.Errorf("the watch should be open and silent, but %s", w.ending())
			}
			return &Outcome{}, fmt.Errorf("the watch should be silent, but it sent %s", brief(e))
		case <-time.After(st.pause()):
		}

	case doWatchEOF:
		for {
			select {
			case e, ok := <-w.events:
				if ok {
					events = append(events, e)
					continue
				}
				if w.end != nil {
					return outcome(nil), fmt.Errorf("the server should have ended the watch, but %s", w.ending())
				}
				return outcome(nil), nil
			case <-ctx.Done():
				return outcome(nil), fmt.Errorf("the server should have ended the watch; %v passed", stepLimit)
			}
		}
	}
	return outcome(nil), nil
}
