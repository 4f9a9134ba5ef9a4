// Package config has the strategies of ConfigMaps, Secrets and ServiceAccounts.
package config

import (
	"github.com/tabernetes/tabernetes/core/internal/field"
	"github.com/tabernetes/tabernetes/core/internal/field/syntax"
	"github.com/tabernetes/tabernetes/core/internal/kinds/strategy"
	"github.com/tabernetes/tabernetes/core/internal/kinds/tree"
)

// ConfigMap is the strategy of ConfigMaps.
var ConfigMap = strategy.Strategy{
	Updates:  []strategy.Check{strategy.CheckMeta, strategy.CheckChange, strategy.CheckNew},
	Validate: validateConfigMap,
	ValidateUpdate: func(obj, old map[string]any) field.ErrorList {
		if tree.Empty(obj["data"]) {
			obj = tree.Without(obj, "data") // whose default is an empty map
		}
		return validateImmutable(obj, old, "data", "binaryData")
	},
}

func validateConfigMap(obj map[string]any) field.ErrorList {
	var errs field.ErrorList
	data, binary := tree.Object(obj, "data"), tree.Object(obj, "binaryData")
	wrongData := func(key string) bool {
		_, both := binary[key]
		return both || syntax.ConfigMapKey(key) != nil
	}
	for _, key := range tree.Wrong(data, wrongData) {
		for _, wrong := range syntax.ConfigMapKey(key) {
			errs.Add(field.Invalid(field.Path("data").Key(key), key, wrong))
		}
		if _, both := binary[key]; both {
			errs.Add(field.Invalid(field.Path("data").Key(key), key, "duplicate of key present in binaryData"))
		}
	}
	errs.Add(dataKeys(binary, "binaryData")...)
	size := decodedSize(binary)
	for _, value := range data {
		text, _ := value.(string)
		size += len(text)
	}
	if size > maxData {
		errs.Add(field.TooLong(field.NewPath(""), maxData))
	}
	return errs
}
