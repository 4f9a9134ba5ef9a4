//go:build js && wasm

package app

import (
	"strings"
	"syscall/js"
	"time"

	"github.com/tabernetes/tabernetes/web/tap"
)

// Begin connects the panels, all of which listen by now, to the sources of events.
func (a *App) Begin() {
	shim := js.Global().Get("tabernetes")
	begun := time.UnixMicro(int64(js.Global().Get("performance").Get("timeOrigin").Float() * 1000))
	a.Page.Call("tap", js.FuncOf(func(_ js.Value, args []js.Value) any {
		unpackEvents(args[0].String(), bytesOf(args[1]), func(e tap.Event) {
			e.Past = e.Time.Before(begun)
			Emit(a.Bus, e)
		})
		return nil
	}))
	a.Page.Call("onRelate", js.FuncOf(func(_ js.Value, args []js.Value) any {
		Emit(a.Bus, Related{strings.Fields(args[0].String())})
		return nil
	}))
	shim.Call("onState", js.FuncOf(func(_ js.Value, args []js.Value) any {
		a.setState(args[0])
		return nil
	}))
	go a.follow()
	a.shareViews()
	a.Page.Call("begun") // what was pressed meanwhile is done now
}

func (a *App) setState(v js.Value) {
	str := func(name string) string { return Text(v.Get(name)) }
	a.last = State{
		Phase:      str("state"),
		Persistent: v.Get("persistent").Truthy(),
		Evictable:  v.Get("evictable").Truthy(),
		SecondTab:  v.Get("secondTab").Truthy(),
		Tab:        str("tab"), Tabs: v.Get("tabs").Int(),
		SetAside: str("setAside"),
		Problem:  str("problem"),
		Target:   a.last.Target, Place: a.last.Place,
	}
	a.moved()
}

// views has the page's scripts call look for what is looked at, and act with what they ask for.
func (a *App) views(look func() string, act func(name string, text func(i int) string)) {
	a.Page.Call("views", js.FuncOf(func(js.Value, []js.Value) any { return look() }),
		js.FuncOf(func(_ js.Value, args []js.Value) any {
			act(args[0].String(), func(i int) string { return Text(args[i]) })
			return nil
		}))
}

// shut closes panels to the reader, or opens them again if there is no reason why.
func (a *App) shut(why string, panels []string) {
	a.Doc.Underlying().Get("documentElement").Call("toggleAttribute", "data-closed", why != "")
	for _, name := range panels {
		if el := a.Panel(name); el != nil {
			el.Underlying().Set("inert", why != "")
			a.Describe("panel-"+name, "data-closed", why)
		}
	}
}
