package access

import (
	"github.com/tabernetes/tabernetes/core/internal/field"
	"github.com/tabernetes/tabernetes/core/internal/kinds/strategy"
)

// ClusterRole is the strategy of ClusterRoles.
var ClusterRole = strategy.Strategy{
	Updates:  []strategy.Check{strategy.CheckNew, strategy.CheckMeta},
	Validate: func(obj map[string]any) field.ErrorList { return validateRules(obj, false) },
}
