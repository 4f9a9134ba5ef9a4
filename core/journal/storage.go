package journal

import (
	"bytes"
	"io"
	"sync"
)

// Storage holds one cluster's log: a sequence of bytes that is appended to, and a small head record
// beside it. A Log calls it from one goroutine at a time; each call may block.
type Storage interface {
	// Read returns the saved log from its beginning; nothing at the first start.
	Read() (io.ReadCloser, error)
	// Append appends p and returns once it is durable. If it fails, what was saved before stays
	// readable, followed by at most a part of p.
	Append(p []byte) error
	// Replace replaces the log by what write writes. After a crash in the middle either the old bytes
	// or the new ones are read, never a mixture.
	Replace(write func(io.Writer) error) error
	// Head returns what SaveHead saved last; nothing if that is not known.
	Head() ([]byte, error)
	// SaveHead saves p, of at most 512 bytes, beside the log; Replace does not remove it. It returns
	// once p is durable. A crash may leave something else, which its checksum reveals.
	SaveHead(p []byte) error
	// SetAside keeps a copy of what is saved, under a name by which its owner can find it again. The
	// log stays as it is.
	SetAside() (name string, err error)
	// Close releases the storage. It does not remove anything.
	Close() error
}

// Memory is a Storage that lives as long as the process: for tests, and for a second tab, which
// works on a copy. The zero value is an empty log.
type Memory struct {
	mu    sync.Mutex
	bytes []byte
	head  []byte
	aside [][]byte
}

// NewMemory returns a Memory that contains a copy of saved.
func NewMemory(saved []byte) *Memory {
	return &Memory{bytes: bytes.Clone(saved)}
}

// Bytes returns a copy of the saved log.
func (m *Memory) Bytes() []byte {
	m.mu.Lock()
	defer m.mu.Unlock()
	return bytes.Clone(m.bytes)
}

// Read implements Storage, as the other methods do.
func (m *Memory) Read() (io.ReadCloser, error) {
	return io.NopCloser(bytes.NewReader(m.Bytes())), nil
}

func (m *Memory) Append(p []byte) error {
	m.mu.Lock()
	defer m.mu.Unlock()
	m.bytes = append(m.bytes, p...)
	return nil
}

func (m *Memory) Replace(write func(io.Writer) error) error {
	var b bytes.Buffer
	if err := write(&b); err != nil {
		return err
	}
	m.mu.Lock()
	defer m.mu.Unlock()
	m.bytes = b.Bytes()
	return nil
}

func (m *Memory) Head() ([]byte, error) {
	m.mu.Lock()
	defer m.mu.Unlock()
	return m.head, nil
}

func (m *Memory) SaveHead(p []byte) error {
	m.mu.Lock()
	defer m.mu.Unlock()
	m.head = bytes.Clone(p)
	return nil
}

func (m *Memory) SetAside() (string, error) {
	m.mu.Lock()
	defer m.mu.Unlock()
	m.aside = append(m.aside, m.bytes)
	return "memory", nil
}

func (m *Memory) Close() error { return nil }
