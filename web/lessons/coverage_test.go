//go:build !js

package lessons_test

import (
	"flag"
	"os"
	"strings"
	"testing"

	"github.com/tabernetes/tabernetes/web/course/practice"
	"github.com/tabernetes/tabernetes/web/lesson/format"
	"github.com/tabernetes/tabernetes/web/lessons"
)

var update = flag.Bool("update", false, "write COVERAGE.md and the figures of README.md anew")

// renew is how to make them true again.
const renew = "go test ./web/lessons -run UpToDate -update"

func figures(t *testing.T) lessons.Figures {
	t.Helper()
	templates, situations, err := practice.Count()
	if err != nil {
		t.Fatal(err)
	}
	f, err := lessons.Count(ordered(t), templates, situations)
	if err != nil {
		t.Fatal(err)
	}
	return f
}

// compare wants a file to have this text, or writes it.
func compare(t *testing.T, name, text string) {
	t.Helper()
	is, err := os.ReadFile(name)
	if *update {
		if err := os.WriteFile(name, []byte(text), 0o644); err != nil {
			t.Fatal(err)
		}
	} else if err != nil {
		t.Error(err)
	} else if string(is) != text {
		t.Errorf("%s is out of date (%s)", name, renew)
	}
}

// TestCoverageUpToDate wants COVERAGE.md to be what the lessons say.
func TestCoverageUpToDate(t *testing.T) {
	text, err := lessons.CoveragePage(ordered(t), figures(t))
	if err != nil {
		t.Fatal(err)
	}
	compare(t, "COVERAGE.md", text)
}

// TestEverythingIsCovered wants a step for each topic of the documentation.
func TestEverythingIsCovered(t *testing.T) {
	gaps, err := lessons.Gaps(ordered(t))
	if err != nil {
		t.Fatal(err)
	}
	for _, gap := range gaps {
		t.Errorf("no step covers %s: %s", gap.Tag, gap.Title)
	}
}

// TestTopics wants tags to be what they can be named by, each once.
func TestTopics(t *testing.T) {
	seen := map[string]bool{}
	for _, topic := range lessons.Topics {
		if seen[topic.Tag] || topic.Tag == "" || topic.Title == "" || strings.ContainsAny(topic.Tag, " \t") {
			t.Errorf("%q: %q", topic.Tag, topic.Title)
		}
		seen[topic.Tag] = true
	}
}

// TestCount counts a course of one lesson, which leaves gaps, and refuses an unknown topic.
func TestCount(t *testing.T) {
	const step = "\n```http\nGET /api/v1\n```\n\n```check\n- It was read\n  %: GET /api/v1\n```\n"
	const question = "\n```predict\nWhat comes?\n- One\n  reply \"No.\"\n- Two\n  reply \"No.\"\n---\nThree.\n```\n"
	parse := func(covers string) []*format.Lesson {
		l, err := format.Parse("01-counted.md", "# Title\n\n## First\n"+question+strings.Replace(step, "%", "a", 1)+
			"\n```covers\n"+covers+"\n```\n\n## Second\n"+strings.Replace(step, "%", "b", 1))
		if err != nil {
			t.Fatal(err)
		}
		return []*format.Lesson{l}
	}
	f, err := lessons.Count(parse("names verbs\nuri"), 7, 1400)
	want := lessons.Figures{Lessons: 1, Minutes: 1, Topics: 3, Templates: 7, Situations: 1400}
	if err != nil || f != want {
		t.Errorf("%+v, %v, want %+v", f, err, want)
	}
	if said := f.String(); !strings.Contains(said, "1,400 different situations") {
		t.Error(said)
	}
	for covers, row := range map[string]string{"names names": "| [counted](01-counted.md): First |", "uri": "|  |"} {
		if text, err := lessons.CoverageTable(parse(covers)); err != nil ||
			!strings.Contains(text, "\n| Object names "+row+"\n") {
			t.Errorf("%v, no row of names that ends with %s in\n%s", err, row, text)
		}
	}
	gaps, err := lessons.Gaps(parse("names names uri"))
	if err != nil || len(gaps) != len(lessons.Topics)-2 {
		t.Errorf("%d gaps of %d topics, %v", len(gaps), len(lessons.Topics), err)
	}
	if _, err := lessons.Count(parse("colours"), 0, 0); err == nil || !strings.Contains(err.Error(), "01-counted.md") {
		t.Errorf("a tag that is no topic's: %v", err)
	}
}
