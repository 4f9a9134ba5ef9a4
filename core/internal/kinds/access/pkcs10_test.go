package access

import (
	"crypto/ecdsa"
	"crypto/elliptic"
	"crypto/rand"
	"crypto/x509"
	"crypto/x509/pkix"
	"encoding/base64"
	"encoding/pem"
	"strings"
	"testing"
)

// requestFor returns a request for a certificate, as in the spec of an object.
func requestFor(t *testing.T, group string) string {
	t.Helper()
	key, err := ecdsa.GenerateKey(elliptic.P256(), rand.Reader)
	if err != nil {
		t.Fatal(err)
	}
	der, err := x509.CreateCertificateRequest(rand.Reader,
		&x509.CertificateRequest{Subject: pkix.Name{Organization: []string{group}}}, key)
	if err != nil {
		t.Fatal(err)
	}
	return base64.StdEncoding.EncodeToString(pem.EncodeToMemory(&pem.Block{Type: "CERTIFICATE REQUEST", Bytes: der}))
}

func TestCertificateRequestsAreChecked(t *testing.T) {
	good := requestFor(t, "developers")
	for name, c := range map[string]struct {
		change func(spec map[string]any)
		want   string
	}{
		"good": {func(map[string]any) {}, ""},
		"no PEM": {func(s map[string]any) { s["request"] = "YQ==" },
			`spec.request: Invalid value: "YQ==": PEM block type must be CERTIFICATE REQUEST`},
		"no usages": {func(s map[string]any) { delete(s, "usages") }, "spec.usages: Required value"},
		"unknown usage": {func(s map[string]any) { s["usages"] = []any{"fun"} },
			`spec.usages[0]: Unsupported value: "fun": supported values: "any", "cert sign"`},
		"usage twice": {func(s map[string]any) { s["usages"] = []any{"any", "any"} },
			`spec.usages[1]: Duplicate value: "any"`},
		"short": {func(s map[string]any) { s["expirationSeconds"] = int64(599) },
			"may not specify a duration less than 600 seconds (10 minutes)"},
		"no signer": {func(s map[string]any) { delete(s, "signerName") }, "spec.signerName: Required value"},
		"no path": {func(s map[string]any) { s["signerName"] = "example.com" },
			"must be a fully qualified domain and path of the form 'example.com/signer-name'"},
		"short domain": {func(s map[string]any) { s["signerName"] = "example/x" },
			"should be a domain with at least two segments separated by dots"},
		"bad word": {func(s map[string]any) { s["signerName"] = "example.com/X" },
			`spec.signerName: Invalid value: "X": validating label "X": a lowercase RFC 1123 subdomain`},
		"the old unknown": {func(s map[string]any) { s["signerName"] = "kubernetes.io/legacy-unknown" },
			"the legacy signerName is not allowed via this API version"},
	} {
		spec := map[string]any{"request": good, "signerName": "example.com/x", "usages": []any{"client auth"}}
		c.change(spec)
		errs, message := validateRequest(map[string]any{"spec": spec}), ""
		if len(errs) > 0 {
			message = errs.Message()
		}
		if (c.want == "") != (message == "") || !strings.Contains(message, c.want) {
			t.Errorf("%s: got %q, want %q", name, message, c.want)
		}
	}
}
