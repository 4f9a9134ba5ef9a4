package cbor

import (
	"encoding/json"
	"math/rand"
	"strings"
	"testing"

	"github.com/tabernetes/tabernetes/core/cbor"
	"github.com/tabernetes/tabernetes/core/object"
	"k8s.io/apimachinery/pkg/runtime/serializer/cbor/direct"
)

const anyMap = "map[string]interface {}"

// seeds are the items that others are derived from: all kinds of them, some invalid.
var seeds = []string{
	"\xa0", "\xd9\xd9\xf7\xa1\x41a\x01", "\xa1\x61a\xf4", "\xa2\x41b\xf5\x41a\xf6", "\xa1\x41a\xd6\x42\x01\x02",
	"\xa1\x41a\xd5\x42\xff\xfe",
	"\xa1\x41a\xd7\x42\xff\xfe", "\xbf\x41a\x9f\x01\x20\xff\xff", "\xa1\x41a\x5f\x41b\x41c\xff",
	"\xa1\x41a\x7f\x61b\x61c\xff",
	"\xa1\x41a\xf9\x3c\x00", "\xa1\x41a\xfa\x47\xc3\x50\x00", "\xa1\x41a\xfb\x3f\xf1\x99\x99\x99\x99\x99\x9a",
	"\xa1\x41a\xf9\x7c\x00",
	"\xa1\x41a\x1b\x7f\xff\xff\xff\xff\xff\xff\xff", "\xa1\x41a\x3b\x7f\xff\xff\xff\xff\xff\xff\xff",
	"\xa1\x41a\x1b\x80\x00\x00\x00\x00\x00\x00\x00",
	"\xa1\x41a\x3b\xff\xff\xff\xff\xff\xff\xff\xff", "\xa1\x41a\xc0\x742013-03-21T20:04:00Z",
	"\xa1\x41a\xc1\x1a\x51\x4b\x67\xb0", "\xa1\x41a\xc1\xfb\x41\xd4\x52\xd9\xec\x20\x00\x00",
	"\xa1\x41a\xc2\x41\x01", "\xa1\x41a\xf7", "\xa1\x41a\xf8\x20", "\xa1\x41a\xf8\x18", "\xa2\x41a\x01\x41a\x02",
	"\xa1\x41a\xa2\x41b\x01\x61b\x02", "\xa1\x01\x02",
	"\xa1\xf6\x02", "\xa2\xf6\x02\x41a\xf6", "\xa1\x41a\x61\xff", "\xa1\x41a\x41\xff", "\xd6\xa1\x41a\x82\x41b\xd7\x41c",
	"\xa1\xd6\x41a\x01", "\xa1\x41a\xd9\xd9\xf7\xd9\xd9\xf7\x01",
	"\xa1\x41a\xd8\x64\xc0\x742013-03-21T20:04:00Z", "\xa1\x41a\xd6\xc0\x41a", "\xf6", "\x01", "\x80", "\x41a",
	"\xa1\x41a", "\xa1\x41a\x01\x00", "", "\xa1\x41a\x5b\xff\xff\xff\xff\xff\xff\xff\xff",
	"\x9b\xff\xff\xff\xff\xff\xff\xff\xff", "\xa1\x41a\xff", "\xbf\x41a\xff", "\xa1\x41a\x1c", "\xa1\x41a\x1f",
	"\xa1\x41a\xf9\x00\x01", "\xa1\x41a\xf9\x80\x00",
}

// ToJSON accepts what apimachinery accepts, with the same result.
func TestItemsAreReadAlike(t *testing.T) {
	for _, seed := range seeds {
		readAlike(t, []byte(seed), true)
	}
	r := rand.New(rand.NewSource(1))
	for range 300000 {
		b := []byte(seeds[r.Intn(len(seeds))])
		for range 1 + r.Intn(3) {
			at := r.Intn(len(b) + 1)
			switch other := seeds[r.Intn(len(seeds))]; r.Intn(5) {
			case 0:
				b = append(b[:at:at], append([]byte{byte(r.Intn(256))}, b[at:]...)...)
			case 1:
				b = b[:at]
			case 2: // one in the place of a byte
				if at < len(b) {
					b = append(b[:at:at], append([]byte(other), b[at+1:]...)...)
				}
			default:
				if at < len(b) {
					b[at] = byte(r.Intn(256))
				}
			}
		}
		readAlike(t, b, false)
		if t.Failed() {
			return
		}
	}
}

// readAlike compares one item; with words, also the errors of an invalid one: if there are several,
// the first one may be another.
func readAlike(t *testing.T, item []byte, words bool) {
	t.Helper()
	var want map[string]any
	wrong := direct.Unmarshal(item, &want)
	document, err := cbor.ToJSON(item, anyMap)
	switch {
	case (err == nil) != (wrong == nil):
		t.Errorf("%x: %v, apimachinery says %v", item, err, wrong)
		return
	case err != nil:
		if words && err.Error() != wrong.Error() {
			t.Errorf("%x: %v, apimachinery says %v", item, err, wrong)
		}
		return
	}
	got, err := object.DecodeAny(document)
	if err != nil {
		t.Errorf("%x is written as %s: %v", item, document, err)
		return
	}
	if want == nil && got == nil {
		return
	}
	// Invalid UTF-8 becomes the replacement character in JSON, so two keys may become equal.
	if a, b := text(got), text(want); a != b && !strings.Contains(b, "\ufffd") {
		t.Errorf("%x is read as %s, apimachinery has %s", item, a, b)
	}
}

// text returns a value as JSON, in which invalid UTF-8 is the replacement character.
func text(v any) string {
	b, _ := json.Marshal(v)
	return strings.ReplaceAll(string(b), `\ufffd`, "\ufffd")
}
