//go:build !js

package index

import (
	"fmt"
	"regexp"
	"slices"
	"strings"

	"github.com/tabernetes/tabernetes/core/horizon"
	"github.com/tabernetes/tabernetes/core/semantics"
	"github.com/tabernetes/tabernetes/web/course"
	"github.com/tabernetes/tabernetes/web/lesson/format"
)

// Build makes the index of a course and of scenes, with other entries, such as keys. lessons have the sources of all
// lessons in x.
func Build(x *course.Index, lessons []format.Lesson, scenes []*format.Scene, others []Entry) *Index {
	var all []Entry
	for i, l := range lessons {
		entry := x.Lessons[i]
		intro, steps := parts(l.Source)
		note := ""
		if entry.Number > 0 {
			note = fmt.Sprint(entry.Number)
		}
		all = append(all, Entry{Group: Lessons, Title: l.Title, Note: note, Href: course.Link(l.ID),
			Words: once(about(intro)+" "+often(strings.Join(steps, " "))+" "+strings.Join(entry.Steps, " "), l.Title)})
		for n, s := range l.Steps {
			e := Entry{Group: Steps, Title: s.Title, Note: fmt.Sprintf("%d.%d", entry.Number, n+1),
				Href: x.StepLink(l.ID, n+1)}
			if n < len(steps) {
				e.Words = l.Title + " " + about(steps[n])
				e.Text = once(prose(steps[n]), e.Title+" "+e.Words)
			}
			all = append(all, e)
		}
	}
	all = append(all,
		Entry{Group: Lessons, Title: "Practice", Words: "situations, exercises, repeat", Href: "#practice"},
		Entry{Group: Lessons, Title: "Exam", Words: "test, questions", Href: "#exam"},
		Entry{Group: Lessons, Title: "Capstone: write a reflector", Words: "informer controller code levels judge",
			Href: "#capstone"},
		Entry{Group: Lessons, Title: "Own levels: make one, share it, solve it", Href: "#levels",
			Words: "your own level goal editor challenge teacher game"},
		Entry{Group: Lessons, Title: "The bench: try policies, rules and roles", Href: "#bench",
			Words: "admission ValidatingAdmissionPolicy MutatingAdmissionPolicy CEL expressions CustomResourceDefinition " +
				"webhook matchConditions RBAC server-side apply playground"},
		Entry{Group: Lessons, Title: "Your progress", Words: "save, load, teacher's view", Href: "#progress"})
	for _, s := range scenes {
		all = append(all, Entry{Group: Scenes, Title: s.Title, Note: fmt.Sprintf("%d steps", len(s.Steps)), Words: s.Line,
			Text: once(s.Source, s.Title+" "+s.Line), Href: "#scene=" + s.ID})
	}
	for _, r := range semantics.Rules() {
		e := Entry{Group: Rules, Title: sentence(r.Sentence), Note: r.Verb, Words: r.ID, Rule: r.ID}
		all = append(all, e)
	}
	for _, c := range horizon.Causes() {
		all = append(all, Entry{Group: Rules, Title: "410: " + c.Sentence(), Note: "watch",
			Words: "Gone Expired " + string(c), Rule: semantics.WatchFrom})
	}
	all = append(all, others...)
	slices.SortStableFunc(all, func(a, b Entry) int { return int(a.Group - b.Group) })
	return New(all)
}

// sentence returns a rule's sentence as a line.
func sentence(s string) string { return strings.ToUpper(s[:1]) + s[1:] }

// parts returns the introduction of a lesson's source, and its steps.
func parts(source string) (intro string, steps []string) {
	all := regexp.MustCompile(`(?m)^## .*$`).Split(source, -1)
	return all[0], all[1:]
}

var (
	fence = regexp.MustCompile("(?ms)^```.*?^```$")
	// names are words of the API: in code, in parameters and in statuses.
	names = regexp.MustCompile("`[^`\n]+`" + `|\*\*[^*\n]+\*\*|[?&][A-Za-z]+=|-> \d{3}|\b[a-z]+[A-Z]\w+\b`)
	code  = regexp.MustCompile("`[^`\n]*`")
)

// about returns the words of the API that a text has, and what it sets in bold.
func about(text string) string {
	return once(strings.Join(names.FindAllString(text, -1), " "), "")
}

// often returns the words of the API that a text has four times or more.
func often(text string) string {
	count := map[string]int{}
	var out []string
	for _, name := range names.FindAllString(text, -1) {
		for _, w := range strings.FieldsFunc(name, apart) {
			if count[w]++; count[w] == 4 {
				out = append(out, w)
			}
		}
	}
	return strings.Join(out, " ")
}

// prose returns a text without what is fenced, but for the questions.
func prose(text string) string {
	return code.ReplaceAllString(fence.ReplaceAllStringFunc(text, func(block string) string {
		if strings.HasPrefix(block, "```predict") {
			return block
		}
		return ""
	}), "")
}

// common are words that nobody searches for.
var common = map[string]bool{}

func init() {
	for w := range strings.FieldsSeq(`an and are as at be been but by can come comes could did do does each for from get
		gets had has have here how if in into is it its may more not now of on one only or other out reply seen so some than
		that the their them then there these they this to two was what when where which who will with would you your name
		body object metadata request response type absent all no nothing something after before again like look make made`) {
		common[w] = true
	}
}

// once returns the words of a text, each once, without those of another text.
func once(text, without string) string {
	seen := map[string]bool{}
	for w := range strings.FieldsSeq(plain(without)) {
		seen[w] = true
	}
	var out []string
	for _, w := range strings.FieldsFunc(text, apart) {
		if key := strings.ToLower(w); len(w) > 1 && !seen[key] && !common[key] {
			seen[key] = true
			out = append(out, w)
		}
	}
	return strings.Join(out, " ")
}
