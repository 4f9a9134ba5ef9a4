package picture

import (
	"strings"

	"github.com/tabernetes/tabernetes/web/lesson/format"
	"github.com/tabernetes/tabernetes/web/tap"
)

// A View is a goal's picture beside that of now.
type View struct {
	// Goal are the rows of the goal, Now those that belong to them: a row without signs is not there yet.
	Goal, Now format.Picture
	// Lines say what is there, and what is missing: one for each sign, or for a row.
	Lines []Line
	// Reached says that the goal is reached, in whichever way.
	Reached bool
	// Earlier says that requests of an earlier visit count, too, of which Now shows nothing.
	Earlier bool
}

// A Line says that a row is as in the goal, or what is missing in it.
type Line struct {
	There bool
	// Sign is the one that is missing; empty of a row that is there.
	Sign string
	Text string
}

// There returns how many of the lines say that a row is as in the goal.
func (v View) There() (n int) {
	for _, line := range v.Lines {
		if line.There {
			n++
		}
	}
	return n
}

// Compare returns what a picture of now has of a goal's.
func Compare(goal, now format.Picture) View {
	v := View{Goal: goal}
	for i, at := range match(goal, now, true) {
		row := goal[i]
		if at < 0 {
			v.Now = append(v.Now, format.PictureRow{Kind: row.Kind, Path: row.Path})
			v.missing(row)
			continue
		}
		v.Now = append(v.Now, now[at])
		whole := true
		for j, found := range common(row, now[at]) {
			if !found {
				whole = false
				v.Lines = append(v.Lines, Line{Sign: row.Signs[j].Name, Text: lacks(row, row.Signs[j])})
			}
		}
		if whole {
			v.Lines = append(v.Lines, Line{There: true, Text: has(row)})
		}
	}
	return v
}

// missing adds the lines for a row that is not there.
func (v *View) missing(row format.PictureRow) {
	if row.Kind == format.PictureWatch {
		line := Line{Sign: row.Signs[0].Name, Text: "a watch of " + Short(row) + " is missing" + begins[row.Signs[0].Name]}
		if last := row.Signs[len(row.Signs)-1]; ends(last) && last.Name != "arrow" && last.Name != "cap" {
			line.Sign, line.Text = last.Name, line.Text+", ends with "+last.Name
		}
		v.Lines = append(v.Lines, line)
		return
	}
	for _, s := range row.Signs {
		v.Lines = append(v.Lines, Line{Sign: s.Name, Text: lacks(row, s)})
	}
}

// begins says what a watch begins with.
var begins = map[string]string{"start": ": from a version", "recent": ": from the most recent state",
	"zero": ": from any state", "streaming": ": as a streaming list"}

// did says what happened to an object.
var did = map[string]string{"added": "created", "modified": "changed", "deleted": "deleted"}

// lacks says that a sign of a row is missing.
func lacks(row format.PictureRow, s format.PictureSign) string {
	switch of := Short(row); {
	case row.Kind == format.PictureWrites:
		return "a write is missing: " + s.Of + ", " + did[s.Name]
	case row.Kind == format.PictureAnswers && s.Name == "page":
		return "a page is missing: " + of
	case row.Kind == format.PictureAnswers && s.Name == "read":
		return "an answer is missing: " + of
	case row.Kind == format.PictureAnswers:
		return "a refusal is missing: " + s.Name + " for " + of
	case s.Name == "arrow":
		return "the watch of " + of + " is not open"
	case s.Name == "cap":
		return "the watch of " + of + " has not ended"
	case s.Name == "initial":
		return "the initial state is missing in the watch of " + of
	case s.Name == "end":
		return "the end of the initial events is missing in the watch of " + of
	case did[s.Name] != "":
		return "an event is missing in the watch of " + of + ": " + strings.ToUpper(s.Name)
	default:
		return "the watch of " + of + " has not ended with " + s.Name
	}
}

// has says that a row is there.
func has(row format.PictureRow) string {
	switch row.Kind {
	case format.PictureWrites:
		return "all writes are there"
	case format.PictureWatch:
		return "the watch of " + Short(row) + " is there"
	}
	return "the answers for " + Short(row) + " are there"
}

// Short names a row in few words: what was written, or the path of its requests.
func Short(row format.PictureRow) string {
	if row.Kind == format.PictureWrites {
		return "writes"
	}
	if i := tap.Classify("GET", row.Path); i.Resource != "" {
		return i.Short()
	}
	return row.Path
}
