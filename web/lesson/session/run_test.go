package session

import (
	"fmt"
	"testing"

	"github.com/tabernetes/tabernetes/web/lesson/format"
)

func TestMissingError(t *testing.T) {
	p, _ := format.ParsePath("response.body.x")
	ref := format.Ref{Name: "list", Path: p}
	for want, e := range map[string]*MissingError{
		"Run list first: this request needs its response.body.x.":                                    {Ref: ref},
		"list was answered 404, without response.body.x: set this step up again, or run list again.": {Ref: ref, Status: 404},
		"The response.body.x of list in step 2 is not known any more: set this step up again.": {
			Ref: ref, Lost: true, Step: 2},
		"The response.body.x of list in the setup is not known any more: set this step up again.": {Ref: ref, Lost: true},
	} {
		if got := fmt.Sprint(e); got != want {
			t.Errorf("%s, want %s", got, want)
		}
	}
}
