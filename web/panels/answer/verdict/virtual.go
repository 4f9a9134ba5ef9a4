package verdict

import (
	"strings"

	"github.com/tabernetes/tabernetes/web/revisions"
	"github.com/tabernetes/tabernetes/web/text"
)

// virtualRows are the rows of POSTs that store no object, such as reviews.
var virtualRows = []row{
	{"allowed", func(f *facts) bool { return f.reviews() && f.answer.Status.Allowed }, Good, "review",
		func(f *facts, v *Verdict) {
			v.Title, v.Words = "Allowed: "+f.who()+" may "+f.asked()+".", f.why()
		}},
	{"denied", (*facts).reviews, Bad, "review", func(f *facts, v *Verdict) {
		v.Title, v.Words = "Denied: "+f.who()+" may not "+f.asked()+".", f.why()
	}},
	{"rules review", func(f *facts) bool {
		return f.virtual("authorization.k8s.io") && f.Info.Resource == "selfsubjectrulesreviews"
	}, Plain, "rules review", func(f *facts, v *Verdict) {
		v.Title = "You have " + text.Plural(int64(len(f.answer.Status.ResourceRules)), "rule", "rules") + " for objects."
		v.Words = "What they allow together is what you may do there. " + notStored
	}},
	{"who", func(f *facts) bool {
		return f.virtual("authentication.k8s.io") && f.Info.Resource == "selfsubjectreviews"
	}, Plain, "review", func(f *facts, v *Verdict) {
		v.Title, v.Words = "You are "+f.answer.Status.UserInfo.Username+".", notStored
	}},
	{"token review", func(f *facts) bool {
		return f.virtual("authentication.k8s.io") &&
			f.Info.Resource == "tokenreviews"
	},
		Plain, "review", func(f *facts, v *Verdict) {
			v.Title, v.Words = "The token belongs to no user.", notStored
			v.Tone = Bad
			if f.answer.Status.Authenticated {
				v.Tone, v.Title = Good, "The token is "+f.answer.Status.User.Username+"’s."
			}
		}},
	{"token", func(f *facts) bool {
		return f.wrote() && f.Info.Resource == "serviceaccounts" && f.Info.Subresource == "token"
	}, Good, "virtual", func(f *facts, v *Verdict) {
		v.Title = "A token for " + f.Info.Name + "."
		v.Words = notStored
		if until := f.answer.Status.ExpirationTimestamp; until != "" {
			v.Words = "It expires at " + until + ". " + notStored
		}
	}},
	{"eviction", func(f *facts) bool { return f.wrote() && f.Info.Subresource == "eviction" }, Good, "virtual",
		(*facts).evicted},
	{"binding", func(f *facts) bool {
		return f.wrote() && f.made > 0 && (f.Info.Subresource == "binding" || f.Info.Resource == "bindings")
	}, Good, "subresource", func(f *facts, v *Verdict) {
		v.Title = "Bound at " + itoa(f.last) + ": the Pod has a node."
		v.Words = f.received("MODIFIED")
	}},
}

const notStored = "The answer is made for this request: nothing is stored."

// virtual reports whether the request creates what is never stored, of a group.
func (f *facts) virtual(group string) bool {
	return f.over() && f.Info.Verb == "create" && f.Info.Group == group
}

// reviews reports whether the request asks what somebody may do.
func (f *facts) reviews() bool {
	return f.virtual("authorization.k8s.io") && strings.HasSuffix(f.Info.Resource, "accessreviews")
}

// who returns whose access was asked about.
func (f *facts) who() string {
	if user := f.answer.Spec.User; user != "" {
		return user
	}
	return "you"
}

// asked returns what was asked about, in words.
func (f *facts) asked() string {
	a := f.answer.Spec.ResourceAttributes
	if a == nil {
		if n := f.answer.Spec.NonResourceAttributes; n != nil {
			return n.Verb + " " + n.Path
		}
		return "do that"
	}
	orAll := func(s, all string) string {
		if s == "*" || s == "" {
			return all
		}
		return s
	}
	what := orAll(a.Resource, "all types")
	if a.Subresource != "" {
		what += "/" + a.Subresource
	}
	if a.Name != "" {
		what += " " + a.Name
	}
	if a.Namespace != "" {
		what += " in " + a.Namespace
	}
	return orAll(a.Verb, "do everything with") + " " + what
}

// why gives the reason of a review's answer.
func (f *facts) why() string {
	why := f.answer.Status.Reason
	if why == "" && !f.answer.Status.Allowed {
		why = "No rule allows it"
	}
	if why != "" {
		why = strings.TrimSuffix(strings.ToUpper(why[:1])+why[1:], ".") + ". "
	}
	return why + "The review itself succeeded. " + notStored
}

func (f *facts) evicted(v *Verdict) {
	switch pod := f.target; {
	case f.dry():
		v.Tone, v.Title = Plain, "A dry run: it would be evicted. Nothing is stored."
	case f.reported && f.made == 0:
		v.Tone, v.Title = Plain, "Nothing changed: the Pod is being deleted already."
	case pod == nil && f.made == 0:
		v.Title = "Evicted: no disruption budget objected."
	case pod == nil:
		v.Title = "Evicted at " + itoa(f.last) + "."
	case pod.Verb == revisions.Deleted:
		v.Title = "Evicted: the Pod " + f.Info.Name + " is deleted at " + itoa(pod.Revision) + "."
		v.Words = "No disruption budget objected. " + f.received("DELETED")
	default:
		v.Tone = Warn
		v.Title = "Evicted: the Pod is marked for deletion at " + itoa(pod.Revision) + "."
		v.Words = "No disruption budget objected. " + f.received("MODIFIED, not DELETED")
	}
}
