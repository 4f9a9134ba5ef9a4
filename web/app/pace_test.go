package app

import (
	"fmt"
	"strings"
	"testing"
	"testing/synctest"
	"time"
)

func TestPace(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		start := time.Now()
		var calls []string
		p := Pace{Every: 60 * time.Millisecond}
		do := func() {
			p.Do(func() { calls = append(calls, fmt.Sprint(time.Since(start).Milliseconds())) })
			synctest.Wait()
		}
		do()
		for range 20 { // a burst of 200 ms
			time.Sleep(10 * time.Millisecond)
			do()
		}
		time.Sleep(time.Second)
		do()
		synctest.Wait()
		if got := strings.Join(calls, " "); got != "0 60 120 180 240 1200" {
			t.Errorf("called at %s", got)
		}
	})
}
