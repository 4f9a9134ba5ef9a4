package clock_test

import (
	"context"
	"errors"
	"testing"
	"time"

	"github.com/tabernetes/tabernetes/core/clock"
)

func TestWithTimeout(t *testing.T) {
	late, manual := errors.New("late"), clock.NewManual(time.Unix(0, 0))
	ctx, cancel := clock.WithTimeout(context.Background(), manual, time.Minute, late)
	defer cancel()
	manual.Advance(time.Minute - 1)
	if ctx.Err() != nil {
		t.Error("it ends early")
	}
	manual.Advance(1)
	if <-ctx.Done(); context.Cause(ctx) != late {
		t.Errorf("it ends with %v", context.Cause(ctx))
	}
	ctx, cancel = clock.WithTimeout(context.Background(), manual, time.Minute, late)
	cancel()
	if <-ctx.Done(); context.Cause(ctx) != context.Canceled {
		t.Errorf("one that was cancelled ends with %v", context.Cause(ctx))
	}
}

func TestSleep(t *testing.T) {
	manual := clock.NewManual(time.Unix(0, 0))
	ended, end := context.WithCancel(t.Context())
	end()
	if err := clock.Sleep(ended, manual, time.Hour); !errors.Is(err, context.Canceled) {
		t.Error("after the context's end:", err)
	}
	if err := clock.Sleep(t.Context(), manual, 0); err != nil {
		t.Error("for no time:", err)
	}
}
