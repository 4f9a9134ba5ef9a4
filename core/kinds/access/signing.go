package access

import (
	"crypto/x509/pkix"
	"encoding/asn1"
	"encoding/base64"
	"encoding/pem"
	"errors"
	"fmt"
	"slices"
	"strings"

	"github.com/tabernetes/tabernetes/core/field"
	"github.com/tabernetes/tabernetes/core/field/syntax"
	"github.com/tabernetes/tabernetes/core/kinds/rule"
	"github.com/tabernetes/tabernetes/core/kinds/strategy"
	"github.com/tabernetes/tabernetes/core/kinds/tree"
)

// apiClients is the signer of the certificates that clients of the API server have.
const apiClients = "kubernetes.io/kube-apiserver-client"

// usages are what a certificate may be for, sorted.
var usages = []string{
	"any", "cert sign", "client auth", "code signing", "content commitment", "crl sign", "data encipherment",
	"decipher only", "digital signature", "email protection", "encipher only", "ipsec end system", "ipsec tunnel",
	"ipsec user", "key agreement", "key encipherment", "microsoft sgc", "netscape sgc", "ocsp signing", "s/mime",
	"server auth", "signing", "timestamping",
}

// admitRequest is the plugin CertificateSubjectRestriction: nobody gets a
// certificate that makes them a master.
func admitRequest(c *strategy.Context, obj map[string]any) field.ErrorList {
	spec := tree.Object(obj, "spec")
	if tree.Text(spec, "signerName") != apiClients {
		return nil
	}
	_, subject, err := parseRequest(tree.Text(spec, "request"))
	if err != nil {
		return c.Refuse(fmt.Errorf("failed to parse CSR: %w", err))
	}
	if slices.Contains(subject.Organization, "system:masters") {
		return c.Refuse(errors.New("use of " + apiClients + " signer with system:masters group is not allowed"))
	}
	return nil
}

// validateRequest checks what a new CertificateSigningRequest asks for.
func validateRequest(obj map[string]any) field.ErrorList {
	var errs field.ErrorList
	spec, at := tree.Object(obj, "spec"), field.Path("spec")
	der, _, err := parseRequest(tree.Text(spec, "request"))
	if err == nil {
		err = checkSignature(der)
	}
	if err != nil {
		errs.Add(field.Invalid(at.Child("request"), tree.Text(spec, "request"), err.Error()))
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
		errs.Add(field.Invalid(at.Child("expirationSeconds"), n, "may not specify a duration less than 600 seconds (10 minutes)"))
	}
	return errs
}

// certificateRequest is a PKCS #10 request, as far as rules look into it. The
// x509 package knows all of it, and would weigh a tenth of the whole binary.
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
		return field.ErrorList{field.Invalid(at, name, "must be a fully qualified domain and path of the form 'example.com/signer-name'")}
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

// validateWords checks the words between the dots of a part of a signer's name, as
// far as the first that is wrong.
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
