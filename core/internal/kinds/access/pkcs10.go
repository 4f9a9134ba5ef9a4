package access

import (
	"crypto/x509/pkix"
	"encoding/asn1"
	"encoding/base64"
	"encoding/pem"
	"errors"
)

// certificateRequest is the part of a PKCS #10 request that the strategy needs. Package x509 would
// be a tenth of the whole binary.
type certificateRequest struct {
	Info struct {
		Version    int
		Subject    pkix.RDNSequence
		PublicKey  asn1.RawValue
		Attributes []asn1.RawValue `asn1:"tag:0"`
	}
	Algorithm pkix.AlgorithmIdentifier
	Signature asn1.BitString
}

// Subject returns whom a certificate request names, as the spec of a CertificateSigningRequest has it.
func Subject(request string) (pkix.Name, error) {
	_, subject, err := parseRequest(request)
	return subject, err
}

// parseRequest reads the subject of a request in PEM, as JSON has it.
func parseRequest(text string) (der []byte, subject pkix.Name, err error) {
	data, err := base64.StdEncoding.DecodeString(text)
	if err != nil {
		return nil, subject, err
	}
	block, _ := pem.Decode(data)
	if block == nil || block.Type != "CERTIFICATE REQUEST" {
		return nil, subject, errors.New("PEM block type must be CERTIFICATE REQUEST")
	}
	var request certificateRequest
	switch rest, err := asn1.Unmarshal(block.Bytes, &request); {
	case err != nil:
		return nil, subject, err
	case len(rest) > 0:
		return nil, subject, asn1.SyntaxError{Msg: "trailing data"}
	}
	subject.FillFromRDNSequence(&request.Info.Subject)
	return block.Bytes, subject, nil
}
