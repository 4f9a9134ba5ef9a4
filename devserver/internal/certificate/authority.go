package certificate

import (
	"bytes"
	"crypto/ecdsa"
	"crypto/elliptic"
	"crypto/rand"
	"crypto/tls"
	"crypto/x509"
	"crypto/x509/pkix"
	"encoding/pem"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"math/big"
	"net"
	"net/netip"
	"os"
	"path/filepath"
	"slices"
	"time"

	"github.com/tabernetes/tabernetes/devserver/internal/data"
)

// authorityName is the file of a data directory that has the certificate authority, as PEM: its certificate and its
// key.
const authorityName = "tls.pem"

// An Authority signs the server's certificate: a self-signed certificate that clients
// trust, and its key. The server's own certificate is a new one at each start, for
// the names that it has then, so that clients that trust the authority continue to. It may
// sign for this machine and the hosts that it was made for only: a thief of the key
// cannot pass for another one.
type Authority struct {
	certificate *x509.Certificate
	key         *ecdsa.PrivateKey
}

// How long certificates are good for, from an hour before they are made.
const (
	authorityYears = 10
	serverYears    = 1
)

// New makes an authority for these names and addresses, and those of loopback.
func New(hosts []string, now time.Time) (*Authority, error) {
	template := &x509.Certificate{
		SerialNumber: big.NewInt(now.UnixNano()),
		// Authorities that are distinguished by their names alone have to have different ones.
		Subject:   pkix.Name{CommonName: fmt.Sprintf("tabernetes devserver %d", now.UnixNano())},
		NotBefore: now.Add(-time.Hour), NotAfter: now.AddDate(authorityYears, 0, 0),
		IsCA: true, BasicConstraintsValid: true, MaxPathLenZero: true,
		KeyUsage:    x509.KeyUsageCertSign | x509.KeyUsageCRLSign,
		ExtKeyUsage: []x509.ExtKeyUsage{x509.ExtKeyUsageServerAuth},
	}
	constrain(template, hosts)
	return selfSigned(template)
}

// selfSigned makes an authority whose certificate it has signed itself.
func selfSigned(template *x509.Certificate) (*Authority, error) {
	key, err := ecdsa.GenerateKey(elliptic.P256(), rand.Reader)
	if err != nil {
		return nil, err
	}
	der, err := x509.CreateCertificate(rand.Reader, template, template, &key.PublicKey, key)
	if err != nil {
		return nil, err
	}
	certificate, err := x509.ParseCertificate(der)
	return &Authority{certificate, key}, err
}

// loopback are the networks of the addresses that lead to the machine itself.
var loopback = []netip.Prefix{netip.MustParsePrefix("127.0.0.0/8"), netip.MustParsePrefix("::1/128")}

// constrain limits what an authority's certificate may sign for. In X.509 a name includes those below it.
func constrain(template *x509.Certificate, hosts []string) {
	template.PermittedDNSDomainsCritical = true
	template.PermittedDNSDomains = []string{"localhost"}
	networks := loopback
	names, addresses := split(hosts)
	for _, name := range names {
		if !slices.Contains(template.PermittedDNSDomains, name) {
			template.PermittedDNSDomains = append(template.PermittedDNSDomains, name)
		}
	}
	for _, ip := range addresses {
		if !ip.IsLoopback() {
			networks = append(networks[:len(networks):len(networks)], netip.PrefixFrom(ip, ip.BitLen()))
		}
	}
	for _, n := range networks {
		template.PermittedIPRanges = append(template.PermittedIPRanges,
			&net.IPNet{IP: n.Addr().AsSlice(), Mask: net.CIDRMask(n.Bits(), n.Addr().BitLen())})
	}
}

// Open returns the authority of a directory, or one for this run if that is "". It tells warnings if the directory gets
// a new one although it had one.
func Open(dir string, hosts []string, now time.Time, warnings io.Writer) (*Authority, error) {
	if dir == "" {
		return New(hosts, now)
	}
	a, renewed, err := open(dir, hosts, now)
	if renewed {
		fmt.Fprintf(warnings, "devserver: %s is new, since the authority there was not one for the names and addresses "+
			"that the server "+
			"has now, and them only; clients that trusted it have to be given the new one\n",
			filepath.Join(dir, authorityName))
	}
	return a, err
}

// open returns the authority of a directory. It makes one if none exists, or if the one there could sign for
// any host, as those of earlier versions could, or may not sign for all of these hosts; renewed then reports that
// clients have to trust it again.
func open(dir string, hosts []string, now time.Time) (a *Authority, renewed bool, err error) {
	name := filepath.Join(dir, authorityName)
	text, err := os.ReadFile(name)
	if err != nil && !errors.Is(err, fs.ErrNotExist) {
		return nil, false, err
	}
	if err == nil {
		a, err := decodeAuthority(text)
		if err == nil {
			err = Current(a.certificate, now)
		}
		if err != nil {
			return nil, false, fmt.Errorf("%s: %w; a start without that file makes a new one", name, err)
		}
		if err := ownersOnly(name); err != nil {
			return nil, false, err
		}
		if a.constrained() && a.permits(hosts, now) {
			return a, false, nil
		}
		renewed = true
	}
	if a, err = New(hosts, now); err != nil {
		return nil, false, err
	}
	if text, err = a.encode(); err != nil {
		return nil, false, err
	}
	return a, renewed, data.ReplaceFile(name, bytes.NewReader(text))
}

// Current returns the error of a certificate that is not valid at a time: clients refuse it, until the clock is right
// or there is another one.
func Current(c *x509.Certificate, now time.Time) error {
	switch {
	case now.After(c.NotAfter):
		return fmt.Errorf("the certificate has expired on %s", c.NotAfter.Format(time.RFC3339))
	case now.Before(c.NotBefore):
		return fmt.Errorf("the certificate is not valid before %s, and the clock of this machine shows %s",
			c.NotBefore.Format(time.RFC3339), now.UTC().Format(time.RFC3339))
	}
	return nil
}

// ownersOnly takes from others the right to read a key, which a copy of the file may have given them.
func ownersOnly(name string) error {
	info, err := os.Stat(name)
	if err == nil && info.Mode().Perm()&0o077 != 0 {
		err = os.Chmod(name, 0o600)
	}
	return err
}

// constrained reports whether the authority is limited to certain hosts.
func (a *Authority) constrained() bool {
	c := a.certificate
	return c.PermittedDNSDomainsCritical && len(c.PermittedDNSDomains) > 0 && len(c.PermittedIPRanges) > 0
}

// permits reports whether clients accept a certificate of the authority for these names and addresses.
func (a *Authority) permits(hosts []string, now time.Time) bool {
	certificate, err := a.Sign(hosts, now)
	if err != nil {
		return false
	}
	leaf, err := x509.ParseCertificate(certificate.Certificate[0])
	if err != nil {
		return false
	}
	roots := x509.NewCertPool()
	roots.AddCert(a.certificate)
	_, err = leaf.Verify(x509.VerifyOptions{Roots: roots, CurrentTime: now})
	return err == nil
}

// PEM returns the certificate as clients are given it.
func (a *Authority) PEM() []byte {
	return pem.EncodeToMemory(&pem.Block{Type: "CERTIFICATE", Bytes: a.certificate.Raw})
}

func (a *Authority) encode() ([]byte, error) {
	key, err := x509.MarshalPKCS8PrivateKey(a.key)
	if err != nil {
		return nil, err
	}
	return append(a.PEM(), pem.EncodeToMemory(&pem.Block{Type: "PRIVATE KEY", Bytes: key})...), nil
}

func decodeAuthority(text []byte) (*Authority, error) {
	pair, err := tls.X509KeyPair(text, text)
	if err != nil {
		return nil, err
	}
	key, ok := pair.PrivateKey.(*ecdsa.PrivateKey)
	if !ok || !pair.Leaf.IsCA {
		return nil, errors.New("it is not the certificate and key of an authority")
	}
	return &Authority{pair.Leaf, key}, nil
}

// Sign makes a certificate for a server that is reached under these names and
// addresses.
func (a *Authority) Sign(hosts []string, now time.Time) (tls.Certificate, error) {
	key, err := ecdsa.GenerateKey(elliptic.P256(), rand.Reader)
	if err != nil {
		return tls.Certificate{}, err
	}
	template := &x509.Certificate{
		SerialNumber: big.NewInt(now.UnixNano()), Subject: pkix.Name{CommonName: "tabernetes"},
		NotBefore: now.Add(-time.Hour), NotAfter: now.AddDate(serverYears, 0, 0),
		KeyUsage: x509.KeyUsageDigitalSignature, ExtKeyUsage: []x509.ExtKeyUsage{x509.ExtKeyUsageServerAuth},
		BasicConstraintsValid: true,
	}
	if template.NotAfter.After(a.certificate.NotAfter) {
		template.NotAfter = a.certificate.NotAfter
	}
	names, addresses := split(hosts)
	template.DNSNames = names
	for _, ip := range addresses {
		template.IPAddresses = append(template.IPAddresses, ip.AsSlice())
	}
	der, err := x509.CreateCertificate(rand.Reader, template, a.certificate, &key.PublicKey, a.key)
	return tls.Certificate{Certificate: [][]byte{der}, PrivateKey: key}, err
}

// SignPEM is Sign, with the certificate and its key as PEM.
func (a *Authority) SignPEM(hosts []string, now time.Time) (certificate, key []byte, err error) {
	signed, err := a.Sign(hosts, now)
	if err != nil {
		return nil, nil, err
	}
	for _, der := range signed.Certificate {
		certificate = append(certificate, pem.EncodeToMemory(&pem.Block{Type: "CERTIFICATE", Bytes: der})...)
	}
	der, err := x509.MarshalPKCS8PrivateKey(signed.PrivateKey)
	return certificate, pem.EncodeToMemory(&pem.Block{Type: "PRIVATE KEY", Bytes: der}), err
}
