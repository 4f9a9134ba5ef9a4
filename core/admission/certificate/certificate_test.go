package certificate_test

import (
	"context"
	"crypto/ecdsa"
	"crypto/elliptic"
	"crypto/rand"
	"crypto/x509"
	"crypto/x509/pkix"
	"encoding/base64"
	"encoding/pem"
	"testing"

	"github.com/tabernetes/tabernetes/core/admission"
	"github.com/tabernetes/tabernetes/core/admission/certificate"
	"github.com/tabernetes/tabernetes/core/schema"
)

const apiClients = "kubernetes.io/kube-apiserver-client"

// requestFor returns a request for a certificate, as in the spec of an object.
func requestFor(t *testing.T, group string) string {
	t.Helper()
	key, err := ecdsa.GenerateKey(elliptic.P256(), rand.Reader)
	if err != nil {
		t.Fatal(err)
	}
	der, err := x509.CreateCertificateRequest(rand.Reader,
		&x509.CertificateRequest{Subject: pkix.Name{Organization: []string{"developers", group}}}, key)
	if err != nil {
		t.Fatal(err)
	}
	return base64.StdEncoding.EncodeToString(pem.EncodeToMemory(&pem.Block{Type: "CERTIFICATE REQUEST", Bytes: der}))
}

func TestSystemMastersIsRefused(t *testing.T) {
	requests := schema.Builtin().Resource("certificates.k8s.io", "v1", "certificatesigningrequests")
	const refused = `certificatesigningrequests.certificates.k8s.io "r" is forbidden: `
	masters := requestFor(t, "system:masters")
	for _, c := range []struct{ operation, subresource, signer, request, want string }{
		{admission.Create, "", apiClients, requestFor(t, "testers"), ""},
		{admission.Create, "", apiClients, masters,
			refused + "use of kubernetes.io/kube-apiserver-client signer with system:masters group is not allowed"},
		{admission.Create, "", apiClients, "YQ==",
			refused + "failed to parse CSR: PEM block type must be CERTIFICATE REQUEST"},
		{admission.Create, "", "example.com/signer", masters, ""},
		{admission.Update, "", apiClients, masters, ""},
		{admission.Update, "approval", apiClients, masters, ""},
		{admission.Delete, "", "", "", ""},
	} {
		a := &admission.Attributes{Resource: requests, Name: "r", Operation: c.operation, Subresource: c.subresource}
		if c.signer != "" {
			a.Object = map[string]any{"spec": map[string]any{"signerName": c.signer, "request": c.request}}
		}
		message := ""
		if err := (certificate.Plugin{}).Validate(context.Background(), a); err != nil {
			message = err.Error()
		}
		if message != c.want {
			t.Errorf("%s %s for %s: %q, want %q", c.operation, c.subresource, c.signer, message, c.want)
		}
	}
}
