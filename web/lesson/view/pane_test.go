package view

import (
	"regexp"
	"strings"
	"testing"

	"github.com/tabernetes/tabernetes/web/lesson/format"
)

// TestNothingTellsTheRightChoice wants each choice on the page to have the same form.
func TestNothingTellsTheRightChoice(t *testing.T) {
	p := format.Prediction{Question: "Q", Explanation: "E", Choices: []format.Choice{
		{Text: "a", Reply: "no a"}, {Text: "b"}, {Text: "c", Reply: "no c"}, {Text: "d", Reply: "no d"}}}
	for i := range p.Choices {
		p.Choices[i].HTML, p.Choices[i].ReplyHTML = p.Choices[i].Text, p.Choices[i].Reply
	}
	var html strings.Builder
	l := format.Lesson{ID: "x", Steps: make([]format.Step, 1)}
	if err := question(l, 0, &p).Render(t.Context(), &html); err != nil {
		t.Fatal(err)
	}
	choice := regexp.MustCompile(`(?s)<div class="lesson-choice".*?</label>.*?</div></div>`)
	differs := regexp.MustCompile(`\d|<span>[a-d]</span>`) // its place, its text
	forms := map[string]int{}
	for _, c := range choice.FindAllString(html.String(), -1) {
		forms[differs.ReplaceAllString(c, "")]++
	}
	if len(forms) != 1 {
		t.Errorf("%d forms: %v\n%s", len(forms), forms, html.String())
	}
}
