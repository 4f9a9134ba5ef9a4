package view

import (
	"html"
	"strings"

	"github.com/tabernetes/tabernetes/web/lesson/format"
)

// span wraps escaped text in a class of web/lesson/view/style/lesson.css.
func span(class, s string) string {
	return `<span class="` + class + `">` + html.EscapeString(s) + `</span>`
}

// ref marks up a reference, which may break before its dots.
func ref(s string) string {
	return strings.ReplaceAll(span("t-ref", s), ".", "<wbr>.")
}

// HighlightHTTP marks up requests in .http syntax as HTML.
func HighlightHTTP(src string) string {
	var b strings.Builder
	state := "start" // of a request: start, head, body
	for i, line := range format.SplitLines(src) {
		if i > 0 {
			b.WriteByte('\n')
		}
		trimmed := strings.TrimSpace(line)
		_, comment := format.CutComment(trimmed)
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
			if trimmed[0] == '?' || trimmed[0] == '&' {
				b.WriteString(line[:strings.Index(line, trimmed)] + highlightParam(trimmed[:1], trimmed[1:]))
				break
			}
			name, value, ok := strings.Cut(line, ":")
			if !ok {
				b.WriteString(html.EscapeString(line))
				break
			}
			b.WriteString(span("t-key", name) + ":" + highlightRefs(value))
		default:
			b.WriteString(HighlightJSON(line))
		}
	}
	return b.String()
}

// highlightTarget marks the names of query parameters and the references. It may
// break before every segment of the path but the first, and before every
// parameter, which keeps long targets readable.
func highlightTarget(s string) string {
	path, query, ok := strings.Cut(s, "?")
	out := ""
	for i, segment := range strings.Split(path, "/") {
		switch i {
		case 0:
		case 1:
			out += "/"
		default:
			out += "<wbr>/"
		}
		out += highlightRefs(segment)
	}
	if !ok {
		return out
	}
	for i, param := range strings.Split(query, "&") {
		mark := "&"
		if i == 0 {
			mark = "?"
		}
		out += "<wbr>" + highlightParam(mark, param)
	}
	return out
}

func highlightParam(mark, param string) string {
	key, value, hasValue := strings.Cut(param, "=")
	out := html.EscapeString(mark) + span("t-key", key)
	if hasValue {
		out += "=" + highlightRefs(value)
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
		b.WriteString(ref("{{" + inner + "}}"))
		s = rest
	}
}

// HighlightJSON marks up JSON as HTML. It works on pieces too.
func HighlightJSON(src string) string {
	var b strings.Builder
	for i := 0; i < len(src); {
		n, kind := jsonToken(src[i:])
		s := src[i : i+n]
		i += n
		switch {
		case kind == '{':
			b.WriteString(ref(s))
		case kind == '"' && strings.HasPrefix(strings.TrimLeft(src[i:], " "), ":"):
			b.WriteString(span("t-key", s))
		case kind == '"':
			b.WriteString(`<span class="t-string">` + highlightRefs(s) + `</span>`)
		case kind == '0' && isNumberOrConstant(s):
			b.WriteString(span("t-number", s))
		default:
			b.WriteString(html.EscapeString(s))
		}
	}
	return b.String()
}

// jsonToken returns the length of the token that s starts with, and what it is:
// '{' a reference, '"' a string, '0' a word or number, ' ' anything else.
func jsonToken(s string) (int, byte) {
	if strings.HasPrefix(s, "{{") {
		if n := strings.Index(s, "}}"); n > 0 {
			return n + 2, '{'
		}
	}
	if s[0] == '"' {
		for n := 1; n < len(s) && s[n] != '\n'; n++ {
			switch s[n] {
			case '\\':
				n++
			case '"':
				return n + 1, '"'
			}
		}
		return 1, ' '
	}
	n := 0
	for n < len(s) && (format.IsWordByte(s[n]) || s[n] == '-' || s[n] == '+' || s[n] == '.') {
		n++
	}
	if n > 0 {
		return n, '0'
	}
	return 1, ' '
}

func isNumberOrConstant(s string) bool {
	switch s {
	case "true", "false", "null":
		return true
	}
	digits := strings.TrimPrefix(s, "-")
	return digits != "" && strings.Trim(digits, "0123456789.eE+-") == "" && digits[0] >= '0' && digits[0] <= '9'
}
