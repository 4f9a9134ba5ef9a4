package app

import "github.com/tabernetes/tabernetes/web/course"

// Course returns what the course has. It is read when it is first asked for.
func (a *App) Course() *course.Index {
	if a.course == nil {
		x, err := course.ParseIndex(a.content("course-index"))
		if err != nil { // the build has made it
			a.complain(err.Error())
			x = &course.Index{}
		}
		a.course = x
	}
	return a.course
}
