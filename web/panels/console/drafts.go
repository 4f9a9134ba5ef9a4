package console

import "strings"

// A draft is what is written for one method, besides the path that all methods share.
type draft struct{ query, body, headers, accept string }

// plain reports whether no headers are written, and no representation is chosen.
func (d draft) plain() bool { return strings.TrimSpace(d.headers) == "" && d.accept == "" }

// drafts keep what is written for each method while another one is chosen: a DELETE must not send the options of the
// POST before it.
type drafts map[string]draft

// change puts away what is written for the method from, with the path that is in the console, and returns the path and
// what was written for the method to.
func (all drafts) change(from, to, path string, now draft) (string, draft) {
	path, now.query, _ = strings.Cut(path, "?")
	all[from] = now
	d := all[to]
	if d.query != "" {
		path += "?" + d.query
	}
	return path, d
}
