package mvcc

import "sync"

// remainingMemo caches the number of keys after recent pages, so that a list that is read page by
// page does not count its rest again. Numbers that were evicted are counted again.
type remainingMemo struct {
	mu    sync.Mutex
	known map[remainingKey]int
	ring  []remainingKey // with the first page; then of mostRemaining
	next  int
}

// mostRemaining is how many numbers are kept.
const mostRemaining = 1024

type remainingKey struct {
	bucket, group, start string
	rev                  int64
}

func (m *remainingMemo) get(k remainingKey) (int, bool) {
	m.mu.Lock()
	defer m.mu.Unlock()
	n, ok := m.known[k]
	return n, ok
}

func (m *remainingMemo) put(k remainingKey, n int) {
	m.mu.Lock()
	defer m.mu.Unlock()
	if m.known == nil {
		m.known, m.ring = map[remainingKey]int{}, make([]remainingKey, mostRemaining)
	}
	if _, ok := m.known[k]; ok {
		return
	}
	delete(m.known, m.ring[m.next])
	m.ring[m.next] = k
	m.next = (m.next + 1) % len(m.ring)
	m.known[k] = n
}
