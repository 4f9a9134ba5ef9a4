// Package text turns API bodies into lines to be read: JSON indented, JSON as YAML, and the difference
// between two of them.
//
// Invariants: nothing is dropped or reordered, so a body reads as the server wrote it; text that is
// not JSON comes back as it is, line by line.
//
// Costs: laying out takes one pass over the text, and the parts of a line share the memory of the
// body; HTML is made only of the lines that are shown.
package text

import (
	"slices"
	"strconv"
	"strings"
	"time"
)

// Kind says how a line's value is coloured.
type Kind byte

// The kinds of values.
const (
	None Kind = iota
	String
	Number
	Literal // true, false, null
	Plain   // text without syntax
	Summary // of managedFields, which it unfolds
)

// A Line is one line of a laid out body.
type Line struct {
	Depth int    // levels of indentation
	Lead  string // "- " marks of YAML sequences
	Key   string // as it is written, quotes included
	Value string
	Tail  string // brackets and commas after the value
	Kind  Kind
	Link  Link
	// Owners are the managers that own the field; Folds is how many lines of
	// managedFields follow, and Open whether a Summary shows them.
	Owners string
	Folds  int
	Open   bool
}

// LinkKind says what a link leads to.
type LinkKind byte

// The kinds of links.
const (
	NoLink LinkKind = iota
	Revision
	Token
	Object
)

// Link marks a value that other panels know too.
type Link struct {
	Kind   LinkKind
	Target string // the revision; the token; the object's "namespace/name"
}

// colon separates a key from its value.
func (l Line) sep() string {
	if l.Key == "" {
		return ""
	}
	if l.Value == "" && l.Tail == "" {
		return ":"
	}
	return ": "
}

// String returns the line as plain text.
func (l Line) String() string {
	var b strings.Builder
	l.plain(&b)
	return b.String()
}

func (l Line) plain(b *strings.Builder) {
	for range l.Depth {
		b.WriteString("  ")
	}
	b.WriteString(l.Lead)
	b.WriteString(l.Key)
	b.WriteString(l.sep())
	b.WriteString(l.Value)
	b.WriteString(l.Tail)
}

// Join returns the lines as one text.
func Join(lines []Line) string {
	var b strings.Builder
	for _, l := range lines {
		l.plain(&b)
		b.WriteByte('\n')
	}
	return b.String()
}

// Split makes lines of any text.
func Split(s string) []Line {
	s = strings.TrimSuffix(s, "\n")
	parts := strings.Split(s, "\n")
	out := make([]Line, len(parts))
	for i, p := range parts {
		out[i] = Line{Value: strings.TrimSuffix(p, "\r"), Kind: Plain}
	}
	return out
}

var classes = [...]string{None: "p", String: "s", Number: "n", Literal: "l", Plain: "", Summary: ""}

// Refs writes a line's link as the names of the shared selection: objects is
// the resource (and group) that the body's objects belong to, as in
// "deployments.apps".
func (k Link) Refs(objects string) string {
	switch k.Kind {
	case Revision:
		return "rev-" + k.Target
	case Object:
		if objects != "" {
			return "obj-" + objects + "/" + k.Target
		}
	}
	return ""
}

// HTML appends the lines to b, each ended by a newline, for use inside <pre>.
// Values that are links become buttons with data-action "link", summaries such
// with data-action "fold". Fields with owners are the rows of a roving list.
func HTML(b *strings.Builder, lines []Line, objects string) {
	tab := "0"
	for _, l := range lines {
		for range l.Depth {
			b.WriteString("  ")
		}
		if l.Owners != "" {
			b.WriteString(`<span class="own" data-row tabindex="` + tab + `" data-own="`)
			escape(b, l.Owners)
			b.WriteString(`">`)
			tab = "-1"
		}
		if l.Lead != "" {
			span(b, "p", l.Lead)
		}
		if l.Key != "" {
			span(b, "k", l.Key)
			span(b, "p", l.sep())
		}
		switch {
		case l.Value == "":
		case l.Kind == Summary:
			b.WriteString(`<button type="button" class="link" data-action="fold" aria-expanded="` + strconv.FormatBool(l.Open) +
				`">`)
			escape(b, l.Value)
			b.WriteString(`</button>`)
		case l.Link.Kind != NoLink:
			b.WriteString(`<a href="#" class="ref" data-action="link" data-link="`)
			b.WriteString([...]string{Revision: "revision", Token: "token", Object: "object"}[l.Link.Kind])
			b.WriteString(`" data-target="`)
			escape(b, l.Link.Target)
			if refs := l.Link.Refs(objects); refs != "" {
				b.WriteString(`" data-ref="`)
				escape(b, refs)
			}
			b.WriteString(`">`)
			escape(b, l.Value)
			b.WriteString(`</a>`)
		default:
			span(b, classes[l.Kind], l.Value)
		}
		if l.Tail != "" {
			if l.Kind == Summary && l.Open {
				b.WriteByte(' ')
			}
			span(b, "p", l.Tail)
		}
		if l.Owners != "" {
			b.WriteString(`</span>`)
		}
		b.WriteByte('\n')
	}
}

// DiffYAML returns, as HTML for use inside <pre>, what is different in two JSON texts that are laid
// out as YAML, unfolded or not. An empty text is nothing.
func DiffYAML(before, after string, unfolded bool) string {
	lines := func(json string) []string {
		if json == "" {
			return nil
		}
		all, _ := YAML(json)
		return Strings(Fold(all, unfolded))
	}
	var b strings.Builder
	DiffHTML(&b, Diff(lines(before), lines(after), 2))
	return b.String()
}

// DiffHTML appends changes to b for use inside <pre>.
func DiffHTML(b *strings.Builder, changes []Change) {
	for _, c := range changes {
		b.WriteString([...]string{
			Same: `<span class="same">  `, Removed: `<span class="removed">− `,
			Inserted: `<span class="inserted">+ `, Skipped: `<span class="skipped">⋯ `,
		}[c.Op])
		switch {
		case c.Op == Skipped:
			b.WriteString(strconv.Itoa(c.N))
			b.WriteString(" lines as before")
		case len(c.Parts) > 0:
			for _, p := range c.Parts {
				if p.Changed {
					b.WriteString("<b>")
					escape(b, p.Text)
					b.WriteString("</b>")
				} else {
					escape(b, p.Text)
				}
			}
		default:
			escape(b, c.Text)
		}
		b.WriteString("</span>\n")
	}
}

func span(b *strings.Builder, class, s string) {
	if class == "" {
		escape(b, s)
		return
	}
	b.WriteString(`<span class="`)
	b.WriteString(class)
	b.WriteString(`">`)
	escape(b, s)
	b.WriteString(`</span>`)
}

// escape writes s for HTML text or a quoted attribute.
func escape(b *strings.Builder, s string) {
	from := 0
	for i := 0; i < len(s); i++ {
		var e string
		switch s[i] {
		case '&':
			e = "&amp;"
		case '<':
			e = "&lt;"
		case '>':
			e = "&gt;"
		case '"':
			e = "&#34;"
		default:
			continue
		}
		b.WriteString(s[from:i])
		b.WriteString(e)
		from = i + 1
	}
	b.WriteString(s[from:])
}

// Size returns a number of bytes as people read it.
func Size(n int) string {
	switch {
	case n < 1000:
		return strconv.Itoa(n) + " B"
	case n < 100_000:
		return strconv.FormatFloat(float64(n)/1000, 'f', 1, 64) + " kB"
	case n < 1_000_000:
		return strconv.Itoa(n/1000) + " kB"
	}
	return strconv.FormatFloat(float64(n)/1e6, 'f', 1, 64) + " MB"
}

// Duration writes how long something took: 4.2 ms, 120 ms, 1.5 s.
func Duration(d time.Duration) string {
	ms := float64(d) / float64(time.Millisecond)
	switch {
	case ms < 10:
		return strconv.FormatFloat(ms, 'f', 1, 64) + " ms"
	case ms < 1000:
		return strconv.Itoa(int(ms+0.5)) + " ms"
	}
	return strconv.FormatFloat(ms/1000, 'f', 1, 64) + " s"
}

// Count returns a number of things, with its thousands apart.
func Count[N int | int64](n N) string {
	s := strconv.FormatInt(int64(n), 10)
	for i := len(s) - 3; i > 0 && s[i-1] != '-'; i -= 3 {
		s = s[:i] + "," + s[i:]
	}
	return s
}

// blockLines is how many lines a block has.
const blockLines = 200

// Blocks is HTML of lines, in blocks that a browser can leave out while they are
// not in view.
func Blocks(lines []Line, objects string) []string {
	var out []string
	var b strings.Builder
	for part := range slices.Chunk(lines, blockLines) {
		b.Reset()
		HTML(&b, part, objects)
		out = append(out, b.String())
	}
	return out
}

// Plural returns a count with the word for one or for many.
func Plural[N int | int64](n N, one, many string) string {
	if n == 1 {
		return "1 " + one
	}
	return Count(n) + " " + many
}
