package wire

import (
	"encoding/hex"
	"fmt"
	"strings"
	"testing"

	"github.com/tabernetes/tabernetes/core/cbor"
)

func TestCBOR(t *testing.T) {
	data, err := cbor.FromJSON([]byte(configMap))
	if err != nil {
		t.Fatal(err)
	}
	d := Read("application/cbor", string(data))
	check(t, d)
	want := `(tag 55799, this is CBOR) 3
(map, 6 pairs) 125
  data (map, 1 pair) 10
    k (byte string, 1 byte) "v" 4
  kind (byte string, 9 bytes) "ConfigMap" 15
  metadata (map, 2 pairs) 56
    name (byte string, 1 byte) "a" 7
    creationTimestamp (byte string, 20 bytes) "2026-01-02T03:04:05Z" 39
  immutable (simple value 21) true 11
  apiVersion (byte string, 2 bytes) "v1" 14
  binaryData (map, 1 pair) 18
    b (tag 22, shown as base64; byte string, 2 bytes) 6
`
	if got := outline(d); got != want {
		t.Errorf("got\n%swant\n%s", got, want)
	}
}

// Items as RFC 8949 has them in its appendix A.
func TestCBORItems(t *testing.T) {
	for digits, want := range map[string]string{
		"00":                 "unsigned integer: 0",
		"1864":               "unsigned integer: 100",
		"1b000000e8d4a51000": "unsigned integer: 1000000000000",
		"1bffffffffffffffff": "unsigned integer: 18446744073709551615",
		"20":                 "negative integer: -1",
		"3903e7":             "negative integer: -1000",
		"3bffffffffffffffff": "negative integer: -18446744073709551616",
		"f90000":             "float of 16 bits: 0",
		"f98000":             "float of 16 bits: -0",
		"f93e00":             "float of 16 bits: 1.5",
		"f97bff":             "float of 16 bits: 65504",
		"f90001":             "float of 16 bits: 5.960464477539063e-08",
		"f9c400":             "float of 16 bits: -4",
		"f97c00":             "float of 16 bits: +Inf",
		"f97e00":             "float of 16 bits: NaN",
		"fa47c35000":         "float of 32 bits: 100000",
		"fbc010666666666666": "float of 64 bits: -4.1",
		"f4":                 "simple value 20: false",
		"f6":                 "simple value 22: null",
		"f7":                 "simple value 23: undefined",
		"f0":                 "simple value 16: ",
		"f8ff":               "simple value 255: ",
		"c11a514b67b0":       "tag 1, seconds since 1970; unsigned integer: 1363896240",
		"4401020304":         "byte string, 4 bytes: ",
		"6449455446":         `text string, 4 bytes: "IETF"`,
		"62c3bc":             `text string, 2 bytes: "ü"`,
		"60":                 `text string, 0 bytes: ""`,
		"80":                 "array, 0 items: ",
		"a0":                 "map, 0 pairs: ",
	} {
		d := Read("application/cbor", fromHex(t, digits))
		check(t, d)
		if d.Err != nil || len(d.Spans) != 1 {
			t.Errorf("%s: %v, %d spans", digits, d.Err, len(d.Spans))
			continue
		}
		if got := d.Spans[0].Type + ": " + d.Spans[0].Value; got != want {
			t.Errorf("%s: %s, want %s", digits, got, want)
		}
	}
	for digits, want := range map[string]string{
		"9f018202039fff03ff": "(array of items up to a break) 9\n  [0] (unsigned integer) 1 1\n  [1] (array, 2 items) 3\n" +
			"    [0] (unsigned integer) 2 1\n" +
			"    [1] (unsigned integer) 3 1\n  [2] (array of items up to a break) 2\n    (break) 1\n  [3] (unsigned " +
			"integer) 3 1\n  (break) 1\n",
		"bf6161019fff": "(map of pairs up to a break) 6\n  a (unsigned integer) 1 3\n  key (array of items up to a " +
			"break) 2\n    (break) 1\n" +
			"byte 6: the bytes end where an item should begin\n",
		"5f42010243030405ff": "(byte string in pieces) 9\n  (byte string, 2 bytes) 3\n" +
			"  (byte string, 3 bytes) 4\n  (break) 1\n",
		"a201020304": "(map, 2 pairs) 5\n  key (unsigned integer) 1 1\n  value (unsigned integer) 2 1\n" +
			"  key (unsigned integer) 3 1\n  value (unsigned integer) 4 1\n",
		"a14001": "(map, 1 pair) 3\n  \"\" (unsigned integer) 1 2\n",
	} {
		d := Read("application/cbor", fromHex(t, digits))
		check(t, d)
		if got := outline(d); got != want {
			t.Errorf("%s:\n%swant\n%s", digits, got, want)
		}
	}
}

func TestCBORMalformed(t *testing.T) {
	for digits, want := range map[string]string{
		"":                         "byte 0: there are no bytes",
		"18":                       "byte 0: the bytes end within the head of an unsigned integer",
		"1c":                       "byte 0: the first byte of an item has 28 in its lower bits, which is not in use",
		"1f":                       "byte 0: an unsigned integer cannot end with a break",
		"df00":                     "byte 0: a tag cannot end with a break",
		"ff":                       "byte 0: a break ends nothing here",
		"a1ff":                     "byte 1: a break ends nothing here",
		"f801":                     "byte 0: simple value 1 is written in two bytes",
		"0000":                     "byte 1: 1 byte after the end of the object",
		"4401":                     "byte 0: a byte string has 4 bytes, with only 1 left",
		"5bffffffffffffffff":       "byte 0: a byte string has 18446744073709551615 bytes, with only 0 left",
		"9bffffffffffffffff":       "byte 9: the bytes end where an item should begin",
		"bbffffffffffffffff":       "byte 9: the bytes end where an item should begin",
		"9bffffffffffffffffff":     "byte 9: a break ends nothing here",
		"a144":                     "byte 1: a byte string has 4 bytes, with only 0 left",
		"5f6100ff":                 "byte 1: a chunk of a byte string has to be a byte string with a length",
		"5f5fff":                   "byte 1: a chunk of a byte string has to be a byte string with a length",
		strings.Repeat("c0", 20):   "byte 17: an item has more than 16 tags",
		strings.Repeat("81", 1000): "byte 101: items nest more than 100 levels deep",
	} {
		d := Read("application/cbor", fromHex(t, digits))
		check(t, d)
		if d.Err == nil || d.Err.Error() != want {
			t.Errorf("%.20s: %v, want %s", digits, d.Err, want)
		}
	}
}

func TestCBORSequence(t *testing.T) {
	data, err := cbor.FromJSON([]byte(configMap))
	if err != nil {
		t.Fatal(err)
	}
	stream := cbor.AppendEvent(cbor.AppendEvent(nil, "ADDED", data), "DELETED", data)
	d := Read("application/cbor-seq", string(stream))
	check(t, d)
	got := outline(d)
	if d.Err != nil || strings.Count(got, "\n(tag 55799") != 1 ||
		strings.Count(got, "    name (byte string, 1 byte)") != 2 ||
		!strings.Contains(got, `  type (byte string, 7 bytes) "DELETED"`) {
		t.Errorf("%v\n%s", d.Err, got)
	}
	d = CBORSequence(stream[:len(stream)-1])
	check(t, d)
	if d.Err == nil {
		t.Error("an event that is cut is whole")
	}
}

func TestOtherTypes(t *testing.T) {
	d := Read("application/octet-stream", "\x00\xff\x41")
	check(t, d)
	if got := outline(d); d.Err != nil || got != "(3 bytes) 3\n" {
		t.Errorf("%v\n%s", d.Err, got)
	}
	if d := Read("application/octet-stream", ""); d.Err != nil || len(d.Spans) != 0 {
		t.Errorf("%v, %d spans of nothing", d.Err, len(d.Spans))
	}
}

// A long value is cut between its letters, and says what is missing.
func TestLongValues(t *testing.T) {
	long := strings.Repeat("x", maxValue-1) + "üüü"
	d := CBOR(append([]byte(fmt.Sprintf("\x78%c", len(long)%256)), long...))
	if got, want := d.Spans[0].Value, `"`+long[:maxValue-1]+`"… 6 bytes more`; d.Err == nil && got != want {
		t.Errorf("got %s, want %s", got, want)
	} else if d.Err != nil {
		t.Error(d.Err)
	}
}

// fromHex returns the bytes that two digits each stand for.
func fromHex(t *testing.T, digits string) string {
	t.Helper()
	b, err := hex.DecodeString(digits)
	if err != nil {
		t.Fatal(err)
	}
	return string(b)
}
