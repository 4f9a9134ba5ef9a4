package lasting_test

import (
	"context"
	"errors"
	"io"
	"slices"
	"strings"
	"testing"

	"github.com/tabernetes/tabernetes/core/lasting"
)

// TestEnds has two handlers, one inside of the other, of which the inner one answers with a stream.
func TestEnds(t *testing.T) {
	cut := errors.New("cut")
	for _, c := range []struct {
		name      string
		continues bool
		err       error
	}{{"whole", true, nil}, {"cut", true, cut}, {"of a host that does not continue answers", false, nil}} {
		t.Run(c.name, func(t *testing.T) {
			var did []string
			note := func(what string) func() { return func() { did = append(did, what) } }
			ctx := t.Context()
			var request *lasting.Request
			if c.continues {
				ctx, request = lasting.New(ctx)
			}
			inner := func(ctx context.Context) {
				defer lasting.End(ctx, note("inner end"))
				if !lasting.Continue(ctx, func(w io.Writer) error {
					note("rest")()
					if _, err := w.Write([]byte("rest")); err != nil {
						t.Error(err)
					}
					return c.err
				}) {
					note("stays")()
				}
			}
			func() {
				defer lasting.End(ctx, note("outer end"))
				inner(ctx)
			}()
			note("returned")()
			want := []string{"stays", "inner end", "outer end", "returned"}
			if c.continues {
				var out strings.Builder
				if !request.Continues() {
					t.Fatal("it does not continue")
				}
				if err := request.Run(&out); err != c.err || out.String() != "rest" {
					t.Errorf("%v %q", err, &out)
				}
				want = []string{"returned", "rest", "inner end", "outer end"}
			}
			if !slices.Equal(did, want) {
				t.Errorf("%q, want %q", did, want)
			}
		})
	}
}

// TestNothingGoesOn has a request that is answered at once.
func TestNothingGoesOn(t *testing.T) {
	ctx, request := lasting.New(t.Context())
	ended := false
	lasting.End(ctx, func() { ended = true })
	if !ended || request.Continues() {
		t.Errorf("ended %v, goes on %v", ended, request.Continues())
	}
}
