package flow

import (
	"fmt"
	"math"

	"github.com/tabernetes/tabernetes/core/internal/field"
	"github.com/tabernetes/tabernetes/core/internal/kinds/rule"
	"github.com/tabernetes/tabernetes/core/internal/kinds/strategy"
	"github.com/tabernetes/tabernetes/core/internal/kinds/tree"
	"github.com/tabernetes/tabernetes/core/object"
)

// PriorityLevelConfiguration is the strategy of PriorityLevelConfigurations.
var PriorityLevelConfiguration = strategy.Strategy{
	Default: func(obj map[string]any) {
		if limited := tree.At(obj, "spec.limited"); limited != nil {
			tree.Default(limited, "nominalConcurrencyShares", int64(30))
			tree.Default(limited, "lendablePercent", int64(0))
			if queuing := tree.At(limited, "limitResponse.queuing"); queuing != nil {
				for name, value := range map[string]int64{"queues": 64, "handSize": 8, "queueLengthLimit": 50} {
					if n, _ := tree.Int(queuing, name); n == 0 {
						queuing[name] = value
					}
				}
			}
		}
		if exempt := tree.At(obj, "spec.exempt"); exempt != nil {
			tree.Default(exempt, "nominalConcurrencyShares", int64(0))
			tree.Default(exempt, "lendablePercent", int64(0))
		}
	},
	Validate:       validatePriorityLevel,
	ValidateStatus: validateConditions,
}

func validatePriorityLevel(obj map[string]any) field.ErrorList {
	errs := priorityLevel.Check(obj, "")
	return append(errs, validateConditions(obj, nil)...)
}

var priorityLevel = rule.Fields{
	{Key: "spec", Is: rule.Compare(func(obj map[string]any, v any, at field.Path) field.ErrorList {
		spec := tree.Map(v)
		var errs field.ErrorList
		if kind := tree.Text(spec, "type"); (kind == "Exempt") != (object.Name(obj) == "exempt") {
			errs.Add(field.Invalid(at.Child("type"), kind, "must be 'Exempt' if and only if `name` is 'exempt'"))
		}
		switch tree.Text(spec, "type") {
		case "Exempt":
			errs.Add(forbidden(spec, at, "limited", "must be nil if the type is not Limited")...)
			return append(errs, exempt.Check(spec, at)...)
		case "Limited":
			errs.Add(forbidden(spec, at, "exempt", "must be nil if the type is Limited")...)
			return append(errs, limited.Check(spec, at)...)
		}
		return append(errs, rule.RequireOneOf(spec, at, "type", "Exempt", "Limited")...)
	})},
}

// forbidden returns the violation of a field that may not be set.
func forbidden(m map[string]any, at field.Path, key, why string) field.ErrorList {
	if m[key] != nil {
		return field.ErrorList{field.Forbidden(at.Child(key), why)}
	}
	return nil
}

var (
	shares  = rule.All{rule.IfSet{}, rule.AtLeast{Min: 0, Detail: "must be a non-negative integer"}}
	percent = rule.All{rule.IfSet{}, rule.Range{Min: 0, Max: 100}}
)

var exempt = rule.Fields{
	{Key: "exempt", Is: rule.Fields{
		{Key: "nominalConcurrencyShares", Is: shares},
		{Key: "lendablePercent", Is: percent},
	}},
}

var limited = rule.Fields{
	{Key: "limited", Is: rule.All{rule.Required{Detail: "must not be empty when type is Limited"}, rule.Fields{
		{Key: "nominalConcurrencyShares", Is: shares},
		{Key: "limitResponse", Is: rule.Object(func(response map[string]any, at field.Path) field.ErrorList {
			switch tree.Text(response, "type") {
			case "Reject":
				return forbidden(response, at, "queuing", "must be nil if limited.limitResponse.type is not Limited")
			case "Queue":
				return queuing.Check(response, at)
			}
			return rule.RequireOneOf(response, at, "type", "Queue", "Reject")
		})},
		{Key: "lendablePercent", Is: percent},
		{Key: "borrowingLimitPercent", Is: rule.All{
			rule.IfSet{},
			rule.AtLeast{Min: 0, Detail: "if specified, must be a non-negative integer"},
		}},
	}}},
}

var queuing = rule.Fields{
	{Key: "queuing", Is: rule.All{
		rule.Required{Detail: "must not be empty if limited.limitResponse.type is Limited"},
		rule.Fields{
			{Key: "queueLengthLimit", Is: rule.AtLeast{Min: 1, Detail: "must be positive"}},
			{Key: "queues", Is: rule.All{
				rule.AtLeast{Min: 1, Detail: "must be positive"},
				rule.AtMost{Max: 10000000, Detail: "must not be greater than 10000000"},
			}},
			{Is: rule.Object(validateHandSize)},
		},
	}},
}

// validateHandSize checks the number of queues of a flow.
func validateHandSize(m map[string]any, at field.Path) field.ErrorList {
	hand, _ := tree.Int(m, "handSize")
	queues, _ := tree.Int(m, "queues")
	wrong := ""
	switch {
	case hand <= 0:
		wrong = "must be positive"
	case hand > queues:
		wrong = fmt.Sprintf("should not be greater than queues (%d)", queues)
	case entropyBits(queues, hand) > 60:
		wrong = fmt.Sprintf("required entropy bits of deckSize %d and handSize %d should not be greater than 60",
			queues, hand)
	default:
		return nil
	}
	return field.ErrorList{field.Invalid(at.Child("handSize"), hand, wrong)}
}

// entropyBits returns the number of random bits that it takes to deal a hand out of a deck.
func entropyBits(deck, hand int64) int {
	return int(math.Ceil(math.Log2(float64(deck)) * float64(hand)))
}
