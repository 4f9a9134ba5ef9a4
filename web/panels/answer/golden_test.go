package answer

import (
	"testing"

	"github.com/a-h/templ"

	"github.com/tabernetes/tabernetes/web/golden"
	"github.com/tabernetes/tabernetes/web/revisions"
	"github.com/tabernetes/tabernetes/web/tap"
)

func TestGolden(t *testing.T) {
	golden.Test(t, map[string]templ.Component{
		"skeleton": Skeleton(),
		"exchange/body": Exchange(ExchangeData{
			Method: "PATCH", URL: "/api/v1/pods?fieldManager=me%26you",
			Facts:  []tap.Field{{Name: "made by", Value: "the console"}},
			Params: []tap.Field{{Name: "fieldManager", Value: "me&you"}}, Headers: []tap.Field{{Name: "accept", Value: "*/*"}},
			Body: []string{"{}\n"}, Lines: 1,
		}),
		"exchange/none": Exchange(ExchangeData{Method: "GET", URL: "/api", Note: "No body."}),

		"verdict/none": VerdictView(Verdict{}),
		"verdict/bad": VerdictView(Verdict{Tone: "bad", Title: "410 inside a 200: list again.", Words: "It <is> gone.",
			Do: "/api/v1/pods?limit=5", Label: "List again"}),
		"verdict/source": VerdictView(Verdict{Title: "As the cache has it.", Badge: &Badge{
			Server: "C2", From: "its watch cache", Revision: 38, Head: 46, Waited: "1.5s", Rule: "as the cache has it",
			Link: "https://kubernetes.io/",
		}}),
		"change/diff": ChangeDiff(`<span class="inserted">+ a</span>`, "Before: nothing."),
		"change/head": ChangeHead("24", "default/pods/web"),
		"change/rows": Changes([]ChangeRow{
			{Key: "obj-pods/default/a", Object: "default/pods/a", Verb: revisions.Added, Rev: 24, Writes: 2, Open: true,
				Diff: "+ a"},
			{Key: "obj-pods/default/b", Object: "default/pods/b", Verb: revisions.Modified, Rev: 25, Writes: 1},
			{Key: "obj-pods/default/c", Object: "default/pods/c", Verb: revisions.Deleted, Rev: 26, Writes: 1},
			{Key: "obj-pods/default/d", Object: "default/pods/d", Rev: 27, Writes: 2},
		}),
	})
}
