package gates_test

import (
	"slices"
	"strings"
	"testing"

	"github.com/tabernetes/tabernetes/core/gates"
)

func TestParse(t *testing.T) {
	for _, c := range []struct {
		text string
		on   []gates.Gate // that are not on by default
		off  []gates.Gate // that are
		err  string
	}{
		{text: ""},
		{text: "WatchList=false,CBORServingAndStorage=1", on: []gates.Gate{gates.CBORServingAndStorage},
			off: []gates.Gate{gates.WatchList}},
		{text: " WatchList = true , ,RetryGenerateName=true", err: "missing bool value for "},
		{text: " WatchList = true ,RetryGenerateName=true"},
		{text: "AllAlpha=true,ShardedListAndWatch=false",
			on: []gates.Gate{gates.AllowUnsafeMalformedObjectDeletion, gates.CBORServingAndStorage}},
		{text: "AllBeta=false", off: []gates.Gate{gates.ListFromCacheSnapshot, gates.WatchList}},
		{text: "WatchList", err: "missing bool value for WatchList"},
		{text: "WatchList=on", err: `invalid value of WatchList=on, err: strconv.ParseBool: parsing "on": invalid syntax`},
		{text: "Evil=true", err: "unrecognized feature gate: Evil"},
		{text: "RetryGenerateName=false",
			err: "cannot set feature gate RetryGenerateName to false, feature is locked to true"},
		{text: "SeparateCacheWatchRPC=true",
			err: "cannot set feature gate SeparateCacheWatchRPC to true, feature is locked to false"},
		{text: "OpenAPIEnums=true", err: "feature gate OpenAPIEnums has no effect here"},
	} {
		set, err := gates.Parse(c.text)
		if err != nil || c.err != "" {
			if err == nil || err.Error() != c.err {
				t.Errorf("%q: %v, want %s", c.text, err, c.err)
			}
			continue
		}
		for i, spec := range gates.Specs() {
			g := gates.Gate(i)
			want := slices.Contains(c.on, g) || spec.Default && !slices.Contains(c.off, g)
			if set.Enabled(g) != want {
				t.Errorf("%q: %s is %t", c.text, g, !want)
			}
		}
	}
}

// TestNames checks that the gates are in order, and that none is among the others.
func TestNames(t *testing.T) {
	var names []string
	for i, spec := range gates.Specs() {
		if names = append(names, spec.Name); gates.Gate(i).String() != spec.Name {
			t.Errorf("gate %d is %s", i, spec.Name)
		}
	}
	byLetters := func(a, b string) int { return strings.Compare(strings.ToLower(a), strings.ToLower(b)) }
	for _, list := range [][]string{names, gates.Others()} {
		if !slices.IsSortedFunc(list, strings.Compare) && !slices.IsSortedFunc(list, byLetters) {
			t.Errorf("not in order: %v", list)
		}
	}
	for _, name := range gates.Others() {
		if slices.Contains(names, name) {
			t.Errorf("%s has an effect and has none", name)
		}
	}
}
