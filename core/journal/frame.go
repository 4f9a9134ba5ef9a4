package journal

import (
	"encoding/binary"
	"errors"
	"hash/crc32"

	"github.com/tabernetes/tabernetes/core/mvcc"
)

// errShort is the error for a payload that ends too early.
var errShort = errors.New("its content is not what its kind has")

var castagnoli = crc32.MakeTable(crc32.Castagnoli)

const (
	// frameHead is the length of a frame's head: the payload's length, the
	// payload's checksum, and the checksum of both.
	frameHead = 12

	kindHeader   = 'B'
	kindVersion  = 'V'
	kindDeletion = 'D'
	kindPosition = 'P'
	kindSnapshot = 'S' // the position at the end of a snapshot, with its number of versions
	kindHeader1  = 'H' // of logs that do not count the versions of their snapshot
	kindHead     = 'L' // the last durable revision, beside the log

	// A version and a deletion with their author, which is before the value.
	kindVersionBy, kindDeletionBy = 'W', 'E'
	// The same with an author, which may be empty, and the owners behind it.
	kindVersionOf, kindDeletionOf = 'X', 'Y'

	// In the first part of a recording only: see recording.go.
	kindGone, kindProgress, kindNote = 'G', 'T', 'N'

	// maxFrame is the maximum size of a payload, in bytes: far above the size of objects.
	maxFrame = 256 << 20
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

func appendSnapshotEnd(dst []byte, head, compacted int64, versions int) []byte {
	return appendFrame(dst, func(b []byte) []byte {
		b = append(b, kindSnapshot)
		b = binary.AppendUvarint(b, uint64(head))
		b = binary.AppendUvarint(b, uint64(compacted))
		return binary.AppendUvarint(b, uint64(versions))
	})
}

func appendEvent(dst []byte, e *mvcc.Event) []byte {
	return appendFrame(dst, func(b []byte) []byte {
		b = append(b, kindOf(e))
		b = binary.AppendUvarint(b, uint64(e.Revision))
		b = binary.AppendUvarint(b, uint64(e.Created))
		b = binary.AppendVarint(b, e.Time.UnixNano())
		b = appendString(b, e.Bucket)
		b = appendString(b, e.Key)
		if a := e.Author.Stored(); a != nil {
			b = appendString(appendString(b, a.User), a.Manager)
		} else if e.Owners != nil {
			b = append(b, 0, 0)
		}
		if o := e.Owners; o != nil {
			b = appendString(appendString(b, o.Creator), o.Payer)
		}
		return append(b, e.Value...)
	})
}

// kindOf returns the kind of an event's payload.
func kindOf(e *mvcc.Event) byte {
	author := e.Author.Stored()
	switch {
	case e.Owners != nil && e.Deleted:
		return kindDeletionOf
	case e.Owners != nil:
		return kindVersionOf
	case author == nil && e.Deleted:
		return kindDeletion
	case author == nil:
		return kindVersion
	case e.Deleted:
		return kindDeletionBy
	}
	return kindVersionBy
}

func appendHead(dst []byte, h Head) []byte {
	return appendFrame(dst, func(b []byte) []byte {
		b = append(b, kindHead)
		b = binary.AppendUvarint(b, uint64(h.Revision))
		return append(b, h.Cluster...)
	})
}

// A Head is the head record beside a log: the last durable revision, and the identity of its
// cluster.
type Head struct {
	Revision int64
	Cluster  string
}

// ParseHead reads a head record; false if it is not one.
func ParseHead(p []byte) (Head, bool) {
	size, ok := checkFrameHead(p)
	if !ok || int64(len(p)-frameHead) < size || !checkPayload(p, p[frameHead:frameHead+size]) || p[frameHead] != kindHead {
		return Head{}, false
	}
	r := reader{p[frameHead+1 : frameHead+size], nil}
	h := Head{Revision: r.number(), Cluster: string(r.rest)}
	return h, r.err == nil
}

// checkFrameHead returns the length of the payload after a frame's head; false if the head is
// invalid.
func checkFrameHead(head []byte) (size int64, ok bool) {
	if len(head) < frameHead {
		return 0, false
	}
	size = int64(binary.LittleEndian.Uint32(head)) // first: zeros and text are no size, and need no sum
	return size, size > 0 && size <= maxFrame &&
		crc32.Checksum(head[:8], castagnoli) == binary.LittleEndian.Uint32(head[8:])
}

// checkPayload reports whether a payload matches its frame's head.
func checkPayload(head, payload []byte) bool {
	return crc32.Checksum(payload, castagnoli) == binary.LittleEndian.Uint32(head[4:])
}

func appendString(dst []byte, s string) []byte {
	return append(binary.AppendUvarint(dst, uint64(len(s))), s...)
}

// reader reads values from a payload; after an error it returns zeros.
type reader struct {
	rest []byte
	err  error
}

func (r *reader) number() int64 {
	n, size := binary.Uvarint(r.rest)
	if size <= 0 || n > 1<<62 {
		r.err, r.rest = errShort, nil
		return 0
	}
	r.rest = r.rest[size:]
	return int64(n)
}

func (r *reader) signed() int64 {
	n, size := binary.Varint(r.rest)
	if size <= 0 {
		r.err, r.rest = errShort, nil
		return 0
	}
	r.rest = r.rest[size:]
	return n
}

func (r *reader) text() string {
	n := r.number()
	if n > int64(len(r.rest)) {
		r.err, r.rest = errShort, nil
		return ""
	}
	s := string(r.rest[:n])
	r.rest = r.rest[n:]
	return s
}
