package app

import (
	"fmt"
	"strings"
	"sync"
	"testing"
	"testing/synctest"
	"time"
)

func TestThrottle(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		start := time.Now()
		var calls []string
		p := Throttle{Every: 60 * time.Millisecond}
		// The page has one thread; here timers have their own.
		var thread sync.Mutex
		p.after = func(d time.Duration, f func()) {
			time.AfterFunc(d, func() {
				thread.Lock()
				defer thread.Unlock()
				f()
			})
		}
		do := func() {
			thread.Lock()
			defer thread.Unlock()
			p.Do(func() { calls = append(calls, fmt.Sprint(time.Since(start).Milliseconds())) })
		}
		do()
		for range 20 { // a burst of 200 ms
			time.Sleep(10 * time.Millisecond)
			synctest.Wait()
			do()
		}
		time.Sleep(time.Second)
		synctest.Wait()
		do()
		if got := strings.Join(calls, " "); got != "0 60 120 180 240 1200" {
			t.Errorf("called at %s", got)
		}
	})
}
