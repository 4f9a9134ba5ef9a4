package journal

import "sync"

// Storage is where one cluster's log lives: a run of bytes that grows at its
// end. A journal calls it from one goroutine at a time; each call may block.
type Storage interface {
	// Read returns all that is saved; nothing at the first start.
	Read() ([]byte, error)
	// Append adds p at the end and returns once it is durable.
	Append(p []byte) error
	// Replace puts p in the place of all that is saved. After a crash in the
	// middle either the old bytes or the new ones are read, never a mixture.
	Replace(p []byte) error
	// SetAside moves what is saved out of the way, under a name by which its
	// owner can find it again, and leaves an empty log.
	SetAside() (name string, err error)
	// Close gives the storage back. It does not remove anything.
	Close() error
}

// Memory is a Storage that lives as long as the process: for tests, and for a
// second tab, which works on a copy. The zero value is an empty log.
type Memory struct {
	mu    sync.Mutex
	bytes []byte
	aside [][]byte
}

// NewMemory returns a Memory that begins with a copy of saved.
func NewMemory(saved []byte) *Memory {
	return &Memory{bytes: append([]byte(nil), saved...)}
}

func (m *Memory) Read() ([]byte, error) {
	m.mu.Lock()
	defer m.mu.Unlock()
	return append([]byte(nil), m.bytes...), nil
}

func (m *Memory) Append(p []byte) error {
	m.mu.Lock()
	defer m.mu.Unlock()
	m.bytes = append(m.bytes, p...)
	return nil
}

func (m *Memory) Replace(p []byte) error {
	m.mu.Lock()
	defer m.mu.Unlock()
	m.bytes = append([]byte(nil), p...)
	return nil
}

func (m *Memory) SetAside() (string, error) {
	m.mu.Lock()
	defer m.mu.Unlock()
	m.aside = append(m.aside, m.bytes)
	m.bytes = nil
	return "memory", nil
}

func (m *Memory) Close() error { return nil }
