package rules

import (
	"bytes"
	"encoding/json"
	"fmt"
	"strconv"
	"strings"

	"github.com/tabernetes/tabernetes/core/semantics"
	"github.com/tabernetes/tabernetes/core/source"
)

// verbs are those that have rows, in the order of their tables.
var verbs = []string{semantics.Get, semantics.List, semantics.Watch}

// A Place is a cell of the tables.
type Place struct {
	Verb   string
	Row    int
	Behind bool // its watch cache is behind
}

// ID returns the id of the cell's button.
func (p Place) ID() string {
	column := "now"
	if p.Behind {
		column = "behind"
	}
	return "rule-" + p.Verb + "-" + strconv.Itoa(p.Row) + "-" + column
}

// row returns the row of a place, or false if the verb has no such row.
func (p Place) row() (semantics.Row, bool) {
	rows := semantics.Rows(p.Verb)
	if p.Row < 0 || p.Row >= len(rows) {
		return semantics.Row{}, false
	}
	return rows[p.Row], true
}

// placeOf returns the cell of a button's id, or false if no cell has that id.
func placeOf(id string) (Place, bool) {
	part := strings.Split(id, "-")
	if len(part) != 4 {
		return Place{}, false
	}
	n, err := strconv.Atoi(part[2])
	p := Place{part[1], n, part[3] == "behind"}
	_, ok := p.row()
	return p, err == nil && ok && p.ID() == id
}

// Places returns all cells, table by table; each table's with a cache that keeps up first,
// so that a run changes the fork once a table.
func Places() []Place {
	var all []Place
	for _, verb := range verbs {
		for _, behind := range []bool{false, true} {
			for n := range semantics.Rows(verb) {
				all = append(all, Place{verb, n, behind})
			}
		}
	}
	return all
}

// step returns the cell that an arrow key leads to.
func (p Place) step(key string) Place {
	last := len(semantics.Rows(p.Verb)) - 1
	switch key {
	case "ArrowUp":
		p.Row = max(0, p.Row-1)
	case "ArrowDown":
		p.Row = min(last, p.Row+1)
	case "ArrowLeft":
		p.Behind = false
	case "ArrowRight":
		p.Behind = true
	case "Home":
		p.Row = 0
	case "End":
		p.Row = last
	}
	return p
}

// A Board is the state of the panel.
type Board struct {
	Verb    string // of the table that is shown
	At      Place  // where Tab leads to, in any table
	Chosen  Place  // whose answer is shown; none if its Verb is empty
	Running Place  // none if its Verb is empty
	Done    map[Place]Outcome
}

// at returns the cell of the shown table that Tab leads to.
func (b Board) at() Place {
	if b.At.Verb == b.Verb {
		return b.At
	}
	return Place{Verb: b.Verb}
}

// Summary returns how many cells were run, and how many answers were others than their
// rows say; empty if none was run.
func (b Board) Summary() string {
	if len(b.Done) == 0 {
		return ""
	}
	others := 0
	for _, out := range b.Done {
		if !out.Matches {
			others++
		}
	}
	s := fmt.Sprintf("%d of %d run, ", len(b.Done), len(Places()))
	switch others {
	case 0:
		return s + "all as their rows say"
	case 1:
		return s + "1 not as its row says"
	}
	return s + strconv.Itoa(others) + " not as their rows say"
}

// Forked describes the state that the forks have.
type Forked struct {
	Revision int64
	Made     string // clock time
	Closed   bool   // they were ended, and what they answered is still shown
	Making   bool
	Problem  string // why no fork could be made
	All      bool   // all cells are being run
}

// Text says it.
func (f Forked) Text() string {
	switch {
	case f.Problem != "":
		return "There is no fork: " + f.Problem
	case f.Making:
		return "making a fork of the cluster…"
	case f.Made == "":
		return "runs in a fork: your cluster is not touched"
	case f.Closed:
		return fmt.Sprintf("was a fork of revision %d, made %s", f.Revision, f.Made)
	}
	return fmt.Sprintf("fork of revision %d, made %s", f.Revision, f.Made)
}

// plain returns a row's Markdown as text.
func plain(markdown string) string { return strings.ReplaceAll(markdown, "`", "") }

// short returns a request without the beginning that most have.
func short(request string) string {
	if rest, ok := strings.CutPrefix(request, secrets); ok {
		return "…/secrets" + rest
	}
	return request
}

// column says in which column a cell is.
func column(behind bool) string {
	if behind {
		return "with a cache that is behind"
	}
	return "with a cache that keeps up"
}

// from returns where an answer came from: "cache, as of 47, 2 behind".
func from(s source.Source) string {
	var parts []string
	if s.From != "" {
		parts = append(parts, s.From)
	}
	if s.Revision > 0 {
		parts = append(parts, "as of "+strconv.FormatInt(s.Revision, 10))
	}
	if s.Revision > 0 && s.Head > s.Revision {
		parts = append(parts, strconv.FormatInt(s.Head-s.Revision, 10)+" behind")
	}
	if len(parts) == 0 {
		return "nothing was read"
	}
	return strings.Join(parts, ", ")
}

// pretty returns a body with its JSON values indented, one after another.
func pretty(body string) string {
	var out bytes.Buffer
	d := json.NewDecoder(strings.NewReader(body))
	for {
		var raw json.RawMessage
		if d.Decode(&raw) != nil {
			break
		}
		if json.Indent(&out, raw, "", "  ") != nil {
			return body
		}
		out.WriteByte('\n')
	}
	if out.Len() == 0 {
		return body
	}
	return out.String()
}

// A span is a part of a Markdown text: code or not.
type span struct {
	text string
	code bool
}

// spans returns the parts of a text whose code is between backquotes.
func spans(markdown string) []span {
	var all []span
	for i, text := range strings.Split(markdown, "`") {
		if text != "" {
			all = append(all, span{text, i%2 == 1})
		}
	}
	return all
}
