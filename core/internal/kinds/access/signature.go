//go:build !js

package access

import (
	"crypto/x509"
)

// checkSignature checks that a certificate request is signed with the key in it.
func checkSignature(der []byte) error {
	request, err := x509.ParseCertificateRequest(der)
	if err != nil {
		return err
	}
	return request.CheckSignature()
}
