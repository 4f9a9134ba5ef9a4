package levers

import (
	"strconv"

	"github.com/a-h/templ"

	"github.com/tabernetes/tabernetes/core/wellknown"
	"github.com/tabernetes/tabernetes/web/app"
)

// startFork wires the lever that begins a cluster as this one was at a revision. The cluster that is left is kept as a
// snapshot until the user deletes it.
func startFork(a *app.App, say sayer) {
	var kept []Kept
	draw := func() {
		a.Draw("levers-kept", func() templ.Component { return KeptClusters(kept) })
	}
	put := func(id int, done string) {
		go func() {
			if problem := await(a.Promise("putSnapshot", id)); problem != "" {
				app.Emit(a.Bus, app.Forking{})
				say(true, problem)
				return
			}
			a.Travel(0)
			say(false, done)
		}()
	}
	a.OnUse("fork", func(app.Use) {
		at, head := a.At, a.Seen.Head
		if at == 0 {
			return
		}
		go func() {
			old, problem := takeSnapshot(a, wellknown.ControlPlane+"/snapshot")
			if problem != "" {
				say(true, problem)
				return
			}
			then, problem := takeSnapshot(a, wellknown.ControlPlane+"/snapshot?revision="+strconv.FormatInt(at, 10))
			if problem != "" {
				a.Page.Call("dropSnapshot", old)
				say(true, problem)
				return
			}
			kept = append(kept, Kept{ID: old, Name: "revision " + strconv.FormatInt(head, 10) + ", before the fork at " +
				strconv.FormatInt(at, 10)})
			draw()
			app.Emit(a.Bus, app.Forking{At: at, Head: head})
			put(then, "A cluster as it was at "+strconv.FormatInt(at, 10)+". The one you left is kept under ⋯.")
		}()
	})
	app.On(a.Bus, func(e app.ClusterKept) {
		kept = append(kept, Kept{ID: e.Snapshot, Name: e.Name})
		draw()
	})
	pick := func(u app.Use) int {
		id := int(u.Int("data-id"))
		for i, k := range kept {
			if k.ID == id {
				kept = append(kept[:i:i], kept[i+1:]...)
				draw()
				return id
			}
		}
		return 0
	}
	a.OnUse("kept-open", func(u app.Use) {
		if id := pick(u); id > 0 {
			put(id, "Back in the cluster that was kept.")
		}
	})
	a.OnUse("kept-drop", func(u app.Use) {
		if id := pick(u); id > 0 {
			a.Page.Call("dropSnapshot", id)
		}
	})
}
