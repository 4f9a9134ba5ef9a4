// Package certificate is the admission plugin CertificateSubjectRestriction: nobody can ask for a
// client certificate by which the API server would take them for a member of system:masters.
package certificate

import (
	"context"
	"fmt"
	"slices"

	"github.com/tabernetes/tabernetes/core/admission"
	"github.com/tabernetes/tabernetes/core/auth"
	"github.com/tabernetes/tabernetes/core/kinds/access"
	"github.com/tabernetes/tabernetes/core/object"
)

// apiClients is the signer of client certificates for the API server.
const apiClients = "kubernetes.io/kube-apiserver-client"

// Plugin is the plugin.
type Plugin struct{}

var _ admission.Validator = Plugin{}

// Validate refuses a new request for a client certificate of that group.
func (Plugin) Validate(_ context.Context, a *admission.Attributes) error {
	if a.Operation != admission.Create || !a.Is("certificates.k8s.io", "certificatesigningrequests") ||
		object.GetString(a.Object, "spec", "signerName") != apiClients {
		return nil
	}
	subject, err := access.Subject(object.GetString(a.Object, "spec", "request"))
	if err != nil {
		return a.Forbidden(fmt.Sprintf("failed to parse CSR: %v", err))
	}
	if slices.Contains(subject.Organization, auth.Masters) {
		return a.Forbidden("use of " + apiClients + " signer with system:masters group is not allowed")
	}
	return nil
}
