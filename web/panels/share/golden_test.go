package share

import (
	"testing"

	"github.com/a-h/templ"

	"github.com/tabernetes/tabernetes/web/internal/golden"
)

func TestGolden(t *testing.T) {
	golden.Test(t, map[string]templ.Component{"skeleton": Skeleton()})
}
