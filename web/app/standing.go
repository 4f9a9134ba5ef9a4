//go:build js && wasm

package app

import "github.com/tabernetes/tabernetes/web/history"

// Standing returns where the servers are that requests wait for.
func (a *App) Standing() history.Standing {
	return history.Standing{
		Loading: a.last.Phase == "loading" && a.last.Target != "devserver", Head: a.Seen.Head, Caches: a.Seen.State.Caches,
	}
}
