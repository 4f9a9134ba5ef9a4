package apiserver

import (
	"net/http"
	"strings"
	"unicode"
	"unicode/utf8"
)

// The limits of the warnings of one answer, in characters. When their total is too long, each is
// cut, and those that follow are left out.
const (
	maxWarningsTotal = 4 * 1024
	maxWarningLength = 256
)

// limitWarnings limits an answer's Warning headers: it drops texts that are empty or contain
// control characters, and applies the bounds.
func limitWarnings(h http.Header) {
	all := h["Warning"]
	if len(all) == 0 {
		return
	}
	texts := make([]string, 0, len(all))
	total := 0
	for _, value := range all {
		text := warned(value)
		if printable(text) {
			texts = append(texts, text)
			total += utf8.RuneCountInString(text)
		}
	}
	cut := total > maxWarningsTotal
	total = 0
	h.Del("Warning")
	for _, text := range texts {
		if cut {
			if total >= maxWarningsTotal {
				break
			}
			if runes := []rune(text); len(runes) > maxWarningLength {
				text = string(runes[:maxWarningLength])
			}
			total += utf8.RuneCountInString(text)
		}
		h.Add("Warning", warning(text))
	}
}

// printable reports whether a text may be in a header.
func printable(text string) bool { return text != "" && strings.IndexFunc(text, unicode.IsControl) < 0 }

// warned returns the text in a header made by warning.
func warned(value string) string {
	value = strings.TrimSuffix(strings.TrimPrefix(value, warningPrefix), `"`)
	return strings.NewReplacer(`\\`, `\`, `\"`, `"`).Replace(value)
}
