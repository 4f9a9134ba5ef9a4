package programs

import "strings"

// basic returns a basic regular expression of POSIX, with the escapes that GNU adds, in the syntax of Go.
func basic(text string) string { return translate(text, true) }

// extended returns an extended regular expression of POSIX in the syntax of Go.
func extended(text string) string { return translate(text, false) }

// translate returns a regular expression in Go's syntax. In a basic one +?|(){} are themselves, and special behind \.
func translate(text string, isBasic bool) string {
	var out strings.Builder
	start := true // of the expression, a group or an alternative, where * is itself
	for i := 0; i < len(text); i++ {
		ch := text[i]
		switch {
		case ch == '[':
			end := bracketEnd(text, i)
			if end < 0 {
				out.WriteString(text[i:]) // Go says what is wrong
				return out.String()
			}
			out.WriteString(bracket(text[i : end+1]))
			i = end
			start = false
			continue
		case ch == '\\' && i+1 < len(text):
			i++
			next := text[i]
			switch {
			case isBasic && strings.IndexByte("+?|(){}", next) >= 0:
				out.WriteByte(next)
				start = next == '(' || next == '|'
				continue
			case next == '<' || next == '>':
				out.WriteString(`\b`)
			default:
				out.WriteByte('\\')
				out.WriteByte(next)
			}
		case isBasic && strings.IndexByte("+?|(){}", ch) >= 0, isBasic && ch == '*' && start:
			out.WriteByte('\\')
			out.WriteByte(ch)
		case isBasic && ch == '^' && !start, isBasic && ch == '$' && !atEnd(text[i+1:]):
			out.WriteByte('\\')
			out.WriteByte(ch)
		case ch == '^':
			out.WriteByte(ch)
			continue // what follows is still at the start
		default:
			out.WriteByte(ch)
			start = !isBasic && (ch == '(' || ch == '|')
			continue
		}
		start = false
	}
	return out.String()
}

// atEnd reports whether an expression, or a group or an alternative of it, ends here.
func atEnd(rest string) bool {
	return rest == "" || strings.HasPrefix(rest, `\)`) || strings.HasPrefix(rest, `\|`)
}

// bracketEnd returns where the bracket that begins at i ends, or -1.
func bracketEnd(text string, i int) int {
	j := i + 1
	if j < len(text) && text[j] == '^' {
		j++
	}
	if j < len(text) && text[j] == ']' {
		j++
	}
	for j < len(text) {
		if text[j] == '[' && j+1 < len(text) && strings.IndexByte(":.=", text[j+1]) >= 0 {
			end := strings.Index(text[j+2:], text[j+1:j+2]+"]")
			if end < 0 {
				return -1
			}
			j += end + 4
			continue
		}
		if text[j] == ']' {
			return j
		}
		j++
	}
	return -1
}

// bracket returns a bracket in Go's syntax, where \ escapes.
func bracket(text string) string {
	inner := strings.ReplaceAll(text[1:len(text)-1], `\`, `\\`)
	negated := strings.HasPrefix(inner, "^")
	inner = strings.TrimPrefix(inner, "^")
	if strings.HasPrefix(inner, "]") {
		inner = `\` + inner
	}
	var out strings.Builder
	for i := 0; i < len(inner); i++ { // a [ that opens no class is itself
		if inner[i] == '[' && (i+1 >= len(inner) || inner[i+1] != ':') {
			out.WriteByte('\\')
		}
		out.WriteByte(inner[i])
	}
	if negated {
		return "[^" + out.String() + "]"
	}
	return "[" + out.String() + "]"
}
