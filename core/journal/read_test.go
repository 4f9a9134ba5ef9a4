package journal

import (
	"bytes"
	"encoding/binary"
	"errors"
	"fmt"
	"hash/crc32"
	"io"
	"slices"
	"strings"
	"testing"
	"testing/iotest"
	"time"

	"github.com/tabernetes/tabernetes/core/mvcc"
)

// lister lists the content of a log, a line each.
func lister(lines *[]string) Visitor {
	note := func(format string, args ...any) error {
		*lines = append(*lines, fmt.Sprintf(format, args...))
		return nil
	}
	return Visitor{
		Header: func(meta []byte) (bool, error) {
			return strings.HasPrefix(string(meta), "recording"), note("header %s", meta)
		},
		Note:     func(text []byte) error { return note("note %s", text) },
		Progress: func(bucket string, rev int64) error { return note("%s to %d", bucket, rev) },
		Record: func(r mvcc.Record) error {
			author := ""
			if r.Author != nil {
				author = fmt.Sprintf(" by %s with %s", r.Author.User, r.Author.Manager)
			}
			if r.Owners != nil {
				author += fmt.Sprintf(" of %s paid by %s", r.Owners.Creator, r.Owners.Payer)
			}
			return note("%d/%d %s/%s deleted=%v %s @%d%s", r.Revision, r.Created, r.Bucket, r.Key, r.Deleted, r.Value,
				r.Time.UnixNano(), author)
		},
		Position: func(head, compacted int64) error { return note("position %d %d", head, compacted) },
	}
}

func read(t testing.TB, log []byte) (lines []string, found Found) {
	t.Helper()
	found, err := Read(bytes.NewReader(log), lister(&lines))
	if err != nil {
		t.Fatal(err)
	}
	if found.Size != int64(len(log)) || found.Sound > found.Size || (found.Problem == nil) != (found.Sound == found.Size) {
		t.Fatalf("of %d bytes: %+v", len(log), found)
	}
	return lines, found
}

// sample returns a log of a snapshot and later commits, and the offsets of its frames.
func sample(t testing.TB) (log []byte, starts []int) {
	store, storage := newStore(), NewMemory(nil)
	put(t, store, "n/a", "1")
	put(t, store, "n/a", "2")
	l, _ := start(t, store, storage)
	put(t, store, "n/b", "1")
	if err := store.Compact(3); err != nil {
		t.Fatal(err)
	}
	l.AppendPosition(4, 3)
	put(t, store, "n/c", "1")
	if err := l.Close(); err != nil {
		t.Fatal(err)
	}
	log = storage.Bytes()
	for at := 0; at < len(log); {
		starts = append(starts, at)
		size, ok := checkFrameHead(log[at:])
		if !ok {
			t.Fatalf("no frame at %d", at)
		}
		at += frameHead + int(size)
	}
	return log, starts
}

func TestReadWhole(t *testing.T) {
	log, _ := sample(t)
	lines, found := read(t, log)
	want := Found{Size: int64(len(log)), Sound: int64(len(log)), Records: 4, Revision: 5, Complete: true}
	if found != want || len(lines) != 7 {
		t.Errorf("%+v, want %+v: %q", found, want, lines)
	}
	slow := iotest.OneByteReader(bytes.NewReader(log))
	var again []string
	if got, err := Read(slow, lister(&again)); err != nil || got != want || !slices.Equal(again, lines) {
		t.Errorf("byte by byte: %+v, %v, %q", got, err, again)
	}
	broken := errors.New("a broken disk")
	if _, err := Read(io.MultiReader(bytes.NewReader(log[:50]), iotest.ErrReader(broken)), lister(&again)); !errors.Is(err,
		broken) {
		t.Errorf("a disk that fails: %v", err)
	}
}

// TestAuthors checks that a log has the authors of writes, also after it was rewritten, that damage in
// them is found, and that without an author a frame has the bytes that it always had.
func TestAuthors(t *testing.T) {
	store, storage := newStore(), NewMemory(nil)
	l, _ := start(t, store, storage)
	writer := store.By(&mvcc.Author{User: "member:ada", Manager: "kubectl"})
	write := func(e *mvcc.Event, err error) *mvcc.Event {
		t.Helper()
		if err != nil || store.Await(t.Context(), e) != nil {
			t.Fatal(err)
		}
		return e
	}
	value := func(v string) mvcc.Build { return func(int64) ([]byte, any) { return []byte(v), nil } }
	write(writer.Put("pods", "n/a", 0, value("1")))
	plain := write(store.Put("pods", "n/a", 2, value("2")))
	write(store.By(&mvcc.Author{Manager: "garbage-collector"}).Delete("pods", "n/a", 3, value("2")))
	want := []string{"header me", "position 1 0", "2/2 pods/n/a deleted=false 1 @1000000005 by member:ada with kubectl",
		"3/2 pods/n/a deleted=false 2 @1000000005", "4/2 pods/n/a deleted=true 2 @1000000005 by  with garbage-collector"}
	got, _ := read(t, storage.Bytes())
	if !slices.Equal(got, want) {
		t.Errorf("got  %q\nwant %q", got, want)
	}
	var snapshot bytes.Buffer
	if err := Snapshot(&snapshot, []byte("me"), store); err != nil {
		t.Fatal(err)
	}
	again, _ := read(t, snapshot.Bytes())
	if want := append(slices.Clone(append(want[:1:1], want[2:]...)), "position 4 0"); !slices.Equal(again, want) {
		t.Errorf("snapshot: %q\nwant %q", again, want)
	}
	damaged := appendEvent(nil, &mvcc.Event{
		Version: &mvcc.Version{Revision: 2, Created: 2, Author: &mvcc.Author{User: "ada"}}, Bucket: "b", Key: "k",
	})[frameHead:]
	damaged[bytes.Index(damaged, []byte("ada"))-1] = 100 // the length of the user
	if err := lister(&again).visit(damaged, &sequence{begun: true}); !errors.Is(err, errShort) {
		t.Errorf("a user that is longer than its frame: %v", err)
	}
	const payload = "V\x03\x02\x8a\xa8\xd6\xb9\x07\x04pods\x03n/a2"
	if got := string(appendEvent(nil, plain)[frameHead:]); got != payload {
		t.Errorf("%q, want %q", got, payload)
	}
	if err := l.Close(); err != nil {
		t.Error(err)
	}
}

// TestOwners checks that a log has the owners of keys, with and without an author.
func TestOwners(t *testing.T) {
	log := appendHeader(nil, []byte("me"))
	ada := &mvcc.Owners{Creator: "member:ada", Payer: "member:grace"}
	for n, v := range []mvcc.Version{
		{Owners: ada, Author: &mvcc.Author{User: "member:grace", Manager: "curl"}}, {Owners: ada},
		{Owners: ada, Deleted: true}, {Owners: new(mvcc.Owners), Author: &mvcc.Author{Manager: "x"}, Deleted: true},
	} {
		v.Revision, v.Created, v.Value = int64(n+2), 2, []byte("1")
		log = appendEvent(log, &mvcc.Event{Version: &v, Bucket: "pods", Key: "n/a", Time: time.Unix(1, 0)})
	}
	got, found := read(t, log)
	want := []string{
		"header me", "2/2 pods/n/a deleted=false 1 @1000000000 by member:grace with curl of member:ada paid by member:grace",
		"3/2 pods/n/a deleted=false 1 @1000000000 of member:ada paid by member:grace",
		"4/2 pods/n/a deleted=true 1 @1000000000 of member:ada paid by member:grace",
		"5/2 pods/n/a deleted=true 1 @1000000000 by  with x of  paid by ",
	}
	if !slices.Equal(got, want) || found.Problem != nil {
		t.Errorf("got  %q, %v\nwant %q", got, found.Problem, want)
	}
}

// TestCutOffLog cuts a log everywhere: all frames before the cut are read, and no frames are found
// after it.
func TestCutOffLog(t *testing.T) {
	log, starts := sample(t)
	all, _ := read(t, log)
	for cut := range len(log) {
		whole := 0
		for whole+1 < len(starts) && starts[whole+1] <= cut {
			whole++
		}
		for _, tail := range [][]byte{nil, make([]byte, 100)} {
			next := len(log)
			if whole+1 < len(starts) {
				next = starts[whole+1]
			}
			if tail != nil && len(bytes.Trim(log[cut:next], "\x00")) == 0 && cut > starts[whole] {
				continue // the cut-off part was zeros as well
			}
			lines, found := read(t, append(bytes.Clone(log[:cut]), tail...))
			if found.Sound != int64(starts[whole]) && !(cut == starts[whole] && found.Sound == int64(cut)) {
				t.Fatalf("cut at %d: %+v", cut, found)
			}
			if len(lines) != whole || !slices.Equal(lines, all[:whole]) || found.Beyond != 0 {
				t.Fatalf("cut at %d, %d zeros: %+v, %q", cut, len(tail), found, lines)
			}
		}
	}
}

// TestDamageIsFound flips every bit of a log: all frames before it are read, no frame is mistaken
// for another, and the frames after it are counted.
func TestDamageIsFound(t *testing.T) {
	log, starts := sample(t)
	all, _ := read(t, log)
	for i := range log {
		frame, _ := slices.BinarySearch(starts, i+1)
		frame--
		for bit := range 8 {
			damaged := bytes.Clone(log)
			damaged[i] ^= 1 << bit
			lines, found := read(t, damaged)
			if found.Problem == nil || found.Sound != int64(starts[frame]) || !slices.Equal(lines, all[:frame]) {
				t.Fatalf("bit %d of byte %d flipped: %+v, %q", bit, i, found, lines)
			}
			if follow := len(starts) - frame - 1; found.Beyond != follow || follow > 0 && found.Reaches != 5 {
				t.Fatalf("bit %d of byte %d flipped: %+v, want %d frames behind", bit, i, found, follow)
			}
		}
	}
}

// TestMissingFrames removes frames from the middle of a log.
func TestMissingFrames(t *testing.T) {
	log, starts := sample(t)
	all, _ := read(t, log)
	for from := range starts {
		for to := from + 1; to < len(starts); to++ {
			lines, found := read(t, append(bytes.Clone(log[:starts[from]]), log[starts[to]:]...))
			// A later position alone is no sign of a loss.
			harmless := from == 5 && to == 6
			if harmless != (found.Problem == nil && found.Complete) || !harmless &&
				(len(lines) > len(all) || found.Problem != nil && found.Beyond == 0) {
				t.Errorf("without frames %d to %d: %+v, %q", from, to-1, found, lines)
			}
		}
	}
	if _, found := read(t, append(bytes.Clone(log), log[starts[len(starts)-1]:]...)); found.Problem == nil {
		t.Error("a frame that is there twice is not found")
	}
}

// TestOverlappingFrames reads a file that was made to be searched without success: each of its heads is that of a frame
// up to the end. Work is in proportion to its length, so those behind the first are not looked at, and it is no cut-off
// end.
func TestOverlappingFrames(t *testing.T) {
	const heads = 100_000
	log := []byte("x")
	for i := range heads {
		head := binary.LittleEndian.AppendUint32(nil, uint32((heads-i-1)*frameHead))
		head = binary.LittleEndian.AppendUint32(head, 1)
		log = append(log, binary.LittleEndian.AppendUint32(head, crc32.Checksum(head, castagnoli))...)
	}
	_, found := read(t, log)
	if found.Size != int64(len(log)) || found.Sound != 0 || found.Complete || found.Beyond < heads/2 {
		t.Errorf("%+v", found)
	}
}

func TestVisitorsErrorIsDamage(t *testing.T) {
	log, starts := sample(t)
	v := lister(new([]string))
	v.Record = func(r mvcc.Record) error {
		if r.Revision == 4 {
			return errors.New("it does not decode")
		}
		return nil
	}
	found, err := Read(bytes.NewReader(log), v)
	if err != nil || found.Sound != int64(starts[4]) || found.Beyond != 3 ||
		!strings.Contains(fmt.Sprint(found.Problem), "does not decode") {
		t.Errorf("%+v, %v", found, err)
	}
}

func TestHeadRecord(t *testing.T) {
	want := Head{1 << 40, "3b1f-uid"}
	record := appendHead(nil, want)
	if got, ok := ParseHead(record); !ok || got != want {
		t.Errorf("%+v, %t", got, ok)
	}
	if got, ok := ParseHead(append(bytes.Clone(record), make([]byte, 400)...)); !ok || got != want {
		t.Errorf("in a file with room: %+v, %t", got, ok)
	}
	for i := range record {
		damaged := bytes.Clone(record)
		damaged[i] ^= 0x10
		if got, ok := ParseHead(damaged); ok {
			t.Errorf("byte %d flipped: %+v", i, got)
		}
		if got, ok := ParseHead(record[:i]); ok {
			t.Errorf("cut at %d: %+v", i, got)
		}
	}
}

// specified reads a log as the package comment specifies it, in the simplest way: the lines of the
// valid part, its length, and the number of valid frames after it.
func specified(log []byte) (lines []string, sound, beyond int) {
	frame := func(at int) int {
		if size, ok := checkFrameHead(log[min(at, len(log)):]); ok && at+frameHead+int(size) <= len(log) &&
			checkPayload(log[at:], log[at+frameHead:at+frameHead+int(size)]) {
			return frameHead + int(size)
		}
		return 0
	}
	v, s := lister(&lines), &sequence{}
	for n := frame(sound); n > 0 && v.visit(log[sound+frameHead:sound+n], s) == nil; n = frame(sound) {
		sound += n
	}
	for at := sound; at < len(log); {
		n := frame(at)
		if n > 0 {
			beyond++
		}
		at += max(1, n)
	}
	return lines, sound, beyond
}

func FuzzRead(f *testing.F) {
	log, starts := sample(f)
	f.Add(log)
	f.Add(log[:starts[4]])
	f.Add(append(bytes.Clone(log[:starts[3]]), log[starts[4]:]...))
	f.Add([]byte("not a log"))
	f.Add(appendEvent(bytes.Clone(log), &mvcc.Event{Bucket: "b", Key: "k", Version: &mvcc.Version{
		Revision: 6, Created: 6, Owners: &mvcc.Owners{Creator: "ada", Payer: "grace"},
	}}))
	f.Fuzz(func(t *testing.T, log []byte) {
		lines, found := read(t, log)
		want, sound, beyond := specified(log)
		if found.Sound != int64(sound) || found.Beyond != beyond || !slices.Equal(lines, want) {
			t.Errorf("%+v, %q; want %d bytes sound, %d frames beyond, %q", found, lines, sound, beyond, want)
		}
	})
}
