package tables

import (
	"cmp"
	"strings"
	"time"

	"github.com/tabernetes/tabernetes/core/object"
)

// small are the kinds of groups with few of them.
var small = []kind{
	{"apiregistration.k8s.io", "APIService", "Name|Service|Available|Age", apiServiceCells},
	{"certificates.k8s.io", "CertificateSigningRequest", "Name|Age|SignerName|Requestor|RequestedDuration|Condition",
		func(v view) []any {
			requested := none
			if v.has("spec", "expirationSeconds") {
				requested = duration(time.Duration(v.number("spec", "expirationSeconds")) * time.Second)
			}
			return []any{v.name(), v.age(), v.textOr(none, "spec", "signerName"), v.text("spec", "username"), requested,
				requestCondition(v)}
		}},
	{"coordination.k8s.io", "Lease", "Name|Holder|Age", func(v view) []any {
		return []any{v.name(), v.text("spec", "holderIdentity"), v.age()}
	}},
	{"flowcontrol.apiserver.k8s.io", "FlowSchema",
		"Name|PriorityLevel|MatchingPrecedence|DistinguisherMethod|Age|MissingPL", func(v view) []any {
			dangling := "?"
			if c := v.condition("Dangling"); c != nil {
				dangling = object.GetString(c, "status")
			}
			return []any{
				v.name(), v.text("spec", "priorityLevelConfiguration", "name"), v.number("spec", "matchingPrecedence"),
				v.value(none, "spec", "distinguisherMethod", "type"), v.age(), dangling,
			}
		}},
	{"flowcontrol.apiserver.k8s.io", "PriorityLevelConfiguration",
		"Name|Type|NominalConcurrencyShares|Queues|HandSize|QueueLengthLimit|Age", func(v view) []any {
			queuing := []string{"spec", "limited", "limitResponse", "queuing"}
			return []any{
				v.name(), v.text("spec", "type"), v.numberIn("nominalConcurrencyShares", "spec", "limited"),
				v.numberIn("queues", queuing...),
				v.numberIn("handSize", queuing...), v.numberIn("queueLengthLimit", queuing...), v.age(),
			}
		}},
	{"node.k8s.io", "RuntimeClass", "Name|Handler|Age",
		func(v view) []any { return []any{v.name(), v.text("handler"), v.age()} }},
	{"resource.k8s.io", "DeviceClass", "Name|Age", nameAndAge},
	{"resource.k8s.io", "ResourceClaim", "Name|State|Age",
		func(v view) []any { return []any{v.name(), claimState(v), v.age()} }},
	{"resource.k8s.io", "ResourceClaimTemplate", "Name|Age", nameAndAge},
	{"resource.k8s.io", "ResourceSlice", "Name|Node|Driver|Pool|Age", func(v view) []any {
		return []any{v.name(), v.text("spec", "nodeName"), v.text("spec", "driver"), v.text("spec", "pool", "name"), v.age()}
	}},
	{"scheduling.k8s.io", "PriorityClass", "Name|Value:integer|Global-Default:boolean|Age|PreemptionPolicy",
		func(v view) []any {
			return []any{v.name(), v.number("value"), v.is("globalDefault"), v.age(), v.text("preemptionPolicy")}
		}},
}

func apiServiceCells(v view) []any {
	service, available := "Local", "Unknown"
	if v.has("spec", "service") {
		service = v.text("spec", "service", "namespace") + "/" + v.text("spec", "service", "name")
	}
	if c := v.condition("Available"); c != nil {
		available = object.GetString(c, "status")
		if reason := object.GetString(c, "reason"); available != "True" && reason != "" {
			available += " (" + reason + ")"
		}
	}
	return []any{v.name(), service, available, v.age()}
}

// requestCondition returns the state of a CertificateSigningRequest.
func requestCondition(v view) string {
	words := []string{"Pending"}
	switch {
	case v.condition("Denied") != nil:
		words[0] = "Denied"
	case v.condition("Approved") != nil:
		words[0] = "Approved"
	}
	if v.condition("Failed") != nil {
		words = append(words, "Failed")
	}
	if v.text("status", "certificate") != "" {
		words = append(words, "Issued")
	}
	return strings.Join(words, ",")
}

// comparePrecedence sorts FlowSchemas by precedence.
func comparePrecedence(a, b map[string]any) int {
	m, _ := object.GetInt(a, "spec", "matchingPrecedence")
	n, _ := object.GetInt(b, "spec", "matchingPrecedence")
	return cmp.Or(cmp.Compare(m, n), strings.Compare(object.Name(a), object.Name(b)))
}

// numberIn returns the number in an optional part of an object.
func (v view) numberIn(field string, part ...string) any {
	if !v.has(part...) {
		return none
	}
	n, _ := object.GetInt(v.tree(part...), field)
	return n
}

// claimState returns the state of a ResourceClaim.
func claimState(v view) string {
	var states []string
	if v.deleted() {
		states = append(states, "deleted")
	}
	switch {
	case v.has("status", "allocation"):
		if states = append(states, "allocated"); len(v.list("status", "reservedFor")) > 0 {
			states = append(states, "reserved")
		}
	case !v.deleted():
		states = append(states, "pending")
	}
	return strings.Join(states, ",")
}
