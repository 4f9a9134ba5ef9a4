package faults

import (
	"errors"
	"net/http"
)

// Writer returns a writer that delays, cuts or splits an answer, as the effect says; or w itself if
// it does none of these. Wait is called before anything is sent and returns after the Delay; it may
// panic with http.ErrAbortHandler, as does a write to an answer that is cut.
func (e *Effect) Writer(w http.ResponseWriter, wait func()) http.ResponseWriter {
	switch {
	case e.Delay > 0, e.CutAfterBytes != nil, e.ChunkBytes > 0:
		return &writer{ResponseWriter: w, effect: e, wait: wait}
	}
	return w
}

type writer struct {
	http.ResponseWriter
	effect *Effect
	wait   func()
	begun  bool
	// written is the number of bytes of the body so far.
	written int64
}

// begin is called before anything is sent.
func (w *writer) begin() {
	if !w.begun {
		w.begun = true
		if w.effect.Delay > 0 {
			w.wait()
		}
	}
}

func (w *writer) WriteHeader(code int) {
	w.begin()
	w.ResponseWriter.WriteHeader(code)
	w.cutIfDue()
}

func (w *writer) Write(b []byte) (n int, err error) {
	w.begin()
	w.cutIfDue()
	for err == nil && n < len(b) {
		piece := b[n:]
		if most := w.effect.CutAfterBytes; most != nil {
			piece = piece[:min(int64(len(piece)), *most-w.written)]
		}
		if size := w.effect.ChunkBytes; size > 0 {
			piece = piece[:min(int64(len(piece)), size)]
		}
		var m int
		m, err = w.ResponseWriter.Write(piece)
		n += m
		w.written += int64(m)
		w.cutIfDue()
		if err == nil && w.effect.ChunkBytes > 0 {
			if err = w.FlushError(); errors.Is(err, http.ErrNotSupported) {
				err = nil
			}
		}
	}
	return n, err
}

// cutIfDue breaks the connection once all bytes before the cut were sent.
func (w *writer) cutIfDue() {
	if most := w.effect.CutAfterBytes; most == nil || w.written < *most {
		return
	}
	_ = w.FlushError() // so that the client gets the bytes before the cut
	panic(http.ErrAbortHandler)
}

// FlushError sends what was written.
func (w *writer) FlushError() error {
	w.begin()
	return http.NewResponseController(w.ResponseWriter).Flush()
}

// Unwrap is for http.ResponseController.
func (w *writer) Unwrap() http.ResponseWriter { return w.ResponseWriter }
