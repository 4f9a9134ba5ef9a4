package answer

import (
	"net/http"
	"slices"
	"strconv"
	"strings"

	"github.com/tabernetes/tabernetes/core/semantics"
	"github.com/tabernetes/tabernetes/web/history"
	"github.com/tabernetes/tabernetes/web/objects"
	"github.com/tabernetes/tabernetes/web/text"
	"github.com/tabernetes/tabernetes/web/timeline"
)

// A Verdict is an answer in one sentence, what follows from it, and the next
// thing to do.
type Verdict struct {
	Tone  string // "good", "warn", "bad"; empty: neither
	Title string
	Words string
	// Do is a request that continues from here, Label what its button says.
	Do    string
	Label string
	Badge *Badge
}

// A Badge says where an answer came from.
type Badge struct {
	Server   string // "C2", empty where there is only one
	From     string // "its watch cache", "etcd"
	Revision int64
	Head     int64
	Waited   string
	Rule     string // in a line
	Link     string // where Kubernetes documents it
}

func itoa(n int64) string { return strconv.FormatInt(n, 10) }

func plural(n int64, one, many string) string {
	if n == 1 {
		return "1 " + one
	}
	return text.Count(n) + " " + many
}

// badge reads a Source; servers is how many API servers there are.
func badge(s history.Source, servers int) *Badge {
	if s.From == "" && s.Rule == "" {
		return nil
	}
	b := &Badge{Revision: s.Revision, Head: s.Head}
	if servers > 1 {
		b.Server = "C" + strconv.Itoa(s.Server)
	}
	switch s.From {
	case "cache":
		b.From = "its watch cache"
	case "etcd":
		b.From = "etcd"
	}
	if s.Waited > 0 {
		b.Waited = s.Waited.String()
	}
	if r, ok := semantics.RuleOf(s.Rule); ok {
		b.Rule, b.Link = r.Sentence, r.Reference
	}
	return b
}

// A lister reads the answer of a list; it returns an error if the answer cannot be read, or not yet.
type lister func(*history.Entry) (timeline.ListAnswer, error)

// readNow reads an answer whenever it is asked for.
func readNow(e *history.Entry) (timeline.ListAnswer, error) { return timeline.ParseList(e.Text()) }

// verdict returns the verdict on an exchange.
func verdict(e *history.Entry, servers int) Verdict { return verdictOf(e, servers, readNow) }

// verdictOf is verdict with another way to read a list's answer.
func verdictOf(e *history.Entry, servers int, list lister) Verdict {
	v := judge(e, list)
	v.Badge = badge(e.Source, servers)
	if s := e.Source; v.Tone != "bad" && s.From == "cache" && s.Head > s.Revision && s.Revision > 0 &&
		e.Info.Verb != "watch" && e.Status == 200 {
		v.Tone = "warn"
		v.Title = "As the cache has it: " + plural(s.Head-s.Revision, "revision old", "revisions old") + "."
		v.Words = "The server’s watch cache is at " + itoa(s.Revision) + ", etcd at " + itoa(s.Head) +
			". Nothing in the answer says so but its version."
		v.Do, v.Label = with(e.URL, "resourceVersion", itoa(s.Head)), "Ask for ≥ "+itoa(s.Head)
	}
	return v
}

func judge(e *history.Entry, list lister) Verdict {
	switch {
	case e.Phase == history.Pending:
		return Verdict{Title: "Waiting for the answer", Words: waiting(e)}
	case e.Phase == history.Failed && e.Status == 0:
		return Verdict{Tone: "bad", Title: "There was no answer.", Words: e.Err}
	case e.Phase == history.Aborted && e.Status == 0:
		return Verdict{Title: "Aborted before it was answered."}
	case e.Status >= 400:
		return refused(e)
	}
	switch e.Info.Verb {
	case "watch":
		return watched(e)
	case "list":
		return listed(e, list)
	case "get":
		return got(e)
	case "create", "update", "patch", "delete", "deletecollection":
		return wrote(e)
	}
	return Verdict{}
}

// waiting returns what an answer waits for, as far as the request tells.
func waiting(e *history.Entry) string {
	switch rv := e.Info.Query.Get("resourceVersion"); {
	case e.Info.Verb == "watch":
		return "The API server begins to answer a watch when its cache has the version asked for."
	case rv != "" && rv != "0" && e.Info.Query.Get("resourceVersionMatch") != "Exact":
		return "The API server waits until its watch cache has revision " + rv + ", for 3 seconds at most."
	case e.Info.Verb == "get" || e.Info.Verb == "list":
		return "Without a version it has to be current: the API server waits until its watch cache has caught up with etcd."
	}
	return "The API server has not answered yet."
}

// refused explains an error.
func refused(e *history.Entry) Verdict {
	s := status(e.Text())
	v := Verdict{Tone: "bad", Title: strconv.Itoa(e.Status) + " " + http.StatusText(e.Status) + ".", Words: s.message}
	switch {
	case e.Status == 410 && e.Info.Query.Get("continue") != "":
		v.Title = "410: the continue token has expired."
		v.Words = whyGone(e, s.message) + " Start over for one consistent list."
		v.Do, v.Label = first(e.URL), "List again"
	case e.Status == 410:
		v.Title = "410: that revision is gone."
		v.Words = whyGone(e, s.message) + " List again, and go on from that list’s version."
		v.Do, v.Label = bare(e.URL), "List again"
	case e.Status == 404 && s.reason == "NotFound":
		v.Title = "404: it is not there."
	case e.Status == 409 && s.reason == "AlreadyExists":
		v.Title = "409: the name is taken."
	case e.Status == 409 && s.reason == "Conflict" && strings.Contains(s.message, "has been modified"):
		v.Title = "409: somebody else was faster."
		v.Words = "The object has a newer version than the one that was sent. Read it again, make the change, and send that."
	case e.Status == 409 && s.reason == "Conflict" && strings.Contains(s.message, "conflict with"):
		v.Title = "409: another manager owns that."
	case e.Status == 422:
		v.Title = "422: the object is not valid."
	case e.Status == 504 && s.reason == "Timeout" || strings.Contains(s.message, "Too large resource version"):
		v.Title = strconv.Itoa(e.Status) + ": the cache has not come that far."
		v.Words = s.message + ". The server waited for its watch cache and gave up; a client tries again."
	case e.Status == 429:
		v.Title = "429: too many requests at once. Try again."
	}
	return v
}

// whyGone returns a sentence about the cause of a 410, or its message if the server does not tell the cause.
func whyGone(e *history.Entry, message string) string {
	if c, ok := semantics.CauseOf(e.Source.Gone); ok {
		message = strings.ToUpper(c.Sentence[:1]) + c.Sentence[1:]
	}
	return strings.TrimSuffix(message, ".") + "."
}

// watched judges a stream.
func watched(e *history.Entry) Verdict {
	if code, at := lastError(e.End(maxLast)); code != "" {
		v := Verdict{Tone: "bad", Title: code + " inside a 200: list again.", Do: bare(e.URL), Label: "List again"}
		v.Words = at
		if from := e.Info.Query.Get("resourceVersion"); code == "410" && from != "" {
			v.Words = "The watch was accepted, then told that " + from + " is too old. " + whyGone(e, at)
		}
		return v
	}
	n := plural(int64(e.Events), "event", "events")
	switch {
	case e.Live() && e.Events == 0:
		return Verdict{Title: "Open: nothing has happened yet.",
			Words: "Each change of what it watches comes as one line. Its lane is on the stage."}
	case e.Live():
		return Verdict{Tone: "good", Title: "Open: " + n + " so far.",
			Words: "A client remembers the version of the last one: from there it can go on when the connection breaks."}
	case e.Phase == history.Aborted:
		return Verdict{Title: "Closed by its client, after " + n + "."}
	case e.Phase == history.Failed:
		return Verdict{Tone: "warn", Title: "Broken off, after " + n + ".",
			Words: "What happens now is not lost: watch again from the last version."}
	}
	return Verdict{Title: "Ended by the server, after " + n + ".",
		Words: "Its time was over, or it was cut. Watch again from the last version: nothing is lost."}
}

// listed judges a list.
func listed(e *history.Entry, list lister) Verdict {
	if e.Live() || e.Binary {
		return Verdict{}
	}
	a, err := list(e)
	if err != nil {
		return Verdict{}
	}
	what := e.Info.Resource
	if a.Count == 1 {
		what = singular(what)
	}
	v := Verdict{Tone: "good", Title: text.Count(a.Count) + " " + what + "."}
	if a.Rev > 0 {
		v.Words = "One state, that of revision " + itoa(a.Rev) + ". A watch from there misses nothing."
	}
	token := e.Info.Query.Get("continue")
	if s := e.Source; s.Rule == semantics.ListContinueInconsistent {
		v.Tone, v.Title = "warn", "Half of an old list, half of a new one."
		v.Words = "This page is of " + itoa(a.Rev) +
			", those before it are of an older state. Start over for one consistent list."
		v.Do, v.Label = first(e.URL), "List again"
		return v
	}
	switch {
	case a.Continue != "" && a.Remaining >= 0:
		v.Title = text.Count(a.Count) + " " + what + ", " + text.Count(a.Remaining) + " remain."
		v.Words = "All pages show revision " + itoa(a.Rev) + ", whatever is written meanwhile, for as long as that is kept."
		v.Do, v.Label = nextPage(e.URL, a.Continue), "Next page"
	case a.Continue != "":
		v.Title = text.Count(a.Count) + " " + what + ", more remain."
		v.Words = "All pages show revision " + itoa(a.Rev) + "."
		v.Do, v.Label = nextPage(e.URL, a.Continue), "Next page"
	case token != "":
		v.Title = "The last page: " + text.Count(a.Count) + " " + what + "."
		v.Words = "All pages showed revision " + itoa(a.Rev) + "."
	case a.Count == 0:
		v.Title = "No " + e.Info.Resource + "."
		v.Words = "The empty list has a version all the same, " + itoa(a.Rev) + ": a watch from there misses nothing."
	}
	return v
}

// singular returns the name of one object of a resource: plurals are English.
func singular(plural string) string {
	if s, ok := strings.CutSuffix(plural, "ies"); ok {
		return s + "y"
	}
	for _, end := range [...]string{"sses", "shes", "xes"} {
		if strings.HasSuffix(plural, end) {
			return strings.TrimSuffix(plural, "es")
		}
	}
	return strings.TrimSuffix(plural, "s")
}

// got judges a single object.
func got(e *history.Entry) Verdict {
	o, err := objects.Read(e.Text())
	if e.Binary || err != nil || o.Name == "" {
		return Verdict{}
	}
	return Verdict{Tone: "good", Title: e.Info.Resource + "/" + o.Name + ", last written at " + itoa(o.Revision) + "."}
}

// wrote judges a write.
func wrote(e *history.Entry) Verdict {
	what := e.Info.Resource
	if o, err := objects.Read(e.Text()); err == nil && o.Name != "" && e.Info.Subresource == "" {
		what += "/" + o.Name
	} else if e.Info.Name != "" {
		what += "/" + e.Info.Name
	}
	if e.Info.Query.Get("dryRun") != "" {
		return Verdict{Title: "A dry run: nothing was stored."}
	}
	done := map[string]string{"create": "Created ", "update": "Replaced ", "patch": "Changed ", "delete": "Deleted ",
		"deletecollection": "Deleted "}[e.Info.Verb]
	if e.Info.Resource == "controlplanes" {
		return Verdict{Tone: "good", Title: lever(e)}
	}
	s := e.Source
	if s.Rule == "" {
		return Verdict{Tone: "good", Title: done + what + "."}
	}
	switch n := written(s); {
	case n == 0 && s.Rule == semantics.WriteUnchanged:
		return Verdict{Title: "Nothing changed: no new revision.",
			Words: "The object is as the request wants it, so nothing was stored and no watch is told."}
	case n == 0:
		return Verdict{Tone: "good", Title: done + what + "."}
	case n == 1:
		return Verdict{Tone: "good", Title: done + what + ": revision " + itoa(s.Wrote[0].First) + ".",
			Words: "Every watch that this concerns is told, with that number."}
	default:
		return Verdict{Tone: "good", Title: done + what + ": " + text.Count(n) + " revisions, " + itoa(s.Wrote[0].First) +
			" to " + itoa(s.Wrote[len(s.Wrote)-1].Last) + ".",
			Words: "One request may write more than once: each write has a revision of its own."}
	}
}

// written returns how many revisions a request made.
func written(s history.Source) int64 {
	n := s.More
	for _, w := range s.Wrote {
		n += w.Last - w.First + 1
	}
	return n
}

type statusText struct{ reason, message string }

// status reads a Status.
func status(body string) statusText {
	a, err := timeline.ParseList(body)
	if err != nil {
		return statusText{}
	}
	return statusText{a.Reason, a.Message}
}

// maxLast is how much of a stream's end is looked at for an ERROR, in bytes.
const maxLast = 16 << 10

// lastError returns the code and message of a stream's last line, if it is an ERROR.
func lastError(text string) (code, message string) {
	text = strings.TrimRight(text, "\n")
	line := text[strings.LastIndexByte(text, '\n')+1:]
	if !strings.Contains(line, `"ERROR"`) {
		return "", ""
	}
	ev, err := timeline.ParseWatchEvent(line)
	if err != nil || ev.Type != "ERROR" {
		return "", ""
	}
	return strconv.Itoa(ev.Code), ev.Message
}

// bare returns the URL of a list without version and token.
func bare(u string) string {
	t, ok := timeline.ParseTarget(u)
	if !ok {
		return ""
	}
	return t.With()
}

// first returns the URL of a list's first page.
func first(u string) string {
	t, ok := timeline.ParseTarget(u)
	if !ok {
		return ""
	}
	return t.With("limit", t.Query.Get("limit"))
}

// with returns a URL with one parameter set, and without some others.
func with(u, name, value string, others ...string) string {
	head, query, _ := strings.Cut(u, "?")
	var kept []string
	for p := range strings.SplitSeq(query, "&") {
		if n, _, _ := strings.Cut(p, "="); n != "" && n != name && !slices.Contains(others, n) {
			kept = append(kept, p)
		}
	}
	return head + "?" + strings.Join(append(kept, name+"="+value), "&")
}

// nextPage returns a list's URL with the continue token in it.
func nextPage(u, token string) string {
	return with(u, "continue", token, "resourceVersion", "resourceVersionMatch")
}
