//go:build js && wasm

package app

import (
	"syscall/js"

	"github.com/tabernetes/tabernetes/web/course"
)

// Course returns what the course has. It is read when it is first asked for.
func (a *App) Course() *course.Index {
	if a.course == nil {
		x, err := course.ParseIndex(a.Doc.GetElementByID("course-index").TextContent())
		if err != nil { // the build has made it
			js.Global().Get("console").Call("error", err.Error())
			x = &course.Index{}
		}
		a.course = x
	}
	return a.course
}
