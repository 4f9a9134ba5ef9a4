package apiserver

import (
	"mime"
	"net/http"
	"slices"
	"sort"
	"strconv"
	"strings"

	"github.com/tabernetes/tabernetes/core/status"
)

const (
	notAcceptable    = "only the following media types are accepted: "
	unsupportedMedia = "the body of the request was in an unknown format - accepted media types include: "
)

func listOf(types []mediaType) string {
	words := make([]string, len(types))
	for i, t := range types {
		words[i] = string(t)
	}
	return strings.Join(words, ", ")
}

// clause is one media range of an Accept header.
type clause struct {
	media  string
	params map[string]string
	q      float64
}

// includes reports whether the range includes a media type, whatever its parameters.
func (c clause) includes(t mediaType) bool {
	kind, any := strings.CutSuffix(c.media, "*")
	return c.media == string(t) || c.media == anyMedia || any && strings.HasPrefix(string(t), kind)
}

// parseAccept returns the media ranges of a header, the preferred first. Invalid ranges are left
// out, as are parameters. Between a specific range and one with a star the order of preference is
// not transitive, so the result depends on the sort algorithm, as in the real server.
func parseAccept(header string) []clause {
	var clauses []clause
	for part := range strings.SplitSeq(header, ",") {
		media, rest, _ := strings.Cut(part, ";")
		if media = strings.Trim(media, " "); media == "*" {
			media = anyMedia
		}
		if strings.Count(media, "/") != 1 {
			continue
		}
		c := clause{media, map[string]string{}, 1}
		for param := range strings.SplitSeq(rest, ";") {
			switch name, value, _ := strings.Cut(param, "="); {
			case value == "":
			case strings.Trim(name, " ") == "q":
				c.q, _ = strconv.ParseFloat(value, 32)
			default:
				c.params[strings.Trim(name, " ")] = strings.Trim(value, " ")
			}
		}
		clauses = append(clauses, c)
	}
	sort.Slice(clauses, func(i, j int) bool {
		a, b := clauses[i], clauses[j]
		return a.q > b.q || a.media[0] != '*' && b.media[0] == '*' || !strings.HasSuffix(a.media, "*") &&
			strings.HasSuffix(b.media, "*")
	})
	return clauses
}

const anyMedia = "*/*"

// serves reports whether a representation satisfies the parameters of a range, and returns the
// conversion that they ask for.
func (t mediaType) serves(params map[string]string, converts bool) (as conversion, ok bool) {
	for name, value := range params {
		switch {
		case value == "":
		case name == "stream" && (value != "watch" || !t.streams()):
			return as, false
		case name == "sv" && (!converts || value != "v1"):
			return as, false
		}
	}
	as, asked := askedConversion(params)
	return as, !asked || converts && t.converts(as)
}

// choose chooses the representation of the answer, with or without conversions. A range that asks for an unsupported
// one is skipped, so that the next one counts.
func (a *answer) choose(offered []mediaType, converts bool) error {
	if err := a.route(); err != nil {
		return err
	}
	a.offered, a.media, a.as, a.pretty = offered, offered[0], conversion{}, wantsPretty(a.request)
	header := first(a.request.Header["Accept"])
	if header == "" {
		return nil
	}
	for _, c := range parseAccept(header) {
		for _, t := range offered {
			as, ok := t.serves(c.params, converts)
			ok = ok && !(a.tableless && as.kind == kindTable)
			if ok && c.includes(t) && (as != conversion{} || !slices.Contains(a.converted, t)) {
				a.media, a.as, a.pretty = t, as, a.pretty || c.params["pretty"] == "1"
				return nil
			}
		}
	}
	a.media, a.pretty = mediaJSON, true
	return status.NewNotAcceptable(notAcceptable + listOf(offered))
}

// route returns an error if the Accept header includes none of the routes' media types.
func (a *answer) route() error {
	header := first(a.request.Header["Accept"])
	found := header == "" || a.routes == nil
	for part := range strings.SplitSeq(header, ",") {
		media, _, _ := strings.Cut(part, ";")
		media = strings.Trim(media, " ")
		found = found || media == anyMedia || slices.Contains(a.routes, mediaType(media))
	}
	if found {
		return nil
	}
	e := status.NewNotAcceptable("406: Not Acceptable\n\nAvailable representations: " + listOf(a.routes))
	e.Status.Details = &status.Details{}
	return e
}

// bodyType returns the representation of a request's body. The default is JSON.
func (s *Server) bodyType(r *http.Request) (mediaType, error) {
	header := first(r.Header["Content-Type"])
	if header == "" {
		return mediaJSON, nil
	}
	media, _, err := mime.ParseMediaType(header)
	if err == nil {
		for _, t := range s.served() {
			if media == string(t) {
				return t, nil
			}
		}
	}
	return "", status.NewUnsupportedMediaType(unsupportedMedia + listOf(s.served()))
}

// wantsPretty reports whether JSON is to be indented: if requested, or for the tools with which
// people read answers.
func wantsPretty(r *http.Request) bool {
	if text := queryWith(r, "pretty").Get("pretty"); text != "" {
		pretty, err := strconv.ParseBool(text)
		return err == nil && pretty
	}
	agent := first(r.Header["User-Agent"])
	return strings.HasPrefix(agent, "curl") || strings.HasPrefix(agent, "Wget") || strings.HasPrefix(agent, "Mozilla/5.0")
}
