package header

import (
	"testing"

	"github.com/a-h/templ"

	"github.com/tabernetes/tabernetes/web/internal/golden"
)

func TestGolden(t *testing.T) {
	golden.Test(t, map[string]templ.Component{
		"page":      Skeleton(false),
		"devserver": Skeleton(true),
		"kept/none": Kept("", "", false),
		"kept/bad":  Kept("not saved", `no "room"`, true),
	})
}
