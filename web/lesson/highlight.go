package lesson

import (
	"html"
	"regexp"
	"strings"
)

// tokenRE finds what is coloured in JSON and in request lines. Its groups are,
// in order: a reference, a string, a number or constant.
var tokenRE = regexp.MustCompile(`(\{\{[^}]*\}\})|("(?:[^"\\\n]|\\.)*")|(-?\b[0-9]+(?:\.[0-9]+)?\b|\btrue\b|\bfalse\b|\bnull\b)`)

// span wraps escaped text in a class of web/style/lesson.css.
func span(class, s string) string {
	return `<span class="` + class + `">` + html.EscapeString(s) + `</span>`
}

// HighlightHTTP marks up requests in .http syntax as HTML.
func HighlightHTTP(src string) string {
	var b strings.Builder
	state := "start" // of a request: start, head, body
	for i, line := range splitLines(src) {
		if i > 0 {
			b.WriteByte('\n')
		}
		trimmed := strings.TrimSpace(line)
		_, comment := cutComment(trimmed)
		switch {
		case comment && (state != "body" || strings.HasPrefix(line, "###")):
			if strings.HasPrefix(line, "###") {
				state = "start"
			}
			b.WriteString(span("t-comment", line))
		case state == "start" && trimmed != "":
			state = "head"
			method, target, two := strings.Cut(line, " ")
			if !two {
				b.WriteString(highlightTarget(line))
				break
			}
			b.WriteString(span("t-method", method) + " " + highlightTarget(target))
		case state == "head" && trimmed == "":
			state = "body"
		case state == "head":
			name, value, ok := strings.Cut(line, ":")
			if !ok {
				b.WriteString(highlightTarget(line))
				break
			}
			b.WriteString(span("t-key", name) + ":" + highlightRefs(value))
		default:
			b.WriteString(HighlightJSON(line))
		}
	}
	return b.String()
}

// highlightTarget marks the names of query parameters and the references. A
// break opportunity before every parameter keeps long targets readable.
func highlightTarget(s string) string {
	path, query, ok := strings.Cut(s, "?")
	out := highlightRefs(path)
	if !ok {
		return out
	}
	for i, param := range strings.Split(query, "&") {
		mark := "&"
		if i == 0 {
			mark = "?"
		}
		key, value, hasValue := strings.Cut(param, "=")
		out += "<wbr>" + html.EscapeString(mark) + span("t-key", key)
		if hasValue {
			out += "=" + highlightRefs(value)
		}
	}
	return out
}

func highlightRefs(s string) string {
	var b strings.Builder
	for {
		before, after, found := strings.Cut(s, "{{")
		b.WriteString(html.EscapeString(before))
		if !found {
			return b.String()
		}
		inner, rest, closed := strings.Cut(after, "}}")
		if !closed {
			b.WriteString(html.EscapeString("{{" + after))
			return b.String()
		}
		b.WriteString(span("t-ref", "{{"+inner+"}}"))
		s = rest
	}
}

// HighlightJSON marks up JSON as HTML. It works on pieces too.
func HighlightJSON(src string) string {
	var b strings.Builder
	at := 0
	for _, m := range tokenRE.FindAllStringSubmatchIndex(src, -1) {
		b.WriteString(html.EscapeString(src[at:m[0]]))
		s := src[m[0]:m[1]]
		switch {
		case m[2] >= 0:
			b.WriteString(span("t-ref", s))
		case m[4] >= 0 && strings.HasPrefix(strings.TrimLeft(src[m[1]:], " "), ":"):
			b.WriteString(span("t-key", s))
		case m[4] >= 0:
			b.WriteString(`<span class="t-string">` + highlightRefs(s) + `</span>`)
		default:
			b.WriteString(span("t-number", s))
		}
		at = m[1]
	}
	b.WriteString(html.EscapeString(src[at:]))
	return b.String()
}
