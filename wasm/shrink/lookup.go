package shrink

import (
	"bytes"
	"encoding/binary"
	"errors"
	"slices"
)

// Go's linker gives each function 16 buckets of the table by which the runtime finds the function of an address, since
// the numbers of functions are the upper half of addresses. A bucket is the number of a function and sixteen offsets
// from it, which are zero, of one byte each.
const (
	bucketsPerFunction = 16
	bucketSize         = 4 + 16
)

var errLookup = errors.New("the table of functions' addresses is not as Go's linker writes it: without it, " +
	"a program that was compiled with the change in wasm/overlay could not run")

// leaveOutLookup clears the table by which the runtime finds the function of an address, which the runtime as package
// overlay changes it does not read. It fails if the numbers of functions are not consecutive, or without the table. The
// module must have its data in one piece.
func leaveOutLookup(module []byte) ([]byte, error) {
	t := tableOf(module)
	functions, index := t.head(headFunctions), t.head(headIndex)
	var table []byte
	for i := range functions {
		if t.number(index+8*i) != t.number(index)+i || t.failed {
			return nil, errLookup
		}
		if i == functions-1 {
			break // it is as long as the function is
		}
		for range bucketsPerFunction {
			table = append(binary.LittleEndian.AppendUint32(table, uint32(i)), make([]byte, bucketSize-4)...)
		}
	}
	at := bytes.Index(module, table)
	if at < 0 || len(table) == 0 {
		return nil, errLookup
	}
	module = slices.Clone(module)
	clear(module[at:][:len(table)])
	return module, nil
}
