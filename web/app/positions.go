package app

import "github.com/tabernetes/tabernetes/web/history"

// Positions returns the revisions of the servers, for which requests may wait.
func (a *App) Positions() history.Positions {
	return history.Positions{
		Loading: a.last.Phase == "loading" && a.last.Target != "devserver", Head: a.Seen.Head, Caches: a.Seen.State.Caches,
	}
}
