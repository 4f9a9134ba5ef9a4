package selector_test

import (
	"testing"

	"github.com/tabernetes/tabernetes/core/internal/selector"
)

// TestParseShard compares errors with those recorded at the real server.
func TestParseShard(t *testing.T) {
	const first = "shardRange(object.metadata.uid, '0x0000000000000000', '0x8000000000000000')"
	const second = "shardRange(object.metadata.uid, '0x8000000000000000', '0x10000000000000000')"
	const notPath = "shardRange() first argument: expected field path (e.g. object.metadata.uid), " +
		"got expression kind "
	function := func(name string) string {
		return `unsupported function "` + name + `"; only shardRange() and || are allowed`
	}
	kind := func(n string) string {
		return "unexpected expression kind " + n + "; expected shardRange() call or || operator"
	}
	notText := func(is string) string { return "hexStart must be a string literal, got " + is }
	for text, want := range map[string]string{
		"":                              "empty shard selector is not allowed; omit the parameter for unfiltered lists",
		first + " && " + second:         function("_&&_"),
		"object.metadata.uid > '0x0'":   function("_>_"),
		"a ? b : c":                     function("_?_:_"),
		"a ? " + first + " : b || c":    function("_?_:_"),
		"!a":                            function("!_"),
		"-a":                            function("-_"),
		"a[0]":                          function("_[_]"),
		"a in b":                        function("@in"),
		"other(1)":                      function("other"),
		"-1":                            kind("5"),
		"object":                        kind("3"),
		"object.metadata":               kind("7"),
		"'x'":                           kind("5"),
		"[1]":                           kind("4"),
		"{'a': 1}":                      kind("6"),
		"A{b: 1}":                       kind("8"),
		"(a || " + first + ")":          kind("3"),
		"shardRange()":                  "shardRange() requires exactly 3 arguments, got 0",
		"shardRange(a, f(1, 2))":        "shardRange() requires exactly 3 arguments, got 2",
		"shardRange(object[0], '', '')": notPath + "1",
		"shardRange('a', '', '')":       notPath + "5",
		"shardRange(.object.metadata.uid, '', '')": `unsupported field path ".object.metadata.uid"; supported: ` +
			"object.metadata.uid, object.metadata.namespace",
		"shardRange(object.metadata.uid, hex(0), '')": "hexStart must be a string literal " +
			"(e.g. '0xff'), got expression kind 1",
		"shardRange(object.metadata.uid, 0, '')":       notText("int64"),
		"shardRange(object.metadata.uid, 1.5, '')":     notText("float64"),
		"shardRange(object.metadata.uid, 1u, '')":      notText("uint64"),
		"shardRange(object.metadata.uid, true, '')":    notText("bool"),
		"shardRange(object.metadata.uid, null, '')":    notText("structpb.NullValue"),
		"shardRange(object.metadata.uid, b'x', '')":    notText("[]uint8"),
		"shardRange(object.metadata.uid, '00', '')":    `hexStart must have '0x' prefix, got "00"`,
		"shardRange(object.metadata.uid, '0x', '')":    "hexStart: hex value is required after '0x'",
		`shardRange(object.metadata.uid, r"0x0g", '')`: `hexStart: invalid hex character "g" in "0x0g"`,
		`shardRange(object.metadata.uid, '\x30x0', '')`: "hexStart must be a 0x-prefixed 16-digit hex value, got \"0x0\" " +
			"(did you mean \"0x0000000000000000\"?)",
		"shardRange(object.metadata.uid, '0x0000000000000000', '0x10000000000000001')": "hexEnd: 17-digit hex value must " +
			`be '0x10000000000000000' (2^64), got "0x10000000000000001"`,
		"shardRange(object.metadata.uid, '0x0000000000000000', '0x100000000000000001')": "hexEnd: hex value too long " +
			`(18 chars, max 17): "100000000000000001"`,
		"shardRange(object.metadata.uid, '0x8000000000000000', '0x8000000000000000')": "shard range start " +
			"0x8000000000000000 must be less than end 0x8000000000000000",
		first + " || shardRange(object.metadata.namespace, '0x0000000000000000', '0x8000000000000000')": "all shard ranges " +
			`must use the same field, got "object.metadata.uid" and "object.metadata.namespace"`,
		"a +": "CEL parse error: Syntax error: mismatched input '<EOF>' expecting {'[', '{', '(', '.', '-', '!', 'true', " +
			"'false', 'null', NUM_FLOAT, NUM_INT, NUM_UINT, STRING, BYTES, IDENTIFIER}",
	} {
		if _, err := selector.ParseShard(text); err == nil || err.Error() != want {
			t.Errorf("%s\n got %v\nwant %s", text, err, want)
		}
	}
	for text, want := range map[string]string{
		first:                        first,
		" ((" + first + ")) ":        first,
		"a." + first:                 first,
		first + "||(" + second + ")": first + " || " + second,
		"(" + first + "||" + second + ") || " + first: first + " || " + second + " || " + first,
	} {
		if s, err := selector.ParseShard(text); err != nil || s.String() != want {
			t.Errorf("%s\n got %s, %v\nwant %s", text, s, err, want)
		}
	}
}

func TestShardMatches(t *testing.T) {
	shard := func(field, start, end string) selector.Shard {
		s, err := selector.ParseShard("shardRange(object.metadata." + field + ", '" + start + "', '" + end + "')")
		if err != nil {
			t.Fatal(err)
		}
		return s
	}
	// The hash of a text without characters is the offset of FNV-1a.
	const hash, next = "0xcbf29ce484222325", "0xcbf29ce484222326"
	for _, c := range []struct {
		s    selector.Shard
		uid  string
		want bool
	}{
		{shard("uid", hash, next), "", true},
		{shard("uid", next, "0x10000000000000000"), "", false},
		{shard("uid", "0x0000000000000000", hash), "", false},
		{shard("namespace", hash, next), "", false}, // the namespace is another text
		{shard("namespace", "0x0000000000000000", "0x10000000000000000"), "", true},
		{selector.Shard{}, "", true},
	} {
		if got := c.s.Matches(c.uid, "default"); got != c.want {
			t.Errorf("%s: %t", c.s, got)
		}
	}
}
