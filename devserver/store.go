package main

import (
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
	lockName = "lock"
)

// A store is a journal.Storage in a directory that it has for itself.
//
// The log is one file. It grows at its end, each Append being synced, and is
// replaced by a new file that is synced before it takes the name of the old one;
// then the directory is synced. After a write has failed nothing more is appended,
// since it is not known where the file ends, until the whole was replaced.
type store struct {
	disk disk
	dir  string
	lock io.Closer
	file diskFile // nil: not opened since it was read or replaced
	// err is why nothing can be appended.
	err error
}

var _ journal.Storage = (*store)(nil)

// openStore takes a directory, which is made if need be, or says who has it.
func openStore(dir string) (*store, error) {
	if err := os.MkdirAll(dir, 0o700); err != nil {
		return nil, fmt.Errorf("--data: %w", err)
	}
	lock, err := lockFile(filepath.Join(dir, lockName))
	if errors.Is(err, errLocked) {
		return nil, fmt.Errorf("--data: %s is in use by another devserver: stop that, or choose another directory", dir)
	}
	if err != nil {
		return nil, fmt.Errorf("--data: %w", err)
	}
	return &store{disk: osDisk{}, dir: dir, lock: lock}, nil
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
func (s *store) Read() ([]byte, error) {
	saved, err := s.disk.Read(s.log())
	if errors.Is(err, fs.ErrNotExist) {
		return nil, nil
	}
	return saved, err
}

// Append adds p to the log and syncs it.
func (s *store) Append(p []byte) error {
	if s.err != nil {
		return s.err
	}
	s.err = s.append(p)
	return s.err
}

func (s *store) append(p []byte) (err error) {
	if s.file == nil {
		if s.file, err = s.disk.Extend(s.log()); err != nil {
			s.file = nil // not an interface of a nil file
			return err
		}
	}
	if _, err := s.file.Write(p); err != nil {
		return err
	}
	return s.file.Sync()
}

// Replace writes the log anew. If that fails, the old one goes on, unless what
// failed was the last step: which of the two a crash would leave is then unknown,
// so nothing is appended to either.
func (s *store) Replace(p []byte) error {
	replaced, err := replaceFile(s.disk, s.log(), p, s.close)
	if replaced {
		s.err = err
	}
	return err
}

// SetAside gives the log a name that says that it is damaged.
func (s *store) SetAside() (string, error) {
	s.close()
	for n := 1; ; n++ {
		name := filepath.Join(s.dir, fmt.Sprintf("cluster-damaged-%d.log", n))
		taken, err := s.disk.Exists(name)
		if err != nil {
			return "", err
		}
		if taken {
			continue
		}
		if err := s.disk.Rename(s.log(), name); err != nil {
			return "", err
		}
		return name, s.disk.SyncDir(s.dir)
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
