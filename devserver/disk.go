package main

import (
	"errors"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"runtime"
)

// A disk is what a store needs of a file system; tests have one that fails and
// that forgets what was not synced.
type disk interface {
	Read(name string) ([]byte, error)
	// Create makes an empty file, or empties it.
	Create(name string) (diskFile, error)
	// Extend opens a file to write at its end.
	Extend(name string) (diskFile, error)
	Rename(from, to string) error
	Remove(name string) error
	Exists(name string) (bool, error)
	// SyncDir makes durable which files a directory has.
	SyncDir(name string) error
}

type diskFile interface {
	io.Writer
	Sync() error
	Close() error
}

// osDisk is the operating system's. Its files are for their owner only: a cluster
// has secrets.
type osDisk struct{}

const ownersOnly = 0o600

func (osDisk) Read(name string) ([]byte, error) { return os.ReadFile(name) }

func (osDisk) Create(name string) (diskFile, error) {
	return os.OpenFile(name, os.O_CREATE|os.O_TRUNC|os.O_WRONLY, ownersOnly)
}

func (osDisk) Extend(name string) (diskFile, error) {
	return os.OpenFile(name, os.O_APPEND|os.O_WRONLY, ownersOnly)
}

func (osDisk) Rename(from, to string) error { return os.Rename(from, to) }

func (osDisk) Remove(name string) error { return os.Remove(name) }

func (osDisk) Exists(name string) (bool, error) {
	_, err := os.Lstat(name)
	if errors.Is(err, fs.ErrNotExist) {
		return false, nil
	}
	return err == nil, err
}

func (osDisk) SyncDir(name string) error {
	if runtime.GOOS == "windows" {
		return nil // which has no such thing; renames are in the file system's own log
	}
	d, err := os.Open(name)
	if err != nil {
		return err
	}
	return errors.Join(d.Sync(), d.Close())
}

// replaceFile puts content in the place of a file, or makes it. After a crash there
// is the old file or the new one. It reports whether the new one has the name, which
// may be so although the directory could not be synced. release is called before:
// some systems rename no file over one that is open.
func replaceFile(d disk, name string, content []byte, release func()) (replaced bool, err error) {
	temporary := name + ".new"
	if err = writeFile(d, temporary, content); err == nil {
		release()
		err = d.Rename(temporary, name)
	}
	if err != nil {
		_ = d.Remove(temporary) // it may be what fills the disk; the next one overwrites it
		return false, err
	}
	return true, d.SyncDir(filepath.Dir(name))
}

// writeFile makes a file and its content durable, but not its name.
func writeFile(d disk, name string, content []byte) error {
	f, err := d.Create(name)
	if err != nil {
		return err
	}
	_, err = f.Write(content)
	if err == nil {
		err = f.Sync()
	}
	return errors.Join(err, f.Close())
}
