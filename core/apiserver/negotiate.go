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

// parseAccept returns the media ranges of a header, the preferred first. Ranges
// that cannot be read are left out. Of what is named and "*/*" either can be
// before the other; where both can, the header's order decides, as sorting by
// this very relation has always had it.
func parseAccept(header string) []clause {
	var clauses []clause
	for part := range strings.SplitSeq(header, ",") {
		media, params, err := mime.ParseMediaType(part)
		if err != nil {
			continue
		}
		q := 1.0
		if text, ok := params["q"]; ok {
			if q, err = strconv.ParseFloat(text, 64); err != nil {
				q = 0
			}
			delete(params, "q")
		}
		clauses = append(clauses, clause{media, params, q})
	}
	sort.Slice(clauses, func(i, j int) bool {
		a, b := clauses[i], clauses[j]
		return a.q > b.q || a.media != anyMedia && b.media == anyMedia
	})
	return clauses
}

const anyMedia = "*/*"

// serves says whether a representation can be as the parameters of a range ask,
// and what objects are to be shown as.
func (t mediaType) serves(params map[string]string, converts bool) (as conversion, ok bool) {
	for name, value := range params {
		switch {
		case value == "":
		case name == "stream" && (value != "watch" || !t.streams()):
			return as, false
		case name == "sv" && value != "v1":
			return as, false
		}
	}
	as, asked := askedConversion(params)
	return as, !asked || converts && t.converts(as)
}

// negotiate chooses the representation of an answer that objects may be in. A
// range that asks for what is not served is passed over, so that the next one
// counts.
func (a *answer) negotiate(offered []mediaType) error { return a.choose(offered, true) }

// choose chooses the representation of the answer, with or without conversions.
func (a *answer) choose(offered []mediaType, converts bool) error {
	header := a.request.Header.Get("Accept")
	a.media, a.as, a.pretty = offered[0], conversion{}, wantsPretty(a.request)
	if header == "" {
		return nil
	}
	named := false // whether a range is of a type that is offered, whatever else it asks for
	for _, c := range parseAccept(header) {
		for _, t := range offered {
			if c.media != string(t) && c.media != anyMedia {
				continue
			}
			named = true
			if as, ok := t.serves(c.params, converts); ok {
				a.media, a.as, a.pretty = t, as, a.pretty || c.params["pretty"] == "1"
				return nil
			}
		}
		named = named || slices.Contains(a.routes, mediaType(c.media))
	}
	a.media = mediaJSON
	if !named && a.routes != nil {
		e := status.NewNotAcceptable("406: Not Acceptable\n\nAvailable representations: " + listOf(a.routes))
		e.Status.Details = &status.Details{}
		return e
	}
	return status.NewNotAcceptable(notAcceptable + listOf(offered))
}

// bodyType is the representation of a request's body. None counts as JSON.
func (s *Server) bodyType(r *http.Request) (mediaType, error) {
	header := r.Header.Get("Content-Type")
	if header == "" {
		return mediaJSON, nil
	}
	media, _, err := mime.ParseMediaType(header)
	if err == nil {
		for _, t := range s.served(false) {
			if media == string(t) {
				return t, nil
			}
		}
	}
	return "", status.NewUnsupportedMediaType(unsupportedMedia + listOf(s.served(false)))
}

// wantsPretty says whether JSON is to be indented: if asked, or for the tools
// that people read answers with.
func wantsPretty(r *http.Request) bool {
	if text := r.URL.Query().Get("pretty"); text != "" {
		pretty, err := strconv.ParseBool(text)
		return err == nil && pretty
	}
	agent := r.Header.Get("User-Agent")
	return strings.HasPrefix(agent, "curl") || strings.HasPrefix(agent, "Wget") || strings.HasPrefix(agent, "Mozilla/5.0")
}
