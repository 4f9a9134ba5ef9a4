package app

import (
	"fmt"
	"strings"
	"sync"
	"testing"
	"testing/synctest"
	"time"
)

// within returns a timer that calls functions with a lock: the page has one thread, and here
// timers have their own.
func within(thread *sync.Mutex) timer {
	return func(d time.Duration, f func()) {
		time.AfterFunc(d, func() {
			thread.Lock()
			defer thread.Unlock()
			f()
		})
	}
}

func TestThrottle(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		start := time.Now()
		var calls []string
		var thread sync.Mutex
		p := Throttle{Every: 60 * time.Millisecond, after: within(&thread)}
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

func TestLater(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		start := time.Now()
		var calls []time.Duration
		var thread sync.Mutex
		l := Later{Wait: time.Second, Run: func() { calls = append(calls, time.Since(start)) }, after: within(&thread)}
		do := func() {
			thread.Lock()
			defer thread.Unlock()
			l.Do()
		}
		for range 3 {
			do()
			time.Sleep(time.Second / 2) // in the bubble, where it takes no time
			synctest.Wait()
			do()
			time.Sleep(time.Second)
			synctest.Wait()
		}
		if got := fmt.Sprint(calls); got != "[1s 2.5s 4s]" {
			t.Errorf("called after %s", got)
		}
	})
}
