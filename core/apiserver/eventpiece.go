package apiserver

import "sync"

const (
	// eventPiece is the number of bytes of events that are collected before they are sent.
	eventPiece = 64 << 10
	// largeObject is the number of bytes from which on an object is not copied, but sent as it is stored.
	largeObject = 16 << 10
)

// An eventWriter collects small events, so that many of them cost one write, and sends large ones by themselves: a
// thousand clients that read nothing of what a thousand large objects are share those objects.
type eventWriter struct {
	send func([]byte) error
	b    []byte
	err  error // the first one
}

var eventWriters = sync.Pool{New: func() any { return new(eventWriter) }}

// takePiece returns a writer; free it when done.
func takePiece(send func([]byte) error) *eventWriter {
	w := eventWriters.Get().(*eventWriter)
	w.send, w.err = send, nil
	return w
}

func (w *eventWriter) free() {
	w.send, w.b = nil, w.b[:0]
	eventWriters.Put(w)
}

// buffer returns the buffer, to which the head of an event is appended.
func (w *eventWriter) buffer() []byte { return w.b }

// append adds an event: what the buffer has become with its head, the object, and what follows that.
func (w *eventWriter) append(head, object []byte, after string) {
	if w.b = head; len(object) < largeObject {
		w.b = append(w.b, object...)
	} else if w.flush() == nil {
		w.err = w.send(object)
	}
	if w.b = append(w.b, after...); len(w.b) >= eventPiece {
		w.err = w.flush()
	}
}

// flush sends what is collected. After an error nothing is sent any more.
func (w *eventWriter) flush() error {
	if w.err == nil && len(w.b) > 0 {
		w.err = w.send(w.b)
	}
	w.b = w.b[:0]
	return w.err
}
