//go:build js && wasm

package app

import (
	"encoding/json"
	"strconv"
	"strings"
	"syscall/js"
	"time"

	"github.com/tabernetes/tabernetes/web/room"
	"github.com/tabernetes/tabernetes/web/tap"
)

// Look returns what the page looks at.
func (a *App) Look() room.View {
	v := room.View{Lesson: a.Lesson.ID, Step: a.Lesson.Step, Revision: a.At}
	v.Panel = Text(a.Doc.GetElementByID("dock").Underlying().Get("dataset").Get("tab"))
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
	viewed := func() {
		if a.showing == 0 { // else the address has what is to be seen already
			a.Page.Call("viewed")
		}
	}
	On(a.Bus, func(Travel) { viewed() })
	On(a.Bus, func(Selected) { viewed() })
	look := js.FuncOf(func(js.Value, []js.Value) any {
		var open []string // watches
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
	})
	act := js.FuncOf(func(_ js.Value, args []js.Value) any {
		str := func(i int) string { return Text(args[i]) }
		switch args[0].String() {
		case "show":
			var v room.View
			if json.Unmarshal([]byte(str(1)), &v) == nil {
				a.showing++
				go func() {
					a.showKnown(v)
					a.showing--
					viewed()
				}()
			}
		case "compose":
			Emit(a.Bus, Compose{Request{Method: str(1), Path: str(2), Header: tap.ParseFields(str(3)), Body: str(4)}})
		case "lesson":
			if to := a.Course().Find(str(1)); to.Page == "lesson" {
				Emit(a.Bus, OpenLesson{ID: to.ID, Step: max(to.Step, 0)})
			}
		case "watch":
			a.Send(Request{Method: "GET", Path: str(1)})
		case "apply":
			go a.Apply(str(1), "console")
		}
		return nil
	})
	a.Page.Call("views", look, act)
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
