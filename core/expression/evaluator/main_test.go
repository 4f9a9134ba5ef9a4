package evaluator

import (
	"context"
	"flag"
	"os"
	"testing"

	"github.com/tabernetes/tabernetes/core/expression"
	"github.com/tabernetes/tabernetes/core/expression/remote"
)

// tested is what tests of results are about: the evaluator, and then the same through messages.
var tested expression.Evaluator = Evaluator{}

// Tested returns it to the tests over a server, which are above core.
func Tested() expression.Evaluator { return tested }

// TestMain runs all tests; and those of results again, behind package remote.
func TestMain(m *testing.M) {
	code := m.Run()
	if code == 0 && flag.Lookup("test.bench").Value.String() == "" {
		server := remote.NewServer(Evaluator{})
		tested = &remote.Client{Call: func(ctx context.Context, message []byte) ([]byte, error) {
			return server.Serve(ctx, message), nil
		}}
		_ = flag.Set("test.run", "^Test(True|Broken|Unit|Server|Rules|Old|Check|Values|Trace)")
		code = m.Run()
	}
	os.Exit(code)
}
