package conversion

import (
	"context"
	"errors"
	"sync"
	"testing"

	"github.com/tabernetes/tabernetes/core/schema"
)

// TestOnce makes what lists and watches share: once for each state and version, however many ask at a time, and again
// after a failure.
func TestOnce(t *testing.T) {
	h := &hook{}
	v1, v2 := h.link(t, `"v1"`)
	a, b := []byte("{}"), []byte("{}") // equal, but two states
	made := 0                          // under the turn of a version
	build := func() (*schema.Converted, error) {
		made++
		return &schema.Converted{Value: []byte("x")}, nil
	}
	get := func(row *schema.Resource, value []byte, build func() (*schema.Converted, error)) (*schema.Converted, error) {
		return row.Custom.Converter.Once(t.Context(), value, build)
	}
	broken := errors.New("broken")
	if _, err := get(v2, a, func() (*schema.Converted, error) { return nil, broken }); !errors.Is(err, broken) {
		t.Error(err)
	}
	if v2.Custom.Converter.Made(a) != nil {
		t.Error("a failure is kept")
	}
	var all sync.WaitGroup
	for range 20 {
		all.Go(func() {
			if _, err := get(v2, a, build); err != nil {
				t.Error(err)
			}
		})
	}
	all.Wait()
	first, _ := get(v2, a, build)
	if made != 1 || first == nil || v2.Custom.Converter.Made(a) != first {
		t.Errorf("made %d times: %v", made, first)
	}
	if v2.Custom.Converter.Made(b) != nil || v1.Custom.Converter.Made(a) != nil {
		t.Error("another state, or another version, is known")
	}
	if second, _ := get(v2, b, build); made != 2 || second == first {
		t.Errorf("made %d times", made)
	}
	if _, _ = get(v1, a, build); made != 3 {
		t.Errorf("made %d times", made)
	}
}

// TestOnceEnds has a caller wait for its turn, and give up.
func TestOnceEnds(t *testing.T) {
	_, v2 := (&hook{}).link(t, `"v1"`)
	ctx, end := context.WithCancelCause(t.Context())
	gone := errors.New("gone")
	_, err := v2.Custom.Converter.Once(t.Context(), []byte("a"), func() (*schema.Converted, error) {
		end(gone)
		return v2.Custom.Converter.Once(ctx, []byte("b"), func() (*schema.Converted, error) {
			t.Error("it was not its turn")
			return nil, nil
		})
	})
	if !errors.Is(err, gone) {
		t.Error(err)
	}
}

// TestOnceForgets keeps no more than maxKept.
func TestOnceForgets(t *testing.T) {
	_, v2 := (&hook{}).link(t, `"v1"`)
	values := make([][]byte, maxKept+1)
	for i := range values {
		values[i] = []byte{'{'}
		_, _ = v2.Custom.Converter.Once(t.Context(), values[i], func() (*schema.Converted, error) {
			return &schema.Converted{}, nil
		})
	}
	known := 0
	for _, value := range values {
		if v2.Custom.Converter.Made(value) != nil {
			known++
		}
	}
	if known != 1 || v2.Custom.Converter.Made(values[maxKept]) == nil {
		t.Errorf("%d are known", known)
	}
}
