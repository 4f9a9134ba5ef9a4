package answer

import (
	"strconv"

	"github.com/a-h/templ"

	"github.com/tabernetes/tabernetes/web/history"
	"github.com/tabernetes/tabernetes/web/tap"
	"github.com/tabernetes/tabernetes/web/text"
)

// exchange returns the request's side of an entry: what was sent, and where the
// answer comes from.
func (r *response) exchange(e *tap.Exchange) templ.Component {
	x := ExchangeData{Method: e.Method, URL: e.URL, Facts: r.facts(e), Params: history.Query(e.URL), Headers: e.Header}
	switch {
	case e.Bodyless:
		x.Note = "The body is no longer kept: newer requests needed the space."
	case e.Body == "":
		x.Note = "No body."
	default:
		lines, ok := text.JSON(e.Body)
		if !ok {
			lines = text.Split(e.Body)
		}
		x.Body, x.Lines = text.Blocks(lines, e.Info.GroupResource()), len(lines)
	}
	return Exchange(x)
}

// facts returns what is known of a request that is not in its text.
func (r *response) facts(e *tap.Exchange) []tap.Field {
	var out []tap.Field
	add := func(name, value string) {
		if value != "" {
			out = append(out, tap.Field{Name: name, Value: value})
		}
	}
	rev := func(n int64) string {
		if n == 0 {
			return ""
		}
		return strconv.FormatInt(n, 10)
	}
	add("made by", history.OriginName(e.Origin))
	add("command", e.Command())
	when := e.Started.Local().Format("15:04:05.000")
	if e.Kept {
		when += ", before the reload"
	}
	add("at", when)
	s := e.Source
	if s.Server >= 0 && (s.Server > 0 || len(r.Seen.State.Caches) > 1) {
		add("answered by", "C"+strconv.Itoa(s.Server))
	}
	add("read from", s.From)
	add("as of revision", rev(s.Revision))
	if s.Head > s.Revision && s.Revision > 0 {
		add("behind the newest by", text.Plural(s.Head-s.Revision, "revision", "revisions"))
	}
	for i, w := range s.Wrote {
		if i == 0 {
			add("made revision", history.Spell(w))
		} else {
			add("and", history.Spell(w))
		}
	}
	add("history begins at", rev(e.HistoryFrom))
	if s.Waited > 0 {
		add("waited for the cache", text.Duration(s.Waited))
	}
	add("rule", s.Rule)
	add("cause of the 410", s.Gone)
	return out
}
