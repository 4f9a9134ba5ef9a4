package verdict

import (
	"encoding/json"
	"net/http"
	"strconv"
	"strings"

	"github.com/tabernetes/tabernetes/core/horizon"
	"github.com/tabernetes/tabernetes/core/semantics"
	"github.com/tabernetes/tabernetes/web/text"
)

// refused returns what fits answers of a status, that have all of these properties.
func refused(status int, all ...func(*facts) bool) func(*facts) bool {
	return func(f *facts) bool {
		if f.Status != status {
			return false
		}
		for _, fits := range all {
			if !fits(f) {
				return false
			}
		}
		return true
	}
}

// reason returns what fits a Status with a reason, and says with what has one of these in its message.
func reason(reason string) func(*facts) bool {
	return func(f *facts) bool { return f.answer.Reason == reason }
}

func says(words string) func(*facts) bool {
	return func(f *facts) bool { return strings.Contains(f.answer.Message, words) }
}

func cause(field, reason string) func(*facts) bool {
	return func(f *facts) bool { return f.answer.cause(field, reason) }
}

// because says a title, with the server's message.
func because(text string) func(*facts, *Verdict) {
	return func(f *facts, v *Verdict) { v.Title, v.Words = text, f.answer.Message }
}

// refusedRows are those of errors.
var refusedRows = []row{
	{"refused and stored", func(f *facts) bool { return f.Status >= 400 && f.made > 0 }, Bad, "", func(f *facts,
		v *Verdict) {
		v.Title = strconv.Itoa(f.Status) + ", and yet " + text.Plural(f.made, "revision was", "revisions were") +
			" made, up to " +
			itoa(f.last) + "."
		v.Words = f.answer.Message
	}},
	{"webhook", func(f *facts) bool {
		return f.Status >= 400 && strings.HasPrefix(f.answer.Message, "admission webhook ") && says(" denied the request")(f)
	}, Bad, "webhook", func(f *facts, v *Verdict) {
		name, _, _ := strings.Cut(strings.TrimPrefix(f.answer.Message, `admission webhook "`), `"`)
		v.Title, v.Words = "Refused by the webhook "+name+".", f.answer.Message+". Nothing is stored."
	}},

	{"policy", func(f *facts) bool {
		policy, _, _ := f.refuser()
		return f.Status >= 400 && policy != ""
	}, Bad, "", (*facts).byPolicy},
	{"strict", refused(400, says("strict decoding error")), Bad, "fieldValidation",
		because("400: strict field validation refuses a field.")},
	{"version with a token", refused(400, says("specifying resource version is not allowed when using continue")), Bad,
		"exact", because("400: a token has its version inside.")},
	{"bad request", refused(400), Bad, "", because("400: the server cannot read the request.")},
	{"who asks", refused(401), Bad, "forbidden", because("401: the server does not know who asks.")},
	{"terminating", refused(403, cause("", "NamespaceTerminating")), Bad, "terminating",
		because("403: the namespace is being deleted.")},
	{"quota", refused(403, says("exceeded quota: ")), Bad, "quota", because("403: the quota would be exceeded.")},
	{"quota of a room", refused(403, says("exceeded quota")), Bad, "forbidden",
		because("403: the quota would be exceeded.")},
	{"forbidden", refused(403, says(" cannot ")), Bad, "forbidden", func(f *facts, v *Verdict) {
		v.Title, v.Words = "403: not allowed.", f.answer.Message
		if _, rest, ok := strings.Cut(f.answer.Message, `User "`); ok {
			user, _, _ := strings.Cut(rest, `"`)
			v.Title = "403: " + user + " may not " + f.Info.Verb + " " + f.Info.Resource + "."
		}
	}},
	{"refused by a rule", refused(403), Bad, "forbidden", because("403: the server does not do that.")},
	{"no such path", func(f *facts) bool { return f.Status == 404 && f.answer.Details.Name == "" }, Bad, "no path",
		(*facts).nowhere},
	{"no namespace", refused(404, func(f *facts) bool {
		return f.answer.Details.Kind == "namespaces" && f.Info.Resource != "namespaces"
	}), Bad, "not there", func(f *facts, v *Verdict) {
		v.Title, v.Words = "404: there is no namespace "+f.answer.Details.Name+".", f.answer.Message
	}},
	{"not there", refused(404), Bad, "not there", func(f *facts, v *Verdict) {
		v.Title, v.Words = "404: there is no "+f.subject()+".", f.answer.Message
		if n := f.behind(); n > 0 {
			v.Words = "As the cache has it, which is " + text.Plural(n, "revision", "revisions") +
				" behind etcd: it may exist by now."
			v.Step = steps["stale get"]
		}
	}},
	{"method", refused(405), Bad, "method", func(f *facts, v *Verdict) {
		v.Title, v.Words = "405: no "+f.Method+" here.", f.answer.Message
	}},
	{"no such format", refused(406), Bad, "format", because("406: the server does not answer in that format.")},
	{"taken", refused(409, reason("AlreadyExists")), Bad, "taken", because("409: the name is taken.")},
	{"outdated", refused(409, says("the object has been modified")), Bad, "conflict", (*facts).outdated},
	{"other manager", refused(409, says("conflict with")), Bad, "apply conflict",
		because("409: another manager owns that.")},
	{"precondition", refused(409, says("recondition")), Bad, "precondition",
		because("409: this is not the object that was meant.")},
	{"conflict", refused(409), Bad, "conflict", because("409: that does not go with what is there.")},
	{"gone", refused(410), Bad, "gone list", func(f *facts, v *Verdict) {
		v.Title, v.Words = f.gone(f.answer.Message)
		v.Words += " List again, and continue from that list’s version."
		v.Next = &Next{Label: "List again", Path: bare(f.URL)}
		if f.Info.Query.Get("continue") != "" {
			if f.Source.Gone == "" {
				v.Title = "410: the continue token has expired."
			}
			v.Words = "The continue token has expired. " + strings.TrimSuffix(v.Words,
				"List again, and continue from that list’s version.") + "Start over for one consistent list."
			v.Next.Path, v.Step = first(f.URL), steps["gone token"]
		}
	}},
	{"too long", refused(413), Bad, "", because("413: the body is too long.")},
	{"content type", refused(415), Bad, "content type", because("415: the server does not read that format.")},
	{"no manager", refused(422, says("fieldManager: Required")), Bad, "apply", because("422: it needs a field manager.")},
	{"options", refused(422, func(f *facts) bool { return strings.HasSuffix(f.answer.Details.Kind, "Options") }), Bad,
		"", (*facts).options},
	{"patch", refused(422, says("error in our request"), func(f *facts) bool { return f.Info.Verb == "patch" }), Bad,
		"patch",
		title("422: the patch cannot be applied.", "A test in it has failed, or a path in it does not exist: "+
			"the server does not say which. Nothing is stored.")},
	{"invalid", refused(422), Bad, "invalid", because("422: the object is not valid.")},
	{"budget", refused(429, cause("", "DisruptionBudget")), Bad, "virtual",
		because("429: a disruption budget forbids it for now.")},
	{"too many", refused(429), Bad, "try again", because("429: too many requests at once. Try again.")},
	{"garbage version", refused(500, func(f *facts) bool {
		return f.Source.Rule == semantics.GetInvalid || f.Source.Rule == semantics.WatchInvalid
	}), Bad, "resourceVersionMatch", because("500: the version is not a number.")},
	{"not yet", func(f *facts) bool { return f.Status >= 500 && says("Too large resource version")(f) }, Bad, "not yet",
		(*facts).notYet},
	{"try again", refused(504), Bad, "try again", because("504: it took too long. Try again.")},
	{"error", func(f *facts) bool { return f.Status >= 400 }, Bad, "try again", func(f *facts, v *Verdict) {
		v.Title, v.Words = strconv.Itoa(f.Status)+": "+strings.ToLower(http.StatusText(f.Status))+".", f.answer.Message
	}},
}

// outdated says which version was sent, and which the object has. It does not say who has changed it: that may have
// been the client itself.
func (f *facts) outdated(v *Verdict) {
	v.Title = "409: the object has changed since."
	v.Words = "Read the object again, make the change, and send that."
	var sent answer
	_ = json.Unmarshal([]byte(asJSON(f.Header, f.Body)), &sent)
	if f.Commits == nil {
		return
	}
	var at int64
	for c := range f.Commits(0, f.Source.Head) {
		if f.isTarget(&c) {
			at = c.Revision
		}
	}
	switch n := sent.revision(); {
	case at == 0:
	case n == 0 || n == at: // the server has compared another version: it has tried more than once
		v.Words = "It is at " + itoa(at) + ". " + v.Words
	default:
		v.Title = "409: you sent " + itoa(n) + "; it is at " + itoa(at) + "."
	}
}

// options says what is wrong with the options of a request.
func (f *facts) options(v *Verdict) {
	v.Title, v.Words = "422: the options do not go together.", f.answer.Message
	for _, c := range f.answer.Details.Causes {
		v.Step = steps[c.Field]
		switch c.Reason {
		case "FieldValueNotSupported", "FieldValueTooLong":
			v.Title = "422: " + c.Field + " cannot have that value."
		}
		if c.Field == "force" {
			v.Title = "422: force is for apply only."
		}
	}
}

// nowhere says that a path leads nowhere, and which one may be meant.
func (f *facts) nowhere(v *Verdict) {
	v.Title, v.Words = "404: there is nothing at this path.", f.answer.Message
	if f.Meant == nil {
		return
	}
	if path := f.Meant(f.URL); path != "" {
		v.Words = "Perhaps the path should be " + path + "."
		v.Next = &Next{Label: "Ask for that", Method: f.Method, Path: path, Body: f.Body}
		if f.Method != http.MethodGet {
			v.Next.Label = "Write that"
		}
	}
}

// notYet says that a version has not been reached, by the cache or by anybody.
func (f *facts) notYet(v *Verdict) {
	rev, s := f.version(), f.Source
	v.Title, v.Words = strconv.Itoa(f.Status)+": that version does not exist yet.", f.answer.Message+"."
	switch {
	case s.Head > 0 && rev > s.Head:
		v.Title = strconv.Itoa(f.Status) + ": there is no revision " + itoa(rev) + " yet."
		v.Words = "The head of etcd is " + itoa(s.Head) + "."
	case s.From == "cache":
		v.Title = strconv.Itoa(f.Status) + ": the cache is not there yet."
	}
	if s.Waited > 0 {
		v.Words += " The server waited " + s.Waited.String() + " for its watch cache and gave up; a client tries again."
	}
}

// gone names the cause of a 410, and explains it; the title names no cause if the server does not.
func (f *facts) gone(message string) (title, words string) {
	cause := horizon.Cause(f.Source.Gone)
	words = cause.Sentence()
	if words == "" {
		return "410: that revision is gone.", strings.TrimSuffix(message, ".") + "."
	}
	rev := "it"
	if n := f.wanted(); n > 0 {
		rev = itoa(n)
	}
	words = strings.ToUpper(words[:1]) + words[1:] + "."
	if at := f.State.Compacted; cause == horizon.Compacted && at > f.wanted() && f.wanted() > 0 {
		return "410: etcd was compacted at " + itoa(at) + ", after " + rev + ".", words
	}
	return "410: " + cause.Short(f.Info.Resource, rev) + ".", words
}
