package main

import (
	"crypto/ecdsa"
	"crypto/elliptic"
	"crypto/rand"
	"crypto/tls"
	"crypto/x509"
	"crypto/x509/pkix"
	"encoding/pem"
	"errors"
	"fmt"
	"io/fs"
	"math/big"
	"net"
	"net/netip"
	"path/filepath"
	"time"
)

// authorityName is the file of a data directory that keeps the authority, as PEM:
// its certificate and its key.
const authorityName = "tls.pem"

// An authority signs the server's certificate: a self-signed certificate that clients
// trust, and its key. The server's own certificate is made anew at each start, for
// the names that it has then, so that whoever trusts the authority goes on to.
type authority struct {
	certificate *x509.Certificate
	key         *ecdsa.PrivateKey
}

// How long certificates are good for, from an hour before they are made.
const (
	authorityYears = 10
	serverYears    = 1
)

func newAuthority(now time.Time) (*authority, error) {
	key, err := ecdsa.GenerateKey(elliptic.P256(), rand.Reader)
	if err != nil {
		return nil, err
	}
	template := &x509.Certificate{
		SerialNumber: big.NewInt(now.UnixNano()),
		// Authorities that are told apart by their names alone have to have different ones.
		Subject:   pkix.Name{CommonName: fmt.Sprintf("tabernetes devserver %d", now.UnixNano())},
		NotBefore: now.Add(-time.Hour), NotAfter: now.AddDate(authorityYears, 0, 0),
		IsCA: true, BasicConstraintsValid: true, MaxPathLenZero: true,
		KeyUsage: x509.KeyUsageCertSign | x509.KeyUsageCRLSign,
	}
	der, err := x509.CreateCertificate(rand.Reader, template, template, &key.PublicKey, key)
	if err != nil {
		return nil, err
	}
	certificate, err := x509.ParseCertificate(der)
	return &authority{certificate, key}, err
}

// openAuthority returns the authority that a directory keeps, and makes one if there
// is none.
func openAuthority(d disk, dir string, now time.Time) (*authority, error) {
	name := filepath.Join(dir, authorityName)
	text, err := readFile(d, name)
	if errors.Is(err, fs.ErrNotExist) {
		a, err := newAuthority(now)
		if err != nil {
			return nil, err
		}
		if text, err = a.encode(); err != nil {
			return nil, err
		}
		err = replaceFile(d, name, text)
		return a, err
	}
	if err != nil {
		return nil, err
	}
	a, err := decodeAuthority(text)
	if err == nil && now.After(a.certificate.NotAfter) {
		err = errors.New("the certificate has expired")
	}
	if err != nil {
		return nil, fmt.Errorf("%s: %w; a start without that file makes a new one", name, err)
	}
	return a, nil
}

// PEM returns the certificate as clients are given it.
func (a *authority) PEM() []byte {
	return pem.EncodeToMemory(&pem.Block{Type: "CERTIFICATE", Bytes: a.certificate.Raw})
}

func (a *authority) encode() ([]byte, error) {
	key, err := x509.MarshalPKCS8PrivateKey(a.key)
	if err != nil {
		return nil, err
	}
	return append(a.PEM(), pem.EncodeToMemory(&pem.Block{Type: "PRIVATE KEY", Bytes: key})...), nil
}

func decodeAuthority(text []byte) (*authority, error) {
	pair, err := tls.X509KeyPair(text, text)
	if err != nil {
		return nil, err
	}
	key, ok := pair.PrivateKey.(*ecdsa.PrivateKey)
	if !ok || !pair.Leaf.IsCA {
		return nil, errors.New("it is no authority's certificate and key")
	}
	return &authority{pair.Leaf, key}, nil
}

// sign makes a certificate for a server that is reached under these names and
// addresses.
func (a *authority) sign(hosts []string, now time.Time) (tls.Certificate, error) {
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
	for _, host := range hosts {
		if ip, err := netip.ParseAddr(host); err == nil {
			template.IPAddresses = append(template.IPAddresses, ip.WithZone("").AsSlice())
		} else {
			template.DNSNames = append(template.DNSNames, host)
		}
	}
	der, err := x509.CreateCertificate(rand.Reader, template, a.certificate, &key.PublicKey, a.key)
	return tls.Certificate{Certificate: [][]byte{der}, PrivateKey: key}, err
}

// encrypted says whether the port speaks HTTPS.
func (o *options) encrypted() bool { return o.tls || len(o.tokens) > 0 }

// authority is the one of the data directory, or one for this run.
func (o *options) authority() (*authority, error) {
	if o.data == "" {
		return newAuthority(time.Now())
	}
	return openAuthority(osDisk{}, o.data, time.Now())
}

// certified are the names and addresses that the server is reached under: those that
// it answers for.
func (o *options) certified() []string {
	hosts := []string{"localhost", "127.0.0.1", "::1"}
	if host, _, err := net.SplitHostPort(o.addr); err == nil {
		ip, err := netip.ParseAddr(host)
		switch {
		case host == "" || err == nil && ip.IsUnspecified():
			hosts = append(hosts, interfaces()...)
		default:
			hosts = append(hosts, host)
		}
	}
	return append(hosts, o.allowed...)
}

// interfaces are this machine's addresses.
func interfaces() []string {
	var hosts []string
	addresses, err := net.InterfaceAddrs()
	if err != nil {
		return nil // those that are always there remain
	}
	for _, a := range addresses {
		if prefix, err := netip.ParsePrefix(a.String()); err == nil {
			hosts = append(hosts, prefix.Addr().String())
		}
	}
	return hosts
}
