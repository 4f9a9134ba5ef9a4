package apiserver

import (
	"bytes"
	"crypto"
	"crypto/ecdsa"
	"crypto/elliptic"
	"crypto/rand"
	"crypto/rsa"
	"crypto/sha256"
	_ "crypto/sha512" // for the larger curves
	"crypto/x509"
	"encoding/base64"
	"encoding/pem"
	"errors"
	"fmt"
	"math/big"
	"os"
	"time"

	"github.com/tabernetes/tabernetes/core/serviceaccount"
	"github.com/tabernetes/tabernetes/devserver/envtest/internal/flags"
)

// serviceAccounts reads what the flags say of tokens.
func serviceAccounts(v *flags.Values) (s serviceaccount.Settings, err error) {
	s.Issuers, s.Exact = v.All("service-account-issuer"), !v.Bool("service-account-extend-token-expiration", true)
	if s.Audiences = v.List("api-audiences"); len(s.Audiences) == 0 {
		s.Audiences = s.Issuers
	}
	most, err := v.Duration("service-account-max-token-expiration", 0)
	if err != nil {
		return s, err
	}
	if most != 0 && (most < time.Hour || most > (1<<32)*time.Second) {
		return s, errors.New("the service-account-max-token-expiration must be between 1 hour and 2^32 seconds")
	}
	s.MostSeconds = int64(most / time.Second)
	s.Keys, err = readKeys(v.Text("service-account-signing-key-file", ""), v.All("service-account-key-file"))
	return s, err
}

// keys sign tokens with a private key, and verify them with public ones. They implement serviceaccount.Keys.
type keys struct {
	signer    crypto.Signer
	algorithm string
	id        string
	verifiers []crypto.PublicKey
}

// readKeys reads the files of the keys.
func readKeys(signing string, verifying []string) (*keys, error) {
	const flag = "--service-account-signing-key-file"
	found, err := readKeyFile(signing)
	if err != nil {
		return nil, fmt.Errorf("%s: %w", flag, err)
	}
	k := &keys{}
	for _, one := range found {
		if signer, ok := one.(crypto.Signer); ok {
			k.signer = signer
			break
		}
	}
	if k.signer == nil {
		return nil, fmt.Errorf("%s: %s has no private key", flag, signing)
	}
	if k.algorithm, err = algorithmOf(k.signer.Public()); err == nil {
		k.id, err = idOf(k.signer.Public())
	}
	if err != nil {
		return nil, fmt.Errorf("%s: %s: %w", flag, signing, err)
	}
	if len(verifying) == 0 {
		k.verifiers = []crypto.PublicKey{k.signer.Public()}
	}
	for _, name := range verifying {
		found, err := readKeyFile(name)
		if err != nil {
			return nil, fmt.Errorf("--service-account-key-file: %w", err)
		}
		for _, one := range found {
			if signer, ok := one.(crypto.Signer); ok {
				one = signer.Public()
			}
			if _, err := algorithmOf(one); err != nil {
				return nil, fmt.Errorf("--service-account-key-file: %s: %w", name, err)
			}
			k.verifiers = append(k.verifiers, one)
		}
	}
	return k, nil
}

// readKeyFile returns the keys in a file: private ones, public ones, and those of certificates.
func readKeyFile(name string) (all []any, err error) {
	text, err := os.ReadFile(name)
	if err != nil {
		return nil, err
	}
	for rest := bytes.TrimSpace(text); len(rest) > 0; {
		var block *pem.Block
		if block, rest = pem.Decode(rest); block == nil {
			break
		}
		key, err := parseKey(block)
		if err != nil {
			return nil, fmt.Errorf("%s: %s: %w", name, block.Type, err)
		}
		if key != nil {
			all = append(all, key)
		}
	}
	if len(all) == 0 {
		return nil, fmt.Errorf("%s has no key: it should be a private key (RSA or ECDSA), a public one, or a "+
			"certificate, in PEM", name)
	}
	return all, nil
}

// parseKey reads one key; nil if the block is something else.
func parseKey(block *pem.Block) (any, error) {
	switch block.Type {
	case "RSA PRIVATE KEY":
		return x509.ParsePKCS1PrivateKey(block.Bytes)
	case "EC PRIVATE KEY":
		return x509.ParseECPrivateKey(block.Bytes)
	case "PRIVATE KEY":
		return x509.ParsePKCS8PrivateKey(block.Bytes)
	case "RSA PUBLIC KEY":
		return x509.ParsePKCS1PublicKey(block.Bytes)
	case "PUBLIC KEY":
		return x509.ParsePKIXPublicKey(block.Bytes)
	case "CERTIFICATE":
		c, err := x509.ParseCertificate(block.Bytes)
		if err != nil {
			return nil, err
		}
		return c.PublicKey, nil
	}
	return nil, nil
}

// algorithmOf returns the algorithm of a key's signatures.
func algorithmOf(public crypto.PublicKey) (string, error) {
	switch k := public.(type) {
	case *rsa.PublicKey:
		return "RS256", nil
	case *ecdsa.PublicKey:
		switch k.Curve {
		case elliptic.P256():
			return "ES256", nil
		case elliptic.P384():
			return "ES384", nil
		case elliptic.P521():
			return "ES512", nil
		}
		return "", errors.New("the curve of the key has to be P-256, P-384 or P-521")
	}
	return "", fmt.Errorf("keys are RSA or ECDSA, and this is a %T", public)
}

// idOf returns the name of a key: the SHA-256 of its encoding.
func idOf(public crypto.PublicKey) (string, error) {
	der, err := x509.MarshalPKIXPublicKey(public)
	if err != nil {
		return "", err
	}
	sum := sha256.Sum256(der)
	return base64.RawURLEncoding.EncodeToString(sum[:]), nil
}

// hashes are those of the algorithms.
var hashes = map[string]crypto.Hash{
	"RS256": crypto.SHA256, "ES256": crypto.SHA256, "ES384": crypto.SHA384, "ES512": crypto.SHA512,
}

func digest(algorithm, text string) []byte {
	h := hashes[algorithm].New()
	h.Write([]byte(text))
	return h.Sum(nil)
}

func (k *keys) Algorithm() string { return k.algorithm }

func (k *keys) ID() string { return k.id }

func (k *keys) Sign(text string) []byte {
	sum := digest(k.algorithm, text)
	if own, ok := k.signer.(*ecdsa.PrivateKey); ok {
		r, s, err := ecdsa.Sign(rand.Reader, own, sum)
		if err != nil {
			panic("kube-apiserver: a token cannot be signed: " + err.Error())
		}
		size := (own.Curve.Params().BitSize + 7) / 8
		both := make([]byte, 2*size)
		r.FillBytes(both[:size])
		s.FillBytes(both[size:])
		return both
	}
	signature, err := k.signer.Sign(rand.Reader, sum, hashes[k.algorithm])
	if err != nil {
		panic("kube-apiserver: a token cannot be signed: " + err.Error())
	}
	return signature
}

func (k *keys) Verify(algorithm, text string, signature []byte) bool {
	for _, public := range k.verifiers {
		if own, err := algorithmOf(public); err != nil || own != algorithm {
			continue
		}
		sum := digest(algorithm, text)
		switch key := public.(type) {
		case *rsa.PublicKey:
			if rsa.VerifyPKCS1v15(key, hashes[algorithm], sum, signature) == nil {
				return true
			}
		case *ecdsa.PublicKey:
			half := len(signature) / 2
			if half != (key.Curve.Params().BitSize+7)/8 || len(signature)%2 != 0 {
				continue
			}
			if ecdsa.Verify(key, sum, new(big.Int).SetBytes(signature[:half]), new(big.Int).SetBytes(signature[half:])) {
				return true
			}
		}
	}
	return false
}
