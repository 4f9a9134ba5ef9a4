package evaluator

import (
	"fmt"
	"net/netip"

	"github.com/google/cel-go/cel"
	"github.com/google/cel-go/common/types"
	"github.com/google/cel-go/common/types/ref"
)

var (
	ipBox   = &box[netip.Addr]{Type: cel.OpaqueType("net.IP"), equal: func(a, b netip.Addr) bool { return a == b }}
	cidrBox = &box[netip.Prefix]{Type: cel.OpaqueType("net.CIDR"), equal: func(a, b netip.Prefix) bool { return a == b }}
)

// addresses are the functions of IP addresses and of networks.
var addresses = []cel.EnvOption{
	cel.Types(ipBox.Type, cidrBox.Type),
	cel.Function("ip",
		cel.Overload("string_to_ip", args(cel.StringType), ipBox.Type,
			unary(func(s string) ref.Val { return orError(parseIP(s))(ipBox.wrap) })),
		cel.MemberOverload("cidr_ip", args(cidrBox.Type), ipBox.Type,
			unary(func(p netip.Prefix) ref.Val { return ipBox.wrap(p.Addr()) }))),
	cel.Function("isIP", cel.Overload("is_ip", args(cel.StringType), cel.BoolType, unary(func(s string) ref.Val {
		_, err := parseIP(s)
		return types.Bool(err == nil)
	}))),
	cel.Function("ip.isCanonical",
		cel.Overload("ip_is_canonical", args(cel.StringType), cel.BoolType, unary(func(s string) ref.Val {
			return orError(parseIP(s))(func(a netip.Addr) ref.Val { return types.Bool(a.String() == s) })
		}))),
	cel.Function("string",
		cel.Overload("ip_to_string", args(ipBox.Type), cel.StringType,
			unary(func(a netip.Addr) ref.Val { return types.String(a.String()) })),
		cel.Overload("cidr_to_string", args(cidrBox.Type), cel.StringType,
			unary(func(p netip.Prefix) ref.Val { return types.String(p.String()) }))),
	cel.Function("family", cel.MemberOverload("ip_family", args(ipBox.Type), cel.IntType,
		unary(func(a netip.Addr) ref.Val {
			if a.Is4() {
				return types.Int(4)
			}
			return types.Int(6)
		}))),
	ipIs("isUnspecified", "ip_is_unspecified", netip.Addr.IsUnspecified),
	ipIs("isLoopback", "ip_is_loopback", netip.Addr.IsLoopback),
	ipIs("isLinkLocalMulticast", "ip_is_link_local_multicast", netip.Addr.IsLinkLocalMulticast),
	ipIs("isLinkLocalUnicast", "ip_is_link_local_unicast", netip.Addr.IsLinkLocalUnicast),
	ipIs("isGlobalUnicast", "ip_is_global_unicast", netip.Addr.IsGlobalUnicast),
	cel.Function("cidr", cel.Overload("string_to_cidr", args(cel.StringType), cidrBox.Type,
		unary(func(s string) ref.Val { return orError(parseCIDR(s))(cidrBox.wrap) }))),
	cel.Function("isCIDR", cel.Overload("is_cidr", args(cel.StringType), cel.BoolType, unary(func(s string) ref.Val {
		_, err := parseCIDR(s)
		return types.Bool(err == nil)
	}))),
	cel.Function("containsIP",
		cel.MemberOverload("cidr_contains_ip_string", args(cidrBox.Type, cel.StringType), cel.BoolType,
			twoArguments(func(p netip.Prefix, s string) ref.Val {
				a, err := parseIP(s)
				if err != nil {
					return types.NoSuchOverloadErr() // as the real server has it
				}
				return types.Bool(p.Contains(a))
			})),
		cel.MemberOverload("cidr_contains_ip_ip", args(cidrBox.Type, ipBox.Type), cel.BoolType,
			twoArguments(func(p netip.Prefix, a netip.Addr) ref.Val { return types.Bool(p.Contains(a)) }))),
	cel.Function("containsCIDR",
		cel.MemberOverload("cidr_contains_cidr_string", args(cidrBox.Type, cel.StringType), cel.BoolType,
			twoArguments(func(p netip.Prefix, s string) ref.Val {
				return orError(parseCIDR(s))(func(inner netip.Prefix) ref.Val { return containsCIDR(p, inner) })
			})),
		cel.MemberOverload("cidr_contains_cidr", args(cidrBox.Type, cidrBox.Type), cel.BoolType, twoArguments(containsCIDR))),
	cel.Function("prefixLength", cel.MemberOverload("cidr_prefix_length", args(cidrBox.Type), cel.IntType,
		unary(func(p netip.Prefix) ref.Val { return types.Int(p.Bits()) }))),
	cel.Function("masked", cel.MemberOverload("cidr_masked", args(cidrBox.Type), cidrBox.Type,
		unary(func(p netip.Prefix) ref.Val { return cidrBox.wrap(p.Masked()) }))),
}

func ipIs(name, id string, is func(netip.Addr) bool) cel.EnvOption {
	return cel.Function(name, cel.MemberOverload(id, args(ipBox.Type), cel.BoolType,
		unary(func(a netip.Addr) ref.Val { return types.Bool(is(a)) })))
}

// orError continues with a value, or with the error instead.
func orError[T any](v T, err error) func(func(T) ref.Val) ref.Val {
	return func(f func(T) ref.Val) ref.Val {
		if err != nil {
			return types.WrapErr(err)
		}
		return f(v)
	}
}

func parseIP(s string) (netip.Addr, error) {
	a, err := netip.ParseAddr(s)
	switch {
	case err != nil:
		return a, fmt.Errorf("IP Address %q parse error during conversion from string: %v", s, err)
	case a.Zone() != "":
		return a, fmt.Errorf("IP address %q with zone value is not allowed", s)
	case a.Is4In6():
		return a, fmt.Errorf("IPv4-mapped IPv6 address %q is not allowed", s)
	}
	return a, nil
}

func parseCIDR(s string) (netip.Prefix, error) {
	p, err := netip.ParsePrefix(s)
	switch {
	case err != nil:
		return p, fmt.Errorf("network address parse error during conversion from string: network address parse error "+
			"during conversion from string: %v", err)
	case p.Addr().Is4In6():
		return p, fmt.Errorf("network address parse error during conversion from string: "+
			"IPv4-mapped IPv6 address %q is not allowed", s)
	}
	return p, nil
}

func containsCIDR(p, inner netip.Prefix) ref.Val {
	return types.Bool(p.Overlaps(inner) && p.Bits() <= inner.Bits())
}
