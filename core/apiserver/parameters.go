package apiserver

import (
	"errors"
	"fmt"
	"slices"
	"strings"

	"github.com/tabernetes/tabernetes/core/object"
	"github.com/tabernetes/tabernetes/core/status"
)

// Parameters reads the body of a call, which has no others than the known ones; an empty
// body has none. It returns a BadRequest if the body is not so.
func (c Call) Parameters(known ...string) (map[string]any, error) {
	if len(c.Body) == 0 {
		return nil, nil
	}
	given, problems, err := object.Decode(c.Body, nil)
	for name := range given {
		if !slices.Contains(known, name) {
			problems = append(problems, fmt.Sprintf("unknown field %q", name))
		}
	}
	if err == nil && len(problems) > 0 {
		slices.Sort(problems)
		err = errors.New(strings.Join(problems, ", "))
	}
	if err != nil {
		return nil, status.NewBadRequest("the body is not what this act takes: " + err.Error())
	}
	return given, nil
}
