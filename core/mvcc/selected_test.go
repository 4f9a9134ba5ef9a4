package mvcc

import (
	"errors"
	"fmt"
	"runtime"
	"testing"
	"time"

	"github.com/tabernetes/tabernetes/core/apitest"
)

// TestSelectedCost checks that ranges by terms look at what they find, however many other keys there are, and
// however many were deleted or have lost the term.
func TestSelectedCost(t *testing.T) {
	const found = 50
	few, many := someTerms[1], someTerms[2] // app=1 and app=2
	elsewhere := someTerms[0]               // tier=0
	for _, n := range []int{200, 5000, 40_000} {
		s := New(time.Now)
		put := func(key string, x *testTerms) {
			t.Helper()
			var expect int64
			if v := s.Latest("b", key); v != nil {
				expect = v.Revision
			}
			if _, err := s.Put("b", key, expect, func(int64) ([]byte, any) { return nil, x }); err != nil {
				t.Fatal(err)
			}
		}
		for i := range n {
			key := fmt.Sprintf("ns/k%05d", i)
			if i%(n/found) == 0 {
				put(key, few)
				continue
			}
			if i%3 == 0 { // it loses the term
				put(key, few)
			}
			if put(key, many); i%3 == 1 {
				put(key+"-", few)
				if _, err := s.Delete("b", key+"-", s.last, func(int64) ([]byte, any) { return nil, few }); err != nil {
					t.Fatal(err)
				}
			}
		}
		for i := range n {
			put(fmt.Sprintf("far/k%05d", i), elsewhere)
		}
		put("ns/k00007", elsewhere)
		head := s.Status().Head
		put("ns/new", many)
		query := func(terms ...[]Term) Query { return Query{Match: matches(terms), Terms: terms} }
		app := func(values ...string) (list []Term) {
			for _, v := range values {
				list = append(list, Term{"app", v})
			}
			return list
		}
		type read struct {
			Query
			found, passed int
		}
		with := func(q Query, change func(*Query)) Query { change(&q); return q }
		for name, read := range map[string]read{
			"all":         {query(app("1")), found, found},
			"one of":      {query(app("1", "3")), found, found},
			"fewest":      {query(app("*"), app("1"), app("1", "2")), found, found},
			"none":        {query(app("*"), app("3")), 0, 0},
			"group":       {with(query(app("1")), func(q *Query) { q.Group = "ns/" }), found, found},
			"empty group": {with(query(app("1")), func(q *Query) { q.Group = "other/" }), 0, 0},
			"page":        {with(query(app("1")), func(q *Query) { q.Limit = 10 }), 10, 11},
			"last page":   {with(query(app("1")), func(q *Query) { q.Limit, q.Start = 100, "ns/k" }), found, found},
			"past":        {with(query(app("1")), func(q *Query) { q.Revision = head }), found, found},
			"other group": {with(query([]Term{{"tier", "0"}}), func(q *Query) { q.Group = "ns/" }), 1, 1},
			"most":        {with(query(app("2")), func(q *Query) { q.Start = "ns/" }), n - found, n - found},
		} {
			page, err := s.Range("b", read.Query)
			if err != nil || len(page.Items) != read.found || page.Passed != read.passed {
				t.Errorf("%s of %d: %d keys, %d were looked at, want %d and %d; %v", name, n, len(page.Items), page.Passed,
					read.found, read.passed, err)
			}
		}
	}
}

// TestTermsInQuota checks that terms count for the quota, also those that versions have left, until a compaction
// frees them.
func TestTermsInQuota(t *testing.T) {
	const one = VersionCost + termCost + entryCost
	build := func(name string) Build {
		x := &testTerms{terms: []Term{{name, ""}}}
		return func(int64) ([]byte, any) { return nil, x }
	}
	s := New(time.Now)
	s.SetQuota(3*one, 0)
	put := func(key, term string, expect int64) error {
		_, err := s.Put("b", key, expect, build(term))
		return err
	}
	for _, key := range []string{"a", "b"} {
		if err := put(key, key, 0); err != nil {
			t.Fatal(err)
		}
	}
	if err := put("a", "c", 2); err != nil {
		t.Fatal(err)
	}
	if at := s.Status(); at.Size != 3*one || at.Present != 2*one {
		t.Fatalf("three versions with a term each: %+v", at)
	}
	if err := put("a", "d", 4); !errors.Is(err, ErrNoSpace) {
		t.Fatalf("beyond the quota: %v", err)
	}
	if err := s.Compact(4); err != nil {
		t.Fatal(err)
	}
	if at := s.Status(); at.Size != 2*one || at.Present != at.Size {
		t.Fatalf("a compaction left %+v", at)
	}
	s.SetQuota(3*one-1, 0)
	if err := put("c", "new", 0); !errors.Is(err, ErrNoSpace) {
		t.Fatalf("the term is too much: %v", err)
	}
	if _, err := s.Put("b", "c", 0, fixed("")); err != nil {
		t.Fatalf("without a term: %v", err)
	}
	for _, key := range []string{"a", "b", "c"} {
		if _, err := s.Delete("b", key, s.Latest("b", key).Revision, build("gone")); err != nil {
			t.Fatal(err)
		}
	}
	if err := s.Compact(s.Status().Head); err != nil {
		t.Fatal(err)
	}
	if at := s.Status(); at.Size != 0 || len(s.buckets["b"].terms.flat()) != 0 {
		t.Fatalf("nothing is there, and %+v", at)
	}
}

// TestTermMemory checks that terms take about what is counted for them: each key has two that only it has, and two that
// all have.
func TestTermMemory(t *testing.T) {
	const n = 20_000
	used := func(terms int) int64 {
		all := make([]*testTerms, n)
		for i := range all {
			own := fmt.Sprint(i)
			all[i] = &testTerms{terms: []Term{{"a", own}, {"b", own}, {"app", "1"}, {"app", "*"}}[:terms]}
		}
		before := apitest.InUse()
		s := New(time.Now)
		for i, x := range all {
			key := fmt.Sprintf("ns/k%05d", i*7919%n)
			if _, err := s.Put("b", key, 0, func(int64) ([]byte, any) { return nil, x }); err != nil {
				t.Fatal(err)
			}
		}
		used := apitest.InUse() - before
		runtime.KeepAlive(all)
		runtime.KeepAlive(s)
		if terms > 0 {
			t.Logf("%d bytes are counted for a key's terms", s.indexed.all/n)
		}
		return used
	}
	none := used(0)
	for _, terms := range []int{2, 4} {
		counted := int64(2*(termCost+entryCost) + (terms-2)*entryCost)
		if got := (used(terms) - none) / n; got > counted*5/4 || got < counted/3 {
			t.Errorf("%d terms of a key take %d bytes, and %d are counted", terms, got, counted)
		} else {
			t.Logf("%d terms of a key take %d bytes", terms, got)
		}
	}
}
