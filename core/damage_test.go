package core

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"os"
	"strings"
	"testing"

	"github.com/tabernetes/tabernetes/core/clock"
	"github.com/tabernetes/tabernetes/core/journal"
)

// kept returns a storage with a log and the head record beside it.
func kept(log, head []byte) *journal.Memory {
	m := journal.NewMemory(log)
	_ = m.SaveHead(head)
	return m
}

func flip(b []byte, i int) []byte {
	b = bytes.Clone(b)
	b[i] ^= 1
	return b
}

// written returns the log of a cluster with three objects, the head record beside it, the length of
// the log before each of them, and their versions.
func written(t *testing.T, uids string) (log, head []byte, before []int, versions []string) {
	storage := journal.NewMemory(nil)
	c, _ := newCluster(t, Options{Storage: storage, Rand: strings.NewReader(strings.Repeat(uids, 10_000))})
	for _, name := range []string{"a", "b", "c"} {
		before = append(before, len(storage.Bytes()))
		versions = append(versions, at(must(t, c, 201, "POST", configMaps, configMap(name, "1")),
			"metadata.resourceVersion").(string))
	}
	if err := c.Close(); err != nil {
		t.Fatal(err)
	}
	head, _ = storage.Head()
	return storage.Bytes(), head, before, versions
}

// TestDamage lists what can happen to a saved cluster, and what is reported and done about it.
func TestDamage(t *testing.T) {
	log, head, before, versions := written(t, "mine")
	otherLog, otherHead, _, _ := written(t, "theirs")
	for name, c := range map[string]struct {
		log, head []byte
		says      string
		// left are the objects of the undamaged part.
		left string
	}{
		"log cut between frames": {log[:before[1]], head, "the log ends at revision", "a"},
		"log cut within a frame": {log[:before[2]+20], head, "the log ends at revision", "ab"},
		"last frame flipped":     {flip(log, len(log)-3), head, "its content is damaged", "ab"},
		"frame in the middle":    {flip(log, before[1]+30), head, "1 sound frames follow", "a"},
		"frame taken out": {append(bytes.Clone(log[:before[1]]), log[before[2]:]...), head,
			"what comes in between is missing", "a"},
		"its beginning flipped": {flip(log, 20), head, "sound frames follow", ""},
		"no log":                {nil, head, "the log is empty or missing", ""},
		"garbage":               {[]byte("this is not a cluster"), nil, "not a whole cluster", ""},
		"only its beginning":    {log[:200], nil, "not a whole cluster", ""},
		"the log of another":    {otherLog, head, "is of cluster", "abc"},
		"the record of another": {log, otherHead, "is of cluster", "abc"},
	} {
		t.Run(name, func(t *testing.T) {
			storage := kept(c.log, c.head)
			options := Options{Storage: storage, Clock: clock.Real(), Rand: strings.NewReader(strings.Repeat("random", 10_000))}
			var damage *DamageError
			if _, err := New(options); !errors.As(err, &damage) || !strings.Contains(err.Error(), c.says) {
				t.Fatalf("%v, want %q", err, c.says)
			}
			if !bytes.Equal(storage.Bytes(), c.log) {
				t.Error("what was refused was changed")
			}
			options.OnDamage = SalvageDamaged
			salvaged, _ := newCluster(t, options)
			r := salvaged.Recovery()
			if r.Problem == "" || (r.SetAside == "") != (len(c.log) == 0) {
				t.Errorf("recovery %+v", r)
			}
			for _, name := range []string{"a", "b", "c"} {
				want := 404
				if strings.Contains(c.left, name) {
					want = 200
				}
				must(t, salvaged, want, "GET", configMaps+"/"+name, "")
			}
			got := must(t, salvaged, 200, "GET", plane, "")
			if at(got, "status.storage.problem") != r.Problem || r.SetAside != "" &&
				at(got, "status.storage.setAside") != r.SetAside {
				t.Errorf("status %v", at(got, "status.storage"))
			}
			if _, health := call(t, salvaged, "GET", "/readyz?verbose", ""); !strings.Contains(health, "[+]etcd ok: "+
				r.Problem) {
				t.Errorf("health: %s", health)
			}
			if r.Restored && c.head != nil { // a client that has seen later revisions gets 410
				must(t, salvaged, 410, "GET", configMaps+"?resourceVersionMatch=Exact&resourceVersion="+versions[2], "")
			}
			must(t, salvaged, 201, "POST", configMaps, configMap("d", "1"))
			again := reopen(t, storage)
			if r := again.Recovery(); !r.Restored || r.Problem != "" {
				t.Errorf("after it: %+v", r)
			}
			must(t, again, 200, "GET", configMaps+"/d", "")

			options.OnDamage, options.Storage = ReplaceDamaged, kept(c.log, c.head)
			fresh, _ := newCluster(t, options)
			if r := fresh.Recovery(); r.Restored || r.Problem == "" {
				t.Errorf("begun anew: %+v", r)
			}
			must(t, fresh, 404, "GET", configMaps+"/a", "")
		})
	}
}

// TestCutOffEnd is the state after a crash: no client had an answer for the writes that are
// dropped.
func TestCutOffEnd(t *testing.T) {
	log, _, before, _ := written(t, "mine")
	for name, torn := range map[string][]byte{
		"within a frame": log[:before[2]+20],
		"zeros":          append(bytes.Clone(log[:before[2]]), make([]byte, 50)...),
	} {
		t.Run(name, func(t *testing.T) {
			storage := kept(torn, nil)
			c, _ := newCluster(t, Options{Storage: storage})
			r := c.Recovery()
			if want := fmt.Sprintf("%d bytes behind revision", len(torn)-before[2]); !r.Restored || r.SetAside != "" ||
				!strings.Contains(r.Problem, want) {
				t.Errorf("recovery %+v, want %q", r, want)
			}
			must(t, c, 200, "GET", configMaps+"/b", "")
			must(t, c, 404, "GET", configMaps+"/c", "")
			if r := reopen(t, storage).Recovery(); !r.Restored || r.Problem != "" {
				t.Errorf("after it: %+v", r)
			}
		})
	}
}

func TestUnreadableRecord(t *testing.T) {
	log, head, _, _ := written(t, "mine")
	c, _ := newCluster(t, Options{Storage: kept(log, head[:7])})
	if r := c.Recovery(); !r.Restored || !strings.Contains(r.Problem, "record") {
		t.Errorf("recovery %+v", r)
	}
	must(t, c, 200, "GET", configMaps+"/c", "")
}

// TestLogWithoutARecord opens a log in the format from before there was a head record, and before a
// snapshot recorded its number of versions.
func TestLogWithoutARecord(t *testing.T) {
	log, err := os.ReadFile("testdata/before-heads.log")
	if err != nil {
		t.Fatal(err)
	}
	storage := kept(log, nil)
	c, _ := newCluster(t, Options{Storage: storage})
	if r := c.Recovery(); !r.Restored || r.Problem != "" {
		t.Errorf("recovery %+v", r)
	}
	if got := must(t, c, 200, "GET", configMaps+"/c2", ""); at(got, "data.again") != "yes" {
		t.Errorf("c2 is %v", got)
	}
	must(t, c, 404, "GET", configMaps+"/c1", "")
	must(t, c, 200, "GET", "/apis/example.com/v1/namespaces/default/widgets/w", "")
	if head, _ := storage.Head(); len(head) == 0 {
		t.Error("its head is not recorded from now on")
	}
}

func TestCheck(t *testing.T) {
	log, head, before, _ := written(t, "mine")
	options := Options{Clock: clock.Real(), Rand: strings.NewReader(strings.Repeat("random", 10_000)),
		Storage: kept(log, head)}
	found, dropped, err := Check(options)
	if err != nil || dropped != "" || found.Sound != int64(len(log)) || !found.Complete {
		t.Errorf("%+v, %q, %v", found, dropped, err)
	}
	options.Storage = kept(log[:before[2]+5], nil)
	if _, dropped, err = Check(options); err != nil || dropped == "" {
		t.Errorf("a cut off end: %q, %v", dropped, err)
	}
	options.Storage = kept(flip(log, before[1]+30), head)
	var damage *DamageError
	if _, _, err = Check(options); !errors.As(err, &damage) || damage.Objects == 0 {
		t.Errorf("damage: %v", err)
	}
	options.Storage = unreadable{journal.NewMemory(nil)}
	if _, _, err := Check(options); !errors.Is(err, io.ErrClosedPipe) {
		t.Errorf("a storage that cannot be read: %v", err)
	}
}

type unreadable struct{ *journal.Memory }

func (unreadable) Read() (io.ReadCloser, error) { return nil, io.ErrClosedPipe }
