//go:build !js

package play

import (
	"math/rand/v2"
	"sync"

	"github.com/tabernetes/tabernetes/core"
	"github.com/tabernetes/tabernetes/core/clock"
)

// Cluster returns a fresh cluster in memory, with controllers, whose uids and names come
// from a seed. Its time is the machine's: in a testing/synctest bubble, the bubble's.
func Cluster(seed uint64) (*core.Cluster, error) {
	var key [32]byte
	for i := range 8 {
		key[i] = byte(seed >> (8 * i))
	}
	return core.New(core.Options{Clock: clock.Real(), Rand: &seeded{from: rand.NewChaCha8(key)}, Build: "lesson",
		Controllers: true})
}

// seeded is a source of random bytes that may be read at the same time.
type seeded struct {
	mu   sync.Mutex
	from *rand.ChaCha8
}

func (s *seeded) Read(b []byte) (int, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.from.Read(b)
}
