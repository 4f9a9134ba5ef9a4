package settings

import (
	"cmp"
	"encoding/json"
	"strings"
)

// An Act is a row of what a ControlPlane does once, or shows: a subresource, or one of the things that it
// can do.
type Act struct {
	// Name and Verb are the subresource's.
	Name, Verb string
	// Parameters are the fields that its body may have, and Numbers the integers that its query may have besides the
	// parameters of all resources.
	Parameters, Numbers []string
	// Given is the parameter that chooses this row of several with the same name; zero: what the others leave.
	Given Parameter
	// Menu is the menu of the lab that has a button for it; empty: none of those that are made of rows.
	Menu string
	// Title is what the lab calls it, Effect says what it does, and Confirm what its button says before it is pressed
	// again; empty: it need not be.
	Title, Effect, Confirm string
	// Does says what it does as a command of the presenter, in a few words; empty: the presenter has no such command.
	Does string
	// Done says that it was done, DoneWith the same with a value for {}, and Then what follows.
	Done, DoneWith, Then string
	// Undo is the name of undoing it, which may have a value for {}; empty: it cannot be undone.
	Undo string
	// Before is what a step of a lesson expects that does not make it, and After what it finds then.
	Before, After string
}

// A Parameter is a field of a body, with its value.
type Parameter struct{ Name, Value string }

// The menus of the lab that have buttons for acts.
const (
	CompactMenu = "compact"
	LeversMenu  = "levers"
)

// What a compact may forget alone.
const (
	ForgetsEtcd   = "etcd"
	ForgetsCaches = "caches"
)

const historyIsKept = "the history is kept"

var compactParameters = []string{"revision", "forgets"}

// The acts.
var (
	Advance = Act{
		Name: "advance", Verb: "create", Parameters: []string{"seconds"},
		Title: "Advance",
		Effect: "Advances the cluster’s clock: history, tokens and watches expire by it. In a real cluster you have to " +
			"wait.",
		Does: "advance the cluster’s clock",
		Done: "The cluster’s time is later.", DoneWith: "The cluster’s time is {} later.",
		Then:   "Everything that waits or expires uses this clock.",
		Undo:   "advanced by {}",
		Before: "the time of this step", After: "the clock was moved",
	}
	CompactEtcd = Act{
		Name: "compact", Verb: "create", Parameters: compactParameters, Given: Parameter{"forgets", ForgetsEtcd},
		Menu: CompactMenu, Title: "Compact etcd",
		Effect: "The wall on the ruler moves. Watches can still resume from the caches; Events, and lists that no cache " +
			"has, get 410.",
		Done: "Compacted etcd: older revisions are only in the caches.", DoneWith: "Compacted etcd to {}.",
		Undo:   "compacted etcd to {}",
		Before: historyIsKept, After: "etcd was compacted",
	}
	CompactCaches = Act{
		Name: "compact", Verb: "create", Parameters: compactParameters, Given: Parameter{"forgets", ForgetsCaches},
		Menu: CompactMenu, Title: "Drop the caches’ history",
		Effect: "The edges of the lanes move: a watch from before gets 410. etcd keeps its history.",
		Done:   "The API servers’ caches have dropped their history.",
		Then:   "etcd still has it.",
		Undo:   "dropped the caches’ history to {}",
		Before: historyIsKept, After: "the caches have dropped it",
	}
	Compact = Act{
		Name: "compact", Verb: "create", Parameters: compactParameters,
		Menu: CompactMenu, Title: "Compact now",
		Effect: "Both: removes all history up to now. The wall and the edges move.",
		Does:   "remove all history up to now",
		Done:   "Compacted: older revisions are gone.", DoneWith: "Compacted to {}.",
		Then:   "Neither etcd nor the API servers’ caches have them. A watch or page from before gets 410.",
		Undo:   "compacted to {}",
		Before: historyIsKept, After: "compacted",
	}
	Disconnect = Act{
		Name: "disconnect", Verb: "create",
		Menu: LeversMenu, Title: "Cut the watches",
		Effect: "Ends every open watch, as a restart or a load balancer would. Clients resume from their last " +
			"resourceVersion.",
		Done:   "All open watches were cut.",
		Then:   "Each client can resume from the last version that it has received.",
		Before: "the watches stay open", After: "all watches were cut",
	}
	Purge = Act{
		Name: "purge", Verb: "create", Parameters: []string{"namespaces"},
		Done:   "The namespaces are removed.",
		Then:   "Finalizers and grace periods were ignored.",
		Before: "the namespaces are there", After: "namespaces were removed",
	}
	Restart = Act{
		Name: "restart", Verb: "create", Parameters: []string{"server"},
		Title:  "Restart",
		Effect: "Restarts the API server: its watches end, and its caches begin with the current state.",
		Does:   "restart the API server: its caches begin with the current state",
		Done:   "The API server was restarted.",
		Then:   "Its watch caches begin again, with the current state, and have no earlier events.",
		Before: "the API server keeps running", After: "restarted",
	}
	Reset = Act{
		Name: "reset", Verb: "create", Parameters: []string{"seed"},
		Menu: LeversMenu, Title: "Reset the cluster",
		Effect:  "Starts a new cluster: all objects and all history are deleted. This can be undone for a minute.",
		Confirm: "Press again to delete all objects",
		Done:    "The cluster was reset.", Then: "Nothing of the old one is left.",
		Undo:   "reset",
		Before: "this cluster", After: "the cluster was reset",
	}
	Revisions = Act{Name: "revisions", Verb: "get", Numbers: []string{"since"}}
	Snapshot  = Act{Name: "snapshot", Verb: "get", Numbers: []string{"revision"}}
	Restore   = Act{
		Name: "snapshot", Verb: "update",
		Done:   "The cluster is the one of the snapshot.",
		Then:   "Open watches have ended: list again.",
		Before: "this cluster", After: "another state was restored",
	}
	Windows = Act{Name: "windows", Verb: "get"}
)

// Acts are all of them, in the order of discovery and of the menus; of one name, the one without a Given is
// the last.
var Acts = []Act{
	Advance, CompactEtcd, CompactCaches, Compact, Disconnect, Purge, Restart, Reset, Revisions, Snapshot, Restore, Windows,
}

// Changes reports whether it does something; otherwise it shows something.
func (a Act) Changes() bool { return a.Verb != "get" }

// ActsIn returns the acts that have a button in a menu of the lab.
func ActsIn(menu string) (rows []Act) {
	for _, a := range Acts {
		if a.Menu == menu {
			rows = append(rows, a)
		}
	}
	return rows
}

// ActOf returns the act of that name which does something, as the body of its request chooses it.
func ActOf(name, body string) (Act, bool) {
	var given map[string]any
	for _, a := range Acts {
		if a.Name != name || !a.Changes() {
			continue
		}
		if a.Given == (Parameter{}) {
			return a, true
		}
		if given == nil {
			_ = json.Unmarshal([]byte(body), &given) // a body that cannot be read chooses nothing
		}
		if given[a.Given.Name] == a.Given.Value {
			return a, true
		}
	}
	return Act{}, false
}

// Body returns the body of a request for it with parameters. They have to be such that JSON can hold.
func (a Act) Body(parameters Values) string {
	fields := map[string]any{}
	for name, v := range parameters {
		fields[name] = v
	}
	if a.Given != (Parameter{}) {
		fields[a.Given.Name] = a.Given.Value
	}
	return marshalled(fields)
}

// SaysDone says that it was done, with a value if there is one.
func (a Act) SaysDone(value string) string {
	if value == "" {
		return a.Done
	}
	return strings.Replace(cmp.Or(a.DoneWith, a.Done), "{}", value, 1)
}

// SaysUndo returns the name of undoing it, with a value; empty if it cannot be undone.
func (a Act) SaysUndo(value string) string { return strings.Replace(a.Undo, "{}", value, 1) }
