package shrink

import (
	"bytes"
	"encoding/binary"
	"slices"
)

// shortenTraces removes from a module what only the traces of panics show besides the functions' names: files and
// lines, and arguments. They are a fourteenth of the binary in brotli. The trace of a function that panicked then has
// "core/internal/kinds.validatePod()" and "?:0", in place of a file and a line.
//
// Package runtime of Go 1.26 describes the table of functions (symtab.go, and type _func in runtime2.go). A module with
// another table, or with none, stays as it is. The module must have its data in one piece, as joinSegments makes it.
// Nothing is moved: what is removed becomes zeroes, which compress to nothing.
func shortenTraces(module []byte) []byte {
	t := tableOf(slices.Clone(module))
	if t.shorten(); t.failed {
		return module
	}
	return t.data
}

// tableMagic is how the table of functions begins in a module: its version, and
// that addresses of code count by one and those of data have eight bytes.
const tableMagic = "\xf1\xff\xff\xff\x00\x00\x01\x08"

// Where the numbers of the table's header are, from its beginning on, each of
// eight bytes. The last five are the places of parts of the table.
const (
	headFunctions = 8
	headNames     = 32
	headUnits     = 40
	headFiles     = 48
	headValues    = 56
	headIndex     = 64
	headSize      = 72
)

// Where the fields of a function are, from its beginning on. All but the last
// have four bytes. Behind them come the places of its values by their kind, then
// those of its other data by theirs.
const (
	functionEntry      = 0
	functionStack      = 16 // values: the sizes of the stack
	functionFiles      = 20 // values: files, by number in the unit
	functionLines      = 24 // values: lines
	functionValues     = 28 // how many values by kind
	functionUnit       = 32
	functionLine       = 36
	functionOthers     = 43 // how many other data by kind, one byte
	functionSize       = 44
	valuesUnsafePoints = 0 // where a signal may not interrupt; there are no signals
	valuesArguments    = 3
	othersArguments    = 5
	othersArgumentsNow = 6
	noOther            = 1<<32 - 1
)

// A functionTable is read and changed within a module's data. After a failure it
// reads nothing but zeroes.
type functionTable struct {
	data   []byte
	start  int
	failed bool
}

// tableOf returns the table of a module, which has failed unless there is exactly one.
func tableOf(module []byte) functionTable {
	start := bytes.Index(module, []byte(tableMagic))
	return functionTable{start: start, data: module, failed: bytes.Count(module, []byte(tableMagic)) != 1}
}

// shorten fails when something is not as it should be, having changed the data in
// part.
func (t *functionTable) shorten() {
	values, index := t.head(headValues), t.head(headIndex)
	units := t.head(headUnits)
	if t.head(headNames) != headSize || units > t.head(headFiles) || t.head(headFiles) > values || values > index {
		t.failed = true
	}
	kept := make([]byte, max(0, index-values)) // the values that are still asked for
	keep := func(place int) {
		if place == 0 || t.failed {
			return // nothing to keep
		}
		v := t.values(values + place)
		if place+len(v) > len(kept) {
			t.failed = true
			return
		}
		copy(kept[place:], v)
	}
	for i := 0; i < t.head(headFunctions) && !t.failed; i++ {
		entry := index + 8*i
		f := index + t.number(entry+4)
		if t.number(f+functionEntry) != t.number(entry) {
			t.failed = true
		}
		keep(t.number(f + functionStack))
		for _, field := range []int{functionFiles, functionLines, functionUnit, functionLine} {
			t.set(f+field, 0)
		}
		kinds := t.number(f + functionValues)
		for kind := 0; kind < kinds && !t.failed; kind++ {
			field := f + functionSize + 4*kind
			if kind == valuesUnsafePoints || kind == valuesArguments {
				t.set(field, 0)
			}
			keep(t.number(field))
		}
		others := f + functionSize + 4*kinds
		for kind := range t.number(f+functionOthers) & 0xff {
			if kind == othersArguments || kind == othersArgumentsNow {
				t.set(others+4*kind, noOther)
			}
		}
	}
	if !t.failed {
		clear(t.data[t.start+units : t.start+values])
		copy(t.data[t.start+values:], kept)
	}
}

// values returns the values at a place: pairs of numbers, how a value changes and
// after how much code, up to a change by zero that is not the first.
func (t *functionTable) values(place int) []byte {
	all := t.at(place, len(t.data)-t.start-place)
	r := reader{data: all}
	for first := true; r.number() != 0 || first; first = false {
		r.number()
	}
	t.failed = t.failed || r.failed
	return all[:len(all)-len(r.data)]
}

// at returns n bytes of the table.
func (t *functionTable) at(place, n int) []byte {
	if t.failed || place < 0 || n < 0 || n > len(t.data)-t.start-place {
		t.failed = true
		return nil
	}
	return t.data[t.start+place:][:n]
}

func (t *functionTable) head(field int) int {
	if b := t.at(field, 8); b != nil {
		if n := binary.LittleEndian.Uint64(b); n < uint64(len(t.data)) {
			return int(n)
		}
		t.failed = true
	}
	return 0
}

func (t *functionTable) number(place int) int {
	if b := t.at(place, 4); b != nil {
		return int(binary.LittleEndian.Uint32(b))
	}
	return 0
}

func (t *functionTable) set(place int, n uint32) {
	if b := t.at(place, 4); b != nil {
		binary.LittleEndian.PutUint32(b, n)
	}
}
