package registry

import (
	"encoding/hex"
	"io"
	"strconv"
	"time"
)

// suffixLetters are what generated names end in: no vowels, so no words.
const suffixLetters = "bcdfghjklmnpqrstvwxz2456789"

// suffixLength is the number of letters added to generateName.
const suffixLength = 5

// NewUID returns a random UUID (RFC 9562, version 4).
func (r *Registry) NewUID() string {
	var b [16]byte
	r.random(b[:])
	b[6] = b[6]&0x0f | 0x40
	b[8] = b[8]&0x3f | 0x80
	h := hex.AppendEncode(make([]byte, 0, 36), b[:4])
	for _, i := range []int{4, 6, 8} {
		h = hex.AppendEncode(append(h, '-'), b[i:i+2])
	}
	return string(hex.AppendEncode(append(h, '-'), b[10:]))
}

// newSuffix returns the random end of a generated name.
func (r *Registry) newSuffix() string {
	var b [suffixLength]byte
	r.random(b[:])
	for i, c := range b {
		b[i] = suffixLetters[int(c)%len(suffixLetters)]
	}
	return string(b[:])
}

func (r *Registry) random(b []byte) {
	if _, err := io.ReadFull(r.Rand, b); err != nil {
		panic("registry: no randomness: " + err.Error())
	}
}

// timestamp is an instant as metadata has it.
func timestamp(t time.Time) string { return t.UTC().Format(time.RFC3339) }

// setRevision puts a resourceVersion into an object.
func setRevision(obj map[string]any, rev int64) {
	obj["metadata"].(map[string]any)["resourceVersion"] = strconv.FormatInt(rev, 10)
}
