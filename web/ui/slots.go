package ui

import (
	"github.com/a-h/templ"

	"github.com/tabernetes/tabernetes/web/lesson"
)

func timelineSkeleton() templ.Component { return templ.NopComponent }

func lessonPane([]lesson.Lesson) templ.Component { return templ.NopComponent }
