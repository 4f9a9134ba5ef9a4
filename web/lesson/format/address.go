package format

import (
	"fmt"
	"slices"
	"strconv"
	"strings"
)

// An Address names a request in a lesson: its step, block and place there.
type Address struct{ Step, Block, Request int }

// String returns the address in the page's attributes.
func (a Address) String() string { return fmt.Sprintf("%d/%d/%d", a.Step, a.Block, a.Request) }

// ParseAddress reads what String wrote.
func ParseAddress(address string) (Address, bool) {
	var places [3]int
	parts := strings.Split(address, "/")
	if len(parts) != len(places) {
		return Address{}, false
	}
	for i, part := range parts {
		n, err := strconv.Atoi(part)
		if err != nil {
			return Address{}, false
		}
		places[i] = n
	}
	return Address{places[0], places[1], places[2]}, true
}

// Kept returns an address as progress has it: with the step's id, since steps may be put in before that.
func (l *Lesson) Kept(address string) string {
	if a, ok := ParseAddress(address); ok && a.Step >= 0 && a.Step < len(l.Steps) {
		_, rest, _ := strings.Cut(address, "/")
		return l.Steps[a.Step].ID + "/" + rest
	}
	return address
}

// Unkept returns the address that kept was given. Progress had the steps' numbers once.
func (l *Lesson) Unkept(address string) string {
	id, rest, _ := strings.Cut(address, "/")
	if i := slices.IndexFunc(l.Steps, func(s Step) bool { return s.ID == id }); i >= 0 {
		return strconv.Itoa(i) + "/" + rest
	}
	return address
}

// SentTogether returns how many requests are sent together, from the one at an address on: after a watch that ends by
// itself (timeoutSeconds) the rest of its block, so that the watch is not over before a learner has made the next
// request. One, otherwise.
func (l *Lesson) SentTogether(a Address) int {
	r := l.Request(a.String())
	if r == nil || !r.Watch() || !strings.Contains(r.Target, "timeoutSeconds=") {
		return 1
	}
	return len(l.Steps[a.Step].Blocks[a.Block].Requests) - a.Request
}

// Request finds the request with the address that String wrote, or nil.
func (l *Lesson) Request(address string) *Request {
	a, ok := ParseAddress(address)
	if !ok || a.Step < 0 || a.Step >= len(l.Steps) {
		return nil
	}
	s := &l.Steps[a.Step]
	if a.Block < 0 || a.Block >= len(s.Blocks) {
		return nil
	}
	b := &s.Blocks[a.Block]
	if a.Request < 0 || a.Request >= len(b.Requests) {
		return nil
	}
	return &b.Requests[a.Request]
}
