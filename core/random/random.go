// Package random makes a cluster's randomness repeatable: what is drawn from a Seeded source follows
// from its seed.
//
// Invariants: each draw is for a purpose, and the nth draw for a purpose depends on the seed, the
// purpose and n, and on nothing else. So draws for one purpose do not depend on what other requests,
// controllers or watches draw at the same time.
//
// A draw costs a hash; each purpose costs some bytes as long as the source lives.
package random

import (
	"crypto/sha256"
	"encoding/binary"
	"io"
	"sync"
)

// For returns the reader from which to draw for a purpose, in one call of Read for each draw:
// that of the purpose if the source is Seeded, else the source itself. The purpose is one in
// parts, so that those who ask need not join them in vain.
func For(source io.Reader, purpose ...string) io.Reader {
	if s, ok := source.(*Seeded); ok {
		return stream{s, idOf(purpose)}
	}
	return source
}

// Seeded is a source of randomness that a seed decides on. It may be used by several
// goroutines at once. Use NewSeeded.
type Seeded struct {
	seed  uint64
	mu    sync.Mutex
	drawn map[id]uint64
}

// NewSeeded returns a source of which nothing has been drawn.
func NewSeeded(seed int64) *Seeded { return &Seeded{seed: uint64(seed), drawn: map[id]uint64{}} }

// Read draws for no purpose in particular. It always fills p.
func (s *Seeded) Read(p []byte) (int, error) { return stream{s, idOf(nil)}.Read(p) }

// An id stands for a purpose, in less memory than its words.
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

// A stream is what is drawn for one purpose.
type stream struct {
	*Seeded
	of id
}

// Read makes one draw. It always fills p.
func (s stream) Read(p []byte) (int, error) {
	s.mu.Lock()
	n := s.drawn[s.of]
	s.drawn[s.of]++
	s.mu.Unlock()
	b := binary.BigEndian.AppendUint64(nil, s.seed)
	b = append(b, s.of[:]...)
	b = binary.BigEndian.AppendUint64(b, n)
	for block, left := uint64(0), p; len(left) > 0; block++ {
		hash := sha256.Sum256(binary.BigEndian.AppendUint64(b, block))
		left = left[copy(left, hash[:]):]
	}
	return len(p), nil
}
