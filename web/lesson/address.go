package lesson

import (
	"fmt"
	"strconv"
	"strings"
)

// An Address names a request in a lesson: its step, block and place there.
type Address struct{ Step, Block, Request int }

// String is the address in the page's attributes.
func (a Address) String() string { return fmt.Sprintf("%d/%d/%d", a.Step, a.Block, a.Request) }

// Request finds the request with the address that String wrote, or nil.
func (l *Lesson) Request(address string) *Request {
	var places [3]int
	parts := strings.Split(address, "/")
	if len(parts) != len(places) {
		return nil
	}
	for i, part := range parts {
		n, err := strconv.Atoi(part)
		if err != nil {
			return nil
		}
		places[i] = n
	}
	a := Address{places[0], places[1], places[2]}
	if a.Step < 0 || a.Step >= len(l.Steps) {
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

// stepID is the id of a step's text, to which links lead.
func stepID(l Lesson, i int) string { return "lesson-" + l.ID + "-" + strconv.Itoa(i+1) }

// hashPrefix begins the fragments of links to lessons.
const hashPrefix = "#lesson-"

// Link is the fragment of a link to a lesson.
func (l *Lesson) Link() string { return hashPrefix + l.ID }

// FindLink reads a fragment that leads to a lesson, as #lesson-paging does, or to
// one of its steps, as #lesson-paging-3 does: the index of the lesson among
// lessons, and of the step, or -1. ok is false when it leads to neither.
func FindLink(lessons []*Lesson, hash string) (lesson, step int, ok bool) {
	id, ok := strings.CutPrefix(hash, hashPrefix)
	if !ok {
		return 0, 0, false
	}
	for i, l := range lessons {
		if l.ID == id {
			return i, -1, true
		}
	}
	for i, l := range lessons {
		number, ok := strings.CutPrefix(id, l.ID+"-")
		if n, err := strconv.Atoi(number); ok && err == nil && n >= 1 && n <= len(l.Steps) && number == strconv.Itoa(n) {
			return i, n - 1, true
		}
	}
	return 0, 0, false
}
