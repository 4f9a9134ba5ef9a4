// Package hmac is what the API server's binary has as crypto/hmac: the code of RFC 2104 for any hash, without the other
// hashes that the standard library's package knows by name.
//
// Nobody imports this package: package overlay puts it in the place of the standard
// library's.
package hmac

import (
	"crypto/subtle"
	"hash"
)

// A code is a hash of hashes: of the key, changed in two ways, before the text and before the hash of both.
type code struct {
	hash.Hash // the inner one
	newHash   func() hash.Hash
	key       []byte // as long as a block of the hash
}

// New returns the hash of a key's texts by a hash.
func New(newHash func() hash.Hash, key []byte) hash.Hash {
	c := &code{Hash: newHash(), newHash: newHash}
	if len(key) > c.BlockSize() {
		c.Write(key)
		key = c.Hash.Sum(nil)
	}
	c.key = append(c.key, key...)
	for len(c.key) < c.BlockSize() {
		c.key = append(c.key, 0)
	}
	c.Reset()
	return c
}

// Reset forgets the text.
func (c *code) Reset() {
	c.Hash.Reset()
	c.Write(c.padded(0x36))
}

// Sum adds the code of the text so far.
func (c *code) Sum(b []byte) []byte {
	outer := c.newHash()
	outer.Write(c.padded(0x5c))
	outer.Write(c.Hash.Sum(nil))
	return outer.Sum(b)
}

// padded returns the key with the bits of a byte turned in each of its bytes.
func (c *code) padded(mask byte) []byte {
	b := make([]byte, len(c.key))
	for i, k := range c.key {
		b[i] = k ^ mask
	}
	return b
}

// Equal compares two codes in a time that does not depend on them.
func Equal(a, b []byte) bool { return subtle.ConstantTimeCompare(a, b) == 1 }
