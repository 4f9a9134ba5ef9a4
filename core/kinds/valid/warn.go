package valid

import (
	"fmt"
	"net/netip"
	"strings"

	"github.com/tabernetes/tabernetes/core/field"
	"github.com/tabernetes/tabernetes/core/kinds/strategy"
	"github.com/tabernetes/tabernetes/core/kinds/tree"
)

// A warner warns about values that may be as they are but should not, in the real
// server's words.
type Warner struct{ Context *strategy.Context }

func (w Warner) Say(at field.Path, format string, args ...any) {
	w.Context.Warn(at.String() + ": " + fmt.Sprintf(format, args...))
}

// IP warns about an IP address that is not written as it should be.
func (w Warner) IP(text string, at field.Path) {
	addr, err := netip.ParseAddr(text)
	switch {
	case err != nil:
	case addr.Is4In6():
		w.Say(at, "non-standard IP address %q is invalid: use %q", text, addr.Unmap())
	case addr.Is6() && addr.String() != text:
		w.Say(at, "IPv6 address %q should be in RFC 5952 canonical format (%q)", text, addr)
	}
}

// CIDR warns about a network that is not written as it should be.
func (w Warner) CIDR(text string, at field.Path) {
	prefix, err := netip.ParsePrefix(text)
	if err != nil {
		return
	}
	ambiguous := prefix.Masked() != prefix
	if ambiguous {
		w.Say(at, "CIDR value %q is ambiguous in this context (should be %q or %q?)", text, prefix.Masked(),
			netip.PrefixFrom(prefix.Addr(), prefix.Addr().BitLen()))
	}
	if prefix.Addr().Is6() && !ambiguous && prefix.String() != text {
		w.Say(at, "IPv6 CIDR value %q should be in RFC 5952 canonical format (%q)", text, prefix)
	}
}

// Claim warns about the spec of a claim for a volume.
func (w Warner) Claim(spec map[string]any, at field.Path) {
	for _, name := range []string{"requests", "limits"} {
		w.Amount(tree.Object(tree.Object(spec, "resources"), name)["storage"], func() field.Path { return at.Child("resources", name).Key("storage") })
	}
}

// Bytes warns about amounts of bytes that are no whole numbers.
func (w Warner) Bytes(amounts map[string]any, at field.Path) {
	for _, name := range WholeBytes {
		w.Amount(amounts[name], func() field.Path { return at.Key(name) })
	}
}

// WholeBytes are the resources that come in bytes.
var WholeBytes = []string{"memory", "ephemeral-storage"}

// Amount warns about part of a byte.
func (w Warner) Amount(amount any, at func() field.Path) {
	if text, _ := amount.(string); !strings.ContainsAny(text, ".munEe") {
		return // nothing makes it a part
	}
	if q, ok := Quantity(amount); ok && !q.Whole() {
		w.Say(at(), "fractional byte value %q is invalid, must be an integer", amount)
	}
}

// OldNodeLabels are labels of nodes that others have replaced, and what is said of
// those who still select by them.
var OldNodeLabels = map[string]string{
	"beta.kubernetes.io/arch":                       `deprecated since v1.14; use "kubernetes.io/arch" instead`,
	"beta.kubernetes.io/os":                         `deprecated since v1.14; use "kubernetes.io/os" instead`,
	"failure-domain.beta.kubernetes.io/region":      `deprecated since v1.17; use "topology.kubernetes.io/region" instead`,
	"failure-domain.beta.kubernetes.io/zone":        `deprecated since v1.17; use "topology.kubernetes.io/zone" instead`,
	"beta.kubernetes.io/instance-type":              `deprecated since v1.17; use "node.kubernetes.io/instance-type" instead`,
	"app.kubernetes.io/created-by":                  `deprecated since v1.9`,
	"scheduler.alpha.kubernetes.io/preferAvoidPods": `deprecated since v1.22; use Taints and Tolerations instead`,
	"node-role.kubernetes.io/master":                `use "node-role.kubernetes.io/control-plane" instead`,
}

// Expressions warns about old labels in the expressions of a selector of nodes.
func (w Warner) Expressions(term map[string]any, at field.Path) {
	for i, e := range tree.Objects(term, "matchExpressions") {
		if text, old := OldNodeLabels[tree.Text(e, "key")]; old {
			w.Say(at.Child("matchExpressions").Index(i).Child("key"), "%s is %s", tree.Text(e, "key"), text)
		}
	}
}

// Annotation warns about one annotation of an object that is at a path.
func (w Warner) Annotation(at field.Path, annotations map[string]any, key, text string) {
	if _, ok := annotations[key]; ok {
		w.Say(at.Child("metadata", "annotations").Key(key), "%s", text)
	}
}
