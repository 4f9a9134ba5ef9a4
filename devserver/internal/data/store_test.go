package data

import (
	"bytes"
	"crypto/rand"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"syscall"
	"testing"

	"github.com/tabernetes/tabernetes/core"
	"github.com/tabernetes/tabernetes/core/apitest"
	"github.com/tabernetes/tabernetes/core/clock"
	"github.com/tabernetes/tabernetes/core/journal"
)

// A memoryDisk knows what would survive a crash: of a file what was synced, and of
// a directory's names those that were there when it was synced.
type memoryDisk struct {
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
	f := d.names[name]
	if f == nil {
		return nil, fs.ErrNotExist
	}
	return io.NopCloser(bytes.NewReader(bytes.Clone(f.data))), nil
}

func (d *memoryDisk) Create(name string) (diskFile, error) {
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
	if f := d.names[name]; f != nil && !d.dead() {
		return f, nil
	}
	return nil, fs.ErrNotExist
}

func (d *memoryDisk) Rename(from, to string) error {
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
	if d.dead() {
		return errCrash
	}
	if _, err := d.step(); err != nil {
		return err
	}
	delete(d.names, name)
	return nil
}

func (d *memoryDisk) Exists(name string) (bool, error) { return d.names[name] != nil, nil }

func (d *memoryDisk) SyncDir(string) error {
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

func storeOn(d disk) *Store {
	return &Store{disk: d, dir: "d", lock: io.NopCloser(nil)}
}

func clusterOn(t *testing.T, s journal.Storage) *core.Cluster {
	t.Helper()
	c, err := core.New(core.Options{Clock: clock.Real(), Rand: rand.Reader, Storage: s})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = c.Close() }) // which may find that its storage has crashed
	return c
}

const configMaps = "/api/v1/namespaces/default/configmaps"

func configMap(name, value string) string {
	return fmt.Sprintf(`{"metadata":{"name":%q},"data":{"v":%q}}`, name, value)
}

// identity returns what tells versions of an object apart.
func identity(obj map[string]any) string {
	m, _ := obj["metadata"].(map[string]any)
	return fmt.Sprint(m["uid"], "@", m["resourceVersion"])
}

// TestCrashBetweenSteps crashes at each step that a cluster's life takes on the
// disk, and comes up again with each state that the disk may then have: all that was
// answered for is there.
func TestCrashBetweenSteps(t *testing.T) {
	large := strings.Repeat("x", 200<<10) // some of these make the log be written again
	for steps, survived := 0, false; !survived; steps++ {
		if steps > 200 {
			t.Fatal("it takes more steps than it should")
		}
		d := newMemoryDisk()
		d.steps = steps
		s := storeOn(d)
		c, err := core.New(core.Options{Clock: clock.Real(), Rand: rand.Reader, Storage: s})
		if err != nil {
			t.Fatal(err)
		}
		answered, open := map[string]string{}, "" // and what was not answered for, so that it may have happened
		if !c.Recovery().Unsaved {
			for i := range 8 {
				name := fmt.Sprint("c", i%6)
				method, target := "POST", configMaps
				if i >= 6 {
					method, target = "PUT", configMaps+"/"+name
				}
				code, obj := apitest.Object(t, c, method, target, configMap(name, large))
				if code != 200 && code != 201 {
					open = name
					break
				}
				answered[name] = identity(obj)
			}
		}
		_ = c.Close() // it may find that it has crashed
		survived = d.steps >= 0
		for what, after := range d.after() {
			again := clusterOn(t, storeOn(after))
			if r := again.Recovery(); r.SetAside != "" || r.Unsaved || len(answered) > 0 && !r.Restored {
				t.Fatalf("step %d, %s: %+v", steps, what, r)
			}
			for name, want := range answered {
				code, obj := apitest.Object(t, again, "GET", configMaps+"/"+name, "")
				got := identity(obj)
				if uid, _, _ := strings.Cut(want, "@"); code != 200 || !strings.HasPrefix(got, uid) || got != want && name != open {
					t.Fatalf("step %d, %s: %s is %d %s, want %s", steps, what, name, code, got, want)
				}
			}
		}
	}
}

// TestLogCutOffInItsLastRecord cuts the file all over what the last commit wrote; the
// journal's own tests cut a log at every byte.
func TestLogCutOffInItsLastRecord(t *testing.T) {
	dir := t.TempDir()
	s, err := open(dir, osDisk{})
	if err != nil {
		t.Fatal(err)
	}
	c := clusterOn(t, s)
	_, first := apitest.Object(t, c, "POST", configMaps, configMap("a", "1"))
	apitest.Object(t, c, "PUT", configMaps+"/a", configMap("a", "2"))
	whole, err := os.ReadFile(s.log())
	if err != nil {
		t.Fatal(err)
	}
	_, second := apitest.Object(t, c, "GET", configMaps+"/a", "")
	apitest.Object(t, c, "POST", configMaps, configMap("b", "1"))
	if err := c.Close(); err != nil {
		t.Fatal(err)
	}
	saved, err := os.ReadFile(filepath.Join(dir, logName))
	if err != nil || !bytes.HasPrefix(saved, whole) {
		t.Fatalf("the log did not grow at its end: %v", err)
	}
	past := configMaps + "?resourceVersionMatch=Exact&resourceVersion=" +
		first["metadata"].(map[string]any)["resourceVersion"].(string)
	for cut := len(whole); cut <= len(saved); cut += max(1, min(7, len(saved)-cut)) {
		dir := t.TempDir()
		if err := os.WriteFile(filepath.Join(dir, logName), saved[:cut], ownersOnly); err != nil {
			t.Fatal(err)
		}
		s, err := open(dir, osDisk{})
		if err != nil {
			t.Fatal(err)
		}
		c := clusterOn(t, s)
		if r := c.Recovery(); !r.Restored || r.SetAside != "" || r.Unsaved {
			t.Fatalf("cut at %d: %+v", cut, r)
		}
		if _, obj := apitest.Object(t, c, "GET", configMaps+"/a", ""); identity(obj) != identity(second) {
			t.Fatalf("cut at %d: a is %s, want %s", cut, identity(obj), identity(second))
		}
		_, list := apitest.Object(t, c, "GET", past, "")
		if identity(list["items"].([]any)[0].(map[string]any)) != identity(first) {
			t.Fatalf("cut at %d: the past is %v", cut, list)
		}
		want := 404
		if cut == len(saved) {
			want = 200
		}
		if code, _ := apitest.Object(t, c, "GET", configMaps+"/b", ""); code != want {
			t.Fatalf("cut at %d: b is %d, want %d", cut, code, want)
		}
		if code, _ := apitest.Object(t, c, "POST", configMaps, configMap("c", "1")); code != 201 {
			t.Fatalf("cut at %d: %d", cut, code)
		}
		if err := c.Close(); err != nil {
			t.Fatal(err)
		}
	}
}

func TestFullDisk(t *testing.T) {
	d := newMemoryDisk()
	c := clusterOn(t, storeOn(d))
	apitest.Object(t, c, "POST", configMaps, configMap("a", "1"))
	d.full = true
	for _, name := range []string{"b", "c"} {
		code, obj := apitest.Object(t, c, "POST", configMaps, configMap(name, "1"))
		if message, _ := obj["message"].(string); code != 500 || !strings.Contains(message, "no space left on device") {
			t.Errorf("%s on a full disk: %d %q", name, code, message)
		}
	}
	d.full = false
	if code, _ := apitest.Object(t, c, "POST", configMaps, configMap("d", "1")); code != 201 {
		t.Errorf("with space again: %d", code)
	}
	if err := c.Close(); err != nil {
		t.Error(err)
	}
	for what, after := range d.after() {
		again := clusterOn(t, storeOn(after))
		for name, want := range map[string]int{"a": 200, "c": 404, "d": 200} {
			if code, _ := apitest.Object(t, again, "GET", configMaps+"/"+name, ""); code != want {
				t.Errorf("%s: %s is %d, want %d", what, name, code, want)
			}
		}
	}
}

// TestStrangeFiles opens directories in which something else has the name of a file: none is read without an end.
func TestStrangeFiles(t *testing.T) {
	for _, name := range []string{logName, headName, lockName} {
		for kind, put := range map[string]func(string) error{
			"a directory": func(name string) error { return os.Mkdir(name, 0o700) },
			"a device":    func(name string) error { return os.Symlink("/dev/zero", name) },
		} {
			if _, err := os.Stat("/dev/zero"); err != nil && kind == "a device" {
				continue
			}
			dir := t.TempDir()
			if err := put(filepath.Join(dir, name)); err != nil {
				t.Fatal(err)
			}
			if _, err := Open(dir); err == nil || err.Error() != "--data: "+filepath.Join(dir, name)+" is not a regular file" {
				t.Errorf("%s is %s: %v", name, kind, err)
			}
		}
	}
	s, err := Open(t.TempDir())
	if err != nil {
		t.Fatal(err)
	}
	defer s.Close()
	if err := os.WriteFile(s.head(), nil, 0o600); err != nil {
		t.Fatal(err)
	}
	if err := os.Truncate(s.head(), 1<<30); err != nil {
		t.Fatal(err)
	}
	if p, err := s.Head(); len(p) != maxRecord || err != nil {
		t.Errorf("of a record of 1 GiB %d bytes are read, %v", len(p), err)
	}
}
