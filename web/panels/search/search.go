// Package search is the panel that finds lessons, steps, rules, keys and levers, in the lesson's place. What is found,
// and by which words, package index says.
//
// Costs: the index is fetched when the panel is opened for the first time.
package search

import (
	"strconv"

	"github.com/tabernetes/tabernetes/web/panels/search/index"
)

//go:generate go tool templ generate -path .

// AtFirst is how many entries of a group are listed until all are asked for.
const AtFirst = 5

// A View is what the panel lists.
type View struct {
	Query  string
	Result index.Result
	// All are the groups of which all entries are listed.
	All map[index.Group]bool
	// Active is the place of the chosen option among those that are listed; -1: none.
	Active  int
	Problem string
}

// listed returns the entries of a group that are listed.
func (v View) listed(g index.Group) []index.Found {
	all := v.Result.Groups[g]
	if !v.All[g] {
		all = all[:min(AtFirst, len(all))]
	}
	return all
}

// options returns all entries that are listed.
func (v View) options() []index.Found {
	var all []index.Found
	for g := range v.Result.Groups {
		all = append(all, v.listed(index.Group(g))...)
	}
	return all
}

// first returns the place of a group's first option.
func (v View) first(g int) int {
	n := 0
	for i := range g {
		n += len(v.listed(index.Group(i)))
	}
	return n
}

// Count says how many were found.
func (v View) Count() string {
	switch {
	case v.Query == "" || v.Result.Groups == nil:
		return ""
	case v.Result.Near:
		return "nothing found"
	}
	return strconv.Itoa(v.Result.Total) + " found"
}

func optionID(i int) string { return "found-" + strconv.Itoa(i) }
