package app

import (
	"encoding/json"
	"strconv"
	"strings"
	"time"

	"github.com/tabernetes/tabernetes/web/room"
	"github.com/tabernetes/tabernetes/web/tap"
)

// Look returns what the page looks at.
func (a *App) Look() room.View {
	v := room.View{Lesson: a.Lesson.ID, Step: a.Lesson.Step, Revision: a.At}
	v.Panel = a.dock()
	if s := a.Selection; s.Revision > 0 && s.Last <= s.Revision {
		v.Selected = "rev-" + strconv.FormatInt(s.Revision, 10)
	} else if s.Revision == 0 {
		v.Selected = strings.TrimPrefix(s.Object, "obj-")
	}
	return v
}

// Show brings the page to the revision of a view, and to what is chosen there, if that was something else.
func (a *App) Show(v, was room.View) {
	a.Travel(v.Revision)
	if v.Selected == was.Selected {
		return
	}
	rev, isRevision := strings.CutPrefix(v.Selected, "rev-")
	n, _ := strconv.ParseInt(rev, 10, 64)
	switch {
	case isRevision && n > 0:
		Emit(a.Bus, GoTo{Revision: n})
	case v.Selected == "":
		a.Select(Selection{}, "view")
	case !isRevision:
		a.Select(Selection{Object: "obj-" + v.Selected}, "view") // it is opened once it has been read
		Emit(a.Bus, OpenObject{Ref: v.Selected})
	}
}

// shareViews tells the page's scripts what is looked at, and shows what they ask for: that of the address, and of
// links.
func (a *App) shareViews() {
	On(a.Bus, func(Travel) { a.viewed() })
	On(a.Bus, func(Selected) { a.viewed() })
	a.views(a.looks, a.asked)
}

// viewed says that something else is looked at.
func (a *App) viewed() {
	if a.showing == 0 { // else the address has what is to be seen already
		a.Page.Call("viewed")
	}
}

// looks returns what is looked at, as JSON, with the watches that are open and the scene that plays.
func (a *App) looks() string {
	var open []string
	for _, x := range a.Requests.All() {
		if x.Streams() && x.Live() && a.Here(x) {
			open = append(open, x.URL)
		}
	}
	b, _ := json.Marshal(struct {
		room.View
		Watches []string `json:"watches"`
		Scene   string   `json:"scene"`
	}{a.Look(), open, a.Scene.ID}) // every view can be written
	return string(b)
}

// asked does what the page's scripts ask for by a name and texts.
func (a *App) asked(name string, text func(i int) string) {
	switch name {
	case "show":
		var v room.View
		if json.Unmarshal([]byte(text(1)), &v) == nil {
			a.showing++
			go func() {
				a.showKnown(v)
				a.showing--
				a.viewed()
			}()
		}
	case "compose":
		Emit(a.Bus, Compose{Request{Method: text(1), Path: text(2), Header: tap.ParseFields(text(3)), Body: text(4)}})
	case "lesson":
		if to := a.Course().Find(text(1)); to.Page == "lesson" {
			Emit(a.Bus, OpenLesson{ID: to.ID, Step: max(to.Step, 0)})
		}
	case "let-go":
		a.Select(Selection{}, "view")
	case "watch":
		a.Send(Request{Method: "GET", Path: text(1)})
	case "apply":
		go a.Apply(text(1), "console")
	}
}

// showKnown shows a view as soon as the cluster is known, if it has the revision. It blocks.
func (a *App) showKnown(v room.View) {
	for late := time.Now().Add(newCluster); a.Seen.Cluster == "" && time.Now().Before(late); {
		time.Sleep(20 * time.Millisecond)
	}
	s := a.Seen
	if at := v.Revision; at > s.Head || at > 0 && at < s.Compacted {
		a.Toast("The cluster has no revision " + strconv.FormatInt(at, 10) + " to show.")
		v.Revision = 0
	}
	a.Show(v, a.Look())
}
