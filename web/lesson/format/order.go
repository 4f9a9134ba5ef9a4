package format

import (
	"cmp"
	"hash/fnv"
	"slices"
)

// The page has choices and replies in orders that depend on their texts alone, and a place for a reply at each choice,
// so that nothing in it says which choice is right.

// Shown returns the indexes of the choices in the order in which the page has them: its values are places in that.
func (p *Prediction) Shown() []int {
	return p.byText(func(c *Choice) string { return c.Text })
}

// Replies returns the indexes of the choices that have a reply, in the order in which the page has the replies.
func (p *Prediction) Replies() []int {
	return p.byText(func(c *Choice) string { return c.Reply })
}

// byText returns the indexes of the choices that have a text, ordered by its hash.
func (p *Prediction) byText(text func(*Choice) string) []int {
	var order []int
	hashes := make([]uint64, len(p.Choices))
	for i := range p.Choices {
		if t := text(&p.Choices[i]); t != "" {
			h := fnv.New64a()
			_, _ = h.Write([]byte(t))
			hashes[i], order = h.Sum64(), append(order, i)
		}
	}
	slices.SortStableFunc(order, func(a, b int) int { return cmp.Compare(hashes[a], hashes[b]) })
	return order
}
