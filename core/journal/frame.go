package journal

import (
	"encoding/binary"
	"errors"
	"fmt"
	"hash/crc32"
	"time"

	"github.com/tabernetes/tabernetes/core/mvcc"
)

// ErrCorrupt is returned for a log that cannot be read as it was written.
var ErrCorrupt = errors.New("the saved state is damaged")

var castagnoli = crc32.MakeTable(crc32.Castagnoli)

const (
	// frameHead is the length of a frame's head: the payload's length, the
	// payload's checksum, and the checksum of both.
	frameHead = 12

	kindHeader   = 'H'
	kindVersion  = 'V'
	kindDeletion = 'D'
	kindPosition = 'P'
)

// appendFrame adds a frame around the payload that fill appends.
func appendFrame(dst []byte, fill func([]byte) []byte) []byte {
	start := len(dst)
	dst = append(dst, make([]byte, frameHead)...)
	dst = fill(dst)
	head, payload := dst[start:start+frameHead], dst[start+frameHead:]
	binary.LittleEndian.PutUint32(head, uint32(len(payload)))
	binary.LittleEndian.PutUint32(head[4:], crc32.Checksum(payload, castagnoli))
	binary.LittleEndian.PutUint32(head[8:], crc32.Checksum(head[:8], castagnoli))
	return dst
}

func appendHeader(dst, meta []byte) []byte {
	return appendFrame(dst, func(b []byte) []byte { return append(append(b, kindHeader), meta...) })
}

func appendPosition(dst []byte, head, compacted int64) []byte {
	return appendFrame(dst, func(b []byte) []byte {
		b = append(b, kindPosition)
		b = binary.AppendUvarint(b, uint64(head))
		return binary.AppendUvarint(b, uint64(compacted))
	})
}

func appendEvent(dst []byte, e *mvcc.Event) []byte {
	return appendFrame(dst, func(b []byte) []byte {
		kind := byte(kindVersion)
		if e.Deleted {
			kind = kindDeletion
		}
		b = append(b, kind)
		b = binary.AppendUvarint(b, uint64(e.Revision))
		b = binary.AppendUvarint(b, uint64(e.Created))
		b = binary.AppendVarint(b, e.Time.UnixNano())
		b = appendString(b, e.Bucket)
		b = appendString(b, e.Key)
		return append(b, e.Value...)
	})
}

func appendString(dst []byte, s string) []byte {
	return append(binary.AppendUvarint(dst, uint64(len(s))), s...)
}

// Visitor is told what a log holds, in order.
type Visitor struct {
	// Header gets what the log was begun with. The slice is shared.
	Header func(meta []byte) error
	// Record gets each version. Its Value is shared.
	Record func(mvcc.Record) error
	// Position gets each position of the head and the horizon.
	Position func(head, compacted int64) error
}

// Read passes the frames of a log to v. It returns the length of the whole
// frames: less than len(log) if the last one was cut off. The error is
// ErrCorrupt, or what a visitor returned, with the place of the frame.
func Read(log []byte, v Visitor) (int, error) {
	at := 0
	for at < len(log) {
		rest := log[at:]
		if len(rest) < frameHead || allZero(rest) {
			return at, nil
		}
		head := rest[:frameHead]
		size := int(binary.LittleEndian.Uint32(head))
		if crc32.Checksum(head[:8], castagnoli) != binary.LittleEndian.Uint32(head[8:]) || size == 0 {
			return at, fmt.Errorf("%w: the head of the frame at byte %d", ErrCorrupt, at)
		}
		if size > len(rest)-frameHead {
			return at, nil
		}
		payload := rest[frameHead : frameHead+size]
		if crc32.Checksum(payload, castagnoli) != binary.LittleEndian.Uint32(head[4:]) {
			return at, fmt.Errorf("%w: the frame at byte %d", ErrCorrupt, at)
		}
		if at == 0 && payload[0] != kindHeader {
			return at, fmt.Errorf("%w: it does not begin with a header", ErrCorrupt)
		}
		if err := v.visit(payload); err != nil {
			return at, fmt.Errorf("at byte %d: %w", at, err)
		}
		at += frameHead + size
	}
	return at, nil
}

// allZero says whether nothing is in b: a file that had grown, but was not
// written yet.
func allZero(b []byte) bool {
	for _, c := range b {
		if c != 0 {
			return false
		}
	}
	return true
}

func (v Visitor) visit(payload []byte) error {
	r := reader{payload[1:], nil}
	switch kind := payload[0]; kind {
	case kindHeader:
		return v.Header(r.rest)
	case kindPosition:
		head, compacted := r.number(), r.number()
		if r.err != nil {
			return r.err
		}
		return v.Position(head, compacted)
	case kindVersion, kindDeletion:
		record := mvcc.Record{Deleted: kind == kindDeletion}
		record.Revision, record.Created = r.number(), r.number()
		record.Time = time.Unix(0, r.signed()).UTC()
		record.Bucket, record.Key = r.text(), r.text()
		record.Value = r.rest
		if r.err != nil {
			return r.err
		}
		return v.Record(record)
	default:
		return fmt.Errorf("%w: a frame of unknown kind %q", ErrCorrupt, kind)
	}
}

// reader takes values off the front of a payload; after an error it yields
// zeros.
type reader struct {
	rest []byte
	err  error
}

func (r *reader) number() int64 {
	n, size := binary.Uvarint(r.rest)
	if size <= 0 || n > 1<<62 {
		r.err, r.rest = ErrCorrupt, nil
		return 0
	}
	r.rest = r.rest[size:]
	return int64(n)
}

func (r *reader) signed() int64 {
	n, size := binary.Varint(r.rest)
	if size <= 0 {
		r.err, r.rest = ErrCorrupt, nil
		return 0
	}
	r.rest = r.rest[size:]
	return n
}

func (r *reader) text() string {
	n := r.number()
	if n > int64(len(r.rest)) {
		r.err, r.rest = ErrCorrupt, nil
		return ""
	}
	s := string(r.rest[:n])
	r.rest = r.rest[n:]
	return s
}
