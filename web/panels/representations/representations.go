// Package representations is the lab's panel of that name: one object as the API
// server sends it in each of its representations, side by side, with their sizes
// and the requests that ask for them.
//
// Invariants: what is shown is what the server sent, JSON with line breaks and the
// binary ones byte by byte; a size is that of the answer's body; sizes are compared
// with compact JSON, as programs get it.
//
// Costs: an answer is laid out or decoded once, when it arrives. Drawing costs what
// is shown: lines of text, and Rows of the fields of a binary one.
package representations

//go:generate go tool templ generate -path .

import (
	"slices"
	"strings"

	"github.com/tabernetes/tabernetes/web/text"
	"github.com/tabernetes/tabernetes/web/text/wire"
)

// A Form is one of the representations.
type Form struct {
	ID, Name string
	Accept   string // the header that asks for it
	Type     string // the media type of the answer
	Binary   bool   // the answer's body is no text
}

const protobufType = "application/vnd.kubernetes.protobuf"

// Forms are all of them. The others are compared with the first.
var Forms = []Form{
	{ID: "json", Name: "JSON", Accept: "application/json", Type: "application/json"},
	{ID: "yaml", Name: "YAML", Accept: "application/yaml", Type: "application/yaml"},
	{ID: "table", Name: "Table", Accept: "application/json;as=Table;v=v1;g=meta.k8s.io", Type: "application/json"},
	{ID: "protobuf", Name: "Protobuf", Accept: protobufType, Type: protobufType, Binary: true},
	{ID: "cbor", Name: "CBOR", Accept: "application/cbor", Type: "application/cbor", Binary: true},
}

// Query is what a request for a form has behind its path. Without it an API server
// breaks the lines of JSON for browsers, which no program would get.
const Query = "?pretty=false"

// An Answer is what came back for a form.
type Answer struct {
	Request  int    // the id of the request, 0 if nobody shows requests
	Status   int    // 0: no answer came
	Type     string // the content type
	Body     string // text; of a binary form two digits for each byte
	Size     int    // of the body, in bytes
	GzipSize int    // the body's size with gzip, in bytes; 0: not known
	Err      string // why there is no answer
}

// rowsAtFirst is how many fields of a binary form are drawn until more are asked for.
const rowsAtFirst = 200

// A Panel is the state of the panel: one object, and what is known of it. Its zero
// value has no object.
type Panel struct {
	// Path is that of the object, Title how the object is called; Object names its
	// resource for links, as in "deployments.apps", and Ref the object for the shared
	// selection.
	Path, Title, Object, Ref string
	// Unfolded says that managedFields are shown in full.
	Unfolded bool

	answers map[string]*answer
	shown   []string // the forms that were chosen, the last one chosen last
}

// answer is an Answer that was read.
type answer struct {
	Answer
	lines    []text.Line
	grid     *text.Grid
	document *wire.Document
	rows     int
}

// Open shows another object. The forms that are chosen stay chosen.
func (p *Panel) Open(path, title, object, ref string) {
	p.Path, p.Title, p.Object, p.Ref = path, title, object, ref
	p.answers = nil
}

// Take takes the answer for a form. Its former answer is forgotten.
func (p *Panel) Take(form string, a Answer) {
	if p.answers == nil {
		p.answers = map[string]*answer{}
	}
	i := slices.IndexFunc(Forms, func(f Form) bool { return f.ID == form })
	if i < 0 {
		return
	}
	r := &answer{Answer: a, rows: rowsAtFirst}
	switch f := Forms[i]; {
	case a.Status != 200 || !f.is(a.Type):
	case f.Binary:
		r.document = wire.Read(a.Type, a.Body)
	case f.ID == "table":
		r.grid = text.Table(a.Body)
	case f.ID == "json":
		r.lines, _ = text.JSON(a.Body)
	default:
		r.lines = text.Split(a.Body)
	}
	p.answers[form] = r
}

// is reports whether a content type is the form's.
func (f Form) is(contentType string) bool {
	mime, _, _ := strings.Cut(contentType, ";")
	return strings.TrimSpace(mime) == f.Type
}

// Toggle shows a form beside the others, or no longer. One is always shown.
func (p *Panel) Toggle(form string) {
	chosen := slices.Clone(p.chosen())
	if i := slices.Index(chosen, form); i >= 0 {
		if len(chosen) > 1 {
			chosen = slices.Delete(chosen, i, i+1)
		}
	} else {
		chosen = append(chosen, form)
	}
	p.shown = chosen
}

// Only shows one form: where there is space for no more.
func (p *Panel) Only(form string) {
	chosen := slices.DeleteFunc(slices.Clone(p.chosen()), func(f string) bool { return f == form })
	p.shown = append(chosen, form)
}

// More shows more fields of a binary form.
func (p *Panel) More(form string) {
	if a := p.answers[form]; a != nil {
		a.rows += 5 * rowsAtFirst
	}
}

// chosen returns the forms that are shown; at first what people read, and what is the
// smallest.
func (p *Panel) chosen() []string {
	if p.shown == nil {
		return []string{"protobuf", "json"}
	}
	return p.shown
}
