//go:build !js

package practice

import (
	"math/rand/v2"
	"slices"
	"strconv"
	"strings"
)

// An outcome is something that a run may show: as text, and as the conditions that tell that it happened.
type outcome struct {
	text       string
	conditions []string
}

// A choice is an answer to a template's question: it is right if its outcome happens. The reply is for learners who
// chose it wrongly.
type choice struct {
	outcome
	reply string
}

// maxChoices is how many choices a question has at most.
const maxChoices = 4

// choiceLines returns the lines of a choice in a lesson.
func choiceLines(text string, conditions []string, reply string) string {
	lines := append([]string{"- " + text}, conditions...)
	if reply != "" {
		lines = append(lines, "reply "+strconv.Quote(reply))
	}
	return strings.Join(lines, "\n  ")
}

// writeChoices returns the lines of a question's choices: the right one, then the wrong ones, up to most
// choices. It leaves out wrong ones that have the text or the conditions of an earlier choice, and returns "" if fewer
// than least choices remain.
func writeChoices(least, most int, right choice, wrong ...choice) string {
	var lines []string
	texts, conditions := map[string]bool{}, map[string]bool{}
	for _, c := range append([]choice{right}, wrong...) {
		all := strings.Join(c.conditions, "\n")
		if len(lines) == most || texts[c.text] || conditions[all] {
			continue
		}
		texts[c.text], conditions[all] = true, true
		lines = append(lines, choiceLines(c.text, c.conditions, c.reply))
	}
	if len(lines) < least {
		return ""
	}
	return strings.Join(lines, "\n")
}

// writeShuffledChoices returns the lines of a question's choices, sorted by text: the right one and some of the wrong
// ones, which are drawn among those that differ from it and from one another. It returns "" if fewer than three remain.
func writeShuffledChoices(r *rand.Rand, right choice, wrong ...choice) string {
	right.reply = ""
	all := []choice{right}
	for _, c := range shuffled(r, wrong...) {
		if len(all) < maxChoices && !slices.ContainsFunc(all, func(a choice) bool { return a.text == c.text }) {
			all = append(all, c)
		}
	}
	if len(all) < 3 {
		return ""
	}
	slices.SortFunc(all, func(a, b choice) int { return strings.Compare(a.text, b.text) })
	var lines []string
	for _, c := range all {
		lines = append(lines, choiceLines(c.text, c.conditions, c.reply))
	}
	return strings.Join(lines, "\n")
}
