package shell

import (
	"errors"
	"regexp"
	"strings"

	"mvdan.cc/sh/v3/syntax"
)

// parse parses an input.
func parse(text string) (*syntax.File, error) {
	return syntax.NewParser(syntax.Variant(syntax.LangBash)).Parse(strings.NewReader(text), "")
}

// Incomplete reports whether an input needs more lines: a quote, a here-document or a loop is open, or the last line
// ends with \, | or &&.
func Incomplete(text string) bool {
	last := strings.TrimRight(text, "\n")
	if escapes := len(last) - len(strings.TrimRight(last, `\`)); escapes%2 == 1 && !strings.HasSuffix(text, "\n") {
		return true
	}
	_, err := parse(text + "\n")
	return err != nil && syntax.IsIncomplete(err)
}

// quoted matches what an error of the parser names.
var quoted = regexp.MustCompile("`([^`]+)`")

// explain returns an error of the parser as bash has it, and behind it what the parser says.
func explain(err error) string {
	var failed syntax.ParseError
	if !errors.As(err, &failed) {
		return "syntax error: " + err.Error()
	}
	if syntax.IsIncomplete(err) {
		return "syntax error: unexpected end of file: " + failed.Text
	}
	if m := quoted.FindStringSubmatch(failed.Text); m != nil {
		return "syntax error near unexpected token `" + m[1] + "': " + failed.Text
	}
	return "syntax error: " + failed.Text
}

// Commands returns the simple commands of an input, each with its words as far as they are literal.
func Commands(text string) [][]string {
	file, err := parse(text)
	if err != nil {
		return nil
	}
	var all [][]string
	syntax.Walk(file, func(node syntax.Node) bool {
		if command, ok := node.(*syntax.CallExpr); ok && len(command.Args) > 0 {
			var words []string
			for _, word := range command.Args {
				text, ok := literal(word)
				if !ok {
					break
				}
				words = append(words, text)
			}
			if len(words) > 0 {
				all = append(all, words)
			}
		}
		return true
	})
	return all
}

// literal returns a word without its quotes, unless something in it has to be expanded.
func literal(word *syntax.Word) (string, bool) {
	var out strings.Builder
	for _, part := range word.Parts {
		switch part := part.(type) {
		case *syntax.Lit:
			out.WriteString(unescape(part.Value))
		case *syntax.SglQuoted:
			out.WriteString(part.Value)
		case *syntax.DblQuoted:
			for _, inner := range part.Parts {
				lit, ok := inner.(*syntax.Lit)
				if !ok {
					return "", false
				}
				out.WriteString(unescape(lit.Value))
			}
		default:
			return "", false
		}
	}
	return out.String(), true
}

// unescape removes backslashes that escape.
func unescape(text string) string {
	var out strings.Builder
	for i := 0; i < len(text); i++ {
		if text[i] == '\\' && i+1 < len(text) {
			i++
		}
		out.WriteByte(text[i])
	}
	return out.String()
}
