package plugins

import (
	"context"
	"fmt"
	"slices"
	"strings"

	"github.com/tabernetes/tabernetes/core/admission"
	"github.com/tabernetes/tabernetes/core/auth"
	"github.com/tabernetes/tabernetes/core/internal/kinds/access"
	"github.com/tabernetes/tabernetes/core/object"
)

const certificatesGroup = "certificates.k8s.io"

// apiClients is the signer of client certificates for the API server.
const apiClients = "kubernetes.io/kube-apiserver-client"

// Certificates is three admission plugins of CertificateSigningRequests, which never concern the
// same write: CertificateApproval and CertificateSigning, by which users approve and sign only for
// signers for which they may, and CertificateSubjectRestriction, by which nobody asks for a client
// certificate with which the API server would take them for a member of system:masters.
//
// An approval and a signature cost at most two decisions of the RBAC authorizer.
//
// Set its fields before use.
type Certificates struct {
	// RBAC decides who may approve and sign.
	RBAC auth.Authorizer
	// Active reports whether the RBAC authorizer is in use; else everybody may.
	Active func() bool
	// Without are those of the plugins that do not run, by their names.
	Without []string
}

var _ admission.Validator = Certificates{}

// Validate refuses what the user may not approve or sign, and what nobody may ask for.
func (p Certificates) Validate(ctx context.Context, a *admission.Attributes) error {
	if a.Group != certificatesGroup || a.Plural != "certificatesigningrequests" {
		return nil
	}
	switch a.Operation + " " + a.Subresource {
	case admission.Create + " ":
		if !p.runs("CertificateSubjectRestriction") {
			return nil
		}
		return checkSubject(a)
	case admission.Update + " approval":
		if !p.runs("CertificateApproval") {
			return nil
		}
		return p.checkUser(ctx, a, "approve")
	case admission.Update + " status":
		if !p.runs("CertificateSigning") {
			return nil
		}
		status, was := object.GetMap(a.Object, "status"), object.GetMap(a.Old, "status")
		if object.GetString(status, "certificate") != object.GetString(was, "certificate") ||
			!object.Equal(status["conditions"], was["conditions"]) {
			return p.checkUser(ctx, a, "sign")
		}
	}
	return nil
}

// runs reports whether one of the plugins runs.
func (p Certificates) runs(name string) bool { return !slices.Contains(p.Without, name) }

// checkSubject refuses a new request for a client certificate of the group system:masters.
func checkSubject(a *admission.Attributes) error {
	if object.GetString(a.Object, "spec", "signerName") != apiClients {
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

// checkUser refuses a change by a user who may not approve or sign for the signer of the request, nor
// for all signers of its domain.
func (p Certificates) checkUser(ctx context.Context, a *admission.Attributes, verb string) error {
	if !p.Active() {
		return nil
	}
	signer := object.GetString(a.Old, "spec", "signerName")
	domain, _, _ := strings.Cut(signer, "/")
	for _, name := range []string{signer, domain + "/*"} {
		asked := auth.Attributes{User: auth.UserOf(ctx), Verb: verb, IsResource: true,
			Group: certificatesGroup, Resource: "signers",
			Name: name}
		if allowed, _ := p.RBAC.Authorize(asked); allowed {
			return nil
		}
	}
	return a.Forbidden(fmt.Sprintf("user not permitted to %s requests with signerName %q", verb, signer))
}
