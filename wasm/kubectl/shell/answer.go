package shell

import (
	"strconv"
	"strings"
)

// An answer is what __complete of kubectl says.
type answer struct {
	items     []Item
	help      []string
	directive int
}

// activeHelp is what lines for the person begin with.
const activeHelp = "_activeHelp_ "

// parseAnswer reads what __complete prints: a line for each completion, with its description behind a tab, and at the
// end a colon and the directive.
func parseAnswer(text string) (a answer) {
	lines := strings.Split(strings.TrimRight(text, "\n"), "\n")
	if last := lines[len(lines)-1]; strings.HasPrefix(last, ":") {
		if n, err := strconv.Atoi(last[1:]); err == nil {
			a.directive = n
		}
		lines = lines[:len(lines)-1]
	}
	for _, line := range lines {
		help, isHelp := strings.CutPrefix(line, activeHelp)
		name, description, _ := strings.Cut(line, "\t")
		switch {
		case isHelp:
			a.help = append(a.help, help)
		case name != "":
			a.items = append(a.items, Item{Text: name, Description: description})
		}
	}
	return a
}
