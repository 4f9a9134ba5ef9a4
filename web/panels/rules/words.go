package rules

import (
	"encoding/json"
	"net/url"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/tabernetes/tabernetes/core/horizon"
	"github.com/tabernetes/tabernetes/core/semantics"
	"github.com/tabernetes/tabernetes/core/source"
	"github.com/tabernetes/tabernetes/core/wellknown"
	"github.com/tabernetes/tabernetes/web/app"
	"github.com/tabernetes/tabernetes/web/tap"
)

// An Outcome is the answer to a row's request.
type Outcome struct {
	Request string // as it was sent
	Status  int
	Body    string
	Source  source.Source
	// Words are what the answer is called, and Rule the sentence of the rule that the
	// server names. Gone is the sentence of the cause of a 410.
	Words, Rule, Gone string
	// Expected is what the row says, and Matches whether the answer is that, by the
	// row's rule.
	Expected string
	Matches  bool
	// Shows are the objects or events that came, Error why there is no answer.
	Shows, Error string
}

// Expected returns what a row says of the answer, with a cache that is behind or with one
// that keeps up.
func Expected(row semantics.Row, behind bool) string {
	if behind && row.AnswerBehind != "" {
		return row.AnswerBehind
	}
	return row.Answer
}

// Run sends a row's request to a fork and judges the answer.
func Run(c Client, p *Fixture, row semantics.Row, behind bool) Outcome {
	out := Outcome{Request: p.Fill(row.Request), Expected: Expected(row, behind)}
	res, err := c.Ask(app.Request{Method: "GET", Path: out.Request})
	if err != nil {
		out.Error = err.Error()
		return out
	}
	out.Status, out.Body = res.Status, res.Body
	if s, err := source.Parse(res.Get(wellknown.SourceHeader)); err != nil {
		out.Error = "the answer does not say where it comes from: " + err.Error()
	} else {
		out.Source = *s
	}
	if r, ok := semantics.RuleOf(out.Source.Rule); ok {
		out.Rule = r.Sentence
	}
	out.Gone = horizon.Cause(out.Source.Gone).Sentence()
	out.Words, out.Shows = Words(p, row.Verb, out.Request, res, out.Source)
	out.Matches = out.Error == "" && out.Words == out.Expected && out.Source.Rule == row.ID
	return out
}

// Words returns the name of an answer in the tables, and the objects or events that it shows: "a b c", "ADDED a,
// MODIFIED b". An answer that no row has is described as it is. Words never fails: a body that cannot be read is
// described as such.
func Words(p *Fixture, verb, request string, res app.Response, s source.Source) (words, shows string) {
	switch {
	case res.Status != 200:
		words = refusal(res)
	case verb == semantics.Watch:
		words, shows = watched(p, request, res.Body, s)
	default:
		words, shows = read(p, request, res.Body)
	}
	if s.Waited > 0 {
		words = "waits " + strconv.FormatInt(int64(s.Waited/time.Second), 10) + " s, then " + words
	}
	return words, shows
}

// object is what is read of a list, an object or a Status.
type object struct {
	Kind     string
	Metadata metadata
	Items    []struct{ Metadata metadata }
	Message  string
	Details  struct{ Causes []cause }
}

type metadata struct{ Name, ResourceVersion, Continue string }

// version returns the resourceVersion as a number, or 0 if it is not a number.
func (m metadata) version() int64 {
	n, _ := strconv.ParseInt(m.ResourceVersion, 10, 64)
	return n
}

type cause struct{ Field, Message string }

const unreadable = "an answer that cannot be read"

// read describes what a get or a list shows.
func read(p *Fixture, request, body string) (words, shows string) {
	var o object
	if json.Unmarshal([]byte(body), &o) != nil {
		return unreadable, ""
	}
	if !strings.HasSuffix(o.Kind, "List") {
		got := Write{o.Metadata.Name, o.Metadata.version()}
		return p.one(got), p.names([]Write{got})
	}
	var got []Write
	for _, item := range o.Items {
		got = append(got, Write{item.Metadata.Name, item.Metadata.version()})
	}
	version := o.Metadata.version()
	all, asOf, more := p.at(version), p.asOf(version), o.Metadata.Continue != ""
	shows = p.names(got)
	name := oneName(request)
	if name != "" {
		all = slices.DeleteFunc(all, func(w Write) bool { return w.Name != name })
	}
	for _, kind := range []struct {
		words string
		want  []Write
		more  bool
	}{
		{"", all, false},
		{"first page, ", all[:min(1, len(all))], true},
		{"next page, ", all[min(1, len(all)):min(2, len(all))], true},
		{"the rest, ", all[min(1, len(all)):], false},
	} {
		if more == kind.more && slices.Equal(got, kind.want) {
			if kind.words == "" && name == "" {
				kind.words = "all, "
			}
			return kind.words + asOf, shows
		}
	}
	return "other objects, " + asOf, shows
}

// one says in words which version of an object was read.
func (p *Fixture) one(got Write) string {
	for _, version := range []int64{p.Head, p.Cache, p.N} {
		if slices.Contains(p.at(version), got) {
			return p.asOf(version)
		}
	}
	return p.asOf(got.Version)
}

// names returns the names of objects, with a mark on those that were changed.
func (p *Fixture) names(all []Write) string {
	names := make([]string, len(all))
	for i, w := range all {
		names[i] = w.Name
		if p.changed(w) {
			names[i] += "′"
		}
	}
	return strings.Join(names, " ")
}

// changed reports whether a version is not an object's first one.
func (p *Fixture) changed(w Write) bool {
	first := slices.IndexFunc(p.Writes, func(o Write) bool { return o.Name == w.Name })
	return first >= 0 && p.Writes[first].Version < w.Version
}

// oneName returns the only name that a request asks for, or "" if it does not ask for a single name.
func oneName(request string) string {
	u, err := url.Parse(request)
	if err != nil {
		return ""
	}
	if _, name, found := strings.Cut(u.Path, "/secrets/"); found {
		return name
	}
	name, _ := strings.CutPrefix(u.Query().Get("fieldSelector"), "metadata.name=")
	return name
}

// watched describes what a watch has brought. s says after which version it began: events up to it are the initial
// ones.
func watched(p *Fixture, request, body string, s source.Source) (words, shows string) {
	var initial, later []Write
	var said []string
	mark := false
	for line := range strings.Lines(body) {
		e, err := tap.ParseWatchEvent(strings.TrimSpace(line))
		w := Write{e.Name, e.Rev}
		switch {
		case err != nil:
			return unreadable, strings.Join(said, ", ")
		case e.Type == "ERROR":
			return "ERROR event " + strconv.Itoa(e.Code), e.Message
		case e.Type == "BOOKMARK":
			mark = mark || e.InitialEnd
			said = append(said, "BOOKMARK "+strconv.FormatInt(e.Rev, 10))
			continue
		case e.Type == "ADDED" && e.Rev <= s.Revision:
			initial = append(initial, w)
		case e.Type == "ADDED" && !p.changed(w), e.Type == "MODIFIED" && p.changed(w):
			later = append(later, w)
		default:
			later = append(later, Write{e.Type + " " + e.Name, e.Rev})
		}
		name := e.Name
		if e.Type != "DELETED" {
			name = p.names([]Write{w})
		}
		said = append(said, e.Type+" "+name)
	}
	shows = strings.Join(said, ", ")

	known := p.Head // by the cache
	if p.Cache > 0 {
		known = p.Cache
	}
	due := p.between(s.Revision, known)
	if name := oneName(request); name != "" {
		due = slices.DeleteFunc(due, func(w Write) bool { return w.Name != name })
	}
	if !slices.Equal(later, due) {
		return "other changes after " + strconv.FormatInt(s.Revision, 10), shows
	}
	if len(initial) > 0 {
		asOf := p.asOf(s.Revision)
		// They come in any order.
		slices.SortFunc(initial, func(a, b Write) int { return strings.Compare(a.Name, b.Name) })
		if !slices.Equal(initial, p.at(s.Revision)) {
			return "ADDED for others " + asOf, shows
		}
		words = "ADDED for all " + asOf
		if mark {
			words += ", end mark"
		}
		return words + ", then changes", shows
	}
	switch {
	case s.Revision > p.Head:
		return "nothing up to that version", shows
	case s.Revision == p.Head:
		return "changes from now on", shows
	case s.Revision == p.Cache:
		return "changes after what the cache has", shows
	case s.Revision == p.N:
		return "changes after N", shows
	}
	return "changes after " + strconv.FormatInt(s.Revision, 10), shows
}

// whys are the reasons of a refusal in the words of the tables, by the beginnings of their messages.
var whys = []struct{ says, words string }{
	{"is forbidden unless resourceVersion is provided", "match without version"},
	{"is forbidden when continue is provided", "match with continue"},
	{`"exact" is forbidden for resourceVersion "0"`, "Exact with 0"},
	{"requires setting resourceVersionMatch to NotOlderThan", "needs NotOlderThan"},
	{"is forbidden for watch unless sendInitialEvents is provided", "match without sendInitialEvents"},
	{"resourceVersionMatch is forbidden for watch", "match of a watch"},
	{`supported values: "Exact", "NotOlderThan"`, "no such match"},
	{`supported values: "NotOlderThan"`, "only NotOlderThan"},
}

// refusal returns why there is no answer.
func refusal(res app.Response) string {
	code := strconv.Itoa(res.Status)
	var o object
	if json.Unmarshal([]byte(res.Body), &o) != nil {
		return code
	}
	switch res.Status {
	case 410:
		if t, err := tap.DecodeToken(o.Metadata.Continue); err == nil && t.Rev == -1 {
			return code + ", with a token for the rest as of now"
		}
	case 504:
		if after := res.Get("Retry-After"); after != "" {
			return code + ", `Retry-After: " + after + "`"
		}
	case 400:
		why, _, _ := strings.Cut(o.Message, ": ")
		return code + " " + why
	case 422:
		var words []string
		for _, c := range o.Details.Causes {
			why := c.Message
			for _, w := range whys {
				if strings.Contains(c.Message, w.says) {
					why = w.words
					break
				}
			}
			words = append(words, why)
		}
		return code + " " + strings.Join(words, ", ")
	}
	return code
}
