package journal

import (
	"bufio"
	"io"

	"github.com/tabernetes/tabernetes/core/mvcc"
)

// Snapshot writes the log of a store: the header, every retained version, and the position. Pending
// writes are not in it.
func Snapshot(w io.Writer, meta []byte, store *mvcc.Store) error {
	events, at, err := store.Events(0)
	if err != nil {
		return err
	}
	return Write(w, meta, events, at)
}

// Write writes the log of a store that has exactly these events.
func Write(w io.Writer, meta []byte, events []*mvcc.Event, at mvcc.Extent) error {
	out := bufio.NewWriterSize(w, piece)
	frame := appendHeader(nil, meta)
	for _, e := range events {
		if _, err := out.Write(frame); err != nil {
			return err
		}
		frame = appendEvent(frame[:0], e)
	}
	if _, err := out.Write(frame); err != nil {
		return err
	}
	if _, err := out.Write(appendSnapshotEnd(frame[:0], at.Head, at.Compacted, len(events))); err != nil {
		return err
	}
	return out.Flush()
}
