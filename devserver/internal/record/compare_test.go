package record

import (
	"bytes"
	"crypto/rand"
	"crypto/sha256"
	"encoding/json"
	"fmt"
	"net/http"
	"regexp"
	"slices"
	"sync"
	"testing"

	"github.com/tabernetes/tabernetes/core"
	"github.com/tabernetes/tabernetes/core/apitest"
	"github.com/tabernetes/tabernetes/core/clock"
	"github.com/tabernetes/tabernetes/core/journal"
	"github.com/tabernetes/tabernetes/core/mvcc"
)

// A seen is a version of an object, by what it has been seen to be.
type seen struct {
	bucket, key string
	rev         int64
}

// A ledger has what was seen of a cluster: for each version whether it is a deletion, and a sum of its bytes.
type ledger struct {
	mu       sync.Mutex
	versions map[seen]string
}

func (l *ledger) add(v seen, deleted bool, text []byte) {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.versions[v] = sum(deleted, v.bucket, text)
}

// secretData are the parts of a Secret that are redacted.
var secretData = regexp.MustCompile(`"(data|stringData)":\{[^}]*\}`)

func sum(deleted bool, bucket string, text []byte) string {
	if bucket == "v1/secrets" {
		text = secretData.ReplaceAll(text, nil)
	}
	s := sha256.Sum256(text)
	return fmt.Sprintf("%v %x", deleted, s[:8])
}

// A content is what a file has.
type content struct {
	ledger
	gone    []mvcc.Record
	notes   []note
	horizon int64
	head    int64
}

// readFile reads a whole file.
func readFile(t *testing.T, text []byte) *content {
	t.Helper()
	c, found := readPart(t, text)
	if found.Problem != nil || !found.Complete {
		t.Fatalf("the file: %+v", found)
	}
	return c
}

// readPart reads a file that is being written.
func readPart(t *testing.T, text []byte) (*content, journal.Found) {
	t.Helper()
	c := &content{ledger: ledger{versions: map[seen]string{}}}
	found, err := journal.Read(bytes.NewReader(text), journal.Visitor{
		Header: func([]byte) (bool, error) { return true, nil },
		Record: func(r mvcc.Record) error {
			if r.Deleted && r.Value == nil || len(r.Value) == 0 {
				c.gone = append(c.gone, r)
				return nil
			}
			v := seen{r.Bucket, r.Key, r.Revision}
			if _, twice := c.versions[v]; twice {
				t.Errorf("%v is in the file twice", v)
			}
			c.add(v, r.Deleted, r.Value)
			return nil
		},
		Note: func(text []byte) error {
			var n note
			err := json.Unmarshal(text, &n)
			c.notes = append(c.notes, n)
			return err
		},
		Position: func(head, horizon int64) error { c.head, c.horizon = head, horizon; return nil },
	})
	if err != nil {
		t.Fatal(err)
	}
	return c, found
}

// inGap reports whether a note names a gap that has a revision of a type.
func (c *content) inGap(t *target, rev int64) bool {
	return slices.ContainsFunc(c.notes, func(n note) bool {
		return n.Kind == "gap" && n.From < rev && rev <= n.To && slices.Contains(n.Types, t.name())
	})
}

// openFile opens a recording in a cluster.
func openFile(t *testing.T, text []byte) *core.Cluster {
	t.Helper()
	c, err := core.New(core.Options{Clock: clock.Real(), Rand: rand.Reader, Quota: 16 << 30})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = c.Close() })
	w := apitest.Do(c, http.MethodPut, "/apis/sandbox.tabernetes.dev/v1/controlplanes/default/snapshot", string(text))
	if w.Code != http.StatusCreated {
		t.Fatalf("it cannot be opened: %d %s", w.Code, w.Body)
	}
	return c
}

// compare compares a file with what watchers have seen and what answers writers got; both may have missed something,
// the watchers in the gaps that they had.
func compare(t *testing.T, text []byte, types []*target, watched, written *ledger, gaps map[string][][2]int64) {
	byBucket := map[string]*target{}
	for _, ty := range types {
		byBucket[ty.bucket] = ty
	}
	file := readFile(t, text)
	for _, n := range file.notes {
		t.Logf("the file says: %s (%d to %d): %s", n.Kind, n.From, n.To, n.Text)
	}
	same, missing, excused, different := 0, 0, 0, 0
	check := func(who string, l *ledger) {
		for v, sum := range l.versions {
			got, is := file.versions[v]
			switch {
			case v.rev <= file.horizon: // of which only the last ones are there
			case !is && file.inGap(byBucket[v.bucket], v.rev):
				excused++
			case !is:
				if missing++; missing < 20 {
					t.Errorf("%s has %v, and the file has not", who, v)
				}
			case got != sum:
				if different++; different < 20 {
					t.Errorf("%s has another %v", who, v)
				}
			default:
				same++
			}
		}
	}
	check("the watcher", watched)
	w := same
	check("a writer", written)
	invented := 0
	for v := range file.versions {
		_, is := watched.versions[v]
		if _, told := written.versions[v]; is || told || byBucket[v.bucket] == nil || slices.ContainsFunc(gaps[v.bucket],
			func(g [2]int64) bool { return g[0] < v.rev && v.rev <= g[1] }) {
			continue
		}
		if invented++; invented < 20 {
			t.Errorf("the file has %v, which nobody has seen", v)
		}
	}
	replayed := replay(t, openFile(t, text), types, file)
	t.Logf("of %d versions that the watcher has seen %d are in the file with the same bytes (and %d of "+
		"%d that writers were "+
		"told); %d are missing in gaps that the file names, %d without; %d are different; the file has %d versions, "+
		"%d deletions of which the revision is not known, and %d that nobody has seen; %d were replayed",
		len(watched.versions), w, same-w, len(written.versions), excused, missing, different,
		len(file.versions), len(file.gone),
		invented, replayed)
	if same == 0 || replayed == 0 {
		t.Error("nothing was compared")
	}
}

// replay watches each type of a cluster from the horizon of a file on, and compares the events with what the file has.
// It returns how many there were.
func replay(t *testing.T, c *core.Cluster, types []*target, file *content) (n int) {
	for _, ty := range types {
		want := map[int64]string{}
		for v, sum := range file.versions {
			if v.bucket == ty.bucket && v.rev > file.horizon {
				want[v.rev] = v.key + " " + sum
			}
		}
		for _, g := range file.gone {
			if g.Bucket == ty.bucket {
				want[-g.Revision] = "" // one more event, at some revision
			}
		}
		if len(want) == 0 {
			continue
		}
		s := apitest.Follow(t, c, fmt.Sprintf("%s?watch=1&resourceVersion=%d", ty.path(""), file.horizon))
		var last int64
		for range len(want) {
			var e event
			if !s.Lines.Scan() || json.Unmarshal(s.Lines.Bytes(), &e) != nil {
				t.Fatalf("%s: the watch ends after %d", ty.name(), last)
			}
			m, err := readMeta(e.Object)
			if err != nil {
				t.Fatalf("%s: %v in %s", ty.name(), err, e.Object)
			}
			if m.rev <= last {
				t.Errorf("%s: %d follows %d", ty.name(), m.rev, last)
			}
			last = m.rev
			got := ty.key(m.Metadata.Namespace, m.Metadata.Name) + " " + sum(e.Type == "DELETED", ty.bucket, e.Object)
			if w, is := want[m.rev]; is && w != got {
				t.Errorf("%s: the event at %d is %s, want %s", ty.name(), m.rev, got, w)
			}
			n++
		}
		s.Stop()
	}
	return n
}
