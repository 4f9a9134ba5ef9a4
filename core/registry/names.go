package registry

import (
	"bytes"
	"encoding/hex"
	"hash/fnv"
	"io"
	"strconv"
	"time"

	"github.com/tabernetes/tabernetes/core/random"
)

// suffixLetters are the letters of generated suffixes: no vowels, so no words.
const suffixLetters = "bcdfghjklmnpqrstvwxz2456789"

// suffixLength is the number of letters added to generateName.
const suffixLength = 5

// NewUID returns a random UUID (RFC 9562, version 4).
func (r *Registry) NewUID() string { return NewUID(random.For(r.Rand, "uid")) }

// NewSuffix returns a random suffix for the name of something, which the words describe.
func (r *Registry) NewSuffix(of ...string) string {
	return newSuffix(random.For(r.Rand, append([]string{"name"}, of...)...))
}

// NewUID returns a UUID from the given randomness.
func NewUID(from io.Reader) string {
	var b [16]byte
	read(from, b[:])
	b[6] = b[6]&0x0f | 0x40
	b[8] = b[8]&0x3f | 0x80
	h := hex.AppendEncode(make([]byte, 0, 36), b[:4])
	for _, i := range []int{4, 6, 8} {
		h = hex.AppendEncode(append(h, '-'), b[i:i+2])
	}
	return string(hex.AppendEncode(append(h, '-'), b[10:]))
}

// derivedUID returns the UUID of what has a name, derived from another's, which is random: who knows that one and the
// names knows them all (web/panels/share/frames.js does). It is the FNV-1a hash of both.
func derivedUID(name, other string) string {
	h := fnv.New128a()
	io.WriteString(h, name+other) // whose errors are always nil
	return NewUID(bytes.NewReader(h.Sum(nil)))
}

// newSuffix returns the random suffix of a name.
func newSuffix(from io.Reader) string {
	var b [suffixLength]byte
	read(from, b[:])
	for i, c := range b {
		b[i] = suffixLetters[int(c)%len(suffixLetters)]
	}
	return string(b[:])
}

func read(from io.Reader, b []byte) {
	if _, err := io.ReadFull(from, b); err != nil {
		panic("registry: no randomness: " + err.Error())
	}
}

// timestamp returns a time in the format of metadata.
func timestamp(t time.Time) string { return t.UTC().Format(time.RFC3339) }

// setRevision sets the resourceVersion of an object.
func setRevision(obj map[string]any, rev int64) {
	obj["metadata"].(map[string]any)["resourceVersion"] = strconv.FormatInt(rev, 10)
}
