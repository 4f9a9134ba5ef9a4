package plugins_test

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
	"github.com/tabernetes/tabernetes/core/auth"
	"github.com/tabernetes/tabernetes/core/internal/plugins"
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

type tree = map[string]any

// plugin returns the plugin with RBAC: jane may approve for one signer, and sign for all of a domain.
func plugin(active bool) plugins.Certificates {
	var rbac auth.RBAC
	rule := func(verb, signer string) any {
		return tree{"apiGroups": []any{"certificates.k8s.io"}, "resources": []any{"signers"},
			"verbs": []any{verb}, "resourceNames": []any{signer}}
	}
	rbac.Set("clusterroles", "r", tree{"metadata": tree{"name": "r"},
		"rules": []any{rule("approve", "example.com/a"), rule("sign", "example.org/*")}})
	rbac.Set("clusterrolebindings", "b", tree{"metadata": tree{"name": "b"},
		"roleRef":  tree{"apiGroup": auth.Group, "kind": "ClusterRole", "name": "r"},
		"subjects": []any{tree{"apiGroup": auth.Group, "kind": "User", "name": "jane"}}})
	return plugins.Certificates{RBAC: &rbac, Active: func() bool { return active }}
}

// TestApproveAndSign checks that users approve and sign only for signers for which they may: those of
// the request as it was.
func TestApproveAndSign(t *testing.T) {
	requests := schema.Builtin().Resource("certificates.k8s.io", "v1", "certificatesigningrequests")
	jane, root := &auth.User{Name: "jane"}, &auth.User{Name: "root", Groups: []string{auth.Masters}}
	const refused = `certificatesigningrequests.certificates.k8s.io "r" is forbidden: user not permitted to `
	signed := tree{"certificate": "YQ=="}
	failed := tree{"conditions": []any{tree{"type": "Failed", "status": "True"}}}
	for _, c := range []struct {
		user                *auth.User
		off                 bool
		subresource, signer string
		status, was         tree
		want                string
	}{
		{jane, false, "approval", "example.com/a", nil, nil, ""},
		{jane, false, "approval", "example.com/b", nil, nil, refused + `approve requests with signerName "example.com/b"`},
		{jane, false, "approval", "example.org/b", nil, nil, refused + `approve requests with signerName "example.org/b"`},
		{root, false, "approval", "example.com/b", nil, nil, ""},
		{jane, true, "approval", "example.com/b", nil, nil, ""},
		{jane, false, "status", "example.org/b", signed, nil, ""},
		{jane, false, "status", "example.com/a", signed, nil, refused + `sign requests with signerName "example.com/a"`},
		{jane, false, "status", "example.com/a", failed, nil, refused + `sign requests with signerName "example.com/a"`},
		{jane, false, "status", "example.com/a", signed, signed, ""},
		{jane, false, "status", "example.com/a", failed, failed, ""},
		{jane, false, "", "example.com/b", nil, nil, ""},
	} {
		a := &admission.Attributes{Resource: requests, Name: "r", Operation: admission.Update, Subresource: c.subresource,
			Object: tree{"spec": tree{"signerName": "example.com/a"}, "status": c.status},
			Old:    tree{"spec": tree{"signerName": c.signer}, "status": c.was}}
		message := ""
		if err := plugin(!c.off).Validate(auth.WithUser(context.Background(), c.user), a); err != nil {
			message = err.Error()
		}
		if message != c.want {
			t.Errorf("%s: %s for %s: %q, want %q", c.user.Name, c.subresource, c.signer, message, c.want)
		}
	}
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
		if err := plugin(false).Validate(context.Background(), a); err != nil {
			message = err.Error()
		}
		if message != c.want {
			t.Errorf("%s %s for %s: %q, want %q", c.operation, c.subresource, c.signer, message, c.want)
		}
	}
}
