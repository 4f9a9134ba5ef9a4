package selector

import (
	"fmt"
	"strings"

	"github.com/tabernetes/tabernetes/core/expression/syntax"
)

// A Shard selects the objects of which a field has a hash in one of some ranges: the parameter shardSelector. The zero
// Shard selects everything.
type Shard struct {
	// field is object.metadata.uid or object.metadata.namespace.
	field  string
	ranges []hashRange
}

// A hashRange has the hashes from start on and before end, as they are written: 0x and 16 digits, or the largest
// number of 17 as an end.
type hashRange struct{ start, end string }

// The fields that a shard may depend on.
const (
	shardUID       = "object.metadata.uid"
	shardNamespace = "object.metadata.namespace"
)

// ParseShard parses a shardSelector: calls of shardRange(field, start, end), joined by ||. The errors are those of the
// real server.
func ParseShard(text string) (Shard, error) {
	var s Shard
	text = strings.TrimSpace(text)
	if text == "" {
		return s, fmt.Errorf("empty shard selector is not allowed; omit the parameter for unfiltered lists")
	}
	root, err := syntax.Outline(text)
	if err != nil {
		return s, fmt.Errorf("CEL parse error: %w", err)
	}
	var fields []string
	if s.ranges, fields, err = shardRanges(root, nil, nil); err != nil {
		return Shard{}, err
	}
	if len(s.ranges) > MaxRequirements {
		return Shard{}, fmt.Errorf("it may have at most %d ranges, and this one has %d", MaxRequirements, len(s.ranges))
	}
	s.field = fields[0]
	for _, other := range fields {
		if other != s.field {
			return Shard{}, fmt.Errorf("all shard ranges must use the same field, got %q and %q", s.field, other)
		}
	}
	return s, nil
}

// shardRanges appends the ranges of an expression and their fields.
func shardRanges(n syntax.Node, ranges []hashRange, fields []string) ([]hashRange, []string, error) {
	if parts := n.Or(); len(parts) > 1 {
		for _, part := range parts {
			var err error
			if ranges, fields, err = shardRanges(part, ranges, fields); err != nil {
				return nil, nil, err
			}
		}
		return ranges, fields, nil
	}
	function, arguments, ok := n.Call()
	switch {
	case !ok:
		return nil, nil, fmt.Errorf("unexpected expression kind %d; expected shardRange() call or || operator", n.Kind())
	case function != "shardRange":
		return nil, nil, fmt.Errorf("unsupported function %q; only shardRange() and || are allowed", function)
	case len(arguments) != 3:
		return nil, nil, fmt.Errorf("shardRange() requires exactly 3 arguments, got %d", len(arguments))
	}
	field, kind, ok := arguments[0].Path()
	switch {
	case !ok:
		return nil, nil, fmt.Errorf("shardRange() first argument: expected field path (e.g. object.metadata.uid), "+
			"got expression kind %d", kind)
	case field != shardUID && field != shardNamespace:
		return nil, nil, fmt.Errorf("unsupported field path %q; supported: %s, %s", field, shardUID, shardNamespace)
	}
	start, err := hexLiteral(arguments[1], "hexStart")
	if err != nil {
		return nil, nil, err
	}
	end, err := hexLiteral(arguments[2], "hexEnd")
	if err != nil {
		return nil, nil, err
	}
	if !hexLess(start, end) {
		return nil, nil, fmt.Errorf("shard range start %s must be less than end %s", start, end)
	}
	return append(ranges, hashRange{start, end}), append(fields, field), nil
}

// hexLiteral returns a bound of a range.
func hexLiteral(n syntax.Node, name string) (string, error) {
	if kind := n.Kind(); kind != syntax.LiteralNode {
		return "", fmt.Errorf("%s must be a string literal (e.g. '0xff'), got expression kind %d", name, kind)
	}
	text, is, ok := n.Literal()
	digits, prefixed := strings.CutPrefix(text, "0x")
	switch {
	case !ok:
		return "", fmt.Errorf("%s must be a string literal, got %s", name, is)
	case !prefixed:
		return "", fmt.Errorf("%s must have '0x' prefix, got %q", name, text)
	case digits == "":
		return "", fmt.Errorf("%s: hex value is required after '0x'", name)
	case len(digits) > 17:
		return "", fmt.Errorf("%s: hex value too long (%d chars, max 17): %q", name, len(digits), digits)
	}
	for _, c := range digits {
		if (c < '0' || c > '9') && (c < 'a' || c > 'f') {
			return "", fmt.Errorf("%s: invalid hex character %q in %q", name, string(c), text)
		}
	}
	switch {
	case len(digits) == 17 && text != "0x10000000000000000":
		return "", fmt.Errorf("%s: 17-digit hex value must be '0x10000000000000000' (2^64), got %q", name, text)
	case len(digits) < 16:
		padded := "0x" + strings.Repeat("0", 16-len(digits)) + digits
		return "", fmt.Errorf("%s must be a 0x-prefixed 16-digit hex value, got %q (did you mean %q?)", name, text, padded)
	}
	return text, nil
}

// hexLess compares numbers as they are written.
func hexLess(a, b string) bool {
	if len(a) != len(b) {
		return len(a) < len(b)
	}
	return a < b
}

// Empty reports whether everything is selected.
func (s Shard) Empty() bool { return len(s.ranges) == 0 }

// Matches reports whether an object with this uid, in this namespace, is selected.
func (s Shard) Matches(uid, namespace string) bool {
	if s.Empty() {
		return true
	}
	value := uid
	if s.field == shardNamespace {
		value = namespace
	}
	sum := uint64(14695981039346656037) // FNV-1a
	for i := range len(value) {
		sum = (sum ^ uint64(value[i])) * 1099511628211
	}
	hash := fmt.Sprintf("0x%016x", sum)
	for _, r := range s.ranges {
		if !hexLess(hash, r.start) && hexLess(hash, r.end) {
			return true
		}
	}
	return false
}

// String returns the selector as lists show it.
func (s Shard) String() string {
	parts := make([]string, len(s.ranges))
	for i, r := range s.ranges {
		parts[i] = fmt.Sprintf("shardRange(%s, '%s', '%s')", s.field, r.start, r.end)
	}
	return strings.Join(parts, " || ")
}
