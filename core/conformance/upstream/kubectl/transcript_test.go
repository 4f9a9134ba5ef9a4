package kubectl

import (
	"fmt"
	"regexp"
	"strings"
	"testing"
)

// transcript is a parsed transcript.
type transcript struct {
	files map[string]string
	steps []step
}

// step is a command and its expected output. Without arguments it waits for the background
// commands.
type step struct {
	line       int
	args       []string
	background bool
	prints     string
}

// parseTranscript reads a transcript: see the package's documentation.
func parseTranscript(text string) (transcript, error) {
	t := transcript{files: map[string]string{}}
	file := ""
	for i, line := range strings.Split(text, "\n") {
		name, is := strings.CutPrefix(line, "-- ")
		command := strings.HasPrefix(line, "$ ") || strings.HasPrefix(line, "& ") || line == "&"
		switch {
		case is:
			file = strings.TrimSuffix(name, " --")
		case command:
			args, err := words(line[1:])
			if err != nil {
				return t, fmt.Errorf("line %d: %w", i+1, err)
			}
			file = ""
			t.steps = append(t.steps, step{line: i + 1, args: args, background: strings.HasPrefix(line, "& ")})
		case strings.HasPrefix(line, "# "):
			file = ""
		case file != "":
			t.files[file] += line + "\n"
		case line != "" && len(t.steps) > 0:
			t.steps[len(t.steps)-1].prints += line + "\n"
		case line != "":
			return t, fmt.Errorf("line %d: printed by no command", i+1)
		}
	}
	return t, nil
}

// words splits a command line at spaces that are not quoted.
func words(line string) ([]string, error) {
	var out []string
	quoted, open := false, false
	for _, r := range line {
		switch {
		case r == '\'':
			quoted = !quoted
			if !open {
				out, open = append(out, ""), true
			}
		case r == ' ' && !quoted:
			open = false
		default:
			if !open {
				out, open = append(out, ""), true
			}
			out[len(out)-1] += string(r)
		}
	}
	if quoted {
		return nil, fmt.Errorf("a quote is not closed: %s", line)
	}
	return out, nil
}

// besideTimes are the spaces behind an age, and behind the head of its column.
var besideTimes = regexp.MustCompile(`(…s|AGE) +`)

// matches reports whether a command printed what is expected.
func (s step) matches(printed string) bool {
	pattern := "\n" + regexp.QuoteMeta(s.prints)
	pattern = strings.ReplaceAll(pattern, "\n…\n", "\n(.*\n)*")
	pattern = besideTimes.ReplaceAllString(pattern, "$1 +") // columns are as wide as what is in them
	pattern = strings.ReplaceAll(pattern, "…", ".*")[1:]
	return regexp.MustCompile("^" + pattern + "$").MatchString(printed)
}

func TestMatches(t *testing.T) {
	for _, row := range []struct {
		prints, printed string
		want            bool
	}{
		{"a\n", "a\n", true},
		{"a\n", "a\nb\n", false},
		{"", "", true},
		{"", "a\n", false},
		{"a …\n", "a b\n", true},
		{"a …\n", "a b\nc\n", false},
		{"a\n…\nb\n", "a\nb\n", true},
		{"a\n…\nb\n", "a\nx\ny\nb\n", true},
		{"a\n…\n", "b\n", false},
		{"…\n", "", true},
		{"a.\n", "ab\n", false},
		{"AGE   B\n…s    x\n", "AGE   B\n14s   x\n", true},
	} {
		if got := (step{prints: row.prints}).matches(row.printed); got != row.want {
			t.Errorf("%q matches %q: %v", row.prints, row.printed, got)
		}
	}
}
