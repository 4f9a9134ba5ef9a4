package representations

import (
	"encoding/json"
	"net/http"
	"slices"
	"strconv"
	"strings"

	"github.com/tabernetes/tabernetes/web/text"
	"github.com/tabernetes/tabernetes/web/text/wire"
)

// A View is what is drawn of a Panel.
type View struct {
	Title, Ref string
	Columns    []Column
}

// A Column is a form with its answer.
type Column struct {
	Form
	Shown bool // among those side by side
	Main  bool // the one that is shown where there is space for no more
	Ref   string
	// Request is the first line of the request, Answer what came back, in words.
	Request, Answer string
	Waiting         bool
	// Size, and Percent of the first form's, are texts, empty where they are not known.
	// Share is the size in percent of the largest.
	Size, Percent string
	Share         int
	// Problem is shown instead of a body. Gate says that turning a feature gate on would solve it.
	Problem string
	Gate    bool

	Blocks   []string // of text
	Lines    int
	Grid     *text.Grid
	Document wire.View
}

// View returns what there is to draw.
func (p *Panel) View() View {
	v := View{Title: p.Title, Ref: p.Ref}
	chosen := p.chosen()
	largest := 0
	for _, a := range p.answers {
		largest = max(largest, a.size())
	}
	base := 0
	if a := p.answers[Forms[0].ID]; a != nil {
		base = a.size()
	}
	for _, f := range Forms {
		c := Column{
			Form: f, Request: "GET " + p.Path + Query,
			Shown: slices.Contains(chosen, f.ID), Main: chosen[len(chosen)-1] == f.ID,
		}
		if a := p.answers[f.ID]; a != nil {
			c.fill(a, p, base, largest)
		} else {
			c.Waiting = true
		}
		v.Columns = append(v.Columns, c)
	}
	return v
}

// size returns that of an answer that is the object, 0 of others.
func (a *answer) size() int {
	if a.Status != http.StatusOK {
		return 0
	}
	return a.Size
}

// fill puts an answer into the column.
func (c *Column) fill(a *answer, p *Panel, base, largest int) {
	if a.Request > 0 {
		c.Ref = "req-" + strconv.Itoa(a.Request)
	}
	c.Answer = c.statusText(a)
	if c.Problem = c.problem(a); c.Problem != "" {
		return
	}
	n := a.size()
	c.Size = text.Count(n) + " B"
	c.Share = percent(n, largest)
	if base > 0 && c.ID != Forms[0].ID {
		c.Percent = strconv.Itoa(percent(n, base)) + " %"
	}
	if a.GzipSize > 0 {
		c.Answer += ", with gzip " + text.Count(a.GzipSize) + " B"
	}
	switch {
	case a.document != nil:
		c.Document = wire.View{Document: a.document, Label: p.Title + " in " + c.Name + ", byte by byte", Rows: a.rows}
	case a.grid != nil:
		c.Grid = a.grid
	default:
		lines := text.Fold(a.lines, p.Unfolded)
		c.Blocks, c.Lines = text.Blocks(lines, p.Object), len(lines)
	}
}

// percent returns how many hundredths of a whole a part is, rounded.
func percent(part, whole int) int {
	if whole == 0 {
		return 0
	}
	return (100*part + whole/2) / whole
}

// statusText returns the answer in words: "200 OK, application/yaml".
func (c *Column) statusText(a *answer) string {
	if a.Status == 0 {
		return "no answer"
	}
	s := strconv.Itoa(a.Status) + " " + http.StatusText(a.Status)
	if a.Type != "" {
		s += ", " + a.Type
	}
	return s
}

// problem returns why the answer is not the object in that form; empty if it is.
func (c *Column) problem(a *answer) string {
	switch {
	case a.Status == 0:
		return "There is no answer: " + a.Err
	case a.Status == http.StatusNotAcceptable && c.ID == "cbor":
		c.Gate = true
		return "This API server does not write CBOR: its feature gate CBORServingAndStorage is off, as it is by default."
	case a.Status == http.StatusNotAcceptable && c.ID == "protobuf":
		return "Objects of this kind have no protobuf: only built-in kinds have messages, custom resources do not."
	case a.Status != http.StatusOK:
		var status struct{ Message string }
		if json.Unmarshal([]byte(a.Body), &status) != nil || status.Message == "" {
			return strconv.Itoa(a.Status) + " " + http.StatusText(a.Status)
		}
		return status.Message
	case !c.is(a.Type):
		return "The API server answered with " + strings.TrimSpace(a.Type) + " instead."
	case c.ID == "table" && a.grid == nil:
		return "The API server answered with the object instead of a Table."
	}
	return ""
}
