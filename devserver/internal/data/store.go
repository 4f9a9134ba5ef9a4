package data

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"path/filepath"

	"github.com/tabernetes/tabernetes/core/journal"
)

// The files of a data directory that are the cluster's.
const (
	logName  = "cluster.log"
	headName = "cluster.head"
	lockName = "lock"
)

// A Store is a journal.Storage in a directory that no other process uses.
//
// The log is one file. It grows at its end, each Append being synced, and is replaced by a new file that is synced
// before it takes the name of the old one; then the directory is synced. After a write has failed nothing more is
// appended, since it is not known where the file ends, until the whole was replaced. The file is locked as long as it
// is open: a second server finds that out even if the lock file of the directory was removed. The record of the head is
// a separate file.
type Store struct {
	disk disk
	dir  string
	lock io.Closer
	file diskFile // nil: not opened since it was read or replaced
	size int64    // of the log, as far as it is durable
	// err is why nothing can be appended.
	err error
}

var _ journal.Storage = (*Store)(nil)

func (s *Store) log() string { return filepath.Join(s.dir, logName) }

// Read returns the log; nothing if none exists yet.
func (s *Store) Read() (io.ReadCloser, error) {
	log, err := s.disk.Open(s.log())
	if errors.Is(err, fs.ErrNotExist) {
		return io.NopCloser(bytes.NewReader(nil)), nil
	}
	if err != nil {
		return nil, err
	}
	s.size = 0
	return &countingReader{log, &s.size}, nil
}

// A countingReader counts what is read.
type countingReader struct {
	io.ReadCloser
	n *int64
}

func (m *countingReader) Read(p []byte) (int, error) {
	n, err := m.ReadCloser.Read(p)
	*m.n += int64(n)
	return n, err
}

// Append adds p to the log and syncs it. If that fails, it tries to remove what was written of it.
func (s *Store) Append(p []byte) error {
	if s.err != nil {
		return s.err
	}
	if s.err = s.append(p); s.err != nil && s.file != nil {
		_ = s.file.Truncate(s.size) // what stays is cut off at the next start, or is what was asked for
		_ = s.file.Sync()
	}
	return s.err
}

func (s *Store) append(p []byte) error {
	if err := s.extend(); err != nil {
		return err
	}
	if _, err := s.file.Write(p); err != nil {
		return err
	}
	if err := s.file.Sync(); err != nil {
		return err
	}
	s.size += int64(len(p))
	return nil
}

// extend opens the log's file if it is not open.
func (s *Store) extend() error {
	if s.file != nil {
		return nil
	}
	f, err := s.disk.Extend(s.log())
	if err == nil {
		s.file = f
	}
	return err
}

// Replace writes the log again. If that fails, the old one continues, unless what failed was the last step: which of
// the two a crash would leave is then unknown, so nothing is appended to either.
func (s *Store) Replace(write func(io.Writer) error) error {
	size := int64(0)
	next := &replacement{disk: s.disk, name: s.log()}
	err := next.write(func(w io.Writer) error {
		return write(io.MultiWriter(w, (*countingWriter)(&size)))
	})
	if err != nil {
		return err
	}
	f, err := next.take(s.close)
	if f == nil && err != nil {
		return err
	}
	s.file, s.size, s.err = f, size, err
	if !renamesOpenFiles {
		s.file = nil
	}
	return err
}

// A countingWriter counts the bytes that are written to it.
type countingWriter int64

func (c *countingWriter) Write(p []byte) (int, error) {
	*c += countingWriter(len(p))
	return len(p), nil
}

func (s *Store) head() string { return filepath.Join(s.dir, headName) }

// Head returns the record of the head; nothing if none exists.
func (s *Store) Head() ([]byte, error) {
	p, err := readFile(s.disk, s.head())
	if errors.Is(err, fs.ErrNotExist) {
		return nil, nil
	}
	return p, err
}

// SaveHead replaces the record of the head, or removes it.
func (s *Store) SaveHead(p []byte) error {
	if len(p) > 0 {
		return replaceFile(s.disk, s.head(), bytes.NewReader(p))
	}
	if there, err := s.disk.Exists(s.head()); err != nil || !there {
		return err
	}
	if err := s.disk.Remove(s.head()); err != nil {
		return err
	}
	return s.disk.SyncDir(s.dir)
}

// SetAside copies the log to a name that says that it is damaged.
func (s *Store) SetAside() (string, error) {
	for n := 1; ; n++ {
		name := filepath.Join(s.dir, fmt.Sprintf("cluster-damaged-%d.log", n))
		taken, err := s.disk.Exists(name)
		if err != nil {
			return "", err
		}
		if taken {
			continue
		}
		log, err := s.Read()
		if err != nil {
			return "", err
		}
		return name, errors.Join(replaceFile(s.disk, name, log), log.Close())
	}
}

// Close gives the directory back.
func (s *Store) Close() error {
	s.close()
	if s.err == nil {
		s.err = journal.ErrClosed
	}
	return s.lock.Close()
}

// close closes the log's file. All that was written to it has been synced, or said
// to have failed.
func (s *Store) close() {
	if s.file != nil {
		_ = s.file.Close()
		s.file = nil
	}
}
