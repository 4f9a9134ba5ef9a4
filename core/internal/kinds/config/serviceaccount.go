package config

import (
	"github.com/tabernetes/tabernetes/core/internal/kinds/strategy"
	"github.com/tabernetes/tabernetes/core/internal/kinds/tree"
	"github.com/tabernetes/tabernetes/core/object"
)

// ServiceAccount is the strategy of ServiceAccounts.
var ServiceAccount = strategy.Strategy{
	PrepareCreate: func(c *strategy.Context, obj map[string]any) {
		nameSecrets(obj)
		warnServiceAccount(c, obj, nil)
	},
	PrepareUpdate: func(c *strategy.Context, obj, old map[string]any) {
		nameSecrets(obj)
		warnServiceAccount(c, obj, old)
	},
}

// nameSecrets removes everything but the names from the references to secrets.
func nameSecrets(obj map[string]any) {
	for i, secret := range tree.Objects(obj, "secrets") {
		named := map[string]any{}
		if name := tree.Text(secret, "name"); name != "" {
			named["name"] = name
		}
		obj["secrets"].([]any)[i] = named
	}
}

const mountableSecrets = "kubernetes.io/enforce-mountable-secrets"

// warnServiceAccount warns about a new annotation.
func warnServiceAccount(c *strategy.Context, obj, old map[string]any) {
	_, has := tree.Object(object.Meta(obj), "annotations")[mountableSecrets]
	if _, had := tree.Object(tree.Object(old, "metadata"), "annotations")[mountableSecrets]; has && !had {
		c.Warn("metadata.annotations[" + mountableSecrets +
			"]: deprecated in v1.32+; prefer separate namespaces to isolate access to mounted secrets")
	}
}
