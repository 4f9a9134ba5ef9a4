//go:build js && wasm

package requests

import (
	"syscall/js"
	"time"

	"github.com/tabernetes/tabernetes/web/history"
)

// Where the session keeps the requests, and that they are to be kept.
const (
	keepChoice = "history-keep"
	keepList   = "history-list"
)

// session returns the tab's sessionStorage, null where the browser has none.
func session() (store js.Value) {
	defer func() {
		if recover() != nil { // reading it throws where the page may store nothing
			store = js.Null()
		}
	}()
	return js.Global().Get("sessionStorage")
}

// keep switches whether the requests are kept over a reload.
func (p *panel) keep(on bool) {
	s := session()
	if !s.Truthy() {
		return
	}
	if !on {
		s.Call("removeItem", keepChoice)
		s.Call("removeItem", keepList)
		return
	}
	put(s, keepChoice, "1")
}

// put stores a text, if there is space for it.
func put(store js.Value, name, value string) {
	defer func() { recover() }() // the quota
	store.Call("setItem", name, value)
}

// restore takes what the page before the reload has kept, and has the requests
// kept at the next one, if that was chosen.
func (p *panel) restore() {
	s := session()
	if !s.Truthy() {
		return
	}
	if s.Call("getItem", keepChoice).Truthy() {
		p.Doc.GetElementByID("history-keep").Underlying().Set("checked", true)
		if kept := s.Call("getItem", keepList); kept.Truthy() {
			history.Restore(p.Requests, kept.String()) // what cannot be read is left out
		}
	}
	s.Call("removeItem", keepList)
	js.Global().Call("addEventListener", "pagehide", js.FuncOf(func(js.Value, []js.Value) any {
		if s.Call("getItem", keepChoice).Truthy() {
			put(s, keepList, history.Keep(p.Requests, time.Now()))
		}
		return nil
	}))
}
