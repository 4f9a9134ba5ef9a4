package apiserver

import (
	"bytes"
	"context"
	"crypto/ecdsa"
	"crypto/elliptic"
	"crypto/rand"
	"crypto/sha256"
	"crypto/tls"
	"crypto/x509"
	"crypto/x509/pkix"
	"encoding/hex"
	"encoding/pem"
	"errors"
	"fmt"
	"io/fs"
	"math/big"
	"net"
	"net/http"
	"os"
	"path/filepath"
	"sync"
	"time"

	"github.com/tabernetes/tabernetes/core/auth"
	"github.com/tabernetes/tabernetes/devserver/envtest/internal/flags"
	"github.com/tabernetes/tabernetes/devserver/internal/certificate"
	"github.com/tabernetes/tabernetes/devserver/internal/data"
)

// servingPair returns the certificate of the server: that of the flags, that in the directory of certificates, or one
// that signs itself and is left there.
func servingPair(v *flags.Values) (tls.Certificate, error) {
	cert, key := v.Text("tls-cert-file", ""), v.Text("tls-private-key-file", "")
	if cert != "" || key != "" {
		if cert == "" || key == "" {
			return tls.Certificate{}, errors.New("--tls-cert-file and --tls-private-key-file are needed together")
		}
		pair, err := loadPair(cert, key)
		if err != nil {
			return pair, fmt.Errorf("--tls-cert-file, --tls-private-key-file: %w", err)
		}
		return pair, nil
	}
	dir := v.Text("cert-dir", "/var/run/kubernetes")
	cert, key = filepath.Join(dir, "apiserver.crt"), filepath.Join(dir, "apiserver.key")
	pair, err := loadPair(cert, key)
	if errors.Is(err, fs.ErrNotExist) {
		if err = signItself(dir, cert, key, v.Text("bind-address", "")); err == nil {
			pair, err = loadPair(cert, key)
		}
	}
	if err != nil {
		return pair, fmt.Errorf("--cert-dir: %w", err)
	}
	return pair, nil
}

// loadPair reads a certificate and its key. One that is not valid now is an error: the real server starts with it, and
// then each of its clients fails.
func loadPair(cert, key string) (tls.Certificate, error) {
	pair, err := tls.LoadX509KeyPair(cert, key)
	if err == nil {
		if err = certificate.Current(pair.Leaf, time.Now()); err != nil {
			err = fmt.Errorf("%s: %w", cert, err)
		}
	}
	return pair, err
}

// signItself writes a certificate for loopback and an address, signed with its own key.
func signItself(dir, cert, key, address string) error {
	if err := os.MkdirAll(dir, 0o755); err != nil { //nolint:gosec // the certificate in it is for everybody
		return err
	}
	own, err := ecdsa.GenerateKey(elliptic.P256(), rand.Reader)
	if err != nil {
		return err
	}
	now := time.Now()
	template := &x509.Certificate{
		SerialNumber: big.NewInt(now.UnixNano()), Subject: pkix.Name{CommonName: "localhost@" + fmt.Sprint(now.Unix())},
		// It is no authority: who trusts it trusts this server, and no other certificate of its key.
		NotBefore: now.Add(-time.Hour), NotAfter: now.AddDate(1, 0, 0), BasicConstraintsValid: true,
		KeyUsage: x509.KeyUsageDigitalSignature, ExtKeyUsage: []x509.ExtKeyUsage{x509.ExtKeyUsageServerAuth},
		DNSNames:    []string{"localhost", "kubernetes", "kubernetes.default", "kubernetes.default.svc"},
		IPAddresses: []net.IP{net.IPv4(127, 0, 0, 1), net.IPv6loopback},
	}
	if ip := net.ParseIP(address); ip != nil && !ip.IsUnspecified() && !ip.IsLoopback() {
		template.IPAddresses = append(template.IPAddresses, ip)
	}
	der, err := x509.CreateCertificate(rand.Reader, template, template, own.Public(), own)
	if err != nil {
		return err
	}
	private, err := x509.MarshalPKCS8PrivateKey(own)
	if err != nil {
		return err
	}
	// The key comes first, in the place of one that others may read: without its certificate it is made again.
	text := pem.EncodeToMemory(&pem.Block{Type: "PRIVATE KEY", Bytes: private})
	if err := data.ReplaceFile(key, bytes.NewReader(text)); err != nil {
		return err
	}
	text = pem.EncodeToMemory(&pem.Block{Type: "CERTIFICATE", Bytes: der})
	return os.WriteFile(cert, text, 0o644) //nolint:gosec // for all
}

// authorities are who signs client certificates; nil: nobody, so that they do not count.
type authorities struct{ pool *x509.CertPool }

// readAuthorities reads the file of --client-ca-file.
func readAuthorities(file string) (*authorities, error) {
	if file == "" {
		return &authorities{}, nil
	}
	text, err := os.ReadFile(file)
	if err != nil {
		return nil, fmt.Errorf("--client-ca-file: %w", err)
	}
	pool := x509.NewCertPool()
	if !pool.AppendCertsFromPEM(text) {
		return nil, fmt.Errorf("--client-ca-file: %s has no certificate", file)
	}
	return &authorities{pool}, nil
}

// A peer is who is at the other end of a connection, once that was found out.
type peer struct {
	once sync.Once
	// user is who the certificate names; nil if it is not valid, and known is false without one.
	user  *auth.User
	known bool
	until time.Time
}

type peerKey struct{}

// connection is for http.Server.ConnContext: a certificate is verified once for each connection.
func (a *authorities) connection(ctx context.Context, _ net.Conn) context.Context {
	return context.WithValue(ctx, peerKey{}, new(peer))
}

// identify tells the API who has made a request, if a client certificate says so.
func (a *authorities) identify(api http.Handler) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		p, _ := r.Context().Value(peerKey{}).(*peer)
		if p == nil || a.pool == nil || r.TLS == nil || len(r.TLS.PeerCertificates) == 0 {
			api.ServeHTTP(w, r)
			return
		}
		p.once.Do(func() { p.find(r.TLS.PeerCertificates, a.pool) })
		user := p.user
		if time.Now().After(p.until) {
			user = nil
		}
		if !p.known || user == nil && r.Header.Get("Authorization") != "" {
			api.ServeHTTP(w, r) // by another credential, or by none
			return
		}
		api.ServeHTTP(w, r.WithContext(auth.WithVerdict(r.Context(), auth.Verdict{User: user})))
	})
}

// credentialID is the key of what names the credential of a user.
const credentialID = "authentication.kubernetes.io/credential-id"

// find finds out whom certificates name.
func (p *peer) find(chain []*x509.Certificate, pool *x509.CertPool) {
	first, between := chain[0], x509.NewCertPool()
	for _, c := range chain[1:] {
		between.AddCert(c)
	}
	_, err := first.Verify(x509.VerifyOptions{
		Roots: pool, Intermediates: between, KeyUsages: []x509.ExtKeyUsage{x509.ExtKeyUsageClientAuth},
	})
	p.known, p.until = true, first.NotAfter
	switch {
	case err != nil:
	case first.Subject.CommonName == "": // it names nobody
		p.known = false
	default:
		sum := sha256.Sum256(first.Raw)
		p.user = &auth.User{
			Name: first.Subject.CommonName, Groups: first.Subject.Organization,
			Extra: map[string][]string{credentialID: {"X509SHA256=" + hex.EncodeToString(sum[:])}},
		}
	}
}
