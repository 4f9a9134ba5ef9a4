package kinds

import (
	"fmt"
	"math"
	"slices"
	"strings"

	"github.com/tabernetes/tabernetes/core/field"
	"github.com/tabernetes/tabernetes/core/field/syntax"
	"github.com/tabernetes/tabernetes/core/object"
)

// flowcontrol.apiserver.k8s.io

var flowSchema = Rules{
	Default: func(obj map[string]any) {
		if spec := sub(obj, "spec"); spec["matchingPrecedence"] == nil || spec["matchingPrecedence"] == int64(0) {
			spec["matchingPrecedence"] = int64(1000)
		}
	},
	Validate:       validateFlowSchema,
	ValidateUpdate: func(obj, _ map[string]any) field.ErrorList { return validateFlowSchema(obj) },
	ValidateStatus: flowConditions,
}

func validateFlowSchema(obj map[string]any) field.ErrorList {
	errs := flowSchemaRows.check(obj, "")
	return append(errs, flowConditions(obj, nil)...)
}

// flowConditions checks the conditions of the kinds of this group.
func flowConditions(obj, _ map[string]any) field.ErrorList {
	return validateConditions(list(dict(obj, "status"), "conditions"), "status.conditions", rows{{key: "type", is: "need"}})
}

var flowSchemaRows = rows{
	{key: "spec.matchingPrecedence", is: "over:0:must be a positive value|upto:10000:must not be greater than 10000"},
	{and: func(obj map[string]any, _ any, _ field.Path) field.ErrorList {
		const at = field.Path("spec")
		var errs field.ErrorList
		spec := dict(obj, "spec")
		if n, _ := num(spec, "matchingPrecedence"); n == 1 && object.Name(obj) != "exempt" {
			errs.Add(field.Invalid(at.Child("matchingPrecedence"), n, "only the schema named 'exempt' may have matchingPrecedence 1"))
		}
		if d := dict(spec, "distinguisherMethod"); d != nil && d["type"] != "ByNamespace" && d["type"] != "ByUser" {
			errs.Add(&field.Error{Type: field.TypeNotSupported, Field: "spec.distinguisherMethod.type", BadValue: goStruct(d, `Type=""`), Detail: `supported values: "ByNamespace", "ByUser"`})
		}
		return errs
	}},
	{key: "spec.priorityLevelConfiguration.name", is: "need:must reference a priority level|subdomain"},
	{key: "spec.rules[]", of: rows{
		{key: "subjects[]", is: "need:subjects must contain at least one value", of: rows{{and: flowSubject}}},
		{and: func(_ map[string]any, v any, at field.Path) field.ErrorList {
			if len(list(asMap(v), "resourceRules"))+len(list(asMap(v), "nonResourceRules")) == 0 {
				return field.ErrorList{field.Required(at, "at least one of resourceRules and nonResourceRules has to be non-empty")}
			}
			return nil
		}},
		{key: "resourceRules[]", of: rows{
			flowVerbs,
			{key: "apiGroups", is: "need:resource rules must supply at least one api group|alone:api groups"},
			{key: "resources", is: "need:resource rules must supply at least one resource|alone:resources"},
			{and: func(_ map[string]any, v any, at field.Path) field.ErrorList {
				namespaces := strs(asMap(v), "namespaces")
				at = at.Child("namespaces")
				if len(namespaces) == 0 && !flag(asMap(v), "clusterScope") {
					return field.ErrorList{field.Required(at, "resource rules that are not cluster scoped must supply at least one namespace")}
				}
				errs, _ := checkWord("alone", "namespaces", asMap(v)["namespaces"], at)
				if slices.Contains(namespaces, "*") {
					return errs
				}
				for i, ns := range namespaces {
					for _, wrong := range syntax.Label(ns) {
						errs.Add(field.Invalid(at.Index(i), ns, "each member of this list must be '*' or a DNS-1123 label; "+wrong))
					}
				}
				return errs
			}},
		}},
		{key: "nonResourceRules[]", of: rows{flowVerbs, {key: "nonResourceURLs", is: "need:nonResourceURLs must contain at least one value|alone:non-resource URLs", and: flowURLs}}},
	}},
}

var flowVerbs = row{key: "verbs", is: "need:verbs must contain at least one value|alone:verbs", and: func(_ map[string]any, v any, at field.Path) field.ErrorList {
	known := []string{"create", "delete", "deletecollection", "get", "list", "patch", "proxy", "update", "watch"}
	verbs := strs(map[string]any{"": v}, "")
	if slices.Contains(verbs, "*") || !slices.ContainsFunc(verbs, func(verb string) bool { return !slices.Contains(known, verb) }) {
		return nil
	}
	err := field.NotSupported(at, "", known...)
	err.BadValue = v
	return field.ErrorList{err}
}}

func flowURLs(_ map[string]any, v any, at field.Path) field.ErrorList {
	var errs field.ErrorList
	paths := strs(map[string]any{"": v}, "")
	if slices.Contains(paths, "*") {
		return nil
	}
	for i, path := range paths {
		wrong := ""
		switch {
		case path == "/":
		case path == "":
			wrong = "must not be empty"
		case path[0] != '/':
			wrong = "must start with slash"
		case strings.Contains(path, " "):
			wrong = "must not contain white-space"
		case strings.Contains(path, "//"):
			wrong = "must not contain double slash"
		case strings.Contains(strings.TrimSuffix(path, "/*"), "*"):
			wrong = "wildcard can only do suffix matching"
		}
		if wrong != "" {
			errs.Add(field.Invalid(at.Index(i), path, wrong))
		}
	}
	return errs
}

// flowSubject checks whom a rule is about: the field that its kind names, and no
// other.
func flowSubject(_ map[string]any, v any, at field.Path) field.ErrorList {
	subject := asMap(v)
	names := [][2]string{{"serviceAccount", "ServiceAccount"}, {"user", "User"}, {"group", "Group"}}
	kind := str(subject, "kind")
	var errs field.ErrorList
	for _, name := range names {
		if name[1] != kind {
			continue
		}
		key, at := name[0], at.Child(name[0])
		if subject[key] == nil {
			errs.Add(field.Required(at, key+" is required when subject kind is '"+kind+"'"))
			continue
		}
		who := dict(subject, key)
		errs.Add(required(who, at, "name")...)
		if kind != "ServiceAccount" {
			continue
		}
		if name := str(who, "name"); name != "" && name != "*" {
			errs.Add(validateForm("subdomain", name, at.Child("name"))...)
		}
		errs.Add(rows{{key: "namespace", is: "need:must specify namespace for service account|label"}}.check(who, at)...)
	}
	for _, name := range names {
		if kind != "ServiceAccount" && kind != "User" && kind != "Group" {
			return field.ErrorList{field.NotSupported(at.Child("kind"), kind, "Group", "ServiceAccount", "User")}
		}
		if name[1] != kind && subject[name[0]] != nil {
			errs.Add(field.Forbidden(at.Child(name[0]), name[0]+" is forbidden when subject kind is not '"+name[1]+"'"))
		}
	}
	return errs
}

var priorityLevel = Rules{
	Default: func(obj map[string]any) {
		if limited := deep(obj, "spec.limited"); limited != nil {
			def(limited, "nominalConcurrencyShares", int64(30))
			def(limited, "lendablePercent", int64(0))
			if queuing := deep(limited, "limitResponse.queuing"); queuing != nil {
				for name, value := range map[string]int64{"queues": 64, "handSize": 8, "queueLengthLimit": 50} {
					if n, _ := num(queuing, name); n == 0 {
						queuing[name] = value
					}
				}
			}
		}
		if exempt := deep(obj, "spec.exempt"); exempt != nil {
			def(exempt, "nominalConcurrencyShares", int64(0))
			def(exempt, "lendablePercent", int64(0))
		}
	},
	Validate:       validatePriorityLevel,
	ValidateUpdate: func(obj, _ map[string]any) field.ErrorList { return validatePriorityLevel(obj) },
	ValidateStatus: flowConditions,
}

func validatePriorityLevel(obj map[string]any) field.ErrorList {
	errs := priorityLevelRows.check(obj, "")
	return append(errs, flowConditions(obj, nil)...)
}

var priorityLevelRows = rows{
	{key: "spec", and: func(obj map[string]any, v any, at field.Path) field.ErrorList {
		spec := asMap(v)
		var errs field.ErrorList
		if kind := str(spec, "type"); (kind == "Exempt") != (object.Name(obj) == "exempt") {
			errs.Add(field.Invalid(at.Child("type"), kind, "must be 'Exempt' if and only if `name` is 'exempt'"))
		}
		switch str(spec, "type") {
		case "Exempt":
			errs.Add(onlyFor(spec, at, "limited", "must be nil if the type is not Limited")...)
			return append(errs, exemptRows.check(spec, at)...)
		case "Limited":
			errs.Add(onlyFor(spec, at, "exempt", "must be nil if the type is Limited")...)
			return append(errs, limitedRows.check(spec, at)...)
		}
		return append(errs, oneOf(spec, at, "type", "Exempt", "Limited")...)
	}},
}

// onlyFor says that a field may not be there.
func onlyFor(m map[string]any, at field.Path, key, why string) field.ErrorList {
	if m[key] != nil {
		return field.ErrorList{field.Forbidden(at.Child(key), why)}
	}
	return nil
}

const (
	sharesWord  = "set|over:-1:must be a non-negative integer"
	percentWord = "set|within:0:100"
)

var exemptRows = rows{{key: "exempt.nominalConcurrencyShares", is: sharesWord}, {key: "exempt.lendablePercent", is: percentWord}}

var limitedRows = rows{{key: "limited", is: "need:must not be empty when type is Limited", of: rows{
	{key: "nominalConcurrencyShares", is: sharesWord},
	{key: "limitResponse", and: func(_ map[string]any, v any, at field.Path) field.ErrorList {
		response := asMap(v)
		switch str(response, "type") {
		case "Reject":
			return onlyFor(response, at, "queuing", "must be nil if limited.limitResponse.type is not Limited")
		case "Queue":
			return queuingRows.check(response, at)
		}
		return oneOf(response, at, "type", "Queue", "Reject")
	}},
	{key: "lendablePercent", is: percentWord},
	{key: "borrowingLimitPercent", is: "set|over:-1:if specified, must be a non-negative integer"},
}}}

var queuingRows = rows{{key: "queuing", is: "need:must not be empty if limited.limitResponse.type is Limited", of: rows{
	{key: "queueLengthLimit", is: "over:0:must be positive"},
	{key: "queues", is: "over:0:must be positive|upto:10000000:must not be greater than 10000000"},
	{and: func(_ map[string]any, v any, at field.Path) field.ErrorList {
		hand, _ := num(asMap(v), "handSize")
		queues, _ := num(asMap(v), "queues")
		wrong := ""
		switch {
		case hand <= 0:
			wrong = "must be positive"
		case hand > queues:
			wrong = fmt.Sprintf("should not be greater than queues (%d)", queues)
		case entropyBits(queues, hand) > 60:
			wrong = fmt.Sprintf("required entropy bits of deckSize %d and handSize %d should not be greater than 60", queues, hand)
		default:
			return nil
		}
		return field.ErrorList{field.Invalid(at.Child("handSize"), hand, wrong)}
	}},
}}}

// entropyBits are how many random bits it takes to deal a hand out of a deck.
func entropyBits(deck, hand int64) int {
	return int(math.Ceil(math.Log2(float64(deck)) * float64(hand)))
}
