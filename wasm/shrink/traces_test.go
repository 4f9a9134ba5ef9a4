package shrink

import (
	"strings"
	"testing"
)

func TestShortenTraces(t *testing.T) {
	module, run := compileProgram(t, All())
	module, err := joinSegments(module)
	if err != nil {
		t.Fatal(err)
	}
	short := shortenTraces(module)
	before, after := inBrotli(t, module), inBrotli(t, short)
	if len(short) != len(module) || after > before*95/100 {
		t.Errorf("%d bytes became %d, in brotli %d became %d", len(module), len(short), before, after)
	}
	for what, got := range map[string]string{"long": run(module), "short": run(short)} {
		if !strings.HasPrefix(got, said) {
			t.Errorf("%s: %s", what, got)
		}
		if !strings.Contains(got, "\nmain.main()\n") {
			t.Errorf("%s: no name in %s", what, got)
		}
		if strings.Contains(got, "main.go:") != (what == "long") {
			t.Errorf("%s: %s", what, got)
		}
	}
}

// TestShortenTracesSpares: what is not as it is known stays.
func TestShortenTracesSpares(t *testing.T) {
	head := func(numbers ...byte) string {
		var b strings.Builder
		b.WriteString(moduleHeader + tableMagic)
		for _, n := range numbers {
			b.WriteString(string(rune(n)) + "\x00\x00\x00\x00\x00\x00\x00")
		}
		return b.String()
	}
	for what, module := range map[string]string{
		"no table":          moduleHeader,
		"a cut header":      head(1, 1, 0),
		"another header":    head(1, 1, 0, 80, 81, 82, 83, 84, 0, 0, 0),
		"functions outside": head(9, 1, 0, 72, 72, 72, 72, 73) + "\x00",
		"another entry": head(1, 1, 0, 72, 72, 72, 72, 73) + "\x00\x05\x00\x00\x00\x08\x00\x00\x00" +
			strings.Repeat("\x00", 60),
		"two tables": head() + tableMagic,
	} {
		if got := shortenTraces([]byte(module)); string(got) != module {
			t.Errorf("%s: %q", what, got)
		}
	}
}

func FuzzShortenTraces(f *testing.F) {
	f.Add([]byte(moduleHeader + tableMagic))
	f.Fuzz(func(t *testing.T, module []byte) {
		if got := shortenTraces(module); len(got) != len(module) {
			t.Errorf("%d bytes became %d", len(module), len(got))
		}
	})
}
