package history

import (
	"encoding/base64"
	"encoding/json"
	"net/http"
	"net/url"
	"strings"
	"time"

	"github.com/tabernetes/tabernetes/web/tap"
)

// The parts of an HTTP Archive 1.2 that an export has. Every member that the
// format requires is written, with -1 for sizes and times that are not known.
type (
	harLog struct {
		Version string     `json:"version"`
		Creator harName    `json:"creator"`
		Entries []harEntry `json:"entries"`
	}
	harName struct {
		Name    string `json:"name"`
		Version string `json:"version"`
		Comment string `json:"comment,omitempty"`
	}
	harEntry struct {
		Started  string      `json:"startedDateTime"`
		Time     float64     `json:"time"`
		Request  harRequest  `json:"request"`
		Response harResponse `json:"response"`
		Cache    struct{}    `json:"cache"`
		Timings  harTimings  `json:"timings"`
		Comment  string      `json:"comment,omitempty"`
		// What the format does not know has an underscore in front.
		Origin   string     `json:"_origin,omitempty"`
		Server   *int       `json:"_server,omitempty"`
		From     string     `json:"_from,omitempty"`
		Revision int64      `json:"_revision,omitempty"`
		Wrote    [][2]int64 `json:"_wrote,omitempty"`
	}
	harRequest struct {
		Method      string    `json:"method"`
		URL         string    `json:"url"`
		HTTPVersion string    `json:"httpVersion"`
		Cookies     []harPair `json:"cookies"`
		Headers     []harPair `json:"headers"`
		Query       []harPair `json:"queryString"`
		Post        *harPost  `json:"postData,omitempty"`
		HeadersSize int       `json:"headersSize"`
		BodySize    int       `json:"bodySize"`
	}
	harPost struct {
		MimeType string `json:"mimeType"`
		Text     string `json:"text"`
	}
	harResponse struct {
		Status      int        `json:"status"`
		StatusText  string     `json:"statusText"`
		HTTPVersion string     `json:"httpVersion"`
		Cookies     []harPair  `json:"cookies"`
		Headers     []harPair  `json:"headers"`
		Content     harContent `json:"content"`
		Redirect    string     `json:"redirectURL"`
		HeadersSize int        `json:"headersSize"`
		BodySize    int        `json:"bodySize"`
	}
	harContent struct {
		Size     int    `json:"size"`
		MimeType string `json:"mimeType"`
		Text     string `json:"text,omitempty"`
		Encoding string `json:"encoding,omitempty"`
		Comment  string `json:"comment,omitempty"`
	}
	harTimings struct {
		Send    float64 `json:"send"`
		Wait    float64 `json:"wait"`
		Receive float64 `json:"receive"`
	}
	harPair struct {
		Name  string `json:"name"`
		Value string `json:"value"`
	}
)

// HAR returns the requests as an HTTP Archive, version 1.2, which browsers' network panels and other tools read. origin
// is the page's: the format has whole URLs. Of requests under way it has what has come by now.
func HAR(entries []*tap.Exchange, origin string, now time.Time) ([]byte, error) {
	out := harLog{Version: "1.2", Creator: harName{Name: "Tabernetes", Version: "1"}, Entries: []harEntry{}}
	for _, e := range entries {
		out.Entries = append(out.Entries, har(e, origin, now))
	}
	return json.MarshalIndent(map[string]any{"log": out}, "", " ")
}

func har(e *tap.Exchange, origin string, now time.Time) harEntry {
	h := harEntry{
		Started: e.Started.UTC().Format("2006-01-02T15:04:05.000000Z07:00"),
		Request: harRequest{
			Method: e.Method, URL: origin + e.URL, HTTPVersion: "HTTP/1.1", Cookies: []harPair{}, Headers: pairs(e.Header),
			Query: query(e.URL), HeadersSize: -1, BodySize: len(e.Body),
		},
		Response: harResponse{
			Status: e.Status, StatusText: http.StatusText(e.Status), HTTPVersion: "HTTP/1.1", Cookies: []harPair{},
			Headers: pairs(e.ResHeader), Content: content(e), Redirect: e.Get("Location"), HeadersSize: -1, BodySize: e.Size,
		},
		Timings: timings(e, now),
		Origin:  e.Origin, From: e.Source.From, Revision: e.Source.Revision,
	}
	h.Time = h.Timings.Wait + h.Timings.Receive
	for _, s := range e.Source.Wrote {
		h.Wrote = append(h.Wrote, [2]int64{s.First, s.Last})
	}
	if e.Source.Server >= 0 {
		h.Server = &e.Source.Server
	}
	switch {
	case e.Bodyless:
		h.Request.BodySize = -1
	case e.Body != "":
		h.Request.Post = &harPost{MimeType: tap.Get(e.Header, "content-type"), Text: e.Body}
	}
	var notes []string
	for _, n := range []struct {
		is   bool
		text string
	}{
		{e.Kept, "made before the page was reloaded"},
		{e.Live(), "still running when this was written"},
		{e.Phase == tap.Aborted, "aborted"},
		{e.Phase == tap.Failed, "failed: " + e.Err},
		{e.Bodyless, "the body of the request was no longer kept"},
	} {
		if n.is {
			notes = append(notes, n.text)
		}
	}
	h.Comment = strings.Join(notes, "; ")
	return h
}

// content returns the answer's body: text as it is, anything else in base64.
func content(e *tap.Exchange) harContent {
	c := harContent{Size: e.Size, MimeType: e.Get("Content-Type"), Text: e.Text()}
	if e.Binary {
		c.Text, c.Encoding = base64.StdEncoding.EncodeToString([]byte(c.Text)), "base64"
	}
	if c.Text == "" {
		c.Encoding = ""
	}
	if e.Trimmed {
		c.Comment = "only the end of the body was kept"
		if c.Text == "" {
			c.Comment = "the body was no longer kept"
		}
	}
	return c
}

func timings(e *tap.Exchange, now time.Time) harTimings {
	end := now
	if !e.Ended.IsZero() {
		end = e.Ended
	}
	ms := func(d time.Duration) float64 { return float64(max(0, d).Microseconds()) / 1000 }
	if e.Answered.IsZero() {
		return harTimings{Wait: ms(end.Sub(e.Started))}
	}
	return harTimings{Wait: ms(e.Answered.Sub(e.Started)), Receive: ms(end.Sub(e.Answered))}
}

func pairs(fields []tap.Field) []harPair {
	out := make([]harPair, 0, len(fields))
	for _, f := range fields {
		out = append(out, harPair{f.Name, f.Value})
	}
	return out
}

// Query returns the parameters of a URL in their order, decoded as far as they can be.
func Query(target string) []tap.Field {
	_, raw, _ := strings.Cut(target, "?")
	var out []tap.Field
	for part := range strings.SplitSeq(raw, "&") {
		if part == "" {
			continue
		}
		name, value, _ := strings.Cut(part, "=")
		out = append(out, tap.Field{Name: unescape(name), Value: unescape(value)})
	}
	return out
}

func query(target string) []harPair { return pairs(Query(target)) }

func unescape(s string) string {
	if t, err := url.QueryUnescape(s); err == nil {
		return t
	}
	return s
}
