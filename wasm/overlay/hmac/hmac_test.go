package hmac_test

import (
	"bytes"
	standard "crypto/hmac"
	"crypto/sha256"
	"crypto/sha512"
	"hash"
	"math/rand/v2"
	"testing"

	"github.com/tabernetes/tabernetes/wasm/overlay/hmac"
)

// TestSum compares codes with those of the standard library, for keys around the size of a block.
func TestSum(t *testing.T) {
	random := rand.NewChaCha8([32]byte{1})
	for _, newHash := range []func() hash.Hash{sha256.New, sha512.New} {
		for n := range 300 {
			key, text := make([]byte, n), make([]byte, 7*n%501)
			random.Read(key)
			random.Read(text)
			want, got := standard.New(newHash, key), hmac.New(newHash, key)
			for range 2 {
				for i := range text {
					want.Write(text[i : i+1])
					got.Write(text[i : i+1])
				}
				if is := got.Sum([]byte("a")); !bytes.Equal(is, want.Sum([]byte("a"))) || !bytes.Equal(is, got.Sum([]byte("a"))) {
					t.Fatalf("a key of %d bytes: %x", n, is)
				}
				want.Reset()
				got.Reset()
			}
		}
	}
}

func TestEqual(t *testing.T) {
	for _, pair := range [][2]string{{"", ""}, {"a", "a"}, {"a", "b"}, {"a", "ab"}, {"", "a"}} {
		a, b := []byte(pair[0]), []byte(pair[1])
		if got := hmac.Equal(a, b); got != standard.Equal(a, b) {
			t.Errorf("%q: %t", pair, got)
		}
	}
}
