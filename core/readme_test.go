package core

import (
	"flag"
	"fmt"
	"net/url"
	"os"
	"strings"
	"testing"

	"github.com/tabernetes/tabernetes/core/gates"
	"github.com/tabernetes/tabernetes/core/semantics"
	"github.com/tabernetes/tabernetes/core/settings"
)

var update = flag.Bool("update", false, "rewrite the tables of core/README.md")

// The headings and the columns of the tables in core/README.md.
const (
	tableHead = "| asked for | answer | if the cache is behind | rule | try it |\n|---|---|---|---|---|\n"
	heading   = "\n### %s\n\n"
)

// tableOf returns the table of a verb in core/README.md.
func tableOf(verb string) string {
	var b strings.Builder
	b.WriteString(tableHead)
	for _, row := range semantics.Rows(verb) {
		fmt.Fprintf(&b, "| %s | %s | %s | `%s` | `%s` |\n", row.Asked, row.Answer, row.AnswerBehind, row.ID, row.Request)
	}
	return b.String()
}

var readVerbs = []string{semantics.Get, semantics.List, semantics.Watch}

// TestReadmeHasTheRows checks that the tables of core/README.md have the rows of core/semantics.
func TestReadmeHasTheRows(t *testing.T) {
	const name = "README.md"
	text, err := os.ReadFile(name)
	if err != nil {
		t.Fatal(err)
	}
	for _, verb := range readVerbs {
		before, rest, found := strings.Cut(string(text), fmt.Sprintf(heading, verb))
		table, after, ended := strings.Cut(rest, "\n\n")
		if !found || !ended {
			t.Fatalf("core/README.md has no section %q", verb)
		}
		if want := tableOf(verb); table+"\n" != want {
			if !*update {
				t.Errorf("the table of %s in core/README.md is not that of core/semantics; "+
					"go test ./core -run Readme -update rewrites it", verb)
			}
			text = []byte(before + fmt.Sprintf(heading, verb) + want + "\n" + after)
		}
	}
	if *update {
		if err := os.WriteFile(name, text, 0o644); err != nil {
			t.Fatal(err)
		}
	}
}

// TestReadmeHasTheGates checks that every gate is in README, also those that have no effect here, with a reason.
func TestReadmeHasTheGates(t *testing.T) {
	text, err := os.ReadFile("README.md")
	if err != nil {
		t.Fatal(err)
	}
	names := gates.Others()
	for _, spec := range gates.Specs() {
		names = append(names, spec.Name)
	}
	for _, name := range names {
		if !strings.Contains(string(text), "`"+name+"`") {
			t.Errorf("README.md does not have %s", name)
		}
	}
}

// TestReadmeHasTheActs checks that core/README.md has a command for each act of core/settings, with its method.
func TestReadmeHasTheActs(t *testing.T) {
	readme := read(t, "README.md")
	for _, a := range settings.Acts {
		method := map[string]string{"create": "-X POST ", "update": "-X PUT ", "get": ""}[a.Verb]
		if !strings.Contains(readme, "\ncurl "+method+"$api/"+a.Name+" ") &&
			!strings.Contains(readme, "\ncurl -N $api/"+a.Name+" ") {
			t.Errorf("core/README.md has no command for %s %s", a.Name, a.Verb)
		}
	}
}

// settingsTable returns the table of the settings in core/README.md.
func settingsTable() string {
	var b strings.Builder
	b.WriteString(settingsHead)
	for _, row := range settings.All {
		var values []string
		switch row.Kind {
		case settings.Seconds, settings.Number:
			values = []string{fmt.Sprintf("%d to %d", row.Least, row.Most)}
		case settings.Switch:
			values = []string{"`true`", "`false`"}
		case settings.Choice:
			for _, value := range row.Choices() {
				values = append(values, "`"+value+"`")
			}
		case settings.Other:
			values = []string{fmt.Sprintf("a list of %d to %d", row.Least, row.Most)}
		}
		initial := ""
		if row.Default != nil {
			initial = fmt.Sprintf("`%v`", row.Default)
		}
		fmt.Fprintf(&b, "| `%s` | %s | %s | %s |\n", row.Path, initial, strings.Join(values, ", "), row.Is)
	}
	return b.String()
}

const settingsHead = "| setting, below `spec` | in a new cluster | values | what it is |\n|---|---|---|---|\n"

// TestReadmeHasTheSettings checks that the table of the settings in core/README.md has the rows of core/settings, which
// core/controlplane compares with a new cluster.
func TestReadmeHasTheSettings(t *testing.T) {
	readme := read(t, "README.md")
	before, rest, found := strings.Cut(readme, settingsHead)
	_, after, ended := strings.Cut(rest, "\n\n")
	if !found || !ended {
		t.Fatal("core/README.md has no settings")
	}
	want := before + settingsTable() + "\n" + after
	if want == readme {
		return
	}
	if !*update {
		t.Fatal("the settings in core/README.md are not those of core/settings; go test ./core -run Readme -update " +
			"writes them")
	}
	if err := os.WriteFile("README.md", []byte(want), 0o644); err != nil {
		t.Fatal(err)
	}
}

func read(t *testing.T, name string) string {
	t.Helper()
	text, err := os.ReadFile(name)
	if err != nil {
		t.Fatal(err)
	}
	return string(text)
}

// TestReadme sends the request of each row, with a cache that is up to date and with one that is
// behind, and expects the answers in the row, by the rule that it names.
func TestReadme(t *testing.T) {
	for _, verb := range readVerbs {
		for _, row := range semantics.Rows(verb) {
			t.Run(row.Request, func(t *testing.T) {
				if got := askedFor(t, row.Request); got != row.Asked {
					t.Errorf("it asks for: %s; the row: %s", got, row.Asked)
				}
				current, behind := newFixture(t, false), newFixture(t, true)
				answer, stale := current.answer(row.Request), behind.answer(row.Request)
				if stale == answer {
					stale = ""
				}
				if answer != row.Answer || stale != row.AnswerBehind {
					t.Errorf("answers: %s | %s\nthe row: %s | %s", answer, stale, row.Answer, row.AnswerBehind)
				}
				for _, s := range []*fixture{current, behind} {
					if got := s.sourceOf(s.explained(row.Request, freshness)); !strings.Contains(got+",", "rule="+row.ID+",") {
						t.Errorf("the answer names its rule: %s; the row: %s", got, row.ID)
					}
				}
			})
		}
	}
}

// askedFor returns what a request asks for, as the first column does.
func askedFor(t *testing.T, request string) string {
	u, err := url.Parse(request)
	if err != nil {
		t.Fatal(err)
	}
	q := u.Query()
	version := q.Get("resourceVersion")
	switch {
	case version == "":
		version = "unset"
	case version == "1":
		version = "gone"
	case version == "4000000000":
		version = "future"
	}
	words := []string{strings.TrimPrefix(version, "$")}
	if match := q.Get("resourceVersionMatch"); match != "" && !q.Has("sendInitialEvents") {
		words = append(words, match)
	}
	if send := q.Get("sendInitialEvents"); send != "" {
		words = append(words, "send "+send)
	}
	if q.Has("allowWatchBookmarks") {
		words = append(words, "bookmarks")
	}
	if q.Has("limit") {
		words = append(words, "limit")
	}
	if q.Has("continue") {
		words = append(words, strings.ToLower(strings.TrimPrefix(q.Get("continue"), "$")))
	}
	if q.Has("fieldSelector") || strings.Contains(u.Path, "/watch/") && strings.HasSuffix(u.Path, "/b") {
		words = append(words, "one name")
	}
	if strings.Contains(u.Path, "/watch/") {
		words = append(words, "/watch/ path")
	}
	if !strings.Contains(u.Path, "/namespaces/") {
		words = append(words, "all namespaces")
	}
	return strings.Join(words, ", ")
}

// answer sends a request and describes the answer in the words of the README.
func (s *fixture) answer(request string) string {
	if strings.Contains(request, "watch=1") || strings.Contains(request, "/watch/") {
		with := "?"
		if strings.Contains(request, "?") {
			with = "&"
		}
		last := lastF
		switch {
		case strings.Contains(request, "4000000000"):
			last = noEvent
		case strings.Contains(request, "metadata.name"), strings.Contains(request, "secrets/b"):
			last = lastB
		}
		return plain(s.watched(request+with+"timeoutSeconds=60", last), watchWords)
	}
	return plain(s.describe(s.get(request)), readWords)
}

// plain turns the marks of test tables into a sentence.
func plain(marks string, say func(string) string) string {
	rest, waits := strings.CutPrefix(marks, "waits ")
	words := say(rest)
	if waits {
		return "waits " + settings.CacheWaitText + ", then " + words
	}
	return words
}

// refusal describes an answer that is a Status.
func refusal(marks string) (string, bool) {
	code, text, _ := strings.Cut(marks, " ")
	switch {
	case code == "410" && strings.Contains(text, " more"):
		return "410, with a token for the rest as of now", true
	case code == "410":
		return "410", true
	case code == "504" && strings.HasSuffix(text, " retry 1"):
		return "504, `Retry-After: 1`", true
	case code == "504", code == "404", code == "500":
		return code, true
	case code == "400":
		what, _, _ := strings.Cut(strings.TrimPrefix(text, "BadRequest "), ": ")
		return "400 " + what, true
	case code == "422":
		var causes []string
		for cause := range strings.SplitSeq(strings.TrimPrefix(text, "Invalid "), " + ") {
			why, ok := causeWords[cause]
			if !ok {
				why = cause
			}
			causes = append(causes, why)
		}
		return "422 " + strings.Join(causes, ", "), true
	}
	return "", false
}

var causeWords = map[string]string{
	noVersion:    "match without version",
	withContinue: "match with continue",
	exactZero:    "Exact with 0",
	unknownWord:  "no such match",
	strings.TrimPrefix(needsMatch, "422 Invalid "): "needs NotOlderThan",
	strings.TrimPrefix(needsSend, "422 Invalid "):  "match without sendInitialEvents",
	fmt.Sprintf(onlyNotOlder, "Exact"):             "only NotOlderThan",
}

func readWords(marks string) string {
	if words, ok := refusal(marks); ok {
		return words
	}
	names, version, _ := strings.Cut(strings.TrimPrefix(marks, "200 "), "@")
	version, more, _ := strings.Cut(version, " ")
	version = map[string]string{
		"HEAD": "as of now", "B'": "as of now", "CACHE": "as the cache has it", "B": "as the cache has it", "N": "as of N",
	}[version]
	switch first := strings.HasPrefix(names, "a"); {
	case !strings.Contains(strings.TrimSpace(names), " ") && more == "":
		return version // one object
	case more != "" && first:
		return "first page, " + version
	case more != "":
		return "next page, " + version
	case first:
		return "all, " + version
	}
	return "the rest, " + version
}

func watchWords(marks string) string {
	if text, isError := strings.CutPrefix(marks, "!"); isError {
		return "ERROR event " + text[:3]
	}
	if words, ok := refusal(marks); ok {
		return words
	}
	marks = strings.TrimSuffix(strings.TrimSuffix(marks, " "+lastB), lastF)
	words := map[string]string{
		"":                "changes from now on",
		"end":             "nothing up to that version",
		"~b' +e ":         "changes after what the cache has",
		"+d ~b' +e ":      "changes after N",
		"~b'":             "changes after N",
		"+b'":             "ADDED as of now",
		"+b":              "ADDED as the cache has it",
		"+b ~b'":          "ADDED as the cache has it",
		"+a +b' +c +d +e": "ADDED for all as of now",
		"+a +b +c +d":     "ADDED for all as the cache has it",
	}
	if said, ok := words[marks]; ok {
		if strings.HasPrefix(said, "ADDED") {
			said += ", then changes"
		}
		return said
	}
	initial, mark, marked := strings.Cut(marks, " |")
	if !marked {
		initial = strings.TrimSuffix(strings.TrimSpace(marks), " ~b' +e")
	}
	said, ok := words[initial]
	if !ok {
		return fmt.Sprintf("(%s)", marks)
	}
	if marked && mark != "" {
		said += ", end mark"
	}
	return said + ", then changes"
}
