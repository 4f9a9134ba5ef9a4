package shrink

import (
	"bytes"
	"slices"
	"testing"
)

// TestLeaveOutLookup: a program without the table is smaller by what the table has, and is refused another time, and
// if its functions are numbered in another way. That it runs is for TestRewrite.
func TestLeaveOutLookup(t *testing.T) {
	module, _ := compileProgram(t, All())
	whole, err := joinSegments(module)
	if err != nil {
		t.Fatal(err)
	}
	without, err := leaveOutLookup(whole)
	if err != nil {
		t.Fatal(err)
	}
	for i, b := range without {
		if b != whole[i] && b != 0 {
			t.Fatalf("byte %d has become %d", i, b)
		}
	}
	small, err := leaveOutZeroes(without)
	if err != nil {
		t.Fatal(err)
	}
	functions, _, err := Contents(module)
	if err != nil {
		t.Fatal(err)
	}
	if saved, has := len(whole)-len(small), 320*len(functions); saved < has*95/100 {
		t.Errorf("%d bytes less, and the table has %d", saved, has)
	}
	if _, err := leaveOutLookup(without); err != errLookup {
		t.Errorf("without the table: %v", err)
	}
	if _, err := leaveOutLookup([]byte(moduleHeader)); err != errLookup {
		t.Errorf("a module without functions: %v", err)
	}
	table := tableOf(slices.Clone(whole))
	second := table.head(headIndex) + 8
	table.set(second, uint32(table.number(second)+1))
	if _, err := leaveOutLookup(table.data); err != errLookup {
		t.Errorf("a function with the number of another: %v", err)
	}
}

func TestLeaveOutZeroes(t *testing.T) {
	many, few := make([]byte, manyZeroes), make([]byte, manyZeroes-1)
	a, b := []byte("a"), []byte("b")
	for what, test := range map[string]struct{ in, want []segment }{
		"none":         {nil, nil},
		"between":      {[]segment{{9, slices.Concat(a, many, b)}}, []segment{{9, a}, {10 + manyZeroes, b}}},
		"too few":      {[]segment{{9, slices.Concat(a, few, b)}}, []segment{{9, slices.Concat(a, few, b)}}},
		"at the begin": {[]segment{{9, slices.Concat(many, b)}}, []segment{{9 + manyZeroes, b}}},
		"at the end":   {[]segment{{9, slices.Concat(a, many)}}, []segment{{9, a}}},
		"few at the end": {[]segment{{9, slices.Concat(a, few)}},
			[]segment{{9, slices.Concat(a, few)}}},
		"nothing else": {[]segment{{9, many}}, nil},
		"twice": {[]segment{{9, slices.Concat(a, many, b, many, many, a)}},
			[]segment{{9, a}, {10 + manyZeroes, b}, {11 + 3*manyZeroes, a}}},
	} {
		got, err := leaveOutZeroes(withData(test.in...))
		if err != nil || !bytes.Equal(got, withData(test.want...)) {
			t.Errorf("%s: %.200q, %v", what, got, err)
		}
	}
}

func FuzzLeaveOutZeroes(f *testing.F) {
	f.Add(uint16(3), uint16(manyZeroes), uint16(1))
	f.Add(uint16(0), uint16(manyZeroes-1), uint16(manyZeroes))
	f.Fuzz(func(t *testing.T, before, zeroes, after uint16) {
		one := func(n uint16) []byte { return bytes.Repeat([]byte{1}, int(n)) }
		module := withData(segment{64, slices.Concat(one(before), make([]byte, zeroes), one(after))})
		got, err := leaveOutZeroes(module)
		if err != nil {
			t.Fatal(err)
		}
		is, was := memory(t, got), memory(t, module)
		if len(is) != len(was) || len(got) > len(module)+20 {
			t.Errorf("%d bytes are not zero, %d were; the module has %d, and had %d", len(is), len(was), len(got), len(module))
		}
		for at, b := range was {
			if is[at] != b {
				t.Fatalf("at %d there is %d, not %d", at, is[at], b)
			}
		}
	})
}

func FuzzLeaveOutLookup(f *testing.F) {
	f.Add([]byte(moduleHeader + tableMagic))
	f.Fuzz(func(t *testing.T, module []byte) {
		if got, err := leaveOutLookup(module); err == nil && len(got) != len(module) {
			t.Errorf("%d bytes became %d", len(module), len(got))
		}
	})
}
