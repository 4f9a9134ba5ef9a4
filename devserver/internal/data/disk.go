package data

import (
	"errors"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"runtime"
	"time"

	"github.com/tabernetes/tabernetes/devserver/internal/filelock"
)

// A disk is what a store needs of a file system. Tests have one that fails, and one that forgets what was not synced.
type disk interface {
	Open(name string) (io.ReadCloser, error)
	// Create makes an empty file, or empties it. Both it and Extend return filelock.ErrLocked if
	// another process has the file open.
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
	Truncate(size int64) error
	Close() error
}

// osDisk is the operating system's. Its files are for their owner only: a cluster
// has secrets.
type osDisk struct {
	// slow is how much longer each sync takes, for tests of what may be seen meanwhile.
	slow time.Duration
	// unsynced leaves it to the operating system when what was written reaches the disk.
	unsynced bool
}

const ownersOnly = 0o600

func (osDisk) Open(name string) (io.ReadCloser, error) { return os.Open(name) }

func (d osDisk) Create(name string) (diskFile, error) {
	f, err := d.open(name, os.O_CREATE)
	if err != nil {
		return nil, err
	}
	if err := f.Truncate(0); err != nil {
		return nil, errors.Join(err, f.Close())
	}
	return f, nil
}

func (d osDisk) Extend(name string) (diskFile, error) { return d.open(name, 0) }

// open opens a file to write at its end, and locks it.
func (d osDisk) open(name string, flags int) (diskFile, error) {
	f, err := os.OpenFile(name, flags|os.O_APPEND|os.O_WRONLY, ownersOnly)
	if err != nil {
		return nil, err
	}
	if err := filelock.Open(f); err != nil {
		_ = f.Close() // nothing was written to it
		return nil, err
	}
	return osFile{f, d}, nil
}

type osFile struct {
	*os.File
	disk osDisk
}

func (f osFile) Sync() error {
	if f.disk.unsynced {
		return nil
	}
	time.Sleep(f.disk.slow)
	return f.File.Sync()
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

func (d osDisk) SyncDir(name string) error {
	if d.unsynced || runtime.GOOS == "windows" {
		return nil // Windows has no such thing; renames are in the file system's own log
	}
	dir, err := os.Open(name)
	if err != nil {
		return err
	}
	return errors.Join(dir.Sync(), dir.Close())
}

// maxRecord is how much of a file is read at once, in bytes: far more than a record of the head has.
const maxRecord = 64 << 10

func readFile(d disk, name string) ([]byte, error) {
	f, err := d.Open(name)
	if err != nil {
		return nil, err
	}
	p, err := io.ReadAll(io.LimitReader(f, maxRecord))
	return p, errors.Join(err, f.Close())
}

// ReplaceFile puts content in the place of a file, or makes it, for its owner only. After a crash there is the old file
// or the new one.
func ReplaceFile(name string, content io.Reader) error { return replaceFile(osDisk{}, name, content) }

// replaceFile puts content in the place of a file, or makes it. After a crash there
// is the old file or the new one.
func replaceFile(d disk, name string, content io.Reader) error {
	r := &replacement{disk: d, name: name}
	if err := r.write(func(w io.Writer) error { _, err := io.Copy(w, content); return err }); err != nil {
		return err
	}
	f, err := r.take(func() {})
	if f != nil && renamesOpenFiles {
		err = errors.Join(err, f.Close())
	}
	return err
}

// renamesOpenFiles reports whether the system renames files that are open.
const renamesOpenFiles = runtime.GOOS != "windows"

// A replacement is a file that is to take the place of another.
type replacement struct {
	disk disk
	name string
	file diskFile
}

// write makes the new file and its content durable, under its own name.
func (r *replacement) write(content func(io.Writer) error) (err error) {
	if r.file, err = r.disk.Create(r.name + ".new"); err != nil {
		return err
	}
	if err = content(r.file); err == nil {
		err = r.file.Sync()
	}
	if err != nil {
		err = errors.Join(err, r.file.Close())
		r.remove()
	}
	return err
}

// take gives the new file the name, and returns it: nil if it does not have it. It may have it although the directory
// could not be synced. release is called before the renaming.
func (r *replacement) take(release func()) (diskFile, error) {
	if !renamesOpenFiles {
		if err := r.file.Close(); err != nil {
			r.remove()
			return nil, err
		}
	}
	release()
	if err := r.disk.Rename(r.name+".new", r.name); err != nil {
		if renamesOpenFiles {
			_ = r.file.Close() // it is of no use
		}
		r.remove()
		return nil, err
	}
	return r.file, r.disk.SyncDir(filepath.Dir(r.name))
}

// remove removes the new file: it may be what fills the disk. If that fails, the next
// one overwrites it.
func (r *replacement) remove() { _ = r.disk.Remove(r.name + ".new") }
