//go:build js && wasm

package app

import (
	"syscall/js"
	"time"
)

// stretch is how long a goroutine works before Pause gives the page its turn.
const stretch = 6 * time.Millisecond

// pauses is where those stand that wait for a turn.
type pauses struct {
	turn    time.Time // when the page had its last one that is known of
	waiting []chan struct{}
	resume  js.Func
}

// Pause is to be called between pieces of long work, in a goroutine of its own:
// the page cannot do anything while one runs. It waits for a task of its own if
// there was none for a while.
func (a *App) Pause() {
	p := &a.pauses
	if time.Since(p.turn) < stretch {
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
