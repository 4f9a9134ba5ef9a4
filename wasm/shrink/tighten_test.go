package shrink

import (
	"bytes"
	"strings"
	"testing"
)

// allChanges are those that Set.Rewrite makes, in its order.
var allChanges = []change{addresses, offsets, jumps}

func TestTighten(t *testing.T) {
	module, run := compileProgram(t, All())
	tight, err := tighten(module, allChanges...)
	if err != nil {
		t.Fatal(err)
	}
	if len(tight) > len(module)*95/100 {
		t.Errorf("%d bytes became %d", len(module), len(tight))
	}
	if got := run(tight); !strings.HasPrefix(got, said) {
		t.Error(got)
	}
	again, err := tighten(tight, allChanges...)
	if err != nil || !bytes.Equal(again, tight) {
		t.Errorf("%d bytes became %d when tightened again: %v", len(tight), len(again), err)
	}
}

// TestTightenFunction changes functions of no locals. A name in brackets is an
// instruction.
func TestTightenFunction(t *testing.T) {
	names := strings.NewReplacer(
		"[block]", "\x02\x40", "[loop]", "\x03\x40", "[if]", "\x04\x40", "[end]", "\x0b",
		"[br_table", "\x0e", "[br_if", "\x0d", "[br", "\x0c",
		"[call 7]", "\x10\x07", "[get 0]", "\x20\x00", "[get 1]", "\x20\x01", "[set 0]", "\x21\x00",
		"[load 8]", "\x29\x03\x08", "[load 72]", "\x29\x03\x48",
		"[store 8]", "\x37\x03\x08", "[store 72]", "\x37\x03\x48",
		"[i32 0]", "\x41\x00", "[i32 1]", "\x41\x01", "[i32 2]", "\x41\x02",
		"[i32 64]", "\x41\xc0\x00", "[i32 -1]", "\x41\x7f", "[i64 64]", "\x42\xc0\x00", "[i64 -1]", "\x42\x7f",
		"[add]", "\x6a", "[add64]", "\x7c", "[wrap]", "\xa7", "[extend]", "\xad", "[unknown]", "\xfd\x00",
		" 0]", "\x00", " 1]", "\x01", " 2]", "\x02", " 3]", "\x03", " 0 1 2 2]", "\x03\x00\x01\x02\x02", " ", "",
	)
	// The blocks are at 1 (for 0) and 0 (for 1), and behind all of them.
	const begin, rest = "[block][loop][block][block][get 0][br_table 0 1 2 2]", "[end][end]"
	const same = "as it was"
	for what, test := range map[string]struct{ in, want string }{
		"an address": {
			"[get 1][extend][i64 64][add64][wrap][call 7]",
			"[get 1][i32 64][add][call 7]",
		},
		"a lower address": {
			"[get 1][extend][i64 -1][add64][wrap][load 8]",
			"[get 1][i32 -1][add][load 8]",
		},
		"a load": {
			"[get 1][extend][i64 64][add64][wrap][load 8]",
			"[get 1][load 72]",
		},
		"a store": {
			"[get 1][i32 64][add][get 1][load 8][store 8]",
			"[get 1][get 1][load 8][store 72]",
		},
		"a store of an address": {"[get 1][get 1][i32 64][add][extend][store 8]", same},
		"a store after a call":  {"[get 1][i32 64][add][call 7][store 8]", same},
		"a jump ahead": {
			begin + "[end][i32 1][set 0][br 1][end]" + rest,
			begin + "[end][br 0][end]" + rest,
		},
		"a jump ahead, if": {
			begin + "[end][get 1][if][i32 1][set 0][br 2][end][end]" + rest,
			begin + "[end][get 1][br_if 0][end]" + rest,
		},
		"a jump ahead, and more": {
			begin + "[end][get 1][if][i32 1][set 0][br 2][call 7][end][end]" + rest,
			begin + "[end][get 1][if][br 1][call 7][end][end]" + rest,
		},
		"a jump back":                 {begin + "[end][end][i32 0][set 0][br 0]" + rest, same},
		"a jump of unknown aim":       {begin + "[end][i32 1][set 0][br 1][get 1][set 0][br 1][end]" + rest, same},
		"a jump to another loop":      {begin + "[end][loop][i32 1][set 0][br 0][end][end]" + rest, same},
		"an instruction from later":   {"[unknown][get 1][extend][i64 64][add64][wrap][call 7]", same},
		"an instruction that is cut":  {"[get 1][extend][i64 64][add64][wrap]\x41", same},
		"a table that is not for all": {"[block][get 0][br_table 0 1 2 2][end][i32 1][set 0][br 0]", same},
	} {
		in := "\x00" + names.Replace(test.in)
		want := "\x00" + names.Replace(test.want)
		if test.want == same {
			want = in
		}
		if got := tightenFunction([]byte(in), allChanges...); string(got) != want {
			t.Errorf("%s: % x, want % x", what, got, want)
		}
	}
}

func FuzzTightenFunction(f *testing.F) {
	f.Add([]byte("\x00\x20\x01\xad\x42\x08\x7c\xa7\x29\x03\x08"))
	f.Add([]byte("\x00\x02\x40\x03\x40\x02\x40\x20\x00\x0e\x01\x00\x01\x0b\x41\x00\x21\x00\x0c\x00\x0b\x0b"))
	f.Fuzz(func(t *testing.T, function []byte) {
		if got := tightenFunction(function, allChanges...); len(got) > len(function) {
			t.Errorf("%d bytes became %d", len(function), len(got))
		}
	})
}
