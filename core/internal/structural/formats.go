package structural

import (
	"encoding/base64"
	"net/netip"
	"net/url"
	"regexp"
	"strconv"
	"strings"
	"sync"
	"time"
)

// normal returns the normalized name of a format: date-time is datetime.
func normal(format string) string { return strings.ReplaceAll(format, "-", "") }

// KnownFormat reports whether a format of a type is checked. The type is empty where a value may
// have several.
func KnownFormat(kind, format string) bool {
	switch kind {
	case "", "string":
		return formatOf(format) != nil
	case "integer":
		return format == "int32" || format == "int64"
	case "number":
		return format == "float" || format == "double"
	}
	return false
}

// formatOf returns the check for strings of a format; nil if the format is unknown. A switch is
// linked only with its callers; a map with every importer of the package.
func formatOf(name string) func(string) bool {
	switch normal(name) {
	case "bsonobjectid":
		return likeObjectID.matches
	case "uri":
		return func(s string) bool { _, err := url.ParseRequestURI(s); return err == nil }
	case "email":
		return isEmail
	case "hostname":
		return isHostname
	case "ipv4":
		return func(s string) bool { return isIP(sloppy(s)) && strings.Contains(s, ".") }
	case "ipv6":
		return func(s string) bool { return isIP(s) && strings.Contains(s, ":") }
	case "cidr":
		return func(s string) bool { return isCIDR(sloppy(s)) }
	case "mac":
		return likeMAC.matches
	case "uuid":
		return likeUUID.matches
	case "uuid3":
		return likeUUID3.matches
	case "uuid4":
		return likeUUID4.matches
	case "uuid5":
		return likeUUID5.matches
	case "isbn":
		return func(s string) bool { return isISBN10(s) || isISBN13(s) }
	case "isbn10":
		return isISBN10
	case "isbn13":
		return isISBN13
	case "creditcard":
		return isCreditCard
	case "ssn":
		return func(s string) bool { return len(s) == 11 && likeSSN.matches(s) }
	case "hexcolor":
		return likeHexColor.matches
	case "rgbcolor":
		return likeRGBColor.matches
	case "byte":
		return isBase64
	case "password":
		return func(string) bool { return true }
	case "date":
		return isDate
	case "duration":
		return isDuration
	case "datetime":
		return isDateTime
	case "k8sshortname":
		return func(s string) bool { return len(s) <= 63 && likeShortName.matches(s) }
	case "k8slongname":
		return func(s string) bool { return len(s) <= 253 && likeLongName.matches(s) }
	}
	return nil
}

// An expression is a regular expression that is compiled when it is first needed.
type expression struct {
	source string
	once   sync.Once
	regexp *regexp.Regexp
}

func (e *expression) compiled() *regexp.Regexp {
	e.once.Do(func() { e.regexp = regexp.MustCompile(e.source) })
	return e.regexp
}

func (e *expression) matches(s string) bool { return e.compiled().MatchString(s) }

const (
	byColon = `(:[0-9a-f]{2})`
	byDash  = `(-[0-9a-f]{2})`
	byDot   = `(\.[0-9a-f]{4})`
)

const octet = `(0|[1-9]\d?|1\d\d?|2[0-4]\d|25[0-5])`

var (
	likeObjectID = expression{source: `^[0-9a-fA-F]{24}$`}
	likeUUID     = expression{source: `(?i)^[0-9a-f]{8}-?[0-9a-f]{4}-?[0-9a-f]{4}-?[0-9a-f]{4}-?[0-9a-f]{12}$`}
	likeUUID3    = expression{source: `(?i)^[0-9a-f]{8}-?[0-9a-f]{4}-?3[0-9a-f]{3}-?[0-9a-f]{4}-?[0-9a-f]{12}$`}
	likeUUID4    = expression{source: `(?i)^[0-9a-f]{8}-?[0-9a-f]{4}-?4[0-9a-f]{3}-?[89ab][0-9a-f]{3}-?[0-9a-f]{12}$`}
	likeUUID5    = expression{source: `(?i)^[0-9a-f]{8}-?[0-9a-f]{4}-?5[0-9a-f]{3}-?[89ab][0-9a-f]{3}-?[0-9a-f]{12}$`}
	likeMAC      = expression{source: `(?i)^([0-9a-f]{2}(` + byColon + `{5}|` + byColon + `{7}|` + byColon + `{19}|` +
		byDash + `{5}|` + byDash + `{7}|` + byDash + `{19})|[0-9a-f]{4}(` + byDot + `{2,3}|` + byDot + `{9})` +
		`|[0-9a-f]{12}|[0-9a-f]{16}|[0-9a-f]{40})$`}
	likeHexColor  = expression{source: `^#?([0-9a-fA-F]{3}|[0-9a-fA-F]{6})$`}
	likeRGBColor  = expression{source: `^rgb\(\s*` + octet + `\s*,\s*` + octet + `\s*,\s*` + octet + `\s*\)$`}
	likeSSN       = expression{source: `^\d{3}[- ]?\d{2}[- ]?\d{4}$`}
	likeShortName = expression{source: `^[a-z0-9]([-a-z0-9]*[a-z0-9])?$`}
	likeLongName  = expression{source: `^[a-z0-9]([-a-z0-9]*[a-z0-9])?(\.[a-z0-9]([-a-z0-9]*[a-z0-9])?)*$`}
	likeHostname  = expression{source: `^([a-zA-Z0-9\p{S}\p{L}]((-?[a-zA-Z0-9\p{S}\p{L}]{0,62})?)` +
		`|([a-zA-Z0-9\p{S}\p{L}](([a-zA-Z0-9-\p{S}\p{L}]{0,61}[a-zA-Z0-9\p{S}\p{L}])?)(\.)){1,}([a-zA-Z\p{L}]){2,63})$`}
	likeEmail = expression{source: `^([^<>@\s,;:"()\[\]\\]+@[^<>@\s,;:"()\[\]\\]+` +
		`|[^<>@,;:()\[\]\\]*<[^<>@\s,;:"()\[\]\\]+@[^<>@\s,;:"()\[\]\\]+>)$`}
	likeCard = expression{source: `^(?:4[0-9]{12}(?:[0-9]{3})?|5[1-5][0-9]{14}|6(?:011|5[0-9][0-9])[0-9]{12}` +
		`|3[47][0-9]{13}|3(?:0[0-5]|[68][0-9])[0-9]{11}|(?:2131|1800|35\d{3})\d{11})$`}
	likeISBN10   = expression{source: `^(?:[0-9]{9}X|[0-9]{10})$`}
	likeISBN13   = expression{source: `^[0-9]{13}$`}
	likeTime     = expression{source: `^([0-9]{2}):([0-9]{2}):([0-9]{2})(.[0-9]+)?(z|([+-][0-9]{2}:[0-9]{2}))$`}
	durationPart = expression{source: `(\d+)\s*([A-Za-zµ]+)`}
)

// isEmail reports whether a text is an email address, with a display name or without.
func isEmail(s string) bool {
	s = strings.TrimSpace(s)
	return likeEmail.matches(s) && !strings.Contains(s, "..") && !strings.Contains(s, ".@") && !strings.HasPrefix(s, ".")
}

func isHostname(s string) bool {
	if len(s) > 255 || !likeHostname.matches(s) {
		return false
	}
	for part := range strings.SplitSeq(s, ".") {
		if len(part) > 63 {
			return false
		}
	}
	return true
}

// isIP, isCIDR and likeMAC accept what ParseIP, ParseCIDR and ParseMAC of package net do, which brings a resolver into
// every binary that knows resources.
func isIP(s string) bool {
	a, err := netip.ParseAddr(s)
	return err == nil && a.Zone() == ""
}

func isCIDR(s string) bool {
	address, bits, _ := strings.Cut(s, "/")
	a, err := netip.ParseAddr(address)
	n, wrong := strconv.ParseUint(bits, 10, 16)
	return err == nil && wrong == nil && a.Zone() == "" && n <= uint64(a.BitLen())
}

// sloppy removes leading zeros from the numbers of an IPv4 address.
func sloppy(s string) string {
	if strings.Contains(s, ":") {
		return s
	}
	address, bits, cidr := strings.Cut(s, "/")
	parts := strings.Split(address, ".")
	for i, p := range parts {
		if rest := strings.TrimLeft(p, "0"); rest != p {
			if parts[i] = rest; rest == "" {
				parts[i] = "0"
			}
		}
	}
	if s = strings.Join(parts, "."); cidr {
		s += "/" + bits
	}
	return s
}

// compact removes spaces and dashes.
func compact(s string) string {
	return strings.Map(func(r rune) rune {
		if strings.ContainsRune(" \t\r\n\f\v-", r) {
			return -1
		}
		return r
	}, s)
}

func isISBN10(s string) bool {
	s = compact(s)
	if !likeISBN10.matches(s) {
		return false
	}
	sum := 0
	for i := range 10 {
		digit := int(s[i] - '0')
		if s[i] == 'X' {
			digit = 10
		}
		sum += (i + 1) * digit
	}
	return sum%11 == 0
}

func isISBN13(s string) bool {
	s = compact(s)
	if !likeISBN13.matches(s) {
		return false
	}
	sum := 0
	for i := range 12 {
		sum += (1 + i%2*2) * int(s[i]-'0')
	}
	return int(s[12]-'0') == (10-sum%10)%10
}

// isCreditCard reports whether a text is the number of a known issuer with a valid checksum.
func isCreditCard(s string) bool {
	digits := strings.Map(func(r rune) rune {
		if r < '0' || r > '9' {
			return -1
		}
		return r
	}, s)
	if !likeCard.matches(digits) {
		return false
	}
	sum := 0
	for i := range len(digits) {
		n := int(digits[len(digits)-1-i] - '0')
		if i%2 == 1 {
			n *= 2
		}
		sum += n/10 + n%10
	}
	return sum%10 == 0
}

func isBase64(s string) bool {
	_, err := base64.StdEncoding.Strict().DecodeString(s)
	return err == nil && s != "" && !strings.ContainsAny(s, "\r\n")
}

func isDate(s string) bool { _, err := time.Parse(time.DateOnly, s); return err == nil }

func isDateTime(s string) bool {
	date, clock, ok := strings.Cut(strings.ToLower(s), "t")
	return ok && isDate(date) && likeTime.matches(clock) && clock[0:2] <= "23" && clock[3:5] <= "59" && clock[6:8] <= "59"
}

// isDuration reports whether a text is a Go duration, or some numbers each with the name of a unit.
func isDuration(s string) bool {
	if _, err := time.ParseDuration(s); err == nil {
		return true
	}
	found := false
	for _, match := range durationPart.compiled().FindAllStringSubmatch(s, -1) {
		if _, err := strconv.Atoi(match[1]); err != nil {
			return false
		}
		found = found || isUnit(strings.ToLower(match[2]))
	}
	return found
}

// isUnit reports whether a text begins with a unit; the last one may have more letters, as in
// seconds.
func isUnit(unit string) bool {
	for _, names := range [...][]string{
		{"ns", "nano"}, {"us", "µs", "micro"}, {"ms", "milli"}, {"s", "sec"},
		{"m", "min"}, {"h", "hr", "hour"}, {"d", "day"}, {"w", "wk", "week"},
	} {
		for i, name := range names {
			if unit == name || i == len(names)-1 && strings.HasPrefix(unit, name) {
				return true
			}
		}
	}
	return false
}
