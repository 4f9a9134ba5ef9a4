package main

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"

	"github.com/tabernetes/tabernetes/core/journal"
)

// The files of a data directory, besides those of certificate.go.
const (
	logName  = "cluster.log"
	headName = "cluster.head"
	lockName = "lock"
)

// A store is a journal.Storage in a directory that no other process uses.
//
// The log is one file. It grows at its end, each Append being synced, and is replaced by a new file that is synced
// before it takes the name of the old one; then the directory is synced. After a write has failed nothing more is
// appended, since it is not known where the file ends, until the whole was replaced. The file is locked as long as it
// is open: a second server finds that out even if the lock file of the directory was removed. The record of the head is
// a file of its own.
type store struct {
	disk disk
	dir  string
	lock io.Closer
	file diskFile // nil: not opened since it was read or replaced
	size int64    // of the log, as far as it is durable
	// err is why nothing can be appended.
	err error
}

var _ journal.Storage = (*store)(nil)

// openStore opens a directory, which it makes if need be, or says which process has it.
func openStore(dir string, d disk) (*store, error) {
	if err := os.MkdirAll(dir, 0o700); err != nil {
		return nil, fmt.Errorf("--data: %w", err)
	}
	lock, err := lockFile(filepath.Join(dir, lockName))
	if err == nil {
		s := &store{disk: d, dir: dir, lock: lock}
		if err = s.extend(); err == nil || errors.Is(err, fs.ErrNotExist) {
			return s, nil
		}
		_ = lock.Close() // nothing was written
	}
	if errors.Is(err, errLocked) {
		return nil, fmt.Errorf("--data: %s is in use by another devserver: stop that, or choose another directory", dir)
	}
	return nil, fmt.Errorf("--data: %w", err)
}

// checkData refuses a data directory that the builds of the site would clear.
func (o *options) checkData() error {
	if o.data == "" || o.apiOnly {
		return nil
	}
	site, err := filepath.Abs(o.dir)
	if err != nil {
		return err
	}
	data, err := filepath.Abs(o.data)
	if err != nil {
		return err
	}
	if rel, err := filepath.Rel(site, data); err == nil && (rel == "." || filepath.IsLocal(rel)) {
		return fmt.Errorf("--data %s is in the directory of the site, %s, which belongs to its builds", o.data, o.dir)
	}
	return nil
}

// errLocked is the error of a lock that somebody else holds.
var errLocked = errors.New("locked")

func (s *store) log() string { return filepath.Join(s.dir, logName) }

// Read returns the log; nothing if there is none yet.
func (s *store) Read() (io.ReadCloser, error) {
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
func (s *store) Append(p []byte) error {
	if s.err != nil {
		return s.err
	}
	if s.err = s.append(p); s.err != nil && s.file != nil {
		_ = s.file.Truncate(s.size) // what stays is cut off at the next start, or is what was asked for
		_ = s.file.Sync()
	}
	return s.err
}

func (s *store) append(p []byte) error {
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
func (s *store) extend() error {
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
func (s *store) Replace(write func(io.Writer) error) error {
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

func (s *store) head() string { return filepath.Join(s.dir, headName) }

// Head returns the record of the head; nothing if there is none.
func (s *store) Head() ([]byte, error) {
	p, err := readFile(s.disk, s.head())
	if errors.Is(err, fs.ErrNotExist) {
		return nil, nil
	}
	return p, err
}

// SaveHead replaces the record of the head, or removes it.
func (s *store) SaveHead(p []byte) error {
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
func (s *store) SetAside() (string, error) {
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
func (s *store) Close() error {
	s.close()
	if s.err == nil {
		s.err = journal.ErrClosed
	}
	return s.lock.Close()
}

// close closes the log's file. All that was written to it has been synced, or said
// to have failed.
func (s *store) close() {
	if s.file != nil {
		_ = s.file.Close()
		s.file = nil
	}
}
