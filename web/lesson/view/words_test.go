package view

import (
	"fmt"
	"testing"

	"github.com/tabernetes/tabernetes/web/lesson/session"
)

func TestBoxes(t *testing.T) {
	for s, want := range map[session.Score]string{
		{Fewest: 1}:                                       "[open]",
		{Made: 1, Fewest: 3}:                              "[made open open]",
		{Made: 3, Fewest: 2, Reached: true}:               "[made made over]",
		{Made: 2, Fewest: 3, Reached: true, Record: true}: "[made made open]",
		{Made: 2, Fewest: 3, Reached: true}:               "[made made open]",
		{Fewest: 3, After: 6}:                             "[open open open]",
	} {
		if got := fmt.Sprint(boxes(s)); got != want {
			t.Errorf("%+v: %s, want %s", s, got, want)
		}
	}
	if n := len(boxes(session.Score{Made: 1000, Fewest: 2})); n != maxBoxes {
		t.Errorf("%d boxes", n)
	}
}
