package config

import (
	"encoding/base64"
	"encoding/json"
	"encoding/pem"
	"fmt"
	"slices"
	"strings"

	"github.com/tabernetes/tabernetes/core/internal/field"
	"github.com/tabernetes/tabernetes/core/internal/kinds/rule"
	"github.com/tabernetes/tabernetes/core/internal/kinds/strategy"
	"github.com/tabernetes/tabernetes/core/internal/kinds/tree"
	"github.com/tabernetes/tabernetes/core/object"
)

// Secret is the strategy of Secrets.
var Secret = strategy.Strategy{
	Default: func(obj map[string]any) {
		tree.Default(obj, "type", "Opaque")
		for key, text := range tree.Object(obj, "stringData") {
			text, _ := text.(string)
			tree.Make(obj, "data")[key] = base64.StdEncoding.EncodeToString([]byte(text))
		}
		delete(obj, "stringData")
	},
	PrepareCreate: warnSecret,
	PrepareUpdate: func(c *strategy.Context, obj, _ map[string]any) { warnSecret(c, obj) },
	Updates:       []strategy.Check{strategy.CheckMeta, strategy.CheckChange, strategy.CheckNew},
	Validate:      validateSecret,
	ValidateUpdate: func(obj, old map[string]any) field.ErrorList {
		return append(rule.Immutable(obj, old, "type"), validateImmutable(obj, old, "data")...)
	},
}

// secretNeeds are the keys that secrets of some types must have.
var secretNeeds = map[string][]string{
	"kubernetes.io/dockercfg":        {".dockercfg"},
	"kubernetes.io/dockerconfigjson": {".dockerconfigjson"},
	"kubernetes.io/tls":              {"tls.crt", "tls.key"},
}

func validateSecret(obj map[string]any) field.ErrorList {
	var errs field.ErrorList
	data, at := tree.Object(obj, "data"), field.Path("data")
	errs.Add(dataKeys(data, at)...)
	if decodedSize(data) > maxData {
		errs.Add(field.TooLong(at, maxData))
	}
	kind := tree.Text(obj, "type")
	for _, key := range secretNeeds[kind] {
		if _, there := data[key]; !there {
			errs.Add(field.Required(at.Key(key), ""))
		} else if strings.HasPrefix(key, ".docker") {
			errs.Add(jsonObject(tree.Text(data, key), at.Key(key))...)
		}
	}
	switch kind {
	case "kubernetes.io/service-account-token":
		if tree.Text(tree.Object(object.Meta(obj), "annotations"), "kubernetes.io/service-account.name") == "" {
			errs.Add(field.Required("metadata.annotations[kubernetes.io/service-account.name]", ""))
		}
	case "kubernetes.io/basic-auth":
		_, user := data["username"]
		_, password := data["password"]
		if !user && !password {
			errs.Add(field.Required(at.Key("username"), ""), field.Required(at.Key("password"), ""))
		}
	case "kubernetes.io/ssh-auth":
		if tree.Text(data, "ssh-privatekey") == "" {
			errs.Add(field.Required(at.Key("ssh-privatekey"), ""))
		}
	}
	return errs
}

// jsonObject checks that base64 text is a JSON object, without showing it in errors.
func jsonObject(text string, at field.Path) field.ErrorList {
	raw, _ := base64.StdEncoding.DecodeString(text)
	var fields map[string]any
	err := object.Check(raw)
	if err == nil {
		err = json.Unmarshal(raw, &fields)
	}
	if err != nil {
		return field.ErrorList{field.Invalid(at, "<secret contents redacted>", err.Error())}
	}
	return nil
}

// warnSecret warns about certificates and keys that are not PEM blocks of the right type. The real
// server also parses them and checks that they match; the code for that would be a large part of
// what the browser loads.
func warnSecret(c *strategy.Context, obj map[string]any) {
	if tree.Text(obj, "type") != "kubernetes.io/tls" {
		return
	}
	blocks := func(key string) (types []string) {
		text, _ := base64.StdEncoding.DecodeString(tree.Text(tree.Object(obj, "data"), key)) // checked during decoding
		for block, rest := pem.Decode(text); block != nil; block, rest = pem.Decode(rest) {
			types = append(types, block.Type)
		}
		return types
	}
	isKey := func(t string) bool { return strings.HasSuffix(t, "PRIVATE KEY") }
	certificates, keys := blocks("tls.crt"), blocks("tls.key")
	switch {
	case len(certificates) == 0:
		c.Warn("tls: failed to find any PEM data in certificate input")
	case slices.Contains(certificates, "CERTIFICATE"):
		switch {
		case len(keys) == 0:
			c.Warn("tls: failed to find any PEM data in key input")
		case slices.ContainsFunc(keys, isKey):
		case len(keys) == 1 && keys[0] == "CERTIFICATE":
			c.Warn("tls: found a certificate rather than a key in the PEM for the private key")
		default:
			c.Warn(fmt.Sprintf(`tls: failed to find PEM block with type ending in "PRIVATE KEY" in key input after skipping `+
				`PEM blocks of the following types: %v`, keys))
		}
	case len(certificates) == 1 && isKey(certificates[0]):
		c.Warn("tls: failed to find certificate PEM data in certificate input, but did find a private key; " +
			"PEM inputs may have been switched")
	default:
		c.Warn(fmt.Sprintf(`tls: failed to find "CERTIFICATE" PEM block in certificate input after skipping PEM blocks of `+
			`the following types: %v`, certificates))
	}
}
