package format

import (
	"slices"
	"testing"
)

// TestOrderDependsOnTexts wants orders of the choices that depend on their texts alone.
func TestOrderDependsOnTexts(t *testing.T) {
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
}
