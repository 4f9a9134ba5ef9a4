package admission

import (
	"github.com/tabernetes/tabernetes/core/internal/kinds/strategy"
)

// ValidatingWebhookConfiguration is the strategy of ValidatingWebhookConfigurations.
var ValidatingWebhookConfiguration = strategy.Strategy{
	Default:  func(obj map[string]any) { defaultWebhooks(obj) },
	Validate: validateWebhooks,
	Raises:   strategy.Differs("webhooks"),
}
