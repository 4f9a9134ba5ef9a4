package text

import (
	"slices"
	"strconv"
	"strings"
)

// begin notes that an object or list begins, and returns where.
func (l *layout) begin(key string) (start int) {
	if unquote(key) == "managedFields" {
		l.managed++
	}
	return l.total
}

// folds notes that the lines from start on are managedFields.
func (l *layout) folds(start int, key string) {
	if unquote(key) != "managedFields" {
		return
	}
	l.managed--
	n := l.total - start - 1
	if n <= 0 {
		return
	}
	if l.managed == 0 {
		l.folded += n
	}
	if !l.full {
		l.out[start].Folds = n
	}
}

// Fold shows each managedFields as one line, or in full; either way its first
// line names the managers.
func Fold(lines []Line, open bool) []Line {
	if !slices.ContainsFunc(lines, func(l Line) bool { return l.Folds > 0 }) {
		return lines
	}
	out := make([]Line, 0, len(lines))
	for i := 0; i < len(lines); i++ {
		l := lines[i]
		if n := l.Folds; n > 0 {
			l.Value, l.Kind = managers(lines[i+1:i+1+n]), Summary
			if l.Open = open; !open {
				i += n
				l.Tail = ""
				if last := lines[i]; last.Tail == "]," {
					l.Tail = ","
				}
			}
		}
		out = append(out, l)
	}
	return out
}

// Unmanaged leaves managedFields out of YAML, for people who edit: a server keeps
// them when they do not come back.
func Unmanaged(lines []Line) []Line {
	out := make([]Line, 0, len(lines))
	for i := 0; i < len(lines); i++ {
		if n := lines[i].Folds; n > 0 {
			i += n
			continue
		}
		out = append(out, lines[i])
	}
	return out
}

// managers returns how many there are in the lines of managedFields, and which.
func managers(lines []Line) string {
	var names []string
	for _, l := range lines {
		if name := unquote(l.Value); unquote(l.Key) == "manager" && !slices.Contains(names, name) {
			names = append(names, name)
		}
	}
	if len(names) == 1 {
		return "1 manager: " + names[0]
	}
	return strconv.Itoa(len(names)) + " managers: " + strings.Join(names, ", ")
}
