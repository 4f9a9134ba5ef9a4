package valid

import (
	"fmt"
	"net/netip"
	"strings"

	"github.com/tabernetes/tabernetes/core/internal/field"
	"github.com/tabernetes/tabernetes/core/internal/kinds/strategy"
	"github.com/tabernetes/tabernetes/core/internal/kinds/tree"
)

// A Warner warns about values that are valid but discouraged, with the texts of the real server.
type Warner struct{ Context *strategy.Context }

// Warnf warns about the value at a path.
func (w Warner) Warnf(at field.Path, format string, args ...any) {
	if w.Context.Enough() {
		return
	}
	w.Context.Warn(at.String() + ": " + fmt.Sprintf(format, args...))
}

// IP warns about an address that is not in canonical form.
func (w Warner) IP(text string, at field.Path) {
	addr, err := netip.ParseAddr(text)
	switch {
	case err != nil:
	case addr.Is4In6():
		w.Warnf(at, "non-standard IP address %q is invalid: use %q", text, addr.Unmap())
	case addr.Is6() && addr.String() != text:
		w.Warnf(at, "IPv6 address %q should be in RFC 5952 canonical format (%q)", text, addr)
	}
}

// CIDR warns about a range of addresses that is not in canonical form.
func (w Warner) CIDR(text string, at field.Path) {
	prefix, err := netip.ParsePrefix(text)
	if err != nil {
		return
	}
	ambiguous := prefix.Masked() != prefix
	if ambiguous {
		w.Warnf(at, "CIDR value %q is ambiguous in this context (should be %q or %q?)", text, prefix.Masked(),
			netip.PrefixFrom(prefix.Addr(), prefix.Addr().BitLen()))
	}
	if prefix.Addr().Is6() && !ambiguous && prefix.String() != text {
		w.Warnf(at, "IPv6 CIDR value %q should be in RFC 5952 canonical format (%q)", text, prefix)
	}
}

// Claim warns about the spec of a claim for a volume.
func (w Warner) Claim(spec map[string]any, at field.Path) {
	for _, name := range []string{"requests", "limits"} {
		amount := tree.Object(tree.Object(spec, "resources"), name)["storage"]
		w.Amount(amount, func() field.Path { return at.Child("resources", name).Key("storage") })
	}
}

// Bytes warns about amounts of bytes that are not whole numbers.
func (w Warner) Bytes(amounts map[string]any, at field.Path) {
	for _, name := range WholeBytes {
		w.Amount(amounts[name], func() field.Path { return at.Key(name) })
	}
}

// WholeBytes are the resources that are counted in bytes.
var WholeBytes = []string{"memory", "ephemeral-storage"}

// Amount warns about an amount of bytes that is not a whole number.
func (w Warner) Amount(amount any, at func() field.Path) {
	if text, _ := amount.(string); !strings.ContainsAny(text, ".munEe") {
		return // it is a whole number
	}
	if q, ok := Quantity(amount); ok && !q.Whole() {
		w.Warnf(at(), "fractional byte value %q is invalid, must be an integer", amount)
	}
}

// OldNodeLabels has the warnings about labels of nodes that are deprecated.
var OldNodeLabels = map[string]string{
	"beta.kubernetes.io/arch":                  `deprecated since v1.14; use "kubernetes.io/arch" instead`,
	"beta.kubernetes.io/os":                    `deprecated since v1.14; use "kubernetes.io/os" instead`,
	"failure-domain.beta.kubernetes.io/region": `deprecated since v1.17; use "topology.kubernetes.io/region" instead`,
	"failure-domain.beta.kubernetes.io/zone":   `deprecated since v1.17; use "topology.kubernetes.io/zone" instead`,
	"beta.kubernetes.io/instance-type": `deprecated since v1.17; ` +
		`use "node.kubernetes.io/instance-type" instead`,
	"app.kubernetes.io/created-by":                  `deprecated since v1.9`,
	"scheduler.alpha.kubernetes.io/preferAvoidPods": `deprecated since v1.22; use Taints and Tolerations instead`,
	"node-role.kubernetes.io/master":                `use "node-role.kubernetes.io/control-plane" instead`,
}

// Expressions warns about deprecated labels in a term of a selector of nodes.
func (w Warner) Expressions(term map[string]any, at field.Path) {
	for i, e := range tree.Objects(term, "matchExpressions") {
		if text, old := OldNodeLabels[tree.Text(e, "key")]; old {
			w.Warnf(at.Child("matchExpressions").Index(i).Child("key"), "%s is %s", tree.Text(e, "key"), text)
		}
	}
}

// Annotation warns about one annotation of an object that is at a path.
func (w Warner) Annotation(at field.Path, annotations map[string]any, key, text string) {
	if _, ok := annotations[key]; ok {
		w.Warnf(at.Child("metadata", "annotations").Key(key), "%s", text)
	}
}
