package structural

import (
	"regexp/syntax"
	"testing"
)

// The estimate of a program's size is close to what the compiler makes.
func TestProgramSize(t *testing.T) {
	for _, source := range []string{
		`a`, `^abc$`, `[a-z]*`, `(a|b|cd)+`,
		`^[a-z0-9]([-a-z0-9]{0,61}[a-z0-9])?(\.[a-z0-9]([-a-z0-9]{0,61}[a-z0-9])?)*$`, `^.{1,1000}$`, `(a?b?){500}`,
		`(?i)hello`, `x{1000}`, `(a{10}){20,}`, `\pL{3,9}`, `((a|b){5}|c{7}){9}`, ``, `a{0}`, `(?:a{2,}){3}`,
	} {
		tree, err := syntax.Parse(source, syntax.Perl)
		if err != nil {
			t.Fatal(err)
		}
		size := programSize(tree)
		program, err := syntax.Compile(tree.Simplify())
		if err != nil {
			t.Fatal(err)
		}
		if is := len(program.Inst); size < is/2-4 || size > 2*is+4 {
			t.Errorf("%s: %d instructions estimated, %d made", source, size, is)
		}
	}
}
