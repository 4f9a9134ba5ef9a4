package timeline

import (
	"math/rand"
	"testing"
)

func TestSeriesCounts(t *testing.T) {
	s := NewSeries(0)
	for rev := int64(1); rev <= 1000; rev++ {
		s.Add(Mark{Rev: rev * 2, Kind: Kind(rev % 4)})
	}
	for _, tc := range []struct{ lo, hi int64 }{{1, 2000}, {1, 1}, {500, 700}, {3000, 4000}} {
		var want [counted]uint32
		for i := range s.Len() {
			if m := s.At(i); m.Rev >= tc.lo && m.Rev <= tc.hi && m.Kind < counted {
				want[m.Kind]++
			}
		}
		if got := s.Count(s.Index(tc.lo), s.Index(tc.hi+1)); got != want {
			t.Errorf("%d to %d: got %v, want %v", tc.lo, tc.hi, got, want)
		}
	}
	if _, ok := s.Find(3); ok {
		t.Error("found a revision that has no mark")
	}
	if m, ok := s.Find(4); !ok || m.Rev != 4 {
		t.Error("did not find revision 4")
	}
}

func TestSeriesSortsWhatComesOutOfOrder(t *testing.T) {
	s := NewSeries(0)
	rnd := rand.New(rand.NewSource(1))
	for _, i := range rnd.Perm(200) {
		s.Add(Mark{Rev: int64(i + 1), Kind: Kind(i % 3)})
	}
	for i := range s.Len() {
		if s.At(i).Rev != int64(i+1) {
			t.Fatalf("at %d lies %d", i, s.At(i).Rev)
		}
	}
	if got := s.Count(0, 200); got != [counted]uint32{67, 67, 66} {
		t.Errorf("counts %v", got)
	}
}

func TestSeriesForgetsTheOldest(t *testing.T) {
	s := NewSeries(100)
	for rev := int64(1); rev <= 1000; rev++ {
		s.Add(Mark{Rev: rev, Kind: Modified})
	}
	if s.Len() < 100 || s.Len() > 125 || s.Total() != 1000 || s.Last() != 1000 {
		t.Errorf("keeps %d of %d, last %d", s.Len(), s.Total(), s.Last())
	}
	if got := s.Count(0, s.Len())[Modified]; int(got) != s.Len() {
		t.Errorf("counts %d of %d", got, s.Len())
	}
}

func TestObjects(t *testing.T) {
	var o Objects
	a := Object{Resource: "pods", Namespace: "default", Name: "a"}
	b := Object{Group: "apps", Resource: "deployments", Namespace: "x", Name: "b"}
	na, nb := o.Number(a), o.Number(b)
	if na == 0 || na == nb || o.Number(a) != na || o.Get(na) != a || o.Get(nb) != b || o.Get(0) != (Object{}) ||
		o.Get(99) != (Object{}) {
		t.Error("numbers do not lead back to objects")
	}
	if b.String() != "deployments.apps x/b" || (Object{Resource: "nodes", Name: "n"}).String() != "nodes n" {
		t.Errorf("%q", b.String())
	}
}

func TestHad(t *testing.T) {
	s := NewSeries(10)
	for _, k := range []Mark{{Rev: 3, Obj: 1}, {Rev: 5, Obj: 1, Kind: Modified}, {Rev: 7, Obj: 1, Kind: Deleted},
		{Rev: 8, Obj: 2, Kind: Deleted}} {
		s.Add(k)
	}
	for _, test := range []struct {
		obj  Obj
		rev  int64
		want bool
	}{
		{1, 2, false}, {1, 3, true}, {1, 4, true}, {1, 6, true}, {1, 7, false}, {1, 9, false}, {2, 1, true},
		{2, 8, false}, {3, 8, true},
	} {
		if got := s.Had(test.obj, test.rev); got != test.want {
			t.Errorf("object %d at %d: %v", test.obj, test.rev, got)
		}
	}
}
