package journal

import (
	"encoding/binary"
	"time"

	"github.com/tabernetes/tabernetes/core/mvcc"
)

// AppendHeader adds the frame with the header of a recording, which begins it.
func AppendHeader(dst, meta []byte) []byte { return appendHeader(dst, meta) }

// AppendRecord adds the frame of a version.
func AppendRecord(dst []byte, r *mvcc.Record) []byte {
	return appendEvent(dst, &mvcc.Event{
		Version: &mvcc.Version{Revision: r.Revision, Created: r.Created, Deleted: r.Deleted, Value: r.Value},
		Bucket:  r.Bucket, Key: r.Key, Time: r.Time,
	})
}

// AppendGone adds the frame that says of a key that it was deleted after its last version, at the revision rev at
// the latest. Read makes a Record of it that is Deleted and has neither Created nor a Value.
func AppendGone(dst []byte, bucket, key string, rev int64, t time.Time) []byte {
	return appendFrame(dst, func(b []byte) []byte {
		b = append(b, kindGone)
		b = binary.AppendUvarint(b, uint64(rev))
		b = binary.AppendVarint(b, t.UnixNano())
		return append(appendString(b, bucket), key...)
	})
}

// AppendProgress adds the frame that says that all versions of a resource type are recorded up to a revision.
func AppendProgress(dst []byte, bucket string, rev int64) []byte {
	return appendFrame(dst, func(b []byte) []byte {
		return append(binary.AppendUvarint(append(b, kindProgress), uint64(rev)), bucket...)
	})
}

// AppendNote adds the frame of a note, which is an object in JSON.
func AppendNote(dst, text []byte) []byte {
	return appendFrame(dst, func(b []byte) []byte { return append(append(b, kindNote), text...) })
}

// AppendPosition adds the frame that says that the recording has a state from the horizon on, and that the other
// cluster had come to the revision head.
func AppendPosition(dst []byte, head, compacted int64) []byte {
	return appendPosition(dst, head, compacted)
}

// recorded passes on what only recordings have.
func (v Visitor) recorded(kind byte, r *reader, s *sequence) error {
	switch kind {
	case kindNote:
		if v.Note != nil {
			return v.Note(r.rest)
		}
	case kindProgress:
		if rev := r.number(); r.err == nil && v.Progress != nil {
			return v.Progress(string(r.rest), rev)
		}
	case kindGone:
		gone := mvcc.Record{Deleted: true, Revision: r.number(), Time: time.Unix(0, r.signed()).UTC(), Bucket: r.text()}
		if gone.Key = string(r.rest); r.err == nil {
			s.records++
			return v.Record(gone)
		}
	}
	return r.err
}

// end ends a recording that does not end with a snapshot.
func (s *sequence) end(v Visitor) error {
	if !s.recording || s.positioned || !s.marked {
		return nil
	}
	if err := s.position(s.last, min(s.horizon, s.last), int64(s.records)); err != nil {
		return err
	}
	return v.Position(s.snapshot, min(s.horizon, s.snapshot))
}
