package apiserver

import (
	"bytes"
	"crypto/ecdsa"
	"crypto/elliptic"
	"crypto/rand"
	"crypto/x509"
	"encoding/pem"
	"math/big"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/tabernetes/tabernetes/devserver/envtest/internal/flags"
)

// serving parses the flags of a directory of certificates.
func serving(t *testing.T, dir string) *flags.Values {
	t.Helper()
	v, err := flags.Table{{Name: "cert-dir"}, {Name: "bind-address"}}.Parse(
		[]string{"--cert-dir=" + dir, "--bind-address=192.0.2.7"})
	if err != nil {
		t.Fatal(err)
	}
	return v
}

// TestOwnCertificate has a server make its certificate, beside a key of somebody else that all may read, and start
// again.
func TestOwnCertificate(t *testing.T) {
	dir := t.TempDir()
	key := filepath.Join(dir, "apiserver.key")
	if err := os.WriteFile(key, []byte("x"), 0o644); err != nil {
		t.Fatal(err)
	}
	pair, err := servingPair(serving(t, dir))
	if err != nil {
		t.Fatal(err)
	}
	if info, err := os.Stat(key); err != nil || info.Mode().Perm() != 0o600 {
		t.Errorf("the key: %v, %v", info, err)
	}
	if again, err := servingPair(serving(t, dir)); err != nil || !bytes.Equal(again.Leaf.Raw, pair.Leaf.Raw) {
		t.Errorf("the second start: %v", err)
	}
	trusted := x509.NewCertPool()
	trusted.AddCert(pair.Leaf)
	for host, want := range map[string]bool{"localhost": true, "127.0.0.1": true, "::1": true, "192.0.2.7": true,
		"kubernetes.default.svc": true, "192.0.2.8": false, "evil.example": false} {
		if _, err := pair.Leaf.Verify(x509.VerifyOptions{Roots: trusted, DNSName: host}); (err == nil) != want {
			t.Errorf("%s: %v", host, err)
		}
	}
	signer := pair.PrivateKey.(*ecdsa.PrivateKey)
	template := &x509.Certificate{SerialNumber: big.NewInt(2), NotAfter: time.Now().Add(time.Hour),
		DNSNames: []string{"evil.example"}}
	der, err := x509.CreateCertificate(rand.Reader, template, pair.Leaf, signer.Public(), signer)
	if err != nil {
		t.Fatal(err)
	}
	forged, err := x509.ParseCertificate(der)
	if err != nil {
		t.Fatal(err)
	}
	if _, err := forged.Verify(x509.VerifyOptions{Roots: trusted, DNSName: "evil.example"}); err == nil {
		t.Error("the key of the server signs for others")
	}
}

// TestCertificatesOfOtherTimes starts with certificates that clients refuse.
func TestCertificatesOfOtherTimes(t *testing.T) {
	own, err := ecdsa.GenerateKey(elliptic.P256(), rand.Reader)
	if err != nil {
		t.Fatal(err)
	}
	private, err := x509.MarshalPKCS8PrivateKey(own)
	if err != nil {
		t.Fatal(err)
	}
	for want, from := range map[string]time.Duration{"": -time.Minute, "has expired on ": -2 * time.Hour,
		"is not valid before ": time.Hour} {
		dir, begin := t.TempDir(), time.Now().Add(from)
		template := &x509.Certificate{SerialNumber: big.NewInt(1), NotBefore: begin, NotAfter: begin.Add(time.Hour)}
		der, err := x509.CreateCertificate(rand.Reader, template, template, own.Public(), own)
		if err != nil {
			t.Fatal(err)
		}
		for name, block := range map[string]*pem.Block{"apiserver.crt": {Type: "CERTIFICATE", Bytes: der},
			"apiserver.key": {Type: "PRIVATE KEY", Bytes: private}} {
			if err := os.WriteFile(filepath.Join(dir, name), pem.EncodeToMemory(block), 0o600); err != nil {
				t.Fatal(err)
			}
		}
		if _, err := servingPair(serving(t, dir)); (err == nil) != (want == "") || err != nil &&
			(!strings.HasPrefix(err.Error(), "--cert-dir: ") || !strings.Contains(err.Error(), want)) {
			t.Errorf("%q: %v", want, err)
		}
	}
}
