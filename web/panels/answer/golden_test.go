package answer

import (
	"testing"

	"github.com/a-h/templ"

	"github.com/tabernetes/tabernetes/web/course"
	"github.com/tabernetes/tabernetes/web/internal/golden"
	"github.com/tabernetes/tabernetes/web/panels/answer/verdict"
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

		"verdict/none": VerdictView(verdict.Verdict{}, course.Step{}),
		"verdict/bad": VerdictView(verdict.Verdict{Tone: verdict.Bad, Title: "410 inside a 200: list again.",
			Words: "It <is> gone.", Next: &verdict.Next{Path: "/api/v1/pods?limit=5", Label: "List again"}}, course.Step{}),
		"verdict/marked": VerdictView(verdict.Verdict{Tone: verdict.Warn, Title: "Marked for deletion at 35.",
			Words: "It waits.", Next: &verdict.Next{
				Label: "Write the PATCH", Method: "PATCH", Path: "/api/v1/pods/a", Type: "application/merge-patch+json",
				Body: `{"metadata":{"finalizers":null}}`}},
			course.Step{Lesson: "two-phase", Place: 1, Number: "16.1", Title: "Delete it"}),
		"verdict/warnings": VerdictView(verdict.Verdict{Tone: verdict.Warn, Title: "Created at 38, with 5 warnings.",
			Warnings: []string{`unknown field "spec.contianers"`, "b", "c", "d", "e"}}, course.Step{}),
		"verdict/source": VerdictView(verdict.Verdict{Title: "As the cache has it.", Badge: &verdict.Badge{
			Server: "C2", From: "its watch cache", Revision: 38, Head: 46, Waited: "1.5s", Rule: "as the cache has it",
			Link: "https://kubernetes.io/",
		}}, course.Step{}),
		"verdict/policies": VerdictView(verdict.Verdict{Tone: verdict.Bad, Title: "422: the policy few refuses it.",
			Policies: []verdict.Policy{
				{Did: "Changed by", Name: "label", Binding: "all", Expression: "[JSONPatch{…}]"},
				{Did: "Refused by", Name: "few", Binding: "test", Expression: "object.spec.replicas <= 5", Refused: true},
				{Did: "Refused by", Name: "wrong", Refused: true},
			}}, course.Step{}),
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
