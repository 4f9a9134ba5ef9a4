package cluster

import (
	"context"
	"errors"
	"testing"
	"time"
)

func TestPendingText(t *testing.T) {
	finish := make(chan struct{})
	work := func(context.Context) ([]byte, error) {
		<-finish
		return []byte("text"), nil
	}
	m := startPending(t.Context(), time.Millisecond, work)
	if _, err := m.wait(t.Context()); err == nil {
		t.Error("a text that is not made yet")
	}
	gone, leave := context.WithCancel(t.Context())
	leave()
	m.timeout = time.Minute
	if _, err := m.wait(gone); !errors.Is(err, context.Canceled) {
		t.Error(err)
	}
	close(finish)
	if text, err := m.wait(t.Context()); string(text) != "text" || err != nil {
		t.Errorf("%q, %v", text, err)
	}
}
