// Package random makes a cluster's randomness repeatable: the values drawn from a Seeded source
// depend on its seed only.
//
// Invariants: each draw is for a purpose, and the nth draw for a purpose depends only on the seed,
// the purpose and n. So draws for one purpose do not depend on what other requests, controllers or
// watches draw at the same time.
//
// A draw costs a hash; each purpose costs some bytes as long as the source lives.
package random

import (
	"crypto/sha256"
	"encoding/binary"
	"io"
	"sync"
)

// For returns the reader to draw from for a purpose, with one call of Read for each draw: that of
// the purpose if the source is Seeded, else the source itself. The purpose is given in parts, which
// are only joined if needed.
func For(source io.Reader, purpose ...string) io.Reader {
	if s, ok := source.(*Seeded); ok {
		return stream{s, idOf(purpose)}
	}
	return source
}

// Seeded is a seeded source of randomness. It is safe for concurrent use. Use NewSeeded.
type Seeded struct {
	seed  uint64
	mu    sync.Mutex
	drawn map[id]uint64
}

// NewSeeded returns a source from which nothing has been drawn.
func NewSeeded(seed int64) *Seeded { return &Seeded{seed: uint64(seed), drawn: map[id]uint64{}} }

// Read draws for the empty purpose. It always fills p.
func (s *Seeded) Read(p []byte) (int, error) { return stream{s, idOf(nil)}.Read(p) }

// An id identifies a purpose, in less memory than its text.
type id [16]byte

func idOf(purpose []string) id {
	var b []byte
	for _, part := range purpose {
		b = binary.AppendUvarint(b, uint64(len(part)))
		b = append(b, part...)
	}
	hash := sha256.Sum256(b)
	return id(hash[:16])
}

// A stream is the source for one purpose.
type stream struct {
	*Seeded
	purpose id
}

// Read makes one draw. It always fills p.
func (s stream) Read(p []byte) (int, error) {
	s.mu.Lock()
	n := s.drawn[s.purpose]
	s.drawn[s.purpose]++
	s.mu.Unlock()
	b := binary.BigEndian.AppendUint64(nil, s.seed)
	b = append(b, s.purpose[:]...)
	b = binary.BigEndian.AppendUint64(b, n)
	for block, left := uint64(0), p; len(left) > 0; block++ {
		hash := sha256.Sum256(binary.BigEndian.AppendUint64(b, block))
		left = left[copy(left, hash[:]):]
	}
	return len(p), nil
}
