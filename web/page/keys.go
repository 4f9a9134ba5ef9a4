// Package page is the whole HTML document as it is before any script has run, made from the table of
// panels. The site's builder renders it (devserver/internal/site/shell); its panels show their skeletons until the
// lab has started.
//
// Invariant: it satisfies its own Content-Security-Policy, so it has no inline scripts and styles.
package page

import (
	"strings"

	"github.com/tabernetes/tabernetes/core/settings"
	"github.com/tabernetes/tabernetes/web/panels/search/index"
)

//go:generate go tool templ generate -path .

// A Key is a line of Help's list of keys.
type Key struct {
	Keys []string
	Does string
	// press is the key as the browser calls it, if pressing it anywhere does that.
	press string
}

// Found returns the keys as what a search finds. Those that are pressed one after another, or only where something is
// typed, lead nowhere, and are left out.
func Found() []index.Entry {
	var all []index.Entry
	for _, k := range keys {
		if k.press == "" {
			continue
		}
		does, more, _ := strings.Cut(k.Does, ";")
		all = append(all, index.Entry{Group: index.Keys, Title: strings.ToUpper(does[:1]) + does[1:], Words: more,
			Note: strings.Join(k.Keys, " "), Key: k.press})
	}
	return append(all, levers...)
}

// opens returns the selector of the button of the stage's bar that opens a menu.
func opens(menu string) string { return `#st-bar [popovertarget="panel-` + menu + `"]` }

// levers are those of the stage's bar, which a search finds, too.
var levers = []index.Entry{
	menu("Compact etcd, or have the caches forget", "compaction history 410 gone", "compact"),
	lever(settings.Disconnect.Title, "disconnect connection lost", `[data-lever="`+settings.Disconnect.Name+`"]`),
	menu("API servers: lag, freeze, restart, how many", "replicas cache stale behind late", "servers"),
	menu("Buffers of the watch caches", "capacity bookmarks progress", "buffers"),
	menu("The cluster’s clock: pause, move on, speed up", "time advance tokens expire", "clock"),
	menu("All levers: RBAC, start over, save to a file", "authorization reset snapshot open settings", "levers"),
	{Group: index.Keys, Title: "RBAC: who may do what", Words: "authorization roles rights forbidden 403 impersonate user",
		Press: opens("levers"), At: "levers-rbac-title"},
	lever("Sample data", "guestbook pods examples", `[data-over="scenes"]`),
	lever("Room: a cluster that several people share", "class teacher invite", "#room-button"),
	lever("Share this cluster, as a link or a file", "export send url save", `[data-left="share"]`),
	lever("Colours: light, dark, as the system", "theme", "#theme"),
}

func lever(title, words, press string) index.Entry {
	return index.Entry{Group: index.Keys, Title: title, Words: words, Press: press}
}

// menu is a menu of levers, whose heading gets the focus: the button that opens it may be out of sight.
func menu(title, words, name string) index.Entry {
	return index.Entry{Group: index.Keys, Title: title, Words: words, Press: opens(name), At: name + "-title"}
}

// keys are those of the whole page; none of them acts while something is typed.
// Each panel adds its own from the table.
var keys = []Key{
	{[]string{"Ctrl", "K"}, "search lessons, steps, rules, keys and levers; Cmd on a Mac", ""},
	{[]string{"?"}, "this help", "?"},
	{[]string{"/"}, "write a request", "/"},
	{[]string{"`"}, "the terminal", "`"},
	{[]string{"J", "K"}, "next and previous request", ""},
	{[]string{"[", "]"}, "previous and next lane", ""},
	{[]string{"←", "→"}, "previous and next revision; while travelling, the playhead", ""},
	{[]string{"Shift", "Enter"}, "on the stage: compare with the revision that is chosen; so does a click with Shift", ""},
	{[]string{"Home"}, "travel to the oldest revision", "Home"},
	{[]string{"End", "L"}, "back to live", "l"},
	{[]string{"Space"}, "pause; while travelling, play, and with Shift four times as fast", ""},
	{[]string{"+", "−", "0"}, "zoom, and fit all", "0"},
	{[]string{"P"}, "presenter, with / for commands and ? for its keys; Escape leaves", "p"},
	{[]string{"Space", "B"}, "while a scene plays: next step, back one step", ""},
	{[]string{"U"}, "undo a lever", "u"},
	{[]string{"T"}, "the stage as tables", "t"},
	{[]string{"R", "N"}, "run the lesson’s step, next step", ""},
	{[]string{"Ctrl", "Enter"}, "send the request", ""},
	{[]string{"Esc", "Tab"}, "leave the editor, one after another", ""},
	{[]string{"Esc"}, "clear the selection", ""},
}
