package shrink

import (
	"fmt"
	"strings"
)

// For returns the tricks for a version of Go, in the form of `go env GOVERSION`: want if it is the one that go.mod, the
// file's text, pins by its line "toolchain"; else none, with a warning. The tricks depend on the compiler's output, the
// runtime's tables and the files of the standard library, all of which change without notice.
func For(want Set, gomod, version string) (s Set, warning string) {
	version, _, _ = strings.Cut(version, " ") // experiments follow
	pinned := Pinned(gomod)
	if version == pinned {
		return want, ""
	}
	if pinned == "" {
		return None(), "go.mod pins no toolchain: the binaries are as the compiler writes them, and larger"
	}
	return None(), fmt.Sprintf("this is %s, and go.mod pins %s: the binaries are as the compiler writes them, "+
		"and larger; GOTOOLCHAIN=%[2]s builds the small ones", version, pinned)
}

// Pinned returns the toolchain that go.mod, the file's text, pins, or "".
func Pinned(gomod string) string {
	for line := range strings.Lines(gomod) {
		if words := strings.Fields(line); len(words) >= 2 && words[0] == "toolchain" {
			return words[1]
		}
	}
	return ""
}
