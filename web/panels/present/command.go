package present

import (
	"errors"
	"fmt"
	"slices"
	"strconv"
	"strings"

	"github.com/tabernetes/tabernetes/core/settings"
	"github.com/tabernetes/tabernetes/web/app"
	"github.com/tabernetes/tabernetes/web/catalog"
	"github.com/tabernetes/tabernetes/web/ui"
)

// A Context is what commands are read by: what there is now.
type Context struct {
	Lanes []app.LaneState
	// Chosen is the lane that is meant where none is named; empty: none.
	Chosen string
	// Servers is how many API servers there are.
	Servers int
	Head    int64
	Catalog *catalog.Catalog
	Known   catalog.Known
	// Scenes are the ids of the scenes, Playing whether one of them plays.
	Scenes  []string
	Playing bool
}

// A Command is what a line asks for.
type Command struct {
	// Verb is that of a row of verbs, or "request".
	Verb string
	// Lane is the lane that it is about, empty: all; Server the API server.
	Lane   string
	Server int
	// N is a number: a revision, seconds.
	N int64
	// Path is that of the request, and Watch that of the watch after it, with the answer's version in the place of
	// listVersion; Table asks for tables, as kubectl does.
	Path, Watch string
	Table       bool
	// Scene is the id of a scene.
	Scene string
}

// A verb is a row of the commands.
type verb struct {
	name, does string
	// args reads what follows the name.
	args func(*Command, []string, Context) error
	// offers are ends of the line to complete, given what there is.
	offers func(Context) []string
}

// verbs are the commands besides paths and get, in the order in which they are offered.
var verbs = withActs([]verb{
	{"cut", "break its connection; it keeps its resume point", laneOrAll, open},
	{"resume", "watch again, from its resume point", aLane, resumable},
	{"list again", "list, and watch from there", aLane, ended},
	{"close", "have its client close it", aLane, open},
	{settings.Compact.Name, settings.Compact.Does, aRevision, nothing},
	{"lag", "have the API server learn of writes so many seconds late", lag, func(c Context) []string {
		return each(c, " 5", " 0")
	}},
	{"freeze", "stop the API server’s cache; again: let it follow", aServer,
		func(c Context) []string { return each(c, "") }},
	{"thaw", "let the cache follow again", aServer, func(c Context) []string { return each(c, "") }},
	{settings.Restart.Name, settings.Restart.Does, aServer,
		func(c Context) []string { return each(c, "") }},
	{settings.Advance.Name, settings.Advance.Does, aSpan,
		func(Context) []string { return []string{" 5m", " 1m", " 1h"} }},
	{"undo", "undo the last lever", noArguments, nothing},
	{"live", "back to live", noArguments, nothing},
	{"scene", "play this scene", aScene, func(c Context) []string {
		var out []string
		for _, id := range c.Scenes {
			out = append(out, " "+id)
		}
		return out
	}},
	{"next", "the scene’s next step", inScene, playing},
	{"back", "the scene’s previous step", inScene, playing},
	{"leave", "leave the scene", inScene, playing},
})

// withActs adds the acts that are commands without arguments.
func withActs(all []verb) []verb {
	for _, a := range settings.Acts {
		if a.Does != "" && !slices.ContainsFunc(all, func(v verb) bool { return v.name == a.Name }) {
			all = append(all, verb{a.Name, a.Does, noArguments, nothing})
		}
	}
	return all
}

// Act returns the act of the control plane that the command stands for, or false if it is another kind of command.
func (c Command) Act() (act app.RunAct, ok bool) {
	switch a, known := settings.ActOf(c.Verb, ""); {
	case c.Verb == "cut" && c.Lane == "":
		return app.RunAct{Act: settings.Disconnect}, true
	case !known || a.Does == "":
		return app.RunAct{}, false
	default:
		act = app.RunAct{Act: a}
	}
	switch c.Verb {
	case settings.Compact.Name:
		if c.N > 0 {
			act.Parameters, act.Value = settings.Values{"revision": c.N}, strconv.FormatInt(c.N, 10)
		}
	case settings.Restart.Name:
		act.Parameters = settings.Values{"server": c.Server}
	case settings.Advance.Name:
		act.Parameters, act.Value = settings.Values{"seconds": c.N}, ui.Span(c.N)
	}
	return act, true
}

func nothing(Context) []string { return []string{""} }

func playing(c Context) []string {
	if c.Playing {
		return []string{""}
	}
	return nil
}

// lanes returns the lanes of which is reports true, as ends of a line, the chosen one first.
func lanes(c Context, is func(app.LaneState) bool) []string {
	var out []string
	for _, l := range c.Lanes {
		if !is(l) {
			continue
		}
		if l.ID == c.Chosen {
			out = append([]string{" " + l.ID}, out...)
		} else {
			out = append(out, " "+l.ID)
		}
	}
	return out
}

func open(c Context) []string { return lanes(c, func(l app.LaneState) bool { return !l.Over }) }

func resumable(c Context) []string {
	return lanes(c, func(l app.LaneState) bool { return l.Over && l.Resume > 0 && !l.Expired })
}

func ended(c Context) []string { return lanes(c, func(l app.LaneState) bool { return l.Over }) }

// each returns the ends of a line for each API server; no name if there is one.
func each(c Context, ends ...string) []string {
	if c.Servers < 2 {
		return ends
	}
	var out []string
	for i := c.Servers - 1; i >= 0; i-- {
		for _, end := range ends {
			out = append(out, end+" C"+strconv.Itoa(i))
		}
	}
	return out
}

// ErrNothing is the error of an empty line.
var ErrNothing = errors.New("a path, get pods -w, or a lever such as cut w1")

// Parse reads a line. The error says what is wrong with it in a sentence.
func Parse(line string, c Context) (Command, error) {
	line = strings.TrimSpace(line)
	if strings.HasPrefix(line, "/") {
		return Command{Verb: "request", Path: line}, nil
	}
	words := strings.Fields(line)
	if len(words) > 1 && words[0] == "kubectl" {
		words = words[1:]
	}
	if len(words) == 0 {
		return Command{}, ErrNothing
	}
	if words[0] == "get" {
		return get(words[1:], c)
	}
	if words[0] == "unfreeze" {
		words[0] = "thaw"
	}
	for _, v := range verbs {
		name := strings.Fields(v.name)
		if len(words) < len(name) || strings.Join(words[:len(name)], " ") != v.name {
			continue
		}
		cmd := Command{Verb: v.name}
		return cmd, v.args(&cmd, words[len(name):], c)
	}
	return Command{}, fmt.Errorf("There is no command %q. Try %s.", words[0], "a path, get, cut, compact or lag")
}

func noArguments(_ *Command, args []string, _ Context) error {
	if len(args) > 0 {
		return fmt.Errorf("Unexpected argument %q.", args[0])
	}
	return nil
}

func inScene(cmd *Command, args []string, c Context) error {
	if !c.Playing {
		return errors.New("No scene is playing.")
	}
	return noArguments(cmd, args, c)
}

// laneOrAll reads the name of a lane, or nothing: then the chosen one is meant, or all.
func laneOrAll(cmd *Command, args []string, c Context) error {
	if len(args) > 0 || c.Chosen != "" {
		return aLane(cmd, args, c)
	}
	if len(open(c)) == 0 {
		return errors.New("No watch is open.")
	}
	return nil
}

// aLane reads the name of a lane; without one the chosen lane, or the only one, is meant.
func aLane(cmd *Command, args []string, c Context) error {
	var names []string
	for _, l := range c.Lanes {
		names = append(names, l.ID)
	}
	if len(args) == 0 && c.Chosen != "" {
		args = []string{c.Chosen}
	} else if len(args) == 0 && len(names) == 1 {
		args = names
	}
	switch {
	case len(names) == 0:
		return errors.New("There is no lane: open a watch first.")
	case len(args) == 0:
		return fmt.Errorf("Which lane? There are %s.", strings.Join(names, ", "))
	}
	for _, l := range c.Lanes {
		if l.ID != args[0] {
			continue
		}
		cmd.Lane = l.ID
		switch {
		case cmd.Verb == "resume" && !l.Over:
			return fmt.Errorf("%s is open.", l.ID)
		case cmd.Verb == "resume" && l.Resume == 0:
			return fmt.Errorf("%s has no version to resume from: list again %s.", l.ID, l.ID)
		case (cmd.Verb == "cut" || cmd.Verb == "close") && l.Over:
			return fmt.Errorf("%s is not open.", l.ID)
		}
		return noArguments(cmd, args[1:], c)
	}
	return fmt.Errorf("No lane %s. There are %s.", args[0], strings.Join(names, ", "))
}

func aRevision(cmd *Command, args []string, c Context) error {
	if len(args) == 0 {
		return nil
	}
	n, err := strconv.ParseInt(args[0], 10, 64)
	if err != nil || n < 1 || n > c.Head {
		return fmt.Errorf("%s is not a revision from 1 to %d.", args[0], c.Head)
	}
	cmd.N = n
	return noArguments(cmd, args[1:], c)
}

// aServer reads the name of an API server; without one that of the chosen lane is meant, else the last one.
func aServer(cmd *Command, args []string, c Context) error {
	cmd.Server = c.Servers - 1
	for _, l := range c.Lanes {
		if l.ID == c.Chosen {
			cmd.Server = l.Server
		}
	}
	if len(args) == 0 {
		return nil
	}
	n, err := strconv.Atoi(strings.TrimPrefix(strings.ToUpper(args[0]), "C"))
	if err != nil || n < 0 || n >= c.Servers {
		return fmt.Errorf("No API server %s. There are C0 to C%d.", args[0], c.Servers-1)
	}
	cmd.Server = n
	return noArguments(cmd, args[1:], c)
}

func lag(cmd *Command, args []string, c Context) error {
	if len(args) == 0 {
		return errors.New("By how many seconds? lag 5")
	}
	n, ok := ui.Seconds(args[0])
	if !ok && args[0] != "0" {
		return fmt.Errorf("%s is not a number of seconds.", args[0])
	}
	if n > settings.Lag.Most {
		return fmt.Errorf("A server can lag by up to %d s.", settings.Lag.Most)
	}
	cmd.N = n
	return aServer(cmd, args[1:], c)
}

func aSpan(cmd *Command, args []string, c Context) error {
	if len(args) == 0 {
		return errors.New("By how much? advance 5m")
	}
	n, ok := ui.Seconds(args[0])
	if !ok {
		return fmt.Errorf("%s is not a time such as 90s, 10m or 1h30m.", args[0])
	}
	cmd.N = n
	return noArguments(cmd, args[1:], c)
}

func aScene(cmd *Command, args []string, c Context) error {
	for _, id := range c.Scenes {
		if len(args) == 1 && id == args[0] {
			cmd.Scene = id
			return nil
		}
	}
	return fmt.Errorf("The scenes are %s.", strings.Join(c.Scenes, ", "))
}
