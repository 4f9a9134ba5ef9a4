package mvcc

import (
	"errors"
	"fmt"
	"testing"
	"time"
)

// A warden is a guard that counts bytes, and refuses what is too much.
type warden struct {
	bytes, most int
	reserved    bool
}

func (g *warden) Own(w *Write) *Owners { return &Owners{Creator: fmt.Sprint(len(w.Value))} }

func (g *warden) Judge(w *Write, _ *Owners) (bool, error) {
	if !w.Frees && g.bytes+len(w.Value) > g.most {
		return false, errors.New("too much")
	}
	return g.reserved, nil
}

func (g *warden) Count(e *Event, change int) {
	if e.Prev != nil {
		g.bytes -= change * len(e.Prev.Value)
	}
	if !e.Deleted {
		g.bytes += change * len(e.Value)
	}
}

// TestGuard checks that a guard is asked about writes, counts those that are discarded and loaded, and lets some
// use the reserve.
func TestGuard(t *testing.T) {
	g := &warden{most: 10}
	s := New(time.Now)
	s.SetGuard(g)
	s.SetJournal(&taker{})
	put := func(key string, expect int64, value string) (*Event, error) {
		return s.Put("b", key, expect, func(int64) ([]byte, any) { return []byte(value), nil })
	}
	check := func(step string, want int) {
		t.Helper()
		if g.bytes != want {
			t.Errorf("%s: %d bytes, want %d", step, g.bytes, want)
		}
	}
	first, err := put("a", 0, "12345")
	if err != nil || first.Owners.Creator != "5" {
		t.Fatal(first, err)
	}
	s.Commit(first.Revision)
	if _, err := put("c", 0, "123456"); err == nil || err.Error() != "too much" {
		t.Error(err)
	}
	if err := s.By(nil).Check("b", "c", []byte("123456"), false, false); err == nil {
		t.Error("a dry run may do it")
	}
	if err := s.By(nil).Check("b", "c", []byte("123456"), false, true); err != nil {
		t.Error(err)
	}
	check("one", 5)
	if _, err := put("a", first.Revision, "123"); err != nil {
		t.Fatal(err)
	}
	check("a smaller one is pending", 3)
	s.Discard(errors.New("a broken disk"), func() {})
	check("that is discarded", 5)
	g.most = 1 << 20
	s.SetQuota(3*VersionCost, VersionCost)
	if _, err := put("c", 0, "1"); !errors.Is(err, ErrNoSpace) {
		t.Errorf("beyond the quota without the reserve: %v", err)
	}
	g.reserved = true
	if _, err := put("c", 0, "1"); err != nil {
		t.Error(err)
	}
	check("with the reserve", 6)

	g = &warden{}
	copied := New(time.Now)
	copied.SetGuard(g)
	for rev, owners := range []*Owners{nil, {Creator: "ada"}} {
		r := Record{Bucket: "b", Key: fmt.Sprint(rev), Revision: int64(rev + 2), Created: int64(rev + 2), Value: []byte("12"),
			Owners: owners}
		if err := copied.Load(r, nil); err != nil {
			t.Fatal(err)
		}
	}
	check("loaded", 4)
	if got := copied.Created("ada"); len(got) != 1 || got[0].Key != "1" || copied.Creator(Location{"b", "0"}) != "2" {
		t.Errorf("%v, %q", got, copied.Creator(Location{"b", "0"}))
	}
}
