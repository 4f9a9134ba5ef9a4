package programs

import (
	"io"
	"maps"
	"slices"
	"strings"

	"github.com/itchyny/gojq"
)

// The colours of values.
const (
	colourNull   = "\x1b[1;30m"
	colourPlain  = "\x1b[0;39m"
	colourText   = "\x1b[0;32m"
	colourBraces = "\x1b[1;39m"
	colourKey    = "\x1b[34;1m"
	colourReset  = "\x1b[0m"
)

// A jsonPrinter prints values as jq does. Keys are sorted: gojq keeps no order of them.
type jsonPrinter struct {
	out    io.Writer
	indent string // "": all in a line
	colour bool
}

func (p jsonPrinter) put(colour, text string) {
	if p.colour && colour != "" {
		text = colour + text + colourReset
	}
	_, _ = io.WriteString(p.out, text)
}

// value prints a value; margin is the indentation of the line it begins in.
func (p jsonPrinter) value(value any, margin string) {
	switch value := value.(type) {
	case map[string]any:
		p.list("{", "}", len(value), margin, func(yield func(func(string))) {
			for _, key := range slices.Sorted(maps.Keys(value)) {
				yield(func(margin string) {
					p.put(colourKey, marshal(key))
					p.put(colourBraces, ":")
					if p.indent != "" {
						p.put("", " ")
					}
					p.value(value[key], margin)
				})
			}
		})
	case []any:
		p.list("[", "]", len(value), margin, func(yield func(func(string))) {
			for _, item := range value {
				yield(func(margin string) { p.value(item, margin) })
			}
		})
	case nil:
		p.put(colourNull, "null")
	case string:
		p.put(colourText, marshal(value))
	default:
		p.put(colourPlain, marshal(value))
	}
}

// list prints what is in brackets.
func (p jsonPrinter) list(open, end string, n int, margin string, items func(yield func(item func(margin string)))) {
	p.put(colourBraces, open)
	inner := margin + p.indent
	first := true
	items(func(item func(string)) {
		if !first {
			p.put(colourBraces, ",")
		}
		if first = false; p.indent != "" {
			p.put("", "\n"+inner)
		}
		item(inner)
	})
	if n > 0 && p.indent != "" {
		p.put("", "\n"+margin)
	}
	p.put(colourBraces, end)
}

// marshal returns a value as JSON.
func marshal(value any) string {
	text, err := gojq.Marshal(value)
	if err != nil {
		return "null"
	}
	return strings.TrimSuffix(string(text), "\n")
}
