//go:build js && wasm

package scenes

import "github.com/tabernetes/tabernetes/web/app"

// publish says where the scene is.
func (p *panel) publish() {
	var at app.SceneAt
	if n := p.now; n != nil {
		at = app.SceneAt{ID: n.scene.ID, Title: n.scene.Title, Step: len(n.says), Shown: n.shown, Steps: len(n.scene.Steps),
			Busy: n.busy, Auto: n.auto != 0, Bad: n.problem != "", Says: n.problem}
		if at.Says == "" {
			at.Says = n.scene.Line
			if n.shown > 0 {
				at.Says = n.says[n.shown-1]
			}
		}
		switch {
		case n.problem != "" || n.disturbed && n.shown == len(n.says):
			at.Next = "set up again"
		case n.shown < len(n.scene.Steps):
			at.Next = "next: " + n.scene.Steps[n.shown].Title
		default:
			if s := p.known[p.after(n.scene.ID)]; s != nil {
				at.Next = "next scene: " + s.Title
			}
		}
	}
	if at != p.Scene {
		p.Scene = at
		app.Emit(p.Bus, at)
	}
}
