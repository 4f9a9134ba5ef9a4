package app

import "errors"

// closing are the panels in which users make requests themselves. Close closes them.
var closing = []string{"console", "terminal", "levers", "servers", "compact", "buffers", "clock", "sample", "scenes"}

// Close refuses the requests that users make themselves from now on, with why as the reason; "" allows them again.
// Requests of lessons and of the lab itself are not refused.
func (a *App) Close(why string) {
	if a.Closed == why {
		return
	}
	a.Closed = why
	a.shut(why, closing)
}

// refuses reports why a request is refused, if it is.
func (a *App) refuses(r Request) error {
	if a.Closed == "" || r.Quiet || r.Origin == "lesson" || r.Origin == "setup" {
		return nil
	}
	return errors.New(a.Closed)
}
