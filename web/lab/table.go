package lab

import (
	"github.com/a-h/templ"

	"github.com/tabernetes/tabernetes/web/app"
	"github.com/tabernetes/tabernetes/web/course"
	model "github.com/tabernetes/tabernetes/web/lesson"
	"github.com/tabernetes/tabernetes/web/panels/answer"
	"github.com/tabernetes/tabernetes/web/panels/client"
	"github.com/tabernetes/tabernetes/web/panels/console"
	"github.com/tabernetes/tabernetes/web/panels/header"
	"github.com/tabernetes/tabernetes/web/panels/lesson"
	"github.com/tabernetes/tabernetes/web/panels/levers"
	"github.com/tabernetes/tabernetes/web/panels/objects"
	"github.com/tabernetes/tabernetes/web/panels/representations"
	"github.com/tabernetes/tabernetes/web/panels/requests"
	"github.com/tabernetes/tabernetes/web/panels/rules"
	"github.com/tabernetes/tabernetes/web/panels/samples"
	"github.com/tabernetes/tabernetes/web/panels/stage"
)

// Panels is the table of the lab's panels, in the order of their tabs. The
// page's tabs, the keyboard map, Help and the layout come from it. x lists the course, whose
// first lesson is in the page; dev marks a page that a devserver serves.
func Panels(x *course.Index, first model.Lesson, dev bool) []app.Panel {
	return []app.Panel{
		{ID: "header", Title: "Page", Region: app.Header, Render: func() templ.Component { return header.Skeleton(dev) }, Start: header.Start},
		{ID: "lesson", Title: "Lesson", Key: "1", Region: app.Lesson, Render: func() templ.Component { return course.Pane(x, first) }, Start: lesson.Start},
		{ID: "stage", Title: "Stage", Key: "2", Region: app.Stage, Render: stage.Skeleton, Start: stage.Start},
		{ID: "console", Title: "Console", Key: "3", Region: app.Dock, Render: console.Skeleton, Start: console.Start},
		{ID: "history", Title: "Requests", Key: "4", Region: app.Dock, With: "console", Render: requests.Skeleton, Start: requests.Start},
		{ID: "objects", Title: "Objects", Key: "5", Region: app.Dock, Render: objects.Skeleton, Start: objects.Start},
		{ID: "representations", Title: "Representations", Key: "7", Region: app.Dock, Render: representations.Skeleton, Start: representations.Start},
		{ID: "client", Title: "Client", Key: "8", Region: app.Dock, Render: client.Skeleton, Start: client.Start},
		{ID: "rules", Title: "Rules", Key: "9", Region: app.Dock, Render: rules.Skeleton, Start: rules.Start},
		{ID: "answer", Title: "Answer", Key: "6", Region: app.Answer, Render: answer.Skeleton, Start: answer.Start},
		{ID: "sample", Title: "Sample data", Region: app.Menu, Render: samples.Skeleton, Start: samples.Start},
		{ID: "servers", Title: "API servers", Region: app.Menu, Render: levers.Servers},
		{ID: "clock", Title: "Clock", Region: app.Menu, Render: levers.Clock},
		{ID: "levers", Title: "Levers", Region: app.Menu, Render: levers.More, Start: levers.Start},
	}
}
