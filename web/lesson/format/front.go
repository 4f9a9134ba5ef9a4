package format

import (
	"slices"
	"strconv"
	"strings"
)

// frontMark opens and closes the lines at the top of a lesson's file that are
// about the lesson as a whole.
const frontMark = "---"

// maxMinutes bounds how long a lesson may say it takes.
const maxMinutes = 120

// parseFront reads the front matter of a lesson, if there is any, and returns
// how many lines it takes. It has lines "key: value"; what the lesson requires
// stands indented under "requires:".
func (l *Lesson) parseFront(lines []string) (int, error) {
	if len(lines) == 0 || strings.TrimRight(lines[0], " \t") != frontMark {
		return 0, nil
	}
	inRequires := false
	for i := 1; i < len(lines); i++ {
		s, at := lines[i], i+1
		text := strings.TrimSpace(s)
		switch {
		case text == frontMark:
			return i + 1, nil
		case text == "" || strings.HasPrefix(text, "#"):
			continue
		}
		key, value, ok := strings.Cut(text, ":")
		if !ok {
			return 0, errAt(at, "%q is not of the form key: value", text)
		}
		key, value = strings.TrimSpace(key), strings.TrimSpace(value)
		indented := s[0] == ' ' || s[0] == '\t'
		switch {
		case indented && inRequires:
			if err := l.require(key, value, at); err != nil {
				return 0, err
			}
		case indented:
			return 0, errAt(at, "%q is indented, but not under requires:", text)
		case key == "requires" && value == "":
			inRequires = true
		case key == "namespaces":
			l.Namespaces, inRequires = strings.Fields(strings.ReplaceAll(value, ",", " ")), false
			for _, name := range l.Namespaces {
				if slug(name) != name {
					return 0, errAt(at, "namespaces: %q is not a name of lower-case letters, digits and -", name)
				}
			}
		case key == "lesson" && value != "":
			l.Lesson, inRequires = value, false
		case key == "step":
			if value == "" || slug(value) != value {
				return 0, errAt(at, "step: the slug of a step's title is needed, not %q", value)
			}
			l.Step, inRequires = value, false
		case key == "exam":
			l.Exam, inRequires = ExamKind(value), false
			if !slices.Contains([]ExamKind{InTurn, Asked, Must}, l.Exam) {
				return 0, errAt(at, "exam: %q, %q or %q is needed, not %q", Asked, Must, InTurn, value)
			}
		case key == "part" && value != "":
			l.Part, inRequires = value, false
		case key == "programs":
			words := strings.Fields(value)
			if inRequires = false; len(words) == 0 || len(words) > 2 || words[0] != "on" {
				return 0, errAt(at, "programs: is on, with features behind it if some are not as usual, or is not there")
			}
			l.Programs, l.Gates = true, strings.Join(words[1:], "")
		case key == "minutes":
			n, err := strconv.Atoi(value)
			if err != nil || n < 1 || n > maxMinutes {
				return 0, errAt(at, "minutes: a number from 1 to %d is needed, not %q", maxMinutes, value)
			}
			l.Minutes, inRequires = n, false
		default:
			return 0, errAt(at, "unknown %q: there are minutes, part, namespaces, programs and requires, "+
				"in practice lesson, step and exam", key)
		}
	}
	return 0, errAt(1, "the front matter is not closed by %s", frontMark)
}

// frontEnd returns how many lines the front matter takes.
func frontEnd(lines []string) int {
	if len(lines) > 0 && strings.TrimRight(lines[0], " \t") == frontMark {
		for i := 1; i < len(lines); i++ {
			if strings.TrimSpace(lines[i]) == frontMark {
				return i + 1
			}
		}
	}
	return 0
}

func (l *Lesson) require(key, value string, line int) error {
	if slices.ContainsFunc(l.Requires, func(r Requirement) bool { return r.Key == key }) {
		return errAt(line, "%s is required twice", key)
	}
	r, err := parseRequirement(key, value)
	if err != nil {
		return errAt(line, "%v", err)
	}
	l.Requires = append(l.Requires, r)
	return nil
}
