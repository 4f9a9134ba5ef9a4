//go:build js && wasm

package lab

import (
	"syscall/js"

	"github.com/a-h/templ"

	"github.com/tabernetes/tabernetes/web/dom"
	"github.com/tabernetes/tabernetes/web/revisions"
	"github.com/tabernetes/tabernetes/web/ui"
)

func init() { panels = append(panels, startHeader) }

// startHeader keeps the read-outs and the target switch.
func startHeader(a *App) {
	readouts := a.Doc.GetElementByID("readouts")
	known := false
	draw := func() {
		a.RenderFunc(readouts, func() templ.Component {
			p := ui.Positions{Known: known, Head: a.Seen.head, Horizon: a.Seen.horizon, Off: ui.Off(a.Seen.state.Clock)}
			if known {
				p.Caches = ui.CacheRows(a.Seen.state)
			}
			st := a.State()
			switch trouble := a.Seen.state.Trouble; {
			case trouble != "":
				p.Kept, p.KeptTitle = "not saved", "Writes are refused, since they cannot be kept: "+trouble
			case st.Target == "devserver":
			case st.SecondTab:
				p.Kept, p.KeptTitle = "a copy in memory", "Another tab has the saved cluster. Changes here are lost when this tab closes."
			case st.Persistent:
				p.Kept, p.KeptTitle = "saved", "Objects, revisions and history are kept in this browser and survive a reload."
				if st.Evictable {
					p.KeptTitle += " It may delete them when it is short of room; Safari does after seven days without a visit. Levers: save to a file."
				}
			case st.Phase == "ready":
				p.Kept, p.KeptTitle = "in memory only", "This browser keeps nothing for this page: the cluster is lost when the tab closes."
			}
			return ui.Readouts(p)
		})
	}
	a.OnFrame(func(f revisions.Frame) {
		if f.State != nil {
			js.Global().Get("tabernetes").Call("note", map[string]any{"trouble": f.State.Trouble})
		}
		known = true
		draw()
	})
	a.OnState(func(s State) {
		draw()
		for _, in := range a.Doc.QuerySelectorAll("#target input") {
			v := in.Underlying()
			v.Set("checked", v.Get("value").String() == s.Target)
		}
	})
	a.Action("target", func(el *dom.Element, _ dom.Event) {
		a.SetTarget(el.Underlying().Get("value").String())
		a.Announce("Requests now go to the cluster " + el.ParentElement().TextContent())
	})
}
