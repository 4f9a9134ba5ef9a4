package data

import (
	"bytes"
	"errors"
	"io"
	"io/fs"
	"sync"
	"syscall"
)

// A memoryDisk knows what would survive a crash: of a file what was synced, and of
// a directory's names those that were there when it was synced.
type memoryDisk struct {
	mu             sync.Mutex // a log is written while another one is appended to
	names, durable map[string]*memoryFile
	// steps is how many more steps are taken: the next one is taken in part, and
	// then there is nothing but errors. Below 0 there is no end.
	steps int
	// full makes all writing fail, after some bytes.
	full bool
}

type memoryFile struct {
	disk         *memoryDisk
	data, synced []byte
}

func newMemoryDisk() *memoryDisk {
	return &memoryDisk{names: map[string]*memoryFile{}, durable: map[string]*memoryFile{}, steps: -1}
}

var errCrash = errors.New("crash")

// step counts a step; halfway says that it is the one that is taken in part.
func (d *memoryDisk) step() (halfway bool, err error) {
	switch {
	case d.steps < 0:
		return false, nil
	case d.steps == 0:
		d.steps = -2
		return true, errCrash
	}
	d.steps--
	return false, nil
}

func (d *memoryDisk) dead() bool { return d.steps == -2 }

func (d *memoryDisk) Open(name string) (io.ReadCloser, error) {
	d.mu.Lock()
	defer d.mu.Unlock()
	f := d.names[name]
	if f == nil {
		return nil, fs.ErrNotExist
	}
	return io.NopCloser(bytes.NewReader(bytes.Clone(f.data))), nil
}

func (d *memoryDisk) Create(name string) (diskFile, error) {
	d.mu.Lock()
	defer d.mu.Unlock()
	if d.dead() {
		return nil, errCrash
	}
	if _, err := d.step(); err != nil {
		return nil, err
	}
	f := d.names[name]
	if f == nil {
		f = &memoryFile{disk: d}
		d.names[name] = f
	}
	f.data = nil
	return f, nil
}

func (d *memoryDisk) Extend(name string) (diskFile, error) {
	d.mu.Lock()
	defer d.mu.Unlock()
	if f := d.names[name]; f != nil && !d.dead() {
		return f, nil
	}
	return nil, fs.ErrNotExist
}

func (d *memoryDisk) Rename(from, to string) error {
	d.mu.Lock()
	defer d.mu.Unlock()
	if d.dead() {
		return errCrash
	}
	_, err := d.step()
	if err == nil || d.dead() { // it may have happened, and nobody knows
		d.names[to] = d.names[from]
		delete(d.names, from)
	}
	return err
}

func (d *memoryDisk) Remove(name string) error {
	d.mu.Lock()
	defer d.mu.Unlock()
	if d.dead() {
		return errCrash
	}
	if _, err := d.step(); err != nil {
		return err
	}
	delete(d.names, name)
	return nil
}

func (d *memoryDisk) Exists(name string) (bool, error) {
	d.mu.Lock()
	defer d.mu.Unlock()
	return d.names[name] != nil, nil
}

func (d *memoryDisk) SyncDir(string) error {
	d.mu.Lock()
	defer d.mu.Unlock()
	if d.dead() {
		return errCrash
	}
	if _, err := d.step(); err != nil {
		return err
	}
	d.durable = map[string]*memoryFile{}
	for name, f := range d.names {
		d.durable[name] = f
	}
	return nil
}

func (f *memoryFile) Write(p []byte) (int, error) {
	d := f.disk
	d.mu.Lock()
	defer d.mu.Unlock()
	if d.dead() {
		return 0, errCrash
	}
	halfway, err := d.step()
	if halfway || d.full {
		n := len(p) / 2
		f.data = append(f.data, p[:n]...)
		if err == nil {
			err = &fs.PathError{Op: "write", Path: logName, Err: syscall.ENOSPC}
		}
		return n, err
	}
	f.data = append(f.data, p...)
	return len(p), nil
}

func (f *memoryFile) Sync() error {
	f.disk.mu.Lock()
	defer f.disk.mu.Unlock()
	if f.disk.dead() {
		return errCrash
	}
	if _, err := f.disk.step(); err != nil {
		return err
	}
	f.synced = bytes.Clone(f.data)
	return nil
}

func (f *memoryFile) Truncate(size int64) error {
	f.disk.mu.Lock()
	defer f.disk.mu.Unlock()
	if f.disk.dead() {
		return errCrash
	}
	if _, err := f.disk.step(); err != nil {
		return err
	}
	f.data = f.data[:size]
	return nil
}

func (f *memoryFile) Close() error { return nil }

// after returns the disks that a machine may come up with: with the names and the
// contents that were made durable, or with more.
func (d *memoryDisk) after() map[string]*memoryDisk {
	d.mu.Lock()
	defer d.mu.Unlock()
	all := map[string]*memoryDisk{}
	for _, names := range []string{"synced", "all"} {
		for _, contents := range []string{"synced", "all", "some"} {
			next := newMemoryDisk()
			have := d.names
			if names == "synced" {
				have = d.durable
			}
			for name, f := range have {
				data := f.synced
				if contents != "synced" {
					data = f.data
				}
				if more := len(data) - len(f.synced); contents == "some" && more > 0 {
					data = data[:len(f.synced)+more/3]
				}
				copied := &memoryFile{disk: next, data: bytes.Clone(data), synced: bytes.Clone(data)}
				next.names[name], next.durable[name] = copied, copied
			}
			all[names+" names, "+contents+" contents"] = next
		}
	}
	return all
}
