package data

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"time"

	"github.com/tabernetes/tabernetes/devserver/internal/filelock"
)

// slowSync is the environment variable with how much longer each sync is to take: tests want to see what is not
// durable yet.
const slowSync = "TABERNETES_SLOW_SYNC"

// Open opens a directory, which it makes if need be, or says that another process has it. Its errors name the flag
// that has named the directory.
func Open(dir string) (*Store, error) {
	slow, err := time.ParseDuration(os.Getenv(slowSync))
	if err != nil {
		slow = 0
	}
	return open(dir, osDisk{slow: slow})
}

// OpenUnsynced is Open for a cluster of which a crash of the machine may lose what was written last: nothing is synced.
func OpenUnsynced(dir string) (*Store, error) { return open(dir, osDisk{unsynced: true}) }

// OpenExisting opens a directory that has to be there, with a cluster.
func OpenExisting(dir string) (*Store, error) {
	if dir == "" {
		return nil, errors.New("--data DIR is missing")
	}
	for _, name := range []string{logName, headName} {
		if _, err := os.Stat(filepath.Join(dir, name)); err == nil {
			return open(dir, osDisk{})
		}
	}
	return nil, fmt.Errorf("--data: %s has no cluster", dir)
}

func open(dir string, d disk) (*Store, error) {
	if err := os.MkdirAll(dir, 0o700); err != nil {
		return nil, fmt.Errorf("--data: %w", err)
	}
	for _, name := range []string{logName, headName, lockName} { // to open a pipe takes forever, and so does /dev/zero
		if info, err := os.Stat(filepath.Join(dir, name)); err == nil && !info.Mode().IsRegular() {
			return nil, fmt.Errorf("--data: %s is not a regular file", filepath.Join(dir, name))
		}
	}
	lock, err := filelock.Lock(filepath.Join(dir, lockName))
	if err == nil {
		s := &Store{disk: d, dir: dir, lock: lock}
		if err = s.extend(); err == nil || errors.Is(err, fs.ErrNotExist) {
			return s, nil
		}
		_ = lock.Close() // nothing was written
	}
	if errors.Is(err, filelock.ErrLocked) {
		return nil, fmt.Errorf("--data: %s is in use by another devserver: stop that, or choose another directory", dir)
	}
	return nil, fmt.Errorf("--data: %w", err)
}

// CheckApart refuses a directory that the builds of the site in another would clear.
func CheckApart(dir, site string) error {
	built, err := filepath.Abs(site)
	if err != nil {
		return err
	}
	data, err := filepath.Abs(dir)
	if err != nil {
		return err
	}
	if rel, err := filepath.Rel(built, data); err == nil && (rel == "." || filepath.IsLocal(rel)) {
		return fmt.Errorf("--data %s is in the directory of the site, %s, which belongs to its builds", dir, site)
	}
	return nil
}
