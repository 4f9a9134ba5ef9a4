package admission

import (
	"github.com/tabernetes/tabernetes/core/internal/kinds/strategy"
	"github.com/tabernetes/tabernetes/core/internal/kinds/tree"
)

// MutatingWebhookConfiguration is the strategy of MutatingWebhookConfigurations.
var MutatingWebhookConfiguration = strategy.Strategy{
	Default: func(obj map[string]any) {
		defaultWebhooks(obj)
		for _, hook := range tree.Objects(obj, "webhooks") {
			tree.DefaultNil(hook, "reinvocationPolicy", "Never")
		}
	},
	Validate: validateWebhooks,
	Raises:   strategy.Differs("webhooks"),
}
