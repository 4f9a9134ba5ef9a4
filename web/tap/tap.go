// Package tap has what was observed of the page's API traffic: an Event for each thing that happens to a request, as
// the fetch shim reports it, and a Log, which makes an Exchange of each request. The list of requests, lessons, lanes,
// verdicts and the panel of the answer all read that one log. It is plain data, so that they can be tested without a
// browser.
//
// Invariants: the events of a request come in order: Request, Head, any number of Chunks, and End or Fail. An
// exchange's answer only grows, and its bytes are kept once; a watch's lines are read once, as they come. What is kept
// is bounded as a whole; an exchange says what it has lost (Trimmed, Bodyless, Gone).
//
// Costs: an event costs a map access, and for each byte of a watch's answer one look; what it brings is kept as it
// came, and joined only when it is read.
package tap

import (
	"strings"
	"time"

	"github.com/tabernetes/tabernetes/core/source"
)

// Type says what happened.
type Type string

const (
	Request Type = "request" // a request was made: Method, URL, Header, Body, Origin, Place
	Head    Type = "head"    // its answer began: Status, Header, Source
	Chunk   Type = "chunk"   // a part of the answer's body arrived: Text, the bytes as they came
	End     Type = "end"     // the answer is whole
	Fail    Type = "fail"    // the answer broke off: Err, Aborted
)

// An Event is one report. ID connects the events of a request; ids count up from 1 in the order in which requests were
// made.
type Event struct {
	Type   Type
	ID     int
	Time   time.Time
	Method string
	URL    string // path and query, as given to fetch
	Header []Field
	Body   string
	// Origin is "page" for a fetch by anything in the page, "console", "lesson",
	// "sample", "setup" or "lever" for the lab's own buttons.
	Origin string
	// Place names the cluster that it goes to: "tab", "devserver", a room's URL, "scene 1".
	Place   string
	Status  int
	Text    string
	Err     string
	Aborted bool
	Past    bool // from before the page was reloaded
	// Source is where the answer came from; nil if the server did not tell.
	Source *Source
}

// Passing reports whether the cluster of a place is gone when requests no longer go there: that of a scene.
func Passing(place string) bool { return strings.HasPrefix(place, "scene ") }

// Source is where an answer came from.
type Source = source.Source

// ParseSource reads what the shim reports of a Source; it returns nil without one, or of an unknown form.
func ParseSource(text string) *Source {
	if text == "" {
		return nil
	}
	s, err := source.Parse(text)
	if err != nil {
		return nil
	}
	return s
}

// Field is one header line.
type Field struct{ Name, Value string }

// ParseFields reads header lines, as people write them. What has no colon is not a header.
func ParseFields(text string) (out []Field) {
	for l := range strings.Lines(text) {
		if name, value, ok := strings.Cut(l, ":"); ok {
			out = append(out, Field{strings.TrimSpace(name), strings.TrimSpace(value)})
		}
	}
	return out
}

// Get returns the value of the first header of that name, in any case, or empty.
func Get(header []Field, name string) string {
	for _, f := range header {
		if strings.EqualFold(f.Name, name) {
			return f.Value
		}
	}
	return ""
}

// IsBinary reports whether bodies of a content type are no text.
func IsBinary(contentType string) bool {
	for _, word := range []string{"protobuf", "cbor", "octet-stream"} {
		if strings.Contains(contentType, word) {
			return true
		}
	}
	return false
}
