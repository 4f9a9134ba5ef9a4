//go:build js && wasm

package regexp_test

import (
	_ "embed"
	"math/rand/v2"
	standard "regexp"
	"strings"
	"testing"

	"github.com/tabernetes/tabernetes/wasm/overlay/regexp"
)

// What the lab has: a test of package overlay keeps it so.
//
//go:embed testdata/expressions.txt
var expressions string

// TestMatchString: each expression of the lab says the same of a text as in the
// standard library's package.
func TestMatchString(t *testing.T) {
	random := rand.New(rand.NewPCG(1, 2))
	const letters = "aZ$_.-+*/019eE:5!#% \t\nñ"
	texts := []string{
		"", "1", "-1.5e+10", ".5", "1_000:59:59.5", "a.b", "$x.y", "Comic Sans", "1px solid #fff", "a\n", "\n",
	}
	for range 2000 {
		var b strings.Builder
		for range random.IntN(8) {
			b.WriteRune([]rune(letters)[random.IntN(len([]rune(letters)))])
		}
		texts = append(texts, b.String())
	}
	for line := range strings.Lines(expressions) {
		source := strings.TrimSuffix(line, "\n")
		own, other := regexp.MustCompile(source), standard.MustCompile(source)
		matched := 0
		for _, text := range texts {
			want := other.MatchString(text)
			if got := own.MatchString(text); got != want {
				t.Errorf("%s matches %q: %v, want %v", source, text, got, want)
			}
			if want {
				matched++
			}
		}
		if matched == 0 || matched == len(texts) {
			t.Errorf("%s matches %d of %d texts: they tell nothing", source, matched, len(texts))
		}
		if own.String() != source {
			t.Errorf("%q is %q", source, own)
		}
	}
}
