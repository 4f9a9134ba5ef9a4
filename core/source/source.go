package source

import (
	"context"
	"strconv"
	"strings"
	"time"
)

// The values of Source.From.
const (
	Cache = "cache" // the watch cache of the API server
	Etcd  = "etcd"
)

// MaxSpans is the maximum number of spans in a Source.
const MaxSpans = 64

// Source is the source of an answer.
type Source struct {
	// Request is the ID that the client has given the request; empty if none. It is not in the answer.
	Request string
	// Server is the API server that answered, counted from 0.
	Server int
	// From is Cache or Etcd; empty if the request was refused before anything was read.
	From string
	// Revision is that of the state in the answer, or after which a watch begins, or 0,
	// as with most errors and with writes.
	Revision int64
	// Head is the head revision of etcd at that moment; 0 if nothing was read.
	Head int64
	// Rule is the ID of a rule in core/semantics.
	Rule string
	// Gone is why there is no answer for a version that was too old, a horizon.Cause; empty if it was not.
	Gone string
	// Waited is how long a read waited for its cache, in the cluster's time and in whole milliseconds;
	// 0 if it did not.
	Waited time.Duration
	// Wrote are the revisions that the request has committed, in ascending order.
	Wrote []Span
	// More is the number of revisions that the request has committed beyond those in Wrote.
	More int64
	// Policies are the decisions of admission policies, in their order: see Decide.
	Policies []Verdict
}

// A Verdict is what an admission policy decided.
type Verdict struct {
	// Policy and Binding are names; Binding is empty if the policy itself is wrong.
	Policy, Binding string
	// Did is one of the words below.
	Did string
	// Expression is the one that decided; empty if it was no expression. What a header cannot hold is a question mark.
	Expression string
}

// The values of Verdict.Did.
const (
	Refused = "refused"
	Warned  = "warned"
	Audited = "audited"
	Changed = "changed" // the object
	Ignored = "ignored" // a failure, by failurePolicy
)

// The maximum number of verdicts in a Source, and of characters of their expressions.
const (
	MaxVerdicts   = 16
	maxExpression = 160
)

// Decide adds a verdict.
func (s *Source) Decide(v Verdict) {
	if len(s.Policies) < MaxVerdicts {
		v.Expression = printed(v.Expression)
		s.Policies = append(s.Policies, v)
	}
}

// printed returns the beginning of a text as a header can hold it.
func printed(text string) string {
	var b strings.Builder
	for i, c := range strings.Join(strings.Fields(text), " ") {
		if i >= maxExpression {
			return b.String() + "..."
		}
		if c < ' ' || c > '~' {
			c = '?'
		}
		b.WriteRune(c)
	}
	return b.String()
}

// Span is the revisions from First to Last.
type Span struct{ First, Last int64 }

type key struct{}

// With returns a context that carries a Source to be filled in; nil if the client does not ask.
func With(ctx context.Context, s *Source) context.Context { return context.WithValue(ctx, key{}, s) }

// Of returns the Source in a context, or nil.
func Of(ctx context.Context) *Source {
	s, _ := ctx.Value(key{}).(*Source)
	return s
}

// Without returns a context whose reads are not recorded: those that the answer does not show.
func Without(ctx context.Context) context.Context {
	if Of(ctx) == nil {
		return ctx
	}
	return With(ctx, nil)
}

// maxRequest is the maximum length of a request's ID.
const maxRequest = 64

// Asked returns the Source that a request with this value of wellknown.ExplainHeader asks for; nil if the value is not
// true. It may be spelled in any way, including that of structured fields, and have the parameter id.
func Asked(value string) *Source {
	if value == "" {
		return nil
	}
	value, rest, _ := strings.Cut(value, ";")
	if yes, err := strconv.ParseBool(value); (err != nil || !yes) && value != "?1" {
		return nil
	}
	s := new(Source)
	p := fieldParser{";" + rest}
	if params, err := p.parameters(); rest != "" && err == nil && p.rest == "" {
		if id, ok := params["id"].(token); ok && len(id) <= maxRequest {
			s.Request = strings.Clone(string(id))
		}
	}
	return s
}

// Wait adds to the waiting time of a read. Any wait counts as at least a millisecond, even one that
// took none of the cluster's time because the clock is paused.
func (s *Source) Wait(d time.Duration) {
	s.Waited += max(d.Truncate(time.Millisecond), time.Millisecond)
}

// Write adds a revision that the request has committed, greater than all before it.
func (s *Source) Write(rev int64) {
	if n := len(s.Wrote); s.More == 0 && n > 0 && s.Wrote[n-1].Last == rev-1 {
		s.Wrote[n-1].Last = rev
	} else if s.More == 0 && n < MaxSpans {
		s.Wrote = append(s.Wrote, Span{rev, rev})
	} else {
		s.More++
	}
}

// Has reports whether a revision is one of those in Wrote.
func (s *Source) Has(rev int64) bool {
	for _, w := range s.Wrote {
		if w.First <= rev && rev <= w.Last {
			return true
		}
	}
	return false
}

// most is the maximum integer of a structured field. A watch may ask to begin after a revision
// above it, which is then left out.
const most = 999_999_999_999_999

// String returns the value of the header; empty if the Source is.
func (s *Source) String() string {
	if s.Rule == "" {
		return ""
	}
	b := strconv.AppendInt([]byte("server="), int64(s.Server), 10)
	text := func(name, value string) {
		if value != "" {
			b = append(append(b, name...), value...)
		}
	}
	number := func(name string, n int64) {
		if n > 0 && n <= most {
			b = strconv.AppendInt(append(b, name...), n, 10)
		}
	}
	text(", from=", s.From)
	number(", revision=", s.Revision)
	number(", head=", s.Head)
	text(", rule=", s.Rule)
	text(", gone=", s.Gone)
	number(", waited=", s.Waited.Milliseconds())
	before := ", wrote=("
	for _, span := range s.Wrote {
		number(before, span.First)
		if span.Last > span.First {
			number(";to=", span.Last)
		}
		before = " "
	}
	if len(s.Wrote) > 0 {
		b = append(b, ')')
	}
	number(", more=", s.More)
	for i, v := range s.Policies {
		if i == 0 {
			b = append(b, ", policies=("...)
		} else {
			b = append(b, ' ')
		}
		b = appendText(b, v.Policy)
		text(";did=", v.Did)
		for _, p := range [][2]string{{";binding=", v.Binding}, {";expression=", v.Expression}} {
			if p[1] != "" {
				b = appendText(append(b, p[0]...), p[1])
			}
		}
	}
	if len(s.Policies) > 0 {
		b = append(b, ')')
	}
	return string(b)
}

// appendText appends a string of structured fields.
func appendText(b []byte, text string) []byte {
	b = append(b, '"')
	for i := range len(text) {
		if text[i] == '"' || text[i] == '\\' {
			b = append(b, '\\')
		}
		b = append(b, text[i])
	}
	return append(b, '"')
}
