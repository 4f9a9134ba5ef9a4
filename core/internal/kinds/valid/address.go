package valid

import (
	"net/netip"
	"strconv"
	"strings"

	"github.com/tabernetes/tabernetes/core/internal/field"
	"github.com/tabernetes/tabernetes/core/internal/field/syntax"
	"github.com/tabernetes/tabernetes/core/internal/kinds/rule"
)

// ParseIP parses an address as the real server does: it accepts IPv4 with leading zeros, and IPv6
// without zones.
func ParseIP(text string) (a netip.Addr, ok bool) {
	if !strings.Contains(text, ":") {
		octets := strings.Split(text, ".")
		for i, o := range octets {
			octets[i] = strings.TrimLeft(o[:max(0, len(o)-1)], "0") + o[max(0, len(o)-1):]
		}
		text = strings.Join(octets, ".")
	}
	a, err := netip.ParseAddr(text)
	return a, err == nil && a.Zone() == ""
}

// ParseCIDR reads a range of addresses in the same way. The address keeps its bits beyond
// the prefix.
func ParseCIDR(text string) (p netip.Prefix, ok bool) {
	address, bits, _ := strings.Cut(text, "/")
	a, ok := ParseIP(address)
	n, err := strconv.Atoi(bits)
	if !ok || err != nil || !Digits(bits) || n > a.BitLen() {
		return p, false
	}
	return netip.PrefixFrom(a, n), true
}

// IP returns the violations of an address. If canonical, it must have the form in which it would be
// printed.
func IP(ip string, at field.Path, canonical bool) field.ErrorList {
	a, ok := ParseIP(ip)
	_, err := netip.ParseAddr(ip)
	wrong := ""
	switch {
	case !ok:
		wrong = "must be a valid IP address, (e.g. 10.9.8.7 or 2001:db8::ffff)"
	case err != nil:
		wrong = "must not have leading 0s"
	case a.Is4In6():
		wrong = "must not be an IPv4-mapped IPv6 address"
	case canonical && a.String() != ip:
		wrong = "must be in canonical form (" + strconv.Quote(a.String()) + ")"
	default:
		return nil
	}
	return field.ErrorList{field.Invalid(at, ip, wrong)}
}

// CIDR returns the violations of a range of addresses, as IP does of an address.
func CIDR(cidr string, at field.Path, canonical bool) field.ErrorList {
	p, ok := ParseCIDR(cidr)
	_, err := netip.ParsePrefix(cidr)
	wrong := ""
	switch {
	case !ok:
		wrong = "must be a valid CIDR value, (e.g. 10.9.8.0/24 or 2001:db8::/64)"
	case err != nil:
		wrong = "must not have leading 0s in IP or prefix length"
	case p.Addr().Is4In6():
		wrong = "must not have an IPv4-mapped IPv6 address"
	case p != p.Masked():
		wrong = "must not have bits set beyond the prefix length"
	case canonical && p.String() != cidr:
		wrong = "must be in canonical form (" + strconv.Quote(p.String()) + ")"
	default:
		return nil
	}
	return field.ErrorList{field.Invalid(at, cidr, wrong)}
}

// EndpointIP returns the violations of an address of an endpoint, which must not be a loopback,
// link-local or similar one.
func EndpointIP(ip string, at field.Path) field.ErrorList {
	var errs field.ErrorList
	a, ok := ParseIP(ip)
	a = a.Unmap()
	for _, c := range []struct {
		wrong bool
		text  string
	}{
		{!ok, "must be a valid IP address"},
		{a.IsUnspecified(), "may not be unspecified (" + ip + ")"},
		{a.IsLoopback(), "may not be in the loopback range (127.0.0.0/8, ::1/128)"},
		{a.IsLinkLocalUnicast(), "may not be in the link-local range (169.254.0.0/16, fe80::/10)"},
		{a.IsLinkLocalMulticast(), "may not be in the link-local multicast range (224.0.0.0/24, ff02::/10)"},
	} {
		if c.wrong {
			errs.Add(field.Invalid(at, ip, c.text))
		}
	}
	return errs
}

// Domain returns the first violation of a domain name, which has two segments at least.
func Domain(name string, at field.Path) field.ErrorList {
	if name == "" {
		return field.ErrorList{field.Required(at, "")}
	}
	name = strings.TrimSuffix(name, ".")
	if wrong := syntax.Subdomain(name); wrong != nil {
		return field.ErrorList{field.Invalid(at, name, strings.Join(wrong, ","))}
	}
	words := strings.Split(name, ".")
	if len(words) < 2 {
		return field.ErrorList{field.Invalid(at, name, "should be a domain with at least two segments separated by dots")}
	}
	for _, word := range words {
		if wrong := syntax.Label(word); wrong != nil {
			return field.ErrorList{field.Invalid(at, word, strings.Join(wrong, ","))}
		}
	}
	return nil
}

// PortNumOrName returns the violations of a port that is given by its number or its name.
func PortNumOrName(port any, at field.Path) field.ErrorList {
	if name, ok := port.(string); ok {
		return rule.Invalid(at, name, syntax.PortName(name))
	}
	n, _ := port.(int64)
	return rule.Invalid(at, n, syntax.PortNumber(n))
}
