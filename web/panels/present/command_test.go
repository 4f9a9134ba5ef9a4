package present

import (
	"slices"
	"strings"
	"testing"

	"github.com/tabernetes/tabernetes/core/settings"
	"github.com/tabernetes/tabernetes/web/app"
	"github.com/tabernetes/tabernetes/web/catalog"
)

func there(t *testing.T) Context {
	t.Helper()
	c := &catalog.Catalog{}
	if _, err := c.AddVersions(`{"versions":["v1"]}`); err != nil {
		t.Fatal(err)
	}
	if err := c.AddResources(`{"groupVersion":"v1","resources":[
		{"name":"pods","kind":"Pod","namespaced":true,"verbs":["list","watch"],"shortNames":["po"]},
		{"name":"nodes","kind":"Node","verbs":["list"]}]}`); err != nil {
		t.Fatal(err)
	}
	return Context{Catalog: c, Head: 30, Servers: 2, Scenes: []string{"gone", "stale"}, Lanes: []app.LaneState{
		{ID: "w1", Resume: 20}, {ID: "w2", Server: 1, Over: true, Resume: 22}, {ID: "w4", Over: true, Expired: true}}}
}

func TestParse(t *testing.T) {
	c := there(t)
	chosen := c
	chosen.Chosen = "w1"
	playing := c
	playing.Playing = true
	const pods = "/api/v1/namespaces/default/pods"
	for line, want := range map[string]Command{
		"/api/v1/pods":         {Verb: "request", Path: "/api/v1/pods"},
		"  cut w1 ":            {Verb: "cut", Lane: "w1"},
		"cut":                  {Verb: "cut"},
		"resume w2":            {Verb: "resume", Lane: "w2"},
		"list again w4":        {Verb: "list again", Lane: "w4"},
		"close w1":             {Verb: "close", Lane: "w1"},
		"compact":              {Verb: "compact"},
		"compact 12":           {Verb: "compact", N: 12},
		"lag 5":                {Verb: "lag", N: 5, Server: 1},
		"lag 5s c0":            {Verb: "lag", N: 5},
		"lag 0 C1":             {Verb: "lag", Server: 1},
		"freeze C0":            {Verb: "freeze"},
		"unfreeze C0":          {Verb: "thaw"},
		"restart":              {Verb: "restart", Server: 1},
		"advance 5m":           {Verb: "advance", N: 300},
		"undo":                 {Verb: "undo"},
		"scene stale":          {Verb: "scene", Scene: "stale"},
		"get nodes":            {Verb: "request", Table: true, Path: "/api/v1/nodes?limit=500"},
		"kubectl get po":       {Verb: "request", Table: true, Path: pods + "?limit=500"},
		"get pod web":          {Verb: "request", Table: true, Path: pods + "/web"},
		"get pods/web -n kube": {Verb: "request", Table: true, Path: "/api/v1/namespaces/kube/pods/web"},
		"get pods -A -o json":  {Verb: "request", Path: "/api/v1/pods?limit=500"},
		"get pods -w": {Verb: "request", Table: true, Path: pods + "?limit=500",
			Watch: pods + "?resourceVersion=LIST&watch=true"},
		"get pods -l app=a": {Verb: "request", Table: true, Path: pods + "?labelSelector=app%3Da&limit=500"},
		"get -w --namespace=b po": {Verb: "request", Table: true, Path: "/api/v1/namespaces/b/pods?limit=500",
			Watch: "/api/v1/namespaces/b/pods?resourceVersion=LIST&watch=true"},
		"get pod web -w": {Verb: "request", Table: true, Path: pods + "/web",
			Watch: pods + "?fieldSelector=metadata.name%3Dweb&resourceVersion=0&watch=true"},
	} {
		if got, err := Parse(line, c); err != nil || got != want {
			t.Errorf("%q: %+v, %v, want %+v", line, got, err, want)
		}
	}
	if got, err := Parse("cut", chosen); err != nil || got.Lane != "w1" {
		t.Errorf("the chosen lane: %+v, %v", got, err)
	}
	if got, err := Parse("next", playing); err != nil || got.Verb != "next" {
		t.Errorf("in a scene: %+v, %v", got, err)
	}
}

func TestParseRefuses(t *testing.T) {
	for line, want := range map[string]string{
		"":               ErrNothing.Error(),
		"dance":          `There is no command "dance"`,
		"cut w9":         "No lane w9. There are w1, w2, w4.",
		"cut w1 w2":      `Unexpected argument "w2".`,
		"resume w1":      "w1 is open.",
		"cut w2":         "w2 is not open.",
		"close w2":       "w2 is not open.",
		"lag 5000":       "A server can lag by up to 3600 s.",
		"resume":         "Which lane? There are w1, w2, w4.",
		"resume w4":      "w4 has no version to resume from",
		"compact 31":     "31 is not a revision from 1 to 30.",
		"lag":            "By how many seconds?",
		"lag x":          "x is not a number of seconds.",
		"freeze C2":      "No API server C2. There are C0 to C1.",
		"advance":        "By how much?",
		"scene none":     "The scenes are gone, stale.",
		"next":           "No scene is playing.",
		"get":            "Get what?",
		"get things":     `no resource type "things"`,
		"get pods a b":   "Only one name at a time",
		"get pods -n":    "-n needs a value.",
		"get pods --all": "get does not support --all here",
	} {
		if got, err := Parse(line, there(t)); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%q: %+v, %v, want %q", line, got, err, want)
		}
	}
	over := there(t)
	over.Lanes = over.Lanes[1:]
	for line, want := range map[string]string{"cut": "No watch is open.", "close": "Which lane?"} {
		if _, err := Parse(line, over); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%q without an open lane: %v", line, err)
		}
	}
	over.Chosen = "w2"
	if _, err := Parse("cut", over); err == nil || err.Error() != "w2 is not open." {
		t.Errorf("the chosen lane is cut: %v", err)
	}
	none := there(t)
	none.Lanes = nil
	if _, err := Parse("resume w1", none); err == nil || !strings.Contains(err.Error(), "There is no lane") {
		t.Errorf("without lanes: %v", err)
	}
}

func TestComplete(t *testing.T) {
	c := there(t)
	for typed, want := range map[string]string{
		"":           "",
		"cu":         "cut w1",
		"resume":     "resume w2",
		"list":       "list again w2|list again w4",
		"lag":        "lag 5 C1|lag 0 C1|lag 5 C0",
		"compact":    "",
		"comp":       "compact",
		"get":        "get pods|get pods -w|get configmaps",
		"get p":      "get pods|get pods -w",
		"get pods ":  "get pods -w|get pods -A|get pods -A -w",
		"scene s":    "scene stale",
		"ne":         "", // no scene plays
		"nothing":    "",
		"/api/v1/po": "/api/v1/pods",
	} {
		var lines []string
		for _, o := range Complete(typed, c) {
			lines = append(lines, o.Line)
		}
		if got := strings.Join(lines, "|"); got != want {
			t.Errorf("%q: %s, want %s", typed, got, want)
		}
	}
}

// TestOffersAreCommands wants every line that is offered to be read, and to do something that is said.
func TestOffersAreCommands(t *testing.T) {
	c := there(t)
	c.Playing = true
	n := 0
	for _, v := range verbs {
		for _, end := range v.offers(c) {
			if _, err := Parse(v.name+end, c); err != nil {
				t.Errorf("%q is offered: %v", v.name+end, err)
			}
			n++
		}
		if v.does == "" {
			t.Errorf("%s does not say what it does", v.name)
		}
	}
	if n < len(verbs) {
		t.Errorf("%d offers of %d commands", n, len(verbs))
	}
}

// FuzzParse wants any line to be read or refused in a sentence, and what is offered to begin with what is typed.
func FuzzParse(f *testing.F) {
	for _, line := range []string{"cut w1", "get pods -w", "/api", "lag 5 C1", "list again", "get a/b=c -n="} {
		f.Add(line)
	}
	c := there(&testing.T{})
	f.Fuzz(func(t *testing.T, line string) {
		if cmd, err := Parse(line, c); (err == nil) == (cmd.Verb == "" || err != nil) && err == nil {
			t.Fatalf("%q: %+v", line, cmd)
		}
		for _, o := range Complete(line, c) {
			if !strings.HasPrefix(o.Line, strings.TrimLeft(line, " ")) {
				t.Fatalf("%q is offered for %q", o.Line, line)
			}
		}
	})
}

func TestHalves(t *testing.T) {
	for _, want := range [][2]string{
		{"One fact.", ""},
		{"w1 was cut after 22:", " from there it can resume."},
		{"410: newer events pushed 22 out.", " w2 has to list again."},
		{"28 changed the Pod `a`:", " w1 received it. w2 did not: why."},
		{"Nine more changes.", " Their buffer has room for 8, so it ends."},
	} {
		if head, tail := halves(want[0] + want[1]); head != want[0] || tail != want[1] {
			t.Errorf("%q: %q, %q", want, head, tail)
		}
	}
}

// TestActs wants the requests of commands that are acts of the control plane, and what is said when they are done.
func TestActs(t *testing.T) {
	for line, want := range map[string][3]string{
		"cut":        {"disconnect", "{}", "All open watches were cut."},
		"compact":    {"compact", "{}", "Compacted: older revisions are gone."},
		"compact 12": {"compact", `{"revision":12}`, "Compacted to 12."},
		"restart C0": {"restart", `{"server":0}`, "The API server was restarted."},
		"advance 5m": {"advance", `{"seconds":300}`, "The cluster’s time is 5 min later."},
		"cut w1":     {}, "undo": {}, "lag 5": {}, "/api": {}, "get nodes": {},
	} {
		cmd, err := Parse(line, there(t))
		if err != nil {
			t.Fatal(err)
		}
		act, ok := cmd.Act()
		got := [3]string{act.Act.Name, act.Act.Body(act.Parameters), act.Act.SaysDone(act.Value)}
		if ok != (want[0] != "") || ok && got != want {
			t.Errorf("%s: %q, %t", line, got, ok)
		}
	}
	for _, a := range settings.Acts {
		known := slices.ContainsFunc(verbs, func(v verb) bool { return v.name == a.Name && v.does == a.Does })
		if a.Does != "" && !known {
			t.Errorf("%s is no command", a.Name)
		}
	}
}

// there is what the commands of the tests are read by.
