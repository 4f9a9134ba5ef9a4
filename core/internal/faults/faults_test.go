package faults

import (
	"slices"
	"strings"
	"sync"
	"testing"
)

func ptr(n int64) *int64 { return &n }

func TestChoose(t *testing.T) {
	list := Request{UserAgent: "kubectl/v1.36.3 (linux)", User: "jane", Verb: "list", Resource: "pods"}
	list.Server = func() (int, bool) { return 1, true }
	watch, version, other := list, list, list
	watch.Verb = "watch"
	version.Verb, version.Resource, version.Server = "", "", func() (int, bool) { return 0, false }
	other.UserAgent, other.User, other.Resource, other.Server = "", "joe", "secrets", func() (int, bool) { return 0, true }
	for name, test := range map[string]struct {
		row  Row
		fits string // which of list, watch, version and other
	}{
		"nothing named":  {Row{}, "lwvo"},
		"a program":      {Row{UserAgent: "kubectl/"}, "lwv"},
		"no such one":    {Row{UserAgent: "kubectl/v1.36.3 (linux) "}, ""},
		"a user":         {Row{User: "joe"}, "o"},
		"a part of one":  {Row{User: "jan"}, ""},
		"a verb":         {Row{Verbs: []string{"get", "list"}}, "lo"},
		"a resource":     {Row{Resources: []string{"secrets", "nodes"}}, "o"},
		"all resources":  {Row{Resources: []string{Any}}, "lwo"},
		"a server":       {Row{Server: ptr(1)}, "lw"},
		"another server": {Row{Server: ptr(0)}, "o"},
		"all of it": {Row{UserAgent: "kube", User: "jane", Verbs: []string{"list"}, Resources: []string{"pods"},
			Server: ptr(1)}, "l"},
		"all but one": {Row{UserAgent: "kube", User: "jane", Verbs: []string{"list"}, Resources: []string{"pods"},
			Server: ptr(0)}, ""},
		"of watches":    {Row{Effect: Effect{CutAfterEvents: ptr(0)}}, "w"},
		"of any answer": {Row{Effect: Effect{CutAfterBytes: ptr(0)}}, "lwvo"},
	} {
		t.Run(name, func(t *testing.T) {
			s, fits := New([]Row{test.row}), ""
			for i, q := range []Request{list, watch, version, other} {
				if row, _ := s.Choose(q); row != nil {
					fits += "lwvo"[i : i+1]
				}
			}
			if fits != test.fits || s.Applied()[0] != int64(len(fits)) {
				t.Errorf("it fits %q, %d times, want %q", fits, s.Applied()[0], test.fits)
			}
		})
	}
}

func TestFirstRowWithUsesLeft(t *testing.T) {
	s := New([]Row{{Verbs: []string{"get"}}, {Times: 2}, {Times: 1}, {User: "joe"}})
	var got strings.Builder
	for range 4 {
		if row, i := s.Choose(Request{Verb: "list"}); row == nil {
			got.WriteByte('-')
		} else {
			got.WriteByte('0' + byte(i))
		}
	}
	if got.String() != "112-" || !slices.Equal(s.Applied(), []int64{0, 2, 1, 0}) {
		t.Errorf("rows %s, applied %v", got.String(), s.Applied())
	}
	// Concurrent requests.
	const times = 100
	s = New([]Row{{Times: times}})
	var running sync.WaitGroup
	for range 8 {
		running.Go(func() {
			for range times {
				s.Choose(Request{})
			}
		})
	}
	running.Wait()
	if s.Applied()[0] != times {
		t.Errorf("applied %d times, want %d", s.Applied()[0], times)
	}
}

func TestServerIsAskedOnlyIfItMatters(t *testing.T) {
	s := New([]Row{{User: "joe", Server: ptr(0)}, {Verbs: []string{"get"}}})
	s.Choose(Request{User: "jane", Server: func() (int, bool) {
		t.Error("it is asked for which server answers")
		return 0, true
	}})
}

func TestIs(t *testing.T) {
	a, b := []Row{{User: "a", Effect: Effect{CutAfterBytes: ptr(1)}}},
		[]Row{{User: "a", Effect: Effect{CutAfterBytes: ptr(2)}}}
	same := []Row{{User: "a", Effect: Effect{CutAfterBytes: ptr(1)}}}
	for _, test := range []struct {
		set  *Set
		rows []Row
		want bool
	}{
		{nil, nil, true}, {nil, []Row{}, true}, {nil, a, false}, {New(a), nil, false}, {New(a), same, true},
		{New(a), b, false},
		{New(append(a, b...)), a, false},
	} {
		if got := test.set.Is(test.rows); got != test.want {
			t.Errorf("%v is %v: %t", test.set, test.rows, got)
		}
	}
}
