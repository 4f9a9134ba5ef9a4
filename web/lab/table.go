package lab

import (
	"github.com/tabernetes/tabernetes/web/app"
	"github.com/tabernetes/tabernetes/web/panels/answer"
	"github.com/tabernetes/tabernetes/web/panels/client"
	"github.com/tabernetes/tabernetes/web/panels/console"
	"github.com/tabernetes/tabernetes/web/panels/exam"
	"github.com/tabernetes/tabernetes/web/panels/header"
	"github.com/tabernetes/tabernetes/web/panels/lesson"
	"github.com/tabernetes/tabernetes/web/panels/levers"
	"github.com/tabernetes/tabernetes/web/panels/objects"
	"github.com/tabernetes/tabernetes/web/panels/present"
	"github.com/tabernetes/tabernetes/web/panels/representations"
	"github.com/tabernetes/tabernetes/web/panels/requests"
	"github.com/tabernetes/tabernetes/web/panels/room"
	"github.com/tabernetes/tabernetes/web/panels/rules"
	"github.com/tabernetes/tabernetes/web/panels/samples"
	"github.com/tabernetes/tabernetes/web/panels/scenes"
	"github.com/tabernetes/tabernetes/web/panels/search"
	"github.com/tabernetes/tabernetes/web/panels/stage"
)

// panels returns the table of the lab's panels, in the order of their tabs. The page's tabs,
// the keyboard map, Help and the layout come from it. What they look like before anything has
// loaded is in skeletons.go, which the lab's binary does without.
func panels() []app.Panel {
	return []app.Panel{
		{ID: "header", Title: "Page", Region: app.Header, Start: header.Start},
		{ID: "lesson", Title: "Lesson", Key: "1", Region: app.Lesson, Start: lesson.Start},
		{ID: "stage", Title: "Stage", Key: "2", Region: app.Stage, Start: stage.Start},
		{ID: "console", Title: "Console", Key: "3", Region: app.Dock, Start: console.Start},
		{ID: "history", Title: "Requests", Key: "4", Region: app.Dock, With: "console", Start: requests.Start},
		{ID: "terminal", Title: "Terminal", Key: "0", Region: app.Dock},
		{ID: "objects", Title: "Objects", Key: "5", Region: app.Dock, Start: objects.Start},
		{ID: "representations", Title: "Representations", Key: "7", Region: app.Dock, Start: representations.Start},
		{ID: "client", Title: "Client", Key: "8", Region: app.Dock, Start: client.Start},
		{ID: "rules", Title: "Rules", Key: "9", Region: app.Dock, Start: rules.Start},
		{ID: "answer", Title: "Answer", Key: "6", Region: app.Answer, Start: answer.Start},
		{ID: "search", Title: "Search", Region: app.Left, Start: search.Start},
		{ID: "scenes", Title: "Scenes", Region: app.Over, Start: scenes.Start},
		{ID: "sample", Title: "Sample data", Region: app.Over, With: "scenes", Start: samples.Start},
		{ID: "exam", Title: "Exam", Region: app.Over, Start: exam.Start},
		{ID: "present", Title: "Presenter", Region: app.Edge, Start: present.Start},
		{ID: "room", Title: "Room", Region: app.Left, Start: room.Start},
		{ID: "share", Title: "Share", Region: app.Left},
		{ID: "invite", Title: "Invitation", Region: app.Menu},
		{ID: "servers", Title: "API servers", Region: app.Menu},
		{ID: "compact", Title: "Compact", Region: app.Menu},
		{ID: "buffers", Title: "Buffers", Region: app.Menu},
		{ID: "clock", Title: "Clock", Region: app.Menu},
		{ID: "levers", Title: "Levers", Region: app.Menu, Start: levers.Start},
	}
}
