package evaluator

import (
	"math"
	"net/netip"
	"strings"

	"github.com/google/cel-go/checker"
	"github.com/google/cel-go/common"
	"github.com/google/cel-go/common/ast"
	"github.com/google/cel-go/common/types"
	"github.com/google/cel-go/common/types/ref"
	"github.com/google/cel-go/common/types/traits"
)

// What evaluating may cost, in the units of CEL: one call, and all rules on an object.
// What it may be estimated at: one rule for all values that an object can have, and all
// rules of a schema.
const (
	callLimit     = 1_000_000
	objectLimit   = 10_000_000
	ruleEstimate  = 10_000_000
	totalEstimate = 100_000_000
)

// A cost knows the costs of this package's functions, and how large the values can be that a rule reaches from the type
// of self.
type cost struct{ self *declared }

// A shape is how the cost of a function depends on its arguments.
type shape int

const (
	single    shape = iota + 1 // nothing
	traversal                  // the text
	twice                      // the text, which is also made again
	items                      // all items of the list
	pattern                    // the text and the pattern
	inside                     // the bytes of the network's prefix, and the text of what may be inside
)

var shapes = map[string]shape{
	"isSorted": items, "sum": items, "min": items, "max": items, "indexOf": items, "lastIndexOf": items,
	"url": traversal, "lowerAscii": traversal, "upperAscii": traversal, "substring": traversal, "trim": traversal,
	"replace": twice, "split": twice, "join": twice, "find": pattern, "findAll": pattern,
	"ip": traversal, "isIP": traversal, "cidr": traversal, "isCIDR": traversal, "ip.isCanonical": twice,
	"quantity": traversal, "isQuantity": traversal, "semver": traversal, "isSemver": traversal,
	"major": single, "minor": single, "patch": single, "containsIP": inside, "containsCIDR": inside,
	"masked": single, "prefixLength": single, "family": single, "isUnspecified": single, "isLoopback": single,
	"isLinkLocalMulticast": single, "isLinkLocalUnicast": single, "isGlobalUnicast": single,
	"sign": single, "asInteger": single, "isInteger": single, "asApproximateFloat": single, "isGreaterThan": single,
	"isLessThan": single, "compareTo": single, "add": single, "sub": single, "format.named": single,
	"getScheme": single, "getHostname": single, "getHost": single, "getPort": single, "getEscapedPath": single,
	"getQuery": single, "serviceAccount": single, "path": single, "group": single, "resource": single,
	"subresource": single, "namespace": single, "name": single, "allowed": single, "reason": single, "error": single,
	"errored": single, "jsonpatch.escapeKey": traversal,
}

// checkCost is the cost of one question to the authorizer.
const checkCost = 350_000

// selectorCost returns what it costs to read a selector of a length.
func selectorCost(length checker.SizeEstimate) checker.CostEstimate {
	requirements := length.MultiplyByCostFactor(0.5).MultiplyByCostFactor(common.ListCreateBaseCost +
		common.StructCreateBaseCost)
	return checker.FixedCostEstimate(common.ListCreateBaseCost).
		Add(length.MultiplyByCostFactor(common.StringTraversalCostFactor)).Add(requirements)
}

// CallCost returns what a call has cost.
func (c cost) CallCost(function, overload string, args []ref.Val, result ref.Val) *uint64 {
	var n uint64
	switch s := shapes[function]; {
	case function == "validate" && len(args) == 2:
		f, _ := args[0].Value().(format)
		n = scaled(1+size(args[1]), common.StringTraversalCostFactor) * scaled(uint64(f.pattern),
			common.RegexStringLengthCostFactor)
	case function == guarded && len(args) > 1:
		n = matchCost(args)
	case function == "check":
		n = checkCost
	case (function == "fieldSelector" || function == "labelSelector") && len(args) > 1:
		selector := size(args[1])
		n = selectorCost(checker.FixedSizeEstimate(selector)).Max
	case s == 0 || len(args) == 0:
		return nil
	case s == single || overload == "cidr_ip":
		n = 1
	case s == inside && len(args) > 1:
		n = insideCost(function, overload, args)
	case s == items:
		n = traverse(args[0])
	case function == "join":
		n = scaled(size(result), 2*common.StringTraversalCostFactor)
	case s == pattern && len(args) > 1:
		n = matchCost(args)
	case s == twice:
		n = scaled(size(args[0]), 2*common.StringTraversalCostFactor)
	default:
		n = scaled(size(args[0]), common.StringTraversalCostFactor)
	}
	return &n
}

// fewSteps is how much more the steps of a match may cost than CEL says until they count.
const fewSteps = 10

// matchCost returns the cost of matching a text against a pattern: CEL's, or that of the steps it takes if they are
// far more.
func matchCost(args []ref.Val) uint64 {
	n := scaled(1+size(args[0]), common.StringTraversalCostFactor) * scaled(size(args[1]),
		common.RegexStringLengthCostFactor)
	text, _ := args[0].Value().(string)
	pattern, _ := args[1].Value().(string)
	if more := uint64(steps(text, pattern) / stepsOfUnit); more > n+fewSteps {
		return more
	}
	return n
}

// insideCost returns the cost of asking whether something is inside a network: what is compared, what is masked if it
// is a network, too, and what is read.
func insideCost(function, overload string, args []ref.Val) uint64 {
	prefix := uint64(1) // of what is no network, such as an error
	if p, ok := args[0].Value().(netip.Prefix); ok {
		prefix = uint64(p.Bits()+7) / 8
	}
	n := scaled(2*prefix, common.StringTraversalCostFactor)
	if function == "containsCIDR" {
		n += scaled(prefix, common.StringTraversalCostFactor) + 1
	}
	if strings.HasSuffix(overload, "_string") {
		n += scaled(size(args[1]), common.StringTraversalCostFactor)
	}
	return n
}

func scaled(n uint64, factor float64) uint64 { return uint64(math.Ceil(float64(n) * factor)) }

func size(v ref.Val) uint64 {
	if s, ok := v.(traits.Sizer); ok {
		if n, ok := s.Size().(types.Int); ok {
			return uint64(n)
		}
	}
	return 1
}

// traverse returns the cost of reading all of a value.
func traverse(v ref.Val) uint64 {
	switch v := v.(type) {
	case types.String:
		return uint64(float64(len(v)) * common.StringTraversalCostFactor)
	case types.Bytes:
		return uint64(float64(len(v)) * common.StringTraversalCostFactor)
	case traits.Lister:
		var n uint64
		for it := v.Iterator(); it.HasNext() == types.True; {
			n += traverse(it.Next())
		}
		return n
	case traits.Mapper:
		var n uint64
		for it := v.Iterator(); it.HasNext() == types.True; {
			key := it.Next()
			n += traverse(key) + traverse(v.Get(key))
		}
		return n
	}
	return 1
}

// EstimateCallCost returns what a call can cost.
func (c cost) EstimateCallCost(function, _ string, target *checker.AstNode,
	args []checker.AstNode) *checker.CallEstimate {
	if target != nil {
		args = append([]checker.AstNode{*target}, args...)
	}
	s := shapes[function]
	switch {
	case function == "check":
		return estimate(checker.FixedCostEstimate(checkCost), nil)
	case (function == "fieldSelector" || function == "labelSelector") && len(args) == 2:
		return estimate(selectorCost(c.size(args[1])), nil)
	}
	if function == "validate" && len(args) == 2 {
		traversal := c.size(args[1]).MultiplyByCostFactor(common.StringTraversalCostFactor)
		return estimate(traversal.MultiplyByCostFactor(128*common.RegexStringLengthCostFactor), nil)
	}
	if s == 0 || len(args) == 0 {
		return nil
	}
	first := c.size(args[0])
	switch {
	case s == single:
		return estimate(checker.FixedCostEstimate(1), nil)
	case s == items && args[0].Type().Kind() == types.ListKind:
		each := checker.FixedCostEstimate(1)
		item := c.item(args[0])
		if k := item.t.Kind(); k == types.StringKind || k == types.BytesKind {
			each = each.Add(c.size(item).MultiplyByCostFactor(common.StringTraversalCostFactor))
		}
		return estimate(first.MultiplyByCost(each), nil)
	case function == "join":
		all := first
		if args[0].Type().Kind() == types.ListKind {
			all = first.Multiply(c.size(c.item(args[0])))
		}
		if len(args) > 1 {
			all = all.Add(c.size(args[1]).Multiply(first))
		}
		return estimate(all.MultiplyByCostFactor(common.StringTraversalCostFactor), &all)
	case s == pattern && len(args) > 1:
		text := first.Add(checker.FixedSizeEstimate(1)).MultiplyByCostFactor(common.StringTraversalCostFactor)
		found := checker.SizeEstimate{Max: first.Max}
		return estimate(text.Multiply(c.size(args[1]).MultiplyByCostFactor(common.RegexStringLengthCostFactor)), &found)
	case function == "replace" && len(args) > 2:
		longer := c.size(args[2]).Multiply(first.Add(checker.FixedSizeEstimate(1))).Add(first)
		longer.Min = 0
		if c.size(args[2]).Max <= c.size(args[1]).Min {
			longer.Max = first.Max
		}
		return estimate(first.MultiplyByCostFactor(2*common.StringTraversalCostFactor), &longer)
	case s == twice:
		made := checker.SizeEstimate{Max: first.Max}
		return estimate(first.MultiplyByCostFactor(2*common.StringTraversalCostFactor), &made)
	}
	return estimate(first.MultiplyByCostFactor(common.StringTraversalCostFactor), &first)
}

func estimate(c checker.CostEstimate, result *checker.SizeEstimate) *checker.CallEstimate {
	return &checker.CallEstimate{CostEstimate: c, ResultSize: result}
}

func (c cost) size(n checker.AstNode) checker.SizeEstimate {
	if s := n.ComputedSize(); s != nil {
		return *s
	}
	if s := c.EstimateSize(n); s != nil {
		return *s
	}
	return checker.SizeEstimate{Max: math.MaxUint64}
}

// EstimateSize finds the type that a path leads to from self.
func (c cost) EstimateSize(n checker.AstNode) *checker.SizeEstimate {
	path := n.Path()
	if len(path) == 0 || c.self == nil {
		return nil
	}
	d := c.self
	for _, name := range path[1:] {
		switch name {
		case "@items", "@values":
			d = d.elem
		case "@keys":
			d = d.key
		default:
			d = d.fields[name]
		}
		if d == nil {
			return nil
		}
	}
	return &checker.SizeEstimate{Max: uint64(d.most)}
}

// A member is an item of a list as a node.
type member struct {
	path []string
	t    *types.Type
}

func (c cost) item(list checker.AstNode) member {
	m := member{t: types.DynType}
	if p := list.Type().Parameters(); len(p) > 0 {
		m.t = p[0]
	}
	if path := list.Path(); path != nil {
		m.path = append(append([]string(nil), path...), "@items")
	}
	return m
}

func (m member) Path() []string                      { return m.path }
func (m member) Type() *types.Type                   { return m.t }
func (m member) Expr() ast.Expr                      { return nil }
func (m member) ComputedSize() *checker.SizeEstimate { return nil }
