package apiserver

import (
	"net/http"
	"strings"
	"unicode"
	"unicode/utf8"

	"github.com/tabernetes/tabernetes/core/internal/kinds/strategy"
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
	cut := total > strategy.MaxWarnings
	total = 0
	h.Del("Warning")
	for _, text := range texts {
		if cut {
			if total >= strategy.MaxWarnings {
				break
			}
			if runes := []rune(text); len(runes) > strategy.MaxWarning {
				text = string(runes[:strategy.MaxWarning])
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
