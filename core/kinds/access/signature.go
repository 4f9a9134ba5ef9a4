//go:build !js

package access

import (
	"crypto/x509"
)

// checkSignature makes sure that a certificate request is signed by the key that it
// is for.
func checkSignature(der []byte) error {
	request, err := x509.ParseCertificateRequest(der)
	if err != nil {
		return err
	}
	return request.CheckSignature()
}
