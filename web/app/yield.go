//go:build js && wasm

package app

import (
	"syscall/js"
	"time"
)

// workTime is how long a goroutine works before Yield gives the page its turn.
const workTime = 6 * time.Millisecond

// yields has the goroutines that wait for a turn.
type yields struct {
	turn    time.Time // when the page had its last one that is known of
	waiting []chan struct{}
	resume  js.Func
}

// Yield lets the page run if it has not done so for workTime. Call it between pieces of long work, in a separate
// goroutine: the page cannot do anything while Go runs.
func (a *App) Yield() {
	p := &a.yields
	if time.Since(p.turn) < workTime {
		return
	}
	if p.resume.IsUndefined() {
		p.resume = js.FuncOf(func(js.Value, []js.Value) any {
			p.turn = time.Now()
			first := p.waiting[0]
			p.waiting = p.waiting[1:]
			close(first)
			return nil
		})
	}
	woken := make(chan struct{})
	p.waiting = append(p.waiting, woken)
	a.Page.Call("turn", p.resume)
	<-woken
}
