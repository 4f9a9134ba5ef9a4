// Package shrink makes the page's WebAssembly binaries smaller in brotli: it says how the go command compiles them,
// which packages have stand-ins (package overlay), and rewrites what Go's linker has written. README.md beside this
// file has the table of the tricks: what each saves, what it risks and which test checks it.
//
// Invariants:
//   - A binary does the same with each trick as without it, except for the output of
//     panics (traces).
//   - Each trick can be turned off by its name, and what needs it goes with it:
//     Set.Without.
//   - The tricks are made for one version of Go, which go.mod pins. There are no tricks
//     for other versions: see For.
//   - A module, or a function of it, that is not written as that version writes it
//     stays as it is, or makes an error; it never becomes a wrong one.
//
// Costs: rewriting a binary takes a second, and five times its size in memory.
package shrink

import (
	"fmt"
	"slices"
	"strings"

	"github.com/tabernetes/tabernetes/wasm/overlay"
)

// A Trick is one way to make the binaries smaller.
type Trick struct {
	// Name is the name by which it is turned off.
	Name string
	// Needs are the tricks without which it does not work.
	Needs []string
}

// The names of tricks, but for those of package overlay.
const (
	noInlining  = "no-inlining"
	oneSegment  = "one-segment"
	lookup      = "lookup"
	traces      = "traces"
	adding32    = "addresses"
	offsetting  = "offsets"
	jumpingOnce = "jumps"
)

// Tricks are all of them, in the order of the table in README.md.
var Tricks = []Trick{
	{Name: noInlining},
	{Name: "http"},
	{Name: "crypto", Needs: []string{"http"}}, // connections encrypt
	{Name: "godebug"},
	{Name: "slices"},
	{Name: "late"}, // what it makes smaller is the time of the start
	{Name: oneSegment},
	{Name: lookup, Needs: []string{oneSegment}}, // the tables that these two read are in one piece then
	{Name: traces, Needs: []string{oneSegment}},
	{Name: adding32},
	{Name: offsetting},
	{Name: jumpingOnce},
}

// A Set says which tricks a build uses. The zero Set uses all of them.
type Set struct {
	off map[string]bool
}

// All returns the Set of all tricks.
func All() Set { return Set{} }

// None returns the Set of no tricks: what the compiler and the linker write by
// themselves.
func None() Set {
	s := Set{map[string]bool{}}
	for _, t := range Tricks {
		s.off[t.Name] = true
	}
	return s
}

// Has reports whether the trick of a name is used.
func (s Set) Has(name string) bool { return !s.off[name] }

// Without returns s without the tricks of these names and those that need them. It
// fails for a name that no trick has.
func (s Set) Without(names ...string) (Set, error) {
	off := map[string]bool{}
	for name := range s.off {
		off[name] = true
	}
	for _, name := range names {
		if !slices.ContainsFunc(Tricks, func(t Trick) bool { return t.Name == name }) {
			return Set{}, fmt.Errorf("%q is no trick; there are %s", name, strings.Join(Names(), ", "))
		}
		off[name] = true
		for _, t := range Dependents(name) {
			off[t] = true
		}
	}
	return Set{off}, nil
}

// WithTraces returns s with panics that print files, lines and arguments.
func (s Set) WithTraces() Set {
	s, err := s.Without(traces)
	if err != nil {
		panic(err) // it is in the table
	}
	return s
}

// Names lists the names of the tricks.
func Names() []string {
	names := make([]string, 0, len(Tricks))
	for _, t := range Tricks {
		names = append(names, t.Name)
	}
	return names
}

// Dependents lists the tricks that need the one of a name.
func Dependents(name string) []string {
	var names []string
	for _, t := range Tricks {
		if slices.Contains(t.Needs, name) {
			names = append(names, t.Name)
		}
	}
	return names
}

// Overlay returns the flags of the go command for the stand-ins. It ignores o.Has.
func (s Set) Overlay(o overlay.Options) ([]string, error) {
	if len(o.Replace) == 0 && !slices.ContainsFunc(overlay.Names(), s.Has) {
		return nil, nil
	}
	o.Has = s.Has
	return overlay.Flags(o)
}

// Rewrite returns a module, as Go's linker writes it, in a form that is smaller in brotli.
func (s Set) Rewrite(module []byte) ([]byte, error) {
	var err error
	if s.Has(oneSegment) {
		if module, err = joinSegments(module); err != nil {
			return nil, err
		}
	}
	if s.Has(lookup) {
		if module, err = leaveOutLookup(module); err != nil {
			return nil, err
		}
	}
	if s.Has(traces) {
		module = shortenTraces(module)
	}
	if s.Has(oneSegment) {
		if module, err = leaveOutZeroes(module); err != nil {
			return nil, err
		}
	}
	var changes []change
	for _, c := range []struct {
		name   string
		change change
	}{{adding32, addresses}, {offsetting, offsets}, {jumpingOnce, jumps}} {
		if s.Has(c.name) {
			changes = append(changes, c.change)
		}
	}
	if len(changes) == 0 {
		return module, nil
	}
	return tighten(module, changes...)
}
