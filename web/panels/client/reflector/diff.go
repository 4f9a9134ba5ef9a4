package reflector

import "github.com/tabernetes/tabernetes/web/objects"

// Mark says how an object in a cache compares with the server's.
type Mark byte

// The marks.
const (
	Same  Mark = iota
	Late       // the change is on its way: the watch has not come to it
	Lost       // it is not in the cache, and no event will come
	Stale      // it has changed, and no event will come
	Ghost      // it was deleted, and no event will come
)

// Marks are the marks in words.
var Marks = [...]string{
	Same: "as on the server", Late: "not received yet", Lost: "missing: never received",
	Stale: "stale: a change was never received",
	Ghost: "ghost: deleted on the server",
}

// A Row is an object in the cache, on the server, or both.
type Row struct {
	Namespace, Name string
	Mark            Mark
	// Cached and Server are its revisions there, 0 where it is not.
	Cached, Server int64
}

// Diff compares the cache with what the server has. Rows are in the order of the keys. A change is late as long as it
// will still arrive: by a list that is about to be made, or by a watch that has not reached it and can begin where the
// client is.
func (c *Client) Diff(server Server) []Row {
	rows, cached := make([]Row, 0, len(server.Keys)), c.Cache.Rows()
	for len(cached) > 0 || len(server.Keys) > 0 {
		order := 0
		switch {
		case len(server.Keys) == 0:
			order = -1
		case len(cached) == 0:
			order = 1
		default:
			order = keyOf(cached[0]).compare(server.Keys[0])
		}
		r := Row{}
		if order <= 0 {
			o := cached[0]
			r.Namespace, r.Name, r.Cached = o.Namespace, o.Name, o.Revision
			cached = cached[1:]
		}
		var change int64 // of the server's
		if order >= 0 {
			k := server.Keys[0]
			r.Namespace, r.Name, change = k.Namespace, k.Name, k.Revision
			if !k.Gone {
				r.Server = k.Revision
			}
			server.Keys = server.Keys[1:]
		}
		if r.Cached == 0 && r.Server == 0 {
			continue // deleted, and known to be
		}
		r.Mark = c.mark(r, change)
		rows = append(rows, r)
	}
	return rows
}

func keyOf(o *objects.Object) Key { return Key{Namespace: o.Namespace, Name: o.Name} }

// mark compares a row. change is the revision of the object's last change on the server, 0 if nothing is known of it.
func (c *Client) mark(r Row, change int64) Mark {
	switch {
	case r.Server > 0 && r.Cached >= r.Server:
		return Same
	case c.willArrive(r, change):
		return Late
	case r.Server == 0:
		return Ghost
	case r.Cached == 0:
		return Lost
	}
	return Stale
}

// willArrive reports whether a change will still reach the client: by a list, or by a watch.
func (c *Client) willArrive(r Row, change int64) bool {
	switch {
	case c.state.Phase == Stopped:
		return false
	case c.lists:
		return true
	case c.fromAny && r.Server == 0: // it gets no event of what was deleted before it began
		return false
	case c.refused: // what its server does not remember does not come back
		return false
	}
	return change > c.at
}
