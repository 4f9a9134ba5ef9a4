package apiserver

import (
	"mime"
	"net/http"
	"sort"
	"strconv"
	"strings"

	"github.com/tabernetes/tabernetes/core/status"
)

// mediaType is a representation of objects.
type mediaType string

const (
	mediaJSON mediaType = "application/json"
	mediaYAML mediaType = "application/yaml"
)

// served are the representations of single objects and lists, the default first.
var served = []mediaType{mediaJSON, mediaYAML}

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

// parseAccept returns the media ranges of a header, the preferred first (RFC 9110,
// section 12.5.1). Ranges that cannot be read are left out.
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
				q = 1
			}
			delete(params, "q")
		}
		clauses = append(clauses, clause{media, params, q})
	}
	sort.SliceStable(clauses, func(i, j int) bool { return clauses[i].q > clauses[j].q })
	return clauses
}

// negotiate chooses the representation of the answer. A range that asks for a
// conversion that is not served is passed over, so that the next one counts.
func negotiate(r *http.Request, offered []mediaType) (mediaType, error) {
	header := strings.Join(r.Header.Values("Accept"), ",")
	if header == "" {
		return offered[0], nil
	}
	for _, c := range parseAccept(header) {
		if c.params["as"] != "" {
			continue
		}
		for _, t := range offered {
			if c.media == string(t) || c.media == "*/*" {
				return t, nil
			}
		}
	}
	return "", status.NewNotAcceptable(notAcceptable + listOf(offered))
}

// bodyType is the representation of a request's body. None counts as JSON.
func bodyType(r *http.Request) (mediaType, error) {
	header := r.Header.Get("Content-Type")
	if header == "" {
		return mediaJSON, nil
	}
	media, _, err := mime.ParseMediaType(header)
	if err == nil {
		for _, t := range served {
			if media == string(t) {
				return t, nil
			}
		}
	}
	return "", status.NewUnsupportedMediaType(unsupportedMedia + listOf(served))
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
