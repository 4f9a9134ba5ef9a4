package access

import (
	"fmt"
	"slices"
	"strings"

	"github.com/tabernetes/tabernetes/core/internal/field"
	"github.com/tabernetes/tabernetes/core/internal/field/syntax"
	"github.com/tabernetes/tabernetes/core/internal/kinds/metadata"
	"github.com/tabernetes/tabernetes/core/internal/kinds/rule"
	"github.com/tabernetes/tabernetes/core/internal/kinds/strategy"
	"github.com/tabernetes/tabernetes/core/internal/kinds/tree"
)

// CertificateSigningRequest is the strategy of CertificateSigningRequests.
var CertificateSigningRequest = strategy.Strategy{
	// The spec does not change; an attempt is no error.
	PrepareUpdate: func(_ *strategy.Context, obj, old map[string]any) { tree.Keep(obj, old, "spec") },
	PrepareStatus: func(c *strategy.Context, obj, old map[string]any) {
		keepDecision(tree.Make(obj, "status"), tree.Object(old, "status"))
		timeConditions(c, tree.Make(obj, "status"), tree.Object(old, "status"))
	},
	Validate:       validateRequest,
	ValidateUpdate: strategy.Unchecked,
	ValidateStatus: func(obj, old map[string]any) field.ErrorList {
		status, was := tree.Object(obj, "status"), tree.Object(old, "status")
		errs := validateRequestConditions(status, was)
		errs.Add(validateCertificate(status, was)...)
		errs.Add(validateConditionsUpdate(status, was)...)
		for _, decision := range decisions {
			if len(ofType(status, decision)) > len(ofType(was, decision)) {
				errs.Add(field.Forbidden("status.conditions", fmt.Sprintf("updates may not add a condition of type %q", decision)))
			}
		}
		if before := tree.Text(was, "certificate"); before != "" && before != tree.Text(status, "certificate") {
			errs.Add(field.Forbidden("status.certificate", "updates may not modify existing certificate content"))
		}
		return append(errs, metadata.Compare(requests, obj, old)...)
	},
	Subresources: map[string]func(c *strategy.Context, obj, old map[string]any) field.ErrorList{
		"approval": updateApproval,
	},
}

// validateRequest checks the spec of a new CertificateSigningRequest.
func validateRequest(obj map[string]any) field.ErrorList {
	var errs field.ErrorList
	spec, at := tree.Object(obj, "spec"), field.Path("spec")
	der, _, err := parseRequest(tree.Text(spec, "request"))
	if err == nil {
		err = checkSignature(der)
	}
	if err != nil {
		errs.Add(field.Invalid(at.Child("request"), spec["request"], err.Error()))
	}
	asked := tree.Texts(spec, "usages")
	if len(asked) == 0 {
		errs.Add(field.Required(at.Child("usages"), ""))
	}
	for i, usage := range asked {
		if !slices.Contains(usages, usage) {
			errs.Add(field.NotSupported(at.Child("usages").Index(i), usage, usages...))
		}
	}
	var before rule.Seen[string]
	for i, usage := range asked {
		if before.Again(usage) {
			errs.Add(field.Duplicate(at.Child("usages").Index(i), usage))
		}
	}
	errs.Add(validateSigner(tree.Text(spec, "signerName"), at.Child("signerName"))...)
	if n, ok := tree.Int(spec, "expirationSeconds"); ok && n < 600 {
		errs.Add(field.Invalid(at.Child("expirationSeconds"), n,
			"may not specify a duration less than 600 seconds (10 minutes)"))
	}
	return errs
}

// usages are the usages of a certificate, sorted.
var usages = []string{
	"any", "cert sign", "client auth", "code signing", "content commitment", "crl sign", "data encipherment",
	"decipher only", "digital signature", "email protection", "encipher only", "ipsec end system", "ipsec tunnel",
	"ipsec user", "key agreement", "key encipherment", "microsoft sgc", "netscape sgc", "ocsp signing", "s/mime",
	"server auth", "signing", "timestamping",
}

// validateSigner checks the name of a signer: a domain and a path in it.
func validateSigner(name string, at field.Path) field.ErrorList {
	const maxDomain, maxPath = 253, 253 + 63 + 1
	if name == "" {
		return field.ErrorList{field.Required(at, "")}
	}
	if name == "kubernetes.io/legacy-unknown" {
		return field.ErrorList{field.Invalid(at, name, "the legacy signerName is not allowed via this API version")}
	}
	domain, path, ok := strings.Cut(name, "/")
	if !ok || strings.Contains(path, "/") {
		return field.ErrorList{field.Invalid(at, name,
			"must be a fully qualified domain and path of the form 'example.com/signer-name'")}
	}
	var errs field.ErrorList
	if len(domain) > maxDomain {
		errs.Add(field.TooLong(at, maxDomain))
	}
	errs.Add(validateWords(domain, syntax.Label, at)...)
	if !strings.Contains(domain, ".") {
		errs.Add(field.Invalid(at, domain, "should be a domain with at least two segments separated by dots"))
	}
	errs.Add(validateWords(path, syntax.Subdomain, at)...)
	if len(name) > maxDomain+maxPath+1 {
		errs.Add(field.TooLong(at, maxDomain+maxPath+1))
	}
	return errs
}

// validateWords checks the words between the dots of a part of a signer's name, up to the first
// invalid one.
func validateWords(part string, form func(string) []string, at field.Path) field.ErrorList {
	for _, word := range strings.Split(part, ".") {
		if wrong := form(word); wrong != nil {
			var errs field.ErrorList
			for _, w := range wrong {
				errs.Add(field.Invalid(at, part, fmt.Sprintf("validating label %q: %s", word, w)))
			}
			return errs
		}
	}
	return nil
}
