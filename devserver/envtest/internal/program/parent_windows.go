package program

import (
	"context"
	"os"
)

// awaitParent returns true once the process that has started this one is gone, and false when ctx is done.
func awaitParent(ctx context.Context) bool {
	gone := make(chan struct{})
	go func() {
		parent, err := os.FindProcess(os.Getppid())
		if err == nil {
			_, err = parent.Wait()
		}
		if err == nil {
			close(gone)
		}
	}()
	select {
	case <-ctx.Done():
		return false
	case <-gone:
		return true
	}
}
