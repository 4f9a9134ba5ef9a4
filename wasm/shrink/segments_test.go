package shrink

import (
	"bytes"
	"encoding/binary"
	"reflect"
	"testing"
)

const moduleHeader = "\x00asm\x01\x00\x00\x00"

// withData returns a module of one code section and this data.
func withData(segments ...segment) []byte {
	data := encodeSegments(segments)
	out := append([]byte(moduleHeader), "\x0a\x04\x01\x02\x00\x0b\x0b"...)
	return append(binary.AppendUvarint(out, uint64(len(data))), data...)
}

func TestJoinSegments(t *testing.T) {
	far := segment{2 * farApart, []byte("far")}
	for what, test := range map[string]struct{ in, want []segment }{
		"none": {nil, nil},
		"near": {
			[]segment{{4096, []byte("ab")}, {4100, []byte("c")}},
			[]segment{{4096, []byte("ab\x00\x00c")}},
		},
		"next to each other": {
			[]segment{{64, []byte("ab")}, {66, []byte("c")}},
			[]segment{{64, []byte("abc")}},
		},
		"far apart": {
			[]segment{{63, []byte("ab")}, far},
			[]segment{{63, []byte("ab")}, far},
		},
		"in another order": {
			[]segment{far, {8191, []byte("x")}, {8190, []byte("y")}},
			[]segment{{8190, []byte("yx")}, far},
		},
		"the greatest addresses": {
			[]segment{{1<<31 - 2, []byte("x")}},
			[]segment{{1<<31 - 2, []byte("x")}},
		},
	} {
		got, err := joinSegments(withData(test.in...))
		if err != nil || !bytes.Equal(got, withData(test.want...)) {
			t.Errorf("%s: %.200q, %v", what, got, err)
		}
	}
}

func TestJoinSegmentsRefuses(t *testing.T) {
	for what, module := range map[string]string{
		"no module":          "\x7fELF\x02\x01\x01\x00",
		"nothing":            "",
		"overlapping":        string(withData(segment{4, []byte("abc")}, segment{6, []byte("d")})),
		"a cut section":      string(withData(segment{4, []byte("abc")})[:20]),
		"a passive segment":  moduleHeader + "\x0b\x04\x01\x01\x01a",
		"a negative address": moduleHeader + "\x0b\x07\x01\x00\x41\x7f\x0b\x01a",
		"a cut segment":      moduleHeader + "\x0b\x07\x01\x00\x41\x04\x0b\x02a",
	} {
		if got, err := joinSegments([]byte(module)); err == nil {
			t.Errorf("%s: %.200q", what, got)
		}
	}
}

// memory returns what a module's data makes of the memory.
func memory(t *testing.T, module []byte) map[int]byte {
	var bytes map[int]byte
	err := sections(module, func(id byte, section []byte) error {
		if id != dataSection || bytes != nil {
			return nil
		}
		segments, err := parseSegments(section)
		bytes = map[int]byte{}
		for _, s := range segments {
			for i, b := range s.data {
				if b != 0 {
					bytes[s.address+i] = b
				}
			}
		}
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	return bytes
}

func FuzzJoinSegments(f *testing.F) {
	f.Add(withData(segment{4096, []byte("ab")}, segment{4100, []byte("c")}))
	f.Add([]byte(moduleHeader + "\x0b\x07\x01\x00\x41\x7f\x0b\x01a"))
	f.Fuzz(func(t *testing.T, module []byte) {
		joined, err := joinSegments(module)
		if err != nil {
			return
		}
		if !reflect.DeepEqual(memory(t, module), memory(t, joined)) {
			t.Error("the memory is another one")
		}
		again, err := joinSegments(joined)
		if err != nil || !bytes.Equal(again, joined) {
			t.Errorf("joined once more: %v", err)
		}
	})
}
