package journal

import (
	"bufio"
	"bytes"
	"errors"
	"fmt"
	"io"
	"slices"
	"time"

	"github.com/tabernetes/tabernetes/core/mvcc"
)

// Visitor has the functions that Read calls with the content of a log, in order. If one returns an
// error, the log counts as damaged there.
type Visitor struct {
	// Header gets the header of the log, and reports whether it is that of a recording. The slice is shared.
	Header func(meta []byte) (recording bool, err error)
	// Record gets each version once. Its Value is shared.
	Record func(mvcc.Record) error
	// Position gets each position of the head and the horizon; of the first part of a recording only the
	// last one.
	Position func(head, compacted int64) error
	// Note gets each note of a recording, and Progress how far a resource type has been recorded. Both may be
	// nil. The slice is shared.
	Note     func(text []byte) error
	Progress func(bucket string, rev int64) error
}

// Found describes what Read found in a log.
type Found struct {
	// Size is the length of the log, Sound that of its valid part: all frames before the first invalid
	// one. Both are in bytes.
	Size, Sound int64
	// Records is the number of versions in the valid part, Revision its last revision, Complete whether
	// it has at least one position: without one it is the beginning of a snapshot.
	Records  int
	Revision int64
	Complete bool
	// Problem describes the first invalid frame, or nil.
	Problem error
	// Beyond is the number of valid frames after the first invalid one, and Reaches their last
	// revision. Without any, the end of the log may have been cut off while it was written.
	Beyond  int
	Reaches int64
}

// ErrOtherRelease is the error for a log that is not damaged, and has something in it that this release does not know.
var ErrOtherRelease = errors.New(
	"it was saved by another release of Tabernetes, most likely a newer one, which can open it")

// Read passes the valid part of a log to v, and describes what it found. The error is that of
// reading from the storage.
func Read(log io.Reader, v Visitor) (Found, error) {
	in := &input{Reader: bufio.NewReaderSize(log, piece)}
	s := &sequence{}
	var found Found
	refused := false // whether the first invalid frame is one that was not damaged
	for {
		payload, err := in.frame()
		if err == io.EOF {
			break
		}
		whole := err == nil
		if whole {
			err = v.visit(payload, s)
		}
		if err == nil {
			found.Sound = in.at
			continue
		}
		if in.failed != nil {
			return found, in.failed
		}
		found.Problem = fmt.Errorf("the frame at byte %d: %w", found.Sound, err)
		if err := in.beyond(&found); err != nil {
			return found, err
		}
		refused = whole
		break
	}
	if !refused && found.Beyond == 0 {
		if err := s.end(v); err != nil {
			found.Problem, found.Sound, s.positioned = err, 0, false
		}
	}
	found.Size = in.at
	found.Records, found.Revision, found.Complete = s.records, s.last, s.positioned
	return found, nil
}

// piece is how much is read and written at a time, in bytes.
const piece = 256 << 10

// input reads frames.
type input struct {
	*bufio.Reader
	at int64 // bytes read so far
	// head and payload are those of the last frame.
	head, payload []byte
	failed        error // of the storage
}

var (
	errCut      = errors.New("it is cut off")
	errHead     = errors.New("its head is damaged")
	errPayload  = errors.New("its content is damaged")
	errZeros    = errors.New("there is nothing but zeros") // the file had been extended, but not written yet
	errNoHeader = errors.New("the log does not begin with its only header")
)

// frame reads a frame's payload, which is valid until the next call. At the end of the log it
// returns io.EOF.
func (in *input) frame() ([]byte, error) {
	in.head, in.payload = in.head[:0], in.payload[:0]
	var err error
	if in.head, err = in.fill(in.head, frameHead); err != nil {
		if len(in.head) == 0 && in.failed == nil {
			return nil, io.EOF
		}
		return nil, err
	}
	size, ok := checkFrameHead(in.head)
	if !ok {
		return nil, errHead
	}
	// If a log was cut off, a frame's head may declare more bytes than there are, so memory is
	// allocated as bytes are read.
	for int64(len(in.payload)) < size {
		n := min(size-int64(len(in.payload)), max(piece, int64(len(in.payload))))
		if in.payload, err = in.fill(in.payload, int(n)); err != nil {
			return nil, err
		}
	}
	if !checkPayload(in.head, in.payload) {
		return nil, errPayload
	}
	return in.payload, nil
}

// fill appends the next n bytes to p.
func (in *input) fill(p []byte, n int) ([]byte, error) {
	start := len(p)
	p = slices.Grow(p, n)[:start+n]
	got, err := io.ReadFull(in.Reader, p[start:])
	in.at += int64(got)
	if err == nil {
		return p, nil
	}
	if err != io.EOF && err != io.ErrUnexpectedEOF {
		in.failed = err
	}
	return p[:start+got], errCut
}

// most is the maximum length of a frame that beyond looks for, in bytes.
const most = 16 << 20

// beyond looks for valid frames in the rest of the log, from the invalid one on, at any byte.
func (in *input) beyond(found *Found) error {
	rest := &window{from: io.MultiReader(bytes.NewReader(in.head), bytes.NewReader(in.payload), in.Reader)}
	in.at -= int64(len(in.head) + len(in.payload))
	zeros, start, vain := true, in.at, int64(0) // vain: how many bytes were summed up that are no frame's
	for {
		next := 1
		head, err := rest.peek(frameHead)
		if err != nil {
			return err
		}
		if len(head) == 0 {
			break
		}
		zeros = zeros && head[0] == 0
		if size, ok := checkFrameHead(head); ok && size <= most {
			frame, err := rest.peek(int(frameHead + size))
			if err != nil {
				return err
			}
			switch {
			case int64(len(frame)) < frameHead+size:
			case vain > in.at-start: // heads of frames that overlap, as no log has them: the rest counts without a look
				found.Beyond++
			case checkPayload(frame, frame[frameHead:]):
				found.Beyond++
				found.Reaches = max(found.Reaches, revisionOf(frame[frameHead:]))
				next = len(frame)
			default:
				vain += size
			}
		}
		rest.skip(next)
		in.at += int64(next)
	}
	if zeros {
		found.Problem = fmt.Errorf("from byte %d on %w", found.Sound, errZeros)
	}
	return nil
}

// A window gives access to the next bytes of the input.
type window struct {
	from  io.Reader
	ahead []byte
	ended bool
}

// peek returns the next n bytes: less at the end.
func (w *window) peek(n int) ([]byte, error) {
	if have := len(w.ahead); have < n && !w.ended {
		w.ahead = append(make([]byte, 0, max(n+n/4, piece)), w.ahead...) // more, so that not each byte moves all
		got, err := io.ReadFull(w.from, w.ahead[have:cap(w.ahead)])
		w.ahead = w.ahead[:have+got]
		if w.ended = err == io.EOF || err == io.ErrUnexpectedEOF; err != nil && !w.ended {
			return nil, err
		}
	}
	return w.ahead[:min(n, len(w.ahead))], nil
}

func (w *window) skip(n int) { w.ahead = w.ahead[n:] }

// revisionOf returns the last revision in a frame; 0 if it has none.
func revisionOf(payload []byte) int64 {
	r := reader{payload[1:], nil}
	switch payload[0] {
	case kindPosition, kindSnapshot, kindVersion, kindDeletion, kindVersionBy, kindDeletionBy:
		return r.number()
	}
	return 0
}

// A sequence checks that a log has every revision above its horizon.
type sequence struct {
	begun, positioned bool
	// uncounted is true if the log does not have the number of versions in its snapshot.
	uncounted bool
	records   int
	// recording is true for the log of a recording, and marked if its first part has a position, the last
	// of which has the horizon.
	recording, marked bool
	horizon           int64
	// last is the last revision, since the first one after which there is no gap, and snapshot the head
	// of the first position.
	last, since, snapshot int64
}

func (s *sequence) record(rev int64) error {
	switch {
	case s.recording && !s.positioned:
		s.last = max(s.last, rev)
		s.records++
		return nil
	case !s.positioned && rev <= s.last:
		return fmt.Errorf("revision %d follows %d", rev, s.last)
	case !s.positioned && rev != s.last+1:
		s.since = rev
	case s.positioned && rev != s.last+1:
		return fmt.Errorf("revision %d follows %d: what comes in between is missing", rev, s.last)
	}
	s.last = rev
	s.records++
	return nil
}

// position adds a position; versions is the number of versions in the snapshot that it ends,
// negative if it does not end one.
func (s *sequence) position(head, compacted, versions int64) error {
	switch {
	case s.positioned && versions >= 0:
		return errors.New("a snapshot ends behind the beginning")
	case !s.positioned && !s.uncounted && versions != int64(s.records):
		return fmt.Errorf("the snapshot has %d versions of %d", s.records, versions)
	case compacted > head:
		return fmt.Errorf("the horizon %d is above the head %d", compacted, head)
	case s.positioned && head > s.last:
		return fmt.Errorf("the head is at %d, and the last revision is %d: what comes in between is missing", head, s.last)
	case s.positioned:
		return nil
	}
	// A store without a write has revision 1.
	if first := max(compacted, 1) + 1; !s.recording && head >= first && (s.last != head || s.since > first) {
		return fmt.Errorf("revisions %d to %d are missing from %d to %d", first, head, s.since, s.last)
	}
	if s.last > head {
		return fmt.Errorf("the head %d is below revision %d", head, s.last)
	}
	s.positioned, s.last, s.snapshot = true, head, head
	return nil
}

func (v Visitor) visit(payload []byte, s *sequence) error {
	r := reader{payload[1:], nil}
	kind := payload[0]
	if s.begun == (kind == kindHeader || kind == kindHeader1) {
		return errNoHeader
	}
	switch kind {
	case kindHeader, kindHeader1:
		s.begun, s.uncounted = true, kind == kindHeader1
		var err error
		s.recording, err = v.Header(r.rest)
		return err
	case kindPosition, kindSnapshot:
		head, compacted, versions := r.number(), r.number(), int64(-1)
		if kind == kindSnapshot {
			versions = r.number()
		}
		if r.err != nil {
			return r.err
		}
		if kind == kindPosition && s.recording && !s.positioned {
			s.marked, s.last, s.horizon = true, max(s.last, head), max(s.horizon, compacted)
			return nil
		}
		if err := s.position(head, compacted, versions); err != nil {
			return err
		}
		return v.Position(head, compacted)
	case kindNote, kindProgress, kindGone:
		if s.recording && !s.positioned {
			return v.recorded(kind, &r, s)
		}
	case kindVersion, kindDeletion, kindVersionBy, kindDeletionBy, kindVersionOf, kindDeletionOf:
		deletes := kind == kindDeletion || kind == kindDeletionBy || kind == kindDeletionOf
		record := mvcc.Record{Deleted: deletes}
		record.Revision, record.Created = r.number(), r.number()
		record.Time = time.Unix(0, r.signed()).UTC()
		record.Bucket, record.Key = r.text(), r.text()
		if kind != kindVersion && kind != kindDeletion {
			if a := (mvcc.Author{User: r.text(), Manager: r.text()}); a != (mvcc.Author{}) {
				record.Author = &a
			}
		}
		if kind == kindVersionOf || kind == kindDeletionOf {
			record.Owners = &mvcc.Owners{Creator: r.text(), Payer: r.text()}
		}
		record.Value = r.rest
		if r.err != nil {
			return r.err
		}
		if s.positioned && record.Revision <= s.snapshot {
			return nil // the rewriting of an old log already wrote it
		}
		if err := s.record(record.Revision); err != nil {
			return err
		}
		return v.Record(record)
	}
	return fmt.Errorf("%w: records of the kind %q are not known here", ErrOtherRelease, kind)
}
