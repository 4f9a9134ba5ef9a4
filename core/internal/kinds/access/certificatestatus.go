package access

import (
	"encoding/asn1"
	"encoding/base64"
	"encoding/pem"
	"errors"
	"fmt"

	"github.com/tabernetes/tabernetes/core/internal/field"
	"github.com/tabernetes/tabernetes/core/internal/kinds/metadata"
	"github.com/tabernetes/tabernetes/core/internal/kinds/rule"
	"github.com/tabernetes/tabernetes/core/internal/kinds/strategy"
	"github.com/tabernetes/tabernetes/core/internal/kinds/tree"
	"github.com/tabernetes/tabernetes/core/schema"
)

// keepDecision restores the conditions that approve or deny a request, unless their number has
// changed, which is an error.
func keepDecision(status, was map[string]any) {
	for _, decision := range decisions {
		now, before := ofType(status, decision), ofType(was, decision)
		if len(now) != len(before) {
			continue
		}
		for i, c := range now {
			clear(c)
			for name := range before[i] {
				tree.Keep(c, before[i], name)
			}
		}
	}
}

// timeConditions sets the times of conditions that lack them.
func timeConditions(c *strategy.Context, status, was map[string]any) {
	for _, condition := range tree.Objects(status, "conditions") {
		tree.Default(condition, "lastUpdateTime", c.Timestamp())
		if condition["lastTransitionTime"] != nil {
			continue
		}
		condition["lastTransitionTime"] = c.Timestamp()
		for _, before := range ofType(was, tree.Text(condition, "type")) {
			if before["status"] == condition["status"] && before["lastTransitionTime"] != nil {
				tree.Keep(condition, before, "lastTransitionTime")
				break
			}
		}
	}
}

// requests is the type as far as checks of its metadata need it.
var requests = &schema.Resource{Behaviour: schema.Behaviour{NameRule: schema.PathSegment}}

// updateApproval changes the conditions of a request and nothing else.
func updateApproval(c *strategy.Context, obj, old map[string]any) field.ErrorList {
	status := tree.Make(obj, "status")
	timeConditions(c, status, tree.Object(old, "status"))
	tree.Keep(obj, old, "spec")
	tree.Keep(obj, old, "status")
	tree.Keep(tree.Make(obj, "status"), status, "conditions")
	errs := metadata.MetaUpdate(requests, obj, old, schema.MetaChecks{AsNew: 1, NotCompared: true})
	errs.Add(validateRequestConditions(tree.Object(obj, "status"), tree.Object(old, "status"))...)
	errs.Add(validateConditionsUpdate(tree.Object(obj, "status"), tree.Object(old, "status"))...)
	return append(errs, metadata.Compare(requests, obj, old)...)
}

// decisions are the conditions that only the approval subresource sets.
var decisions = []string{"Approved", "Denied"}

// validateRequestConditions accepts violations that exist already.
func validateRequestConditions(status, was map[string]any) field.ErrorList {
	var errs field.ErrorList
	at := field.Path("status.conditions")
	tolerated := conditionViolations(was)
	approved, denied := false, false
	seen := map[string]bool{}
	for i, c := range tree.Objects(status, "conditions") {
		t, at := tree.Text(c, "type"), at.Index(i)
		if t == "" && !tolerated.empty {
			errs.Add(field.Required(at.Child("type"), ""))
		}
		if t == "Approved" || t == "Denied" || t == "Failed" {
			errs.Add(rule.RequireOneOf(c, at, "status", "True")...)
		} else {
			errs.Add(rule.RequireOneOf(c, at, "status", "False", "True", "Unknown")...)
		}
		approved, denied = approved || t == "Approved", denied || t == "Denied"
		if !tolerated.both && approved && denied && (t == "Approved" || t == "Denied") {
			errs.Add(field.Invalid("status.conditions", t, "Approved and Denied conditions are mutually exclusive"))
		}
		if seen[t] && !tolerated.twice {
			errs.Add(field.Duplicate(at.Child("type"), t))
		}
		seen[t] = true
	}
	return errs
}

// conditionViolations are the violations of conditions as a whole: one without a type, a type that
// is there twice, a request both approved and denied.
func conditionViolations(status map[string]any) (found struct{ empty, twice, both bool }) {
	count := map[string]int{}
	for _, c := range tree.Objects(status, "conditions") {
		t := tree.Text(c, "type")
		count[t]++
		found.empty = found.empty || t == ""
		found.twice = found.twice || count[t] > 1
	}
	found.both = count["Approved"] > 0 && count["Denied"] > 0
	return found
}

// validateCertificate checks an issued certificate, unless the old one was invalid as well.
func validateCertificate(status, was map[string]any) field.ErrorList {
	text, before := tree.Text(status, "certificate"), tree.Text(was, "certificate")
	if text == before || checkCertificate(before) != nil {
		return nil
	}
	if err := checkCertificate(text); err != nil {
		return field.ErrorList{field.Invalid("status.certificate", "<certificate data>", err.Error())}
	}
	return nil
}

// checkCertificate checks a chain of certificates in PEM, as JSON has it. The errors are the texts
// of the real server.
func checkCertificate(text string) error {
	data, err := base64.StdEncoding.DecodeString(text)
	if err != nil || len(data) == 0 {
		return err
	}
	blocks := 0
	for {
		block, rest := pem.Decode(data)
		if block == nil {
			break
		}
		blocks++
		switch {
		case block.Type != "CERTIFICATE":
			return fmt.Errorf("only CERTIFICATE PEM blocks are allowed, found %q", block.Type)
		case len(block.Headers) != 0:
			return errors.New("no PEM block headers are permitted")
		}
		if len(block.Bytes) == 0 {
			return errors.New("found CERTIFICATE PEM block containing 0 certificates")
		}
		var certificate struct {
			Content   asn1.RawValue
			Algorithm asn1.RawValue
			Signature asn1.BitString
		}
		if rest, err := asn1.Unmarshal(block.Bytes, &certificate); err != nil || len(rest) > 0 {
			return errors.New("x509: malformed certificate")
		}
		data = rest
	}
	if blocks == 0 {
		return errors.New("must contain at least one CERTIFICATE PEM block")
	}
	return nil
}

// validateConditionsUpdate checks that a decision does not change.
func validateConditionsUpdate(status, was map[string]any) field.ErrorList {
	var errs field.ErrorList
	for _, t := range []string{"Approved", "Denied", "Failed"} {
		if len(ofType(status, t)) < len(ofType(was, t)) {
			errs.Add(field.Forbidden("status.conditions", fmt.Sprintf("updates may not remove a condition of type %q", t)))
		}
	}
	return errs
}

// ofType are the conditions of a type.
func ofType(status map[string]any, conditionType string) []map[string]any {
	var out []map[string]any
	for _, c := range tree.Objects(status, "conditions") {
		if tree.Text(c, "type") == conditionType {
			out = append(out, c)
		}
	}
	return out
}
