package extension

import (
	"fmt"
	"net/url"
	"strings"

	"github.com/tabernetes/tabernetes/core/internal/field"
	"github.com/tabernetes/tabernetes/core/internal/kinds/tree"
	"github.com/tabernetes/tabernetes/core/object"
)

const approvalAnnotation = "api-approved.kubernetes.io"

// An Approval is whether a definition in one of the groups of Kubernetes itself is approved, by an annotation: what
// the condition KubernetesAPIApprovalPolicyConformant says.
type Approval struct{ Status, Reason, Message string }

const (
	missingApproval = "MissingAnnotation"
	invalidApproval = "InvalidAnnotation"
)

// ApprovalOf returns the approval of a definition; ok is false if its group needs none.
func ApprovalOf(crd map[string]any) (a Approval, ok bool) {
	group := tree.Text(tree.Object(crd, "spec"), "group")
	if !strings.HasSuffix("."+group, ".k8s.io") && !strings.HasSuffix("."+group, ".kubernetes.io") {
		return a, false
	}
	return annotated(approvalText(crd)), true
}

// annotated returns the approval that the annotation says, in whichever group.
func annotated(text string) Approval {
	const must = `protected groups must have approval annotation "` + approvalAnnotation + `"`
	const see = ", see https://github.com/kubernetes/enhancements/pull/1111"
	at, err := url.ParseRequestURI(text)
	switch {
	case text == "":
		return Approval{"False", missingApproval, must + see}
	case strings.HasPrefix(text, "unapproved"):
		return Approval{"False", "UnapprovedAnnotation", fmt.Sprintf("not approved: %q", text)}
	case err == nil && at.Host != "" && at.Scheme != "":
		return Approval{"True", "ApprovedAnnotation", "approved in " + text}
	}
	return Approval{"False", invalidApproval,
		must + ` with either a URL or a reason starting with "unapproved"` + see}
}

func approvalText(crd map[string]any) string {
	return object.GetString(crd, "metadata", "annotations", approvalAnnotation)
}

// validateApproval checks that definitions in the groups of Kubernetes itself have the approval
// annotation. A changed definition may still lack it.
func validateApproval(obj, old map[string]any) field.ErrorList {
	is, ok := ApprovalOf(obj)
	if !ok || is.Reason != missingApproval && is.Reason != invalidApproval {
		return nil
	}
	if old != nil && annotated(approvalText(old)).Reason == is.Reason {
		return nil
	}
	at := field.Path("metadata.annotations").Key(approvalAnnotation)
	if is.Reason == missingApproval {
		return field.ErrorList{field.Required(at, is.Message)}
	}
	return field.ErrorList{field.Invalid(at, approvalText(obj), is.Message)}
}
