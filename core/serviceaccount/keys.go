package serviceaccount

import (
	"crypto/hmac"
	"crypto/sha256"
	"encoding/base64"
	"slices"
)

// Settings are what a host may say of tokens, as kube-apiserver's flags do. The zero value is the way of a cluster that
// is alone: its own key, and the issuer that is its only audience.
type Settings struct {
	// Keys sign and verify tokens. Nil: one key that is derived from the cluster's secret.
	Keys Keys
	// Issuers are the accepted issuers, of which the first is that of new tokens. Nil: Issuer.URL.
	Issuers []string
	// Audiences are those of tokens that are requested without any. Nil: the issuers.
	Audiences []string
	// MostSeconds is how long tokens may be valid; longer ones are cut to that. 0: 2^32 seconds.
	MostSeconds int64
	// Exact gives the tokens in the volumes of pods the lifetime that was asked for. Otherwise, those of an hour are
	// valid for a year.
	Exact bool
}

// Keys sign tokens with one key, and verify them with that and others.
type Keys interface {
	// Algorithm is the name of the algorithm of signatures, and ID that of the key.
	Algorithm() string
	ID() string
	// Sign returns the signature of a text.
	Sign(text string) []byte
	// Verify reports whether a signature by this algorithm is that of one of the keys.
	Verify(algorithm, text string, signature []byte) bool
}

// Apply sets what the host says of tokens, before the first one.
func (i *Issuer) Apply(s Settings) {
	if i.Settings = s; len(s.Issuers) > 0 {
		i.URL = s.Issuers[0]
	}
}

// Own returns the audiences of the server: those of tokens that are requested without any.
func (i *Issuer) Own() []string {
	switch {
	case i.Audiences != nil:
		return i.Audiences
	case i.Issuers != nil:
		return i.Issuers
	}
	return []string{i.URL}
}

// isIssuer reports whether tokens of an issuer are accepted.
func (i *Issuer) isIssuer(name string) bool { return name == i.URL || slices.Contains(i.Issuers, name) }

// keys are those of the host, or the own one.
func (i *Issuer) keys() Keys {
	if i.Keys != nil {
		return i.Keys
	}
	i.once.Do(func() { i.own = newSecretKey(i.Seed()) })
	return i.own
}

// A secretKey is a key that the issuer alone has.
type secretKey struct {
	key []byte
	id  string
}

// newSecretKey derives a key from a seed.
func newSecretKey(seed []byte) *secretKey {
	mac := hmac.New(sha256.New, seed)
	mac.Write([]byte("tabernetes service account tokens"))
	key := mac.Sum(nil)
	sum := sha256.Sum256(key)
	return &secretKey{key, base64.RawURLEncoding.EncodeToString(sum[:])}
}

const algorithm = "HS256"

func (k *secretKey) Algorithm() string { return algorithm }

func (k *secretKey) ID() string { return k.id }

func (k *secretKey) Sign(text string) []byte {
	mac := hmac.New(sha256.New, k.key)
	mac.Write([]byte(text))
	return mac.Sum(nil)
}

func (k *secretKey) Verify(named, text string, signature []byte) bool {
	return named == algorithm && hmac.Equal(signature, k.Sign(text))
}
