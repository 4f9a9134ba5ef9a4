package lesson

import (
	"regexp"
	"slices"
	"strings"
	"testing"
)

// TestNothingTellsTheRightChoice wants each choice on the page to have the same form, and orders that depend on texts
// alone.
func TestNothingTellsTheRightChoice(t *testing.T) {
	p := Prediction{Question: "Q", Explanation: "E", Choices: []Choice{
		{Text: "a", Reply: "no a"}, {Text: "b"}, {Text: "c", Reply: "no c"}, {Text: "d", Reply: "no d"}}}
	turned := Prediction{Choices: slices.Clone(p.Choices)}
	slices.Reverse(turned.Choices)
	texts := func(p *Prediction, order []int, of func(Choice) string) (out []string) {
		for _, i := range order {
			out = append(out, of(p.Choices[i]))
		}
		return out
	}
	text, reply := func(c Choice) string { return c.Text }, func(c Choice) string { return c.Reply }
	if a, b := texts(&p, p.Shown(), text), texts(&turned, turned.Shown(), text); !slices.Equal(a, b) || len(a) != 4 {
		t.Errorf("choices: %q, and of another order %q", a, b)
	}
	if a, b := texts(&p, p.Replies(), reply), texts(&turned, turned.Replies(), reply); !slices.Equal(a, b) || len(a) != 3 {
		t.Errorf("replies: %q, and of another order %q", a, b)
	}
	for i := range p.Choices {
		p.Choices[i].HTML, p.Choices[i].ReplyHTML = p.Choices[i].Text, p.Choices[i].Reply
	}
	var html strings.Builder
	if err := question(Lesson{ID: "x", Steps: make([]Step, 1)}, 0, &p).Render(t.Context(), &html); err != nil {
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
