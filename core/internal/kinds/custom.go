package kinds

import (
	"github.com/tabernetes/tabernetes/core/internal/kinds/extension"
	"github.com/tabernetes/tabernetes/core/internal/kinds/strategy"
	"github.com/tabernetes/tabernetes/core/schema"
)

// Of returns the strategy of a resource: that of its kind or, for a custom resource, the one for
// its definition.
func Of(res *schema.Resource) *strategy.Strategy {
	if res.Custom != nil {
		return extension.CustomStrategy(res)
	}
	return For(res.Group, res.Kind)
}
