//go:build !js

package lab

import (
	"github.com/a-h/templ"

	"github.com/tabernetes/tabernetes/web/app"
	"github.com/tabernetes/tabernetes/web/course"
	"github.com/tabernetes/tabernetes/web/lesson/format"
	"github.com/tabernetes/tabernetes/web/panels/answer"
	"github.com/tabernetes/tabernetes/web/panels/client"
	"github.com/tabernetes/tabernetes/web/panels/console"
	"github.com/tabernetes/tabernetes/web/panels/exam"
	"github.com/tabernetes/tabernetes/web/panels/header"
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
	"github.com/tabernetes/tabernetes/web/panels/share"
	"github.com/tabernetes/tabernetes/web/panels/stage"
	"github.com/tabernetes/tabernetes/web/panels/terminal"
)

// Panels returns the table of the lab's panels with what each shows before anything has loaded.
// x lists the course, whose first lesson is in the page; shown are the scenes; dev marks a page
// that a devserver serves.
func Panels(x *course.Index, first format.Lesson, shown []*format.Scene, dev bool) []app.Panel {
	skeletons := map[string]func() templ.Component{
		"header":          func() templ.Component { return header.Skeleton(dev) },
		"lesson":          func() templ.Component { return course.Pane(x, first, scenes.Doors(x, first, shown)) },
		"stage":           stage.Skeleton,
		"console":         console.Skeleton,
		"history":         requests.Skeleton,
		"terminal":        terminal.Skeleton,
		"objects":         objects.Skeleton,
		"representations": representations.Skeleton,
		"client":          client.Skeleton,
		"rules":           rules.Skeleton,
		"answer":          answer.Skeleton,
		"scenes":          func() templ.Component { return scenes.Skeleton(shown) },
		"sample":          samples.Skeleton,
		"search":          search.Skeleton,
		"exam":            exam.Skeleton,
		"present":         present.Skeleton,
		"room":            room.Skeleton,
		"share":           share.Skeleton,
		"invite":          room.InviteSkeleton,
		"servers":         levers.Servers,
		"compact":         levers.Compact,
		"buffers":         levers.Buffers,
		"clock":           levers.Clock,
		"levers":          levers.More,
	}
	all := panels()
	for i := range all {
		all[i].Render = skeletons[all[i].ID]
	}
	return all
}
