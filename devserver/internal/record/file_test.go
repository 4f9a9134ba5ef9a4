package record

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/tabernetes/tabernetes/core/mvcc"
)

// A disk is a medium that may be full: what does not fit is written in part.
type disk struct {
	bytes  []byte
	at     int
	room   int
	broken bool // its end cannot be cut off either
}

var errFull = errors.New("no space left on device")

func (d *disk) Write(p []byte) (int, error) {
	n := min(len(p), max(0, d.room-len(d.bytes)))
	d.bytes = append(d.bytes[:d.at], p[:n]...)
	if d.at += n; n < len(p) {
		return n, errFull
	}
	return n, nil
}

func (d *disk) Seek(offset int64, _ int) (int64, error) {
	if d.broken {
		return 0, errFull
	}
	d.at = int(offset)
	return offset, nil
}

func (d *disk) Truncate(size int64) error {
	if d.broken {
		return errFull
	}
	d.bytes = d.bytes[:size]
	return nil
}

func (d *disk) Sync() error { return nil }

// TestFullDisk fills a disk at every byte of what is written, and makes room again: the file can be opened all
// the time,
// has everything in the end, and says when it could not be written.
func TestFullDisk(t *testing.T) {
	write := func(f *file, n int64) {
		f.version(&mvcc.Record{Bucket: "v1/configmaps", Key: "a/b", Revision: n, Value: []byte(`{"a":1}`),
			Time: time.Unix(n, 0)})
		f.progress("v1/configmaps", n)
	}
	var whole int
	for room := 0; whole == 0 || room < whole; room++ {
		d := &disk{room: 1 << 20}
		var said []string
		f := newFile(d, 0, func() time.Time { return time.Unix(1e9, 0) }, func(n note) { said = append(said, n.Kind) })
		f.add(header{Format: 2, UID: "u"}.frame())
		f.begin(1)
		write(f, 2)
		if err := f.flush(); err != nil {
			t.Fatal(err)
		}
		begun := len(d.bytes)
		d.room, d.broken = begun+room, room%2 == 1
		write(f, 3)
		failed := f.flush()
		if failed == nil {
			whole = room
			break
		}
		write(f, 4)
		if again := f.flush(); !errors.Is(failed, errFull) || !errors.Is(again, errFull) {
			t.Fatalf("with %d bytes: %v, %v", room, failed, again)
		}
		if c, _ := readPart(t, d.bytes); !d.broken && len(d.bytes) != begun || len(c.versions) != 1 && !d.broken {
			t.Fatalf("with %d bytes: the file has %v", room, c.versions)
		}
		d.room, d.broken = 1<<20, false
		if err := errors.Join(f.flush(), f.close()); err != nil {
			t.Fatal(err)
		}
		c := readFile(t, d.bytes)
		if len(c.versions) != 3 || c.head != 4 || !c.says("disk", "could not be written (no space left on device)") ||
			!slices.Equal(said, []string{"disk", "disk"}) {
			t.Fatalf("with %d bytes: in the end %v, %q, said %q", room, c.versions, c.texts(), said)
		}
	}
	if whole < 20 {
		t.Errorf("only %d lengths were tried", whole)
	}
}

// TestFullDiskStopsReading checks that no more than a bound is kept in memory while nothing can be written.
func TestFullDiskStopsReading(t *testing.T) {
	d := &disk{room: 1}
	f := newFile(d, 0, time.Now, func(note) {})
	frame := bytes.Repeat([]byte("x"), 1<<20)
	added := make(chan struct{})
	go func() {
		defer close(added)
		for range 40 {
			f.add(frame)
		}
	}()
	for n := 0; n < maxPending; { // until it is full
		f.mu.Lock()
		n = len(f.pending)
		f.mu.Unlock()
	}
	for range 3 {
		if f.flush() == nil {
			t.Fatal("a full disk was written")
		}
	}
	select {
	case <-added:
		t.Error("it takes more than it may")
	default:
	}
	d.room = 1 << 30
	for done := false; !done; {
		_ = f.flush() // until all was taken
		select {
		case <-added:
			done = true
		default:
		}
	}
	if err := f.close(); err != nil || len(d.bytes) < 40<<20 {
		t.Errorf("%d bytes, %v", len(d.bytes), err)
	}
}

// TestReadList reads lists as servers send them, and as they should not.
func TestReadList(t *testing.T) {
	for text, want := range map[string]string{
		`{"kind":"L","metadata":{"resourceVersion":"5","continue":"c"},"items":[{"a":1},{"b":[2]}]}`: `5 ` +
			`c [{"a":1} {"b":[2]}]`,
		`{"items":null,"metadata":{"resourceVersion":"5"}}`:                 `5  []`,
		`{"items":[],"metadata":{"resourceVersion":"5"},"x":{"items":[1]}}`: `5  []`,
		`{"metadata":{"resourceVersion":"0"},"items":[]}`:                   "no revision of etcd",
		`{"metadata":{"resourceVersion":"abc"},"items":[]}`:                 "no revision of etcd",
		`{"metadata":{},"items":[]}`:                                        "no revision of etcd",
		`{"items":[{"a":1}`:                                                 "EOF",
		`{"items":[],"metadata":{"resourceVersion":"5"}`:                    "EOF",
		`{"items":{},"metadata":{"resourceVersion":"5"}}`:                   "no list",
		`{"items":[]}`: "no list",
		`[]`:           "no list",
		``:             "no list",
	} {
		var items []string
		rev, next, err := readList(strings.NewReader(text), func(item json.RawMessage) error {
			items = append(items, string(item))
			return nil
		})
		got := fmt.Sprint(rev, " ", next, " ", items)
		if err != nil {
			got = err.Error()
		}
		if got != want && (err == nil || !strings.Contains(got, want)) {
			t.Errorf("%s: %s, want %s", text, got, want)
		}
	}
}

// TestReadEvents reads watches as servers send them, and as they should not.
func TestReadEvents(t *testing.T) {
	long := `{"type":"ADDED","object":{"a":"` + strings.Repeat("x", 200_000) + `"}}`
	for text, want := range map[string]string{
		`{"type":"ADDED","object":{"a":1}}` + "\n\n" + `{"type":"DELETED","object":{}}` + "\n": `ADDED {"a":1}, DELETED {}, `,
		`{"type":"ADDED","object":{"a":1}}`:                                                    `ADDED {"a":1}, `,
		`{"type":"ADDED","object":{"a":1}}` + "\n" +
			`{"type":"ADD`: `ADDED {"a":1}, ` + "unexpected EOF",
		"oops\n": "no event",
		`{"type":"ERROR","object":{"kind":"Status","code":410,"reason":"Expired","message":"old"}}` + "\n": "410 old",
		`{"type":"ERROR","object":[]}` + "\n": "0",
		long + "\n" + long + "\n":             "ADDED " + long[25:len(long)-1] + ", ADDED " + long[25:len(long)-1] + ", ",
		"":                                    "",
	} {
		var got strings.Builder
		if err := readEvents(strings.NewReader(text), func(e event) error {
			fmt.Fprintf(&got, "%s %s, ", e.Type, e.Object)
			return nil
		}); err != nil {
			got.WriteString(err.Error())
		}
		if got.String() != want && !strings.HasSuffix(got.String(), want) {
			t.Errorf("%.200q: %.300q, want %.300q", text, got.String(), want)
		}
	}
	if err := readEvents(io.LimitReader(letters{}, 2*maxObject), nil); err == nil ||
		!strings.Contains(err.Error(), "more than") {
		t.Errorf("an endless line: %v", err)
	}
}

// letters is an endless text.
type letters struct{}

func (letters) Read(p []byte) (int, error) {
	for i := range p {
		p[i] = 'x'
	}
	return len(p), nil
}

// FuzzServer reads what a server may send as a list and as a watch.
func FuzzServer(f *testing.F) {
	f.Add([]byte(`{"metadata":{"resourceVersion":"5"},"items":[{"metadata":{"name":"a","resourceVersion":"4"}}]}`))
	f.Add([]byte(`{"type":"ADDED","object":{"metadata":{"name":"a","resourceVersion":"4"}}}` + "\n"))
	f.Add([]byte(`{"type":"ERROR","object":{"kind":"Status","details":{"retryAfterSeconds":99999999999}}}`))
	t := typeOf("configmaps")
	f.Fuzz(func(tt *testing.T, text []byte) {
		take := func(item json.RawMessage) error {
			m, err := readMeta(item)
			if err != nil {
				return err
			}
			if m.rev < 1 || m.Metadata.Name == "" {
				tt.Errorf("%q is taken", item)
			}
			value, err := t.stored(item, m)
			if err == nil && !json.Valid(value) {
				tt.Errorf("%q becomes %q", item, value)
			}
			return err
		}
		rev, _, err := readList(bytes.NewReader(text), take)
		if err == nil && rev < 1 {
			tt.Errorf("a list at %d", rev)
		}
		_ = readEvents(bytes.NewReader(text), func(e event) error { return take(e.Object) }) // errors are not wrong here
	})
}
