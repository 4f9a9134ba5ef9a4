package verdict

import (
	"strings"

	"github.com/tabernetes/tabernetes/core/source"
)

// A Policy is what an admission policy did to a write.
type Policy struct {
	Did  string // "Refused by"
	Name string
	// Binding is empty if the policy itself is wrong, and Expression if none of its expressions decided.
	Binding, Expression string
	Refused             bool
}

// Text says it in a line, before its expression.
func (p *Policy) Text() string {
	text := p.Did + " " + p.Name
	if p.Binding != "" {
		text += ", bound by " + p.Binding
	}
	if p.Expression != "" {
		text += ":"
	}
	return text
}

// dids are the words for what policies do.
var dids = map[string]string{
	source.Refused: "Refused by", source.Warned: "Warned by", source.Audited: "Noted for audit by",
	source.Changed: "Changed by", source.Ignored: "Failed, and was passed over:",
}

// policies returns what the server reports about policies. Acts that are not in dids, which a newer server may report,
// are left out.
func (f *facts) policies() (all []Policy) {
	for _, p := range f.Source.Policies {
		if did := dids[p.Did]; did != "" {
			all = append(all, Policy{Did: did, Name: p.Policy, Binding: p.Binding, Expression: p.Expression,
				Refused: p.Did == source.Refused})
		}
	}
	return all
}

// denied is what a policy's refusal says between its names and its message.
const denied = " denied request: "

// refuser returns the policy and the binding that refuse a request, and their message, as the answer says; an empty
// policy if none does. The answer's message may have a subject before the policy.
func (f *facts) refuser() (policy, binding, message string) {
	who, message, ok := strings.Cut(f.answer.Message, denied)
	if !ok {
		return "", "", ""
	}
	at := max(strings.Index(who, "ValidatingAdmissionPolicy "), strings.Index(who, "policy "))
	if at < 0 {
		return "", "", ""
	}
	_, who, _ = strings.Cut(who[at:], " ")
	policy, binding, _ = strings.Cut(who, " with binding ")
	return strings.Trim(policy, `'"`), strings.Trim(binding, "'"), message
}

// byPolicy says which policy refuses a request.
func (f *facts) byPolicy(v *Verdict) {
	policy, binding, message := f.refuser()
	v.Title = itoa(int64(f.Status)) + ": the policy " + policy + " refuses it."
	if binding != "" {
		v.Title = itoa(int64(f.Status)) + ": the policy " + policy + ", bound by " + binding + ", refuses it."
	}
	v.Words = strings.TrimSuffix(message, ".") + ". Nothing is stored."
}
