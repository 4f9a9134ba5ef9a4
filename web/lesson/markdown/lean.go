//go:build !js

package markdown

import "strings"

// Lean takes out of a lesson's source what is for tests and builds alone: the attempts
// that are wrong, what the steps cover, and the sources of what they say.
func Lean(src string) string {
	var out []string
	skip := ""
	for _, line := range strings.Split(src, "\n") {
		mark := strings.TrimRight(line, " \t")
		switch {
		case skip != "":
			if mark == skip {
				skip = ""
			}
			continue
		case strings.HasPrefix(mark, "```wrong"), strings.HasPrefix(mark, "```covers"),
			strings.HasPrefix(mark, "```claims"):
			skip = "```"
			continue
		}
		out = append(out, line)
	}
	return strings.Join(out, "\n")
}
