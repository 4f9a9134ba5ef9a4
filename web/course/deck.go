package course

import (
	"fmt"
	"strings"

	"github.com/tabernetes/tabernetes/web/lesson/format"
)

// A Deck is a template with the values of all its situations, as the page gets it.
type Deck struct {
	ID string `json:"id"`
	// Source is a lesson of one step with placeholders such as {{$name}}.
	Source string `json:"source"`
	// HTML are the texts that its situations have, rendered, with the placeholders. Order are
	// those of each seed's situation, as Lesson.Texts of package format has them: their places in HTML. Where all
	// situations have the same, it is there once.
	HTML  []string `json:"html"`
	Order [][]int  `json:"order"`
	// Names are those of the placeholders, Rows their values for each seed, from 1 on: of each
	// value its lines, which are there once for all seeds.
	Names []string  `json:"names"`
	Lines []string  `json:"lines"`
	Rows  [][][]int `json:"rows"`
}

// Add adds the values of the next seed, which are those of Names. places are those of the
// lines that are there already.
func (d *Deck) Add(values []string, places map[string]int) {
	row := make([][]int, len(values))
	for i, value := range values {
		for _, line := range strings.Split(value, "\n") {
			at, ok := places[line]
			if !ok {
				at = len(d.Lines)
				places[line] = at
				d.Lines = append(d.Lines, line)
			}
			row[i] = append(row[i], at)
		}
	}
	d.Rows = append(d.Rows, row)
}

// values returns a seed's values, by the placeholders' names.
func (d *Deck) values(seed int) map[string]string {
	out := map[string]string{}
	for i, name := range d.Names {
		var lines []string
		for _, at := range d.Rows[seed-1][i] {
			lines = append(lines, d.Lines[at])
		}
		out[name] = strings.Join(lines, "\n")
	}
	return out
}

// ParseDeck reads a Deck.
func ParseDeck(text string) (*Deck, error) { return parse[Deck](text) }

// Situation returns the situation of a seed, as a lesson whose texts are rendered.
func (d *Deck) Situation(seed int) (*format.Lesson, error) {
	if seed < 1 || seed > len(d.Rows) || len(d.Order) == 0 {
		return nil, fmt.Errorf("%s: there are the seeds 1 to %d, not %d", d.ID, len(d.Rows), seed)
	}
	values := d.values(seed)
	src, err := Fill(d.Source, values)
	if err != nil {
		return nil, fmt.Errorf("%s: %w", d.ID, err)
	}
	l, err := format.ParseAs(d.ID, d.ID+".md", src)
	if err != nil {
		return nil, err
	}
	texts, order := l.Texts(), d.Order[min(seed, len(d.Order))-1]
	if len(texts) != len(order) {
		return nil, fmt.Errorf("%s: seed %d has %d texts, not %d", d.ID, seed, len(texts), len(order))
	}
	for i, t := range texts {
		if *t.HTML, err = fillHTML(d.HTML[order[i]], values); err != nil {
			return nil, fmt.Errorf("%s: %w", d.ID, err)
		}
	}
	return l, nil
}

// Fill puts values in the place of a text's placeholders, {{$name}}. A placeholder without
// a value is an error, except for $index, which is a request's own.
func Fill(text string, values map[string]string) (string, error) {
	return fill(text, values, func(value, _ string) string { return value })
}

// fillHTML puts values into rendered text: as text, and what is between backquotes as
// code, unless it is in code already.
func fillHTML(text string, values map[string]string) (string, error) {
	return fill(text, values, func(value, before string) string {
		if strings.Count(before, "<code") > strings.Count(before, "</code") {
			return escape.Replace(value)
		}
		return textHTML(value)
	})
}

// textHTML writes a text as HTML, with what is between backquotes as code.
func textHTML(text string) string {
	text = escape.Replace(text)
	parts := strings.Split(text, "`")
	if len(parts)%2 == 0 {
		return text
	}
	for i := 1; i < len(parts); i += 2 {
		parts[i] = "<code>" + parts[i] + "</code>"
	}
	return strings.Join(parts, "")
}

// escape writes text as HTML, as Markdown's renderer does.
var escape = strings.NewReplacer("&", "&amp;", "<", "&lt;", ">", "&gt;", `"`, "&quot;")

// fill calls put for each placeholder, with its value and the text so far.
func fill(text string, values map[string]string, put func(value, before string) string) (string, error) {
	var b strings.Builder
	for {
		before, rest, ok := strings.Cut(text, "{{$")
		b.WriteString(before)
		if !ok {
			return b.String(), nil
		}
		name, after, ok := strings.Cut(rest, "}}")
		value, known := values[name]
		switch {
		case !ok:
			return "", fmt.Errorf("{{$ is not closed by }}")
		case known:
			b.WriteString(put(value, b.String()))
		case name == "index":
			b.WriteString("{{$index}}")
		default:
			return "", fmt.Errorf("{{$%s}} has no value", name)
		}
		text = after
	}
}
