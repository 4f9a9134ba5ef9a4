package registry

import (
	"context"
	"math"
	"strconv"
	"time"

	"github.com/tabernetes/tabernetes/core/gates"
	"github.com/tabernetes/tabernetes/core/internal/field"
	"github.com/tabernetes/tabernetes/core/semantics"
	"github.com/tabernetes/tabernetes/core/status"
)

// The values of resourceVersionMatch.
const (
	MatchExact        = "Exact"
	MatchNotOlderThan = "NotOlderThan"
)

// ListOptions are the meta/v1 options of list, watch and deletecollection.
type ListOptions struct {
	Selection
	ResourceVersion      string
	ResourceVersionMatch string
	// Limit is the maximum number of items of a page; 0 or less is no limit.
	Limit    int64
	Continue string

	Watch               bool
	AllowWatchBookmarks bool
	SendInitialEvents   *bool
	// withoutInitial says that the server does not know sendInitialEvents, and so forbids any match of a watch.
	withoutInitial bool
	// Timeout ends a watch, a negative one at once; 0 is no end.
	Timeout time.Duration
}

// Default sets sendInitialEvents for a watch from "most recent" or from "any", which has always
// begun with the existing objects.
func (o *ListOptions) Default() {
	begins := o.ResourceVersion == "" || o.ResourceVersion == "0"
	if o.Watch && begins && o.SendInitialEvents == nil && o.ResourceVersionMatch == "" {
		initial := true
		o.SendInitialEvents, o.ResourceVersionMatch = &initial, MatchNotOlderThan
	}
}

// Validate checks the combination of options, and records if it refuses them. The error is a 422 with
// a cause for each violation.
func (o ListOptions) Validate(ctx context.Context, on gates.Set) error {
	rule, err := o.refusal(on)
	if err != nil {
		refuses(ctx, rule)
	}
	return err
}

// refusal returns the error for options that do not go together, and the rule by which they are
// refused.
func (o ListOptions) refusal(on gates.Set) (rule string, err error) {
	rule = semantics.ListInvalid
	var violations field.ErrorList
	if o.Watch {
		rule = semantics.WatchInvalid
	}
	if o.Watch && !o.withoutInitial {
		violations = o.validateWatch(on)
	} else {
		violations = o.validateList()
	}
	if len(violations) == 0 {
		return "", nil
	}
	return rule, status.NewInvalid(status.GroupKind{Group: "meta.k8s.io", Kind: "ListOptions"}, "", violations)
}

// validateList checks the options of a list; and those of a watch by the rules of v1.19 to v1.26, which knew
// resourceVersionMatch, and sendInitialEvents not yet.
func (o ListOptions) validateList() (errs field.ErrorList) {
	const at = field.Path("resourceVersionMatch")
	forbid := func(why string) { errs = append(errs, field.Forbidden(at, why)) }
	if match := o.ResourceVersionMatch; match != "" {
		if o.Watch {
			forbid("resourceVersionMatch is forbidden for watch")
		}
		if o.ResourceVersion == "" {
			forbid("resourceVersionMatch is forbidden unless resourceVersion is provided")
		}
		if o.Continue != "" {
			forbid("resourceVersionMatch is forbidden when continue is provided")
		}
		if match != MatchExact && match != MatchNotOlderThan {
			errs = append(errs, field.NotSupported(at, match, MatchExact, MatchNotOlderThan, ""))
		}
		if match == MatchExact && o.ResourceVersion == "0" {
			forbid(`resourceVersionMatch "exact" is forbidden for resourceVersion "0"`)
		}
	}
	if o.SendInitialEvents != nil {
		errs = append(errs, field.Forbidden("sendInitialEvents", "sendInitialEvents is forbidden for list"))
	}
	return errs
}

func (o ListOptions) validateWatch(on gates.Set) (errs field.ErrorList) {
	const at = field.Path("resourceVersionMatch")
	forbid := func(why string) { errs = append(errs, field.Forbidden(at, why)) }
	match := o.ResourceVersionMatch
	if o.SendInitialEvents != nil && match != MatchNotOlderThan {
		forbid("sendInitialEvents requires setting resourceVersionMatch to NotOlderThan")
	}
	if o.SendInitialEvents != nil && !on.Enabled(gates.WatchList) {
		errs = append(errs, field.Forbidden("sendInitialEvents",
			"sendInitialEvents is forbidden for watch unless the WatchList feature gate is enabled"))
	}
	if match == "" {
		return errs
	}
	if o.SendInitialEvents == nil {
		forbid("resourceVersionMatch is forbidden for watch unless sendInitialEvents is provided")
	}
	if match != MatchNotOlderThan {
		errs = append(errs, field.NotSupported(at, match, MatchNotOlderThan))
	}
	if o.Continue != "" {
		forbid("resourceVersionMatch is forbidden when continue is provided")
	}
	return errs
}

// parseVersion parses a resourceVersion option; an unset one is 0. The error is a text that some
// verbs answer with as it is.
func parseVersion(text string) (int64, error) {
	if text == "" || text == "0" {
		return 0, nil
	}
	n, err := strconv.ParseUint(text, 10, 64)
	if err != nil {
		return 0, field.Invalid("resourceVersion", text, err.Error())
	}
	return int64(min(n, math.MaxInt64)), nil
}
