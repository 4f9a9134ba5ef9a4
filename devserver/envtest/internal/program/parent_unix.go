//go:build !windows

package program

import (
	"context"
	"os"
	"time"
)

// parentInterval is the time between two looks at who the parent is. A signal at its end would be that of the thread
// that has started this process, which a Go program may end at any time.
const parentInterval = 100 * time.Millisecond

// awaitParent returns true once the process that has started this one is gone, and false when ctx is done. A process
// of init has nobody to wait for.
func awaitParent(ctx context.Context) bool {
	first := os.Getppid()
	if first == 1 {
		<-ctx.Done()
		return false
	}
	ticker := time.NewTicker(parentInterval)
	defer ticker.Stop()
	for {
		select {
		case <-ctx.Done():
			return false
		case <-ticker.C:
			if os.Getppid() != first {
				return true
			}
		}
	}
}
