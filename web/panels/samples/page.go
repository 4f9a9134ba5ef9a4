package samples

import (
	"context"
	"fmt"
	"net/http"
	"strconv"
	"sync"

	"github.com/a-h/templ"

	"github.com/tabernetes/tabernetes/web/app"
	"github.com/tabernetes/tabernetes/web/samples"
	"github.com/tabernetes/tabernetes/web/ui"
)

// atOnce bounds the requests that a sample has under way.
const atOnce = 16

// Start runs the panel.
func Start(a *app.App) {
	busy := false
	a.OnUse("sample", func(u app.Use) {
		switch u.Attr("data-sample") {
		case "guestbook":
			go a.Apply(samples.Guestbook, "sample")
		case "pods":
			if busy {
				return
			}
			busy = true
			go func() {
				manyPods(a)
				busy = false
			}()
		}
	})
}

// manyPods creates the pods of the paging example. Those that are there already
// are left as they are.
func manyPods(a *app.App) {
	done, failed, there, problem := 0, 0, 0, ""
	draw := func() {
		a.Draw("sample-progress", func() templ.Component {
			return ui.Progress("Creating pods", done, samples.Pods, problem)
		})
	}
	draw()
	send := func(path, body string) int {
		res, err := a.Fetch(context.Background(),
			app.Request{Method: "POST", Path: path, Body: body, Origin: "sample", Header: app.ContentType("application/json")})
		if err != nil {
			problem = err.Error()
			return 0
		}
		if res.Status >= 400 && res.Status != 409 {
			problem = strconv.Itoa(res.Status) + " " + http.StatusText(res.Status) + ": " + app.Message(res.Body)
		}
		return res.Status
	}
	send("/api/v1/namespaces", `{"apiVersion":"v1","kind":"Namespace","metadata":{"name":"`+samples.PodsNamespace+`"}}`)
	next := 0
	var all sync.WaitGroup
	for range atOnce {
		all.Add(1)
		go func() {
			defer all.Done()
			for next < samples.Pods && failed < atOnce {
				i := next
				next++
				switch status := send("/api/v1/namespaces/"+samples.PodsNamespace+"/pods", samples.Pod(i)); {
				case status == 409:
					there++
				case status != 201:
					failed++
				}
				done++
				draw()
			}
		}()
	}
	all.Wait()
	if failed > 0 {
		a.Alert(fmt.Sprintf("%d of %d pods were refused: %s", failed, done, problem))
		return
	}
	a.Open("stage")
	a.Draw("sample-progress", func() templ.Component { return templ.NopComponent })
	what := ui.Count(done-there) + " pods created in namespace " + samples.PodsNamespace
	if there > 0 {
		what += ", " + ui.Count(there) + " were there"
	}
	a.Toast(what)
	app.Emit(a.Bus, app.Compose{Request: app.Request{Method: "GET", Path: "/api/v1/namespaces/" + samples.PodsNamespace +
		"/pods?limit=500"}})
}
