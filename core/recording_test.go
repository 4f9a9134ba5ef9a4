package core

import (
	"encoding/json"
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/tabernetes/tabernetes/core/journal"
	"github.com/tabernetes/tabernetes/core/mvcc"
)

// recorded returns the text of a ConfigMap as another cluster has it.
func recorded(name string, rev int64, value string) string {
	return fmt.Sprintf(`{"kind":"ConfigMap","apiVersion":"v1","metadata":{"name":%q,"namespace":"shop","uid":"u-%s",`+
		`"resourceVersion":"%d","creationTimestamp":"2026-11-01T00:00:00Z"},"data":{"v":%q}}`, name, name, rev, value)
}

// recording returns a recording with these frames between its header and a position.
func recording(format int, head, horizon int64, frames ...[]byte) string {
	header := fmt.Appendf(nil, `{"format":%d,"uid":"rec","recording":{"server":"https://real","began":4000000}}`, format)
	all := append(journal.AppendHeader(nil, header), slices.Concat(frames...)...)
	return string(journal.AppendPosition(all, head, horizon))
}

func set(rev, created int64, name, value string) []byte {
	return journal.AppendRecord(nil, &mvcc.Record{
		Revision: rev, Created: created, Bucket: "v1/configmaps", Key: "shop/" + name,
		Value: []byte(recorded(name, rev, value)),
		Time:  start.Add(time.Duration(rev) * time.Millisecond),
	})
}

func unset(rev, created int64, name, value string) []byte {
	return journal.AppendRecord(nil, &mvcc.Record{
		Revision: rev, Created: created, Bucket: "v1/configmaps", Key: "shop/" + name, Deleted: true,
		Value: []byte(recorded(name, rev, value)), Time: start.Add(time.Duration(rev) * time.Millisecond),
	})
}

func vanished(name string, revision int64) []byte {
	return journal.AppendGone(nil, "v1/configmaps", "shop/"+name, revision, start)
}

const shop = "/api/v1/namespaces/shop/configmaps"

// listAt returns names and values of the ConfigMaps at a revision.
func listAt(t *testing.T, c *Cluster, rev int64) (all []string) {
	t.Helper()
	list := must(t, c, 200, "GET", fmt.Sprintf("%s?resourceVersion=%d&resourceVersionMatch=Exact", shop, rev), "")
	for _, item := range at(list, "items").([]any) {
		all = append(all, fmt.Sprint(at(item, "metadata.name"), "=", at(item, "data.v"), "@",
			at(item, "metadata.resourceVersion")))
	}
	return all
}

func open(t *testing.T, c *Cluster, file string) {
	t.Helper()
	if code, text := call(t, c, "PUT", plane+"/snapshot", file); code != 201 {
		t.Fatalf("%d %s", code, text)
	}
}

// TestRecordedHistory opens a recording whose versions come in another order than they were written in, and reads it at
// each revision: it has the revisions and the bytes of the other cluster.
func TestRecordedHistory(t *testing.T) {
	c, _ := newCluster(t, Options{Controllers: true})
	note := journal.AppendNote(nil, []byte(`{"text":"leases were not recorded","to":1200}`))
	open(t, c, recording(2, 1200, 1000, set(900, 0, "a", "1"), set(1000, 0, "b", "1"), set(1100, 1050, "c", "2"), note,
		set(1010, 0, "a", "2"), set(1050, 1050, "c", "1"), unset(1080, 0, "b", "1"), set(1100, 1050, "c", "2"),
		vanished("c", 1150),
		set(1150, 1150, "d", "1")))
	for rev, want := range map[int64][]string{
		1000: {"a=1@900", "b=1@1000"}, 1009: {"a=1@900", "b=1@1000"}, 1010: {"a=2@1010", "b=1@1000"},
		1079: {"a=2@1010", "b=1@1000", "c=1@1050"}, 1080: {"a=2@1010", "c=1@1050"}, 1148: {"a=2@1010", "c=2@1100"},
		1149: {"a=2@1010"}, 1200: {"a=2@1010", "d=1@1150"},
	} {
		if got := listAt(t, c, rev); !slices.Equal(got, want) {
			t.Errorf("at %d: %q, want %q", rev, got, want)
		}
	}
	if code, text := call(t, c, "GET", shop+"?resourceVersion=999&resourceVersionMatch=Exact", ""); code != 410 {
		t.Errorf("before the horizon: %d %s", code, text)
	}
	events := watched(t, c, shop, 1000, 6)
	want := []string{"MODIFIED a 1010", "ADDED c 1050", "DELETED b 1080", "MODIFIED c 1100", "DELETED c 1149",
		"ADDED d 1150"}
	if !slices.Equal(events, want) {
		t.Errorf("a watch from the horizon: %q, want %q", events, want)
	}
	_, text := call(t, c, "GET", shop+"/a", "")
	if want := recorded("a", 1010, "2"); strings.TrimSpace(text) != want {
		t.Errorf("not the bytes that were recorded: %s", text)
	}
	status := must(t, c, 200, "GET", plane, "")
	about, _ := json.Marshal(at(status, "status.recording"))
	if want := `{"began":4000000,"notes":[{"text":"leases were not recorded","to":1200}],"server":"https://real"}`; string(
		about) != want {
		t.Errorf("it says of the recording: %s", about)
	}
	if at(status, "spec.controllers.enabled") != false || at(status, "spec.clock.paused") != true {
		t.Errorf("controllers or the clock run: %v", at(status, "spec"))
	}
	if now, want := at(status, "status.clock.now"), "2026-11-20T12:00:01.15Z"; now != want {
		t.Errorf("the clock shows %v, want %v", now, want)
	}
}

func watched(t *testing.T, c *Cluster, path string, from int64, n int) (all []string) {
	t.Helper()
	s := follow(t, c, fmt.Sprintf("%s?watch=1&resourceVersion=%d", path, from))
	defer s.Stop()
	for range n {
		e := s.Next()
		all = append(all, fmt.Sprint(e["type"], " ", at(e, "object.metadata.name"), " ",
			at(e, "object.metadata.resourceVersion")))
	}
	return all
}

// TestForkOfARecording forks a recording in the middle of it, writes there, and opens that again: it says what was
// recorded still, and its own writes follow.
func TestForkOfARecording(t *testing.T) {
	c, _ := newCluster(t, Options{})
	open(t, c, recording(2, 1200, 1000, set(900, 0, "a", "1"), set(1010, 0, "a", "2"), set(1100, 0, "a", "3")))
	_, fork := call(t, c, "GET", plane+"/snapshot?revision=1050", "")
	open(t, c, fork)
	if got, want := listAt(t, c, 1050), []string{"a=2@1010"}; !slices.Equal(got, want) {
		t.Errorf("at 1050: %q, want %q", got, want)
	}
	must(t, c, 201, "POST", "/api/v1/namespaces", `{"metadata":{"name":"shop"}}`)
	made := must(t, c, 200, "PUT", shop+"/a", configMap("a", "own"))
	_, again := call(t, c, "GET", plane+"/snapshot", "")
	open(t, c, again)
	if got := listAt(t, c, revision(t, c)); len(got) != 1 || !strings.HasPrefix(got[0], "a=own@") {
		t.Errorf("at the end: %q after %v", got, made)
	}
	if got, want := listAt(t, c, 1009), []string{"a=1@900"}; !slices.Equal(got, want) {
		t.Errorf("at 1009: %q, want %q", got, want)
	}
	if at(must(t, c, 200, "GET", plane, ""), "status.recording.server") != "https://real" {
		t.Error("the fork does not say what it was made of")
	}
}

// TestRecordingsAreSaved restarts a cluster that is a recording.
func TestRecordingsAreSaved(t *testing.T) {
	storage := journal.NewMemory(nil)
	c, _ := newCluster(t, Options{Storage: storage})
	open(t, c, recording(2, 1200, 1000, set(900, 0, "a", "1"), set(1010, 0, "a", "2")))
	must(t, c, 201, "POST", "/api/v1/namespaces", `{"metadata":{"name":"shop"}}`)
	head := revision(t, c)
	if err := c.Close(); err != nil {
		t.Fatal(err)
	}
	again, _ := newCluster(t, Options{Storage: journal.NewMemory(storage.Bytes())})
	if at(must(t, again, 200, "GET", plane, ""), "status.recording.server") != "https://real" {
		t.Error("it does not say any more that it was recorded")
	}
	if got := revision(t, again); got != head {
		t.Errorf("the head is %d, and was %d", got, head)
	}
	if got, want := listAt(t, again, 1005), []string{"a=1@900"}; !slices.Equal(got, want) {
		t.Errorf("at 1005: %q, want %q", got, want)
	}
}

// TestRefusedRecordings opens what cannot be opened: nothing is changed, and a sentence says why.
func TestRefusedRecordings(t *testing.T) {
	good := recording(2, 1200, 1000, set(900, 0, "a", "1"), set(1010, 0, "a", "2"))
	for name, test := range map[string]struct{ file, want string }{
		"of a later release": {recording(3, 1200, 1000), "the format 3 is not known here"},
		"without a position": {string(journal.AppendHeader(nil, []byte(`{"format":2,"uid":"x","recording":{}}`))),
			"before all resource types had been listed"},
		"damaged in the middle": {good[:150] + "X" + good[151:], "damaged"},
		"a revision of two objects": {recording(2, 9, 1, set(5, 5, "a", "1"), set(5, 5, "b", "1")),
			"not in the order of their revisions"},
		"of a value that is no object": {recording(2, 9, 1, journal.AppendRecord(nil, &mvcc.Record{Revision: 5,
			Bucket: "v1/configmaps",
			Key:    "shop/a", Value: []byte("[")})), "v1/configmaps shop/a: "},
		"that does not say of what": {string(journal.AppendHeader(nil, []byte(`{"format":2,"uid":"x"}`))),
			"what was recorded"},
		"with a note that is no JSON": {recording(2, 9, 1, journal.AppendNote(nil, []byte("{"))), "JSON"},
	} {
		t.Run(name, func(t *testing.T) {
			c, _ := newCluster(t, Options{})
			before := identity(t, c)
			code, text := call(t, c, "PUT", plane+"/snapshot", test.file)
			if code != 400 || !strings.Contains(text, test.want) {
				t.Errorf("%d %s", code, text)
			}
			if identity(t, c) != before {
				t.Error("the cluster was replaced")
			}
		})
	}
}

// TestCutOffRecording opens one at every length: behind its first position it has what is whole, and says that it was
// cut off.
func TestCutOffRecording(t *testing.T) {
	c, _ := newCluster(t, Options{})
	file := recording(2, 1000, 1000, set(1000, 0, "a", "1"))
	whole := len(file)
	file += string(set(1010, 0, "a", "2"))
	for _, n := range []int{whole - 1, whole, whole + 1, whole + 40, len(file) - 1, len(file)} {
		code, text := call(t, c, "PUT", plane+"/snapshot", file[:n])
		if n < whole {
			if code != 400 {
				t.Errorf("%d bytes: %d %s", n, code, text)
			}
			continue
		}
		want := "a=1@1000"
		if n == len(file) {
			want = "a=2@1010"
		}
		if got := listAt(t, c, revision(t, c)); code != 201 || len(got) != 1 || got[0] != want {
			t.Errorf("%d bytes: %d %s %q, want %s", n, code, text, got, want)
		}
		cut := at(must(t, c, 200, "GET", plane, ""), "status.recording.cutOff")
		if (cut != nil) != (n > whole && n < len(file)) {
			t.Errorf("%d bytes: cut off: %v", n, cut)
		}
	}
}

// FuzzRecording opens recordings with versions, deletions and keys that are gone, in every order: what can be opened
// can be saved and opened again, and has the same objects at each revision then.
func FuzzRecording(f *testing.F) {
	f.Add([]byte{0, 0, 9, 0, 1, 8, 1, 0, 12, 2, 1, 20, 0, 1, 15})
	f.Add([]byte{0, 0, 9, 2, 0, 9, 2, 0, 10, 2, 1, 10, 0, 1, 5, 2, 1, 255})
	f.Fuzz(func(t *testing.T, ops []byte) {
		if len(ops) > 60 {
			return
		}
		var frames []byte
		for ; len(ops) >= 3; ops = ops[3:] {
			name, rev := string('a'+ops[1]%4), int64(ops[2])
			switch ops[0] % 3 {
			case 0:
				frames = append(frames, set(rev, 0, name, fmt.Sprint(rev))...)
			case 1:
				frames = append(frames, unset(rev, 0, name, "")...)
			case 2:
				frames = append(frames, vanished(name, rev)...)
			}
		}
		c, _ := newCluster(t, Options{})
		code, text := call(t, c, "PUT", plane+"/snapshot", recording(2, 10, 3, frames))
		if code == 400 && strings.Contains(text, "cannot be read") {
			return
		}
		if code != 201 {
			t.Fatalf("%d %s", code, text)
		}
		head := revision(t, c)
		_, saved := call(t, c, "GET", plane+"/snapshot", "")
		again, _ := newCluster(t, Options{})
		open(t, again, saved)
		for rev := int64(3); rev <= head; rev++ {
			if a, b := listAt(t, c, rev), listAt(t, again, rev); !slices.Equal(a, b) {
				t.Fatalf("at %d there were %q, and are %q", rev, a, b)
			}
		}
	})
}
