package format

import (
	"slices"
	"strings"

	"github.com/tabernetes/tabernetes/core/settings"
	"github.com/tabernetes/tabernetes/core/wellknown"
)

// settingsLever is the lever of all settings: a write of the ControlPlane itself.
const settingsLever = "settings"

// Levers are the levers that a goal may allow: the settings, and what a ControlPlane does once, but for what puts
// another cluster in the place of this one or removes namespaces.
var Levers = []string{settings.Advance.Name, settings.Compact.Name, settings.Disconnect.Name, settings.Restart.Name,
	settingsLever}

// noLevers stands for an empty list.
const noLevers = "none"

// limit reads the levers that a goal allows.
func (g *Goal) limit(value string, line int) error {
	if g.Limited = true; value == noLevers {
		return nil
	}
	for name := range strings.SplitSeq(value, ",") {
		if name = strings.TrimSpace(name); !slices.Contains(Levers, name) || slices.Contains(g.Levers, name) {
			return errAt(line, "levers: %s, or some of %s, each once, not %q", noLevers, strings.Join(Levers, ", "), name)
		}
		g.Levers = append(g.Levers, name)
	}
	return nil
}

// leverRowName is one that no author can write, so that any name is free.
const leverRowName = "(levers)"

// leverRow returns the check's row that wants no lever to have been used which the goal does not allow.
func (g *Goal) leverRow() Row {
	row := Row{Text: "No lever was used", Name: leverRowName, None: true, Times: 1, Line: g.Line,
		Method: "POST", Or: []string{"PUT", "PATCH"}, Statuses: []int{200, 201},
		Conds: []Cond{{Left: PathOf("request", "query", "dryRun"), Op: IsAbsent, Line: g.Line}},
		Else:  "A lever was used that this goal does not allow. Set it up again."}
	if len(g.Levers) > 0 {
		row.Text += " but those that are allowed"
	}
	if !slices.Contains(g.Levers, settingsLever) {
		row.Paths = []string{wellknown.ControlPlane}
	}
	for _, act := range settings.Acts {
		path := wellknown.ControlPlane + "/" + act.Name
		if act.Changes() && !slices.Contains(g.Levers, act.Name) && !slices.Contains(row.Paths, path) {
			row.Paths = append(row.Paths, path)
		}
	}
	return row
}

// Tools says what a learner may use to reach the goal.
func (g *Goal) Tools() string {
	switch {
	case !g.Limited:
		return "Use the console and the levers. Levers do not count."
	case len(g.Levers) == 0:
		return "Use the console or the terminal. Levers are not allowed."
	}
	return "Use the console or the terminal. These levers are allowed, and do not count: " +
		strings.Join(g.Levers, ", ") + "."
}
