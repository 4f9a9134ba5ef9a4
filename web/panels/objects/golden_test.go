package objects

import (
	"testing"

	"github.com/a-h/templ"

	"github.com/tabernetes/tabernetes/web/internal/golden"
	"github.com/tabernetes/tabernetes/web/objects"
	"github.com/tabernetes/tabernetes/web/text"
)

func TestGolden(t *testing.T) {
	pod := Relative{Depth: 2, Kind: "Pod", Name: "web-1", Ref: "pods/default/web-1", Refs: "obj-pods/default/web-1",
		Notes: []string{"controller"}, Deleting: true}
	golden.Test(t, map[string]templ.Component{
		"skeleton":  Skeleton(),
		"tools":     Tools(Choice{Namespaces: []string{"default", "dev"}, Namespace: "dev", Hidden: 61}),
		"tools-all": Tools(Choice{Namespaces: []string{"default"}, All: true}),
		"none":      None(""),
		"none-in":   None("<dev>"),
		"past": Past(PastView{At: 24, Count: 2, Rows: []PastRow{
			{Key: "obj-configmaps/default/settings", Type: "configmaps", Object: "default/settings", Revision: 24,
				Here: "added"},
			{Key: "obj-pods/default/<a>", Type: "pods", Object: "default/<a>", Revision: 18},
			{Key: "obj-pods/default/late", Type: "pods", Object: "default/late", Revision: 25, Later: true},
		}}),
		"past-notes": Past(PastView{At: 3, Notes: true, Note: "Some types cannot be read."}),
		"one-tools":  OneTools(Head{View: "yaml"}),
		"one-gone":   OneTools(Head{View: "history", Gone: true}),
		"title": Title(Name{Kind: "Pod", Namespace: "default", Name: "web", Refs: "obj-pods/default/web",
			Deleting: true}),
		"title-gone":    Title(Name{Kind: "Node", Name: "a", Refs: "obj-nodes/_/a", Gone: true}),
		"legend-nobody": Legend(nil),
		"legend": Legend([]text.Manager{
			{Name: "me (Apply)", Letter: "A", Lines: 1, Time: "2026-01-02T03:04:05Z"},
			{Name: "<you> (Update, status)", Letter: "B", Lines: 1200, Off: true},
		}),
		"tree": Tree(Window{Total: 1260, First: 30, Above: 750, Below: 21675, Rows: []Row{
			{ID: "tree-g:", Key: "g:", Level: 1, Pos: 1, Of: 2, Label: "core", Opens: true, Open: true},
			{ID: "tree-t:pods", Key: "t:pods", Level: 2, Pos: 3, Of: 3, Label: "pods", Opens: true, Open: true, Count: "1,253",
				Active: true},
			{ID: "tree-o:pods/a/b", Key: "o:pods/a/b", Level: 3, Pos: 1, Of: 1253, Prefix: "a/", Label: "b", Revision: "108",
				Age: "12s", Refs: "obj-pods/a/b rev-108", Fresh: "added"},
			{ID: "tree-o:pods/a/c", Key: "o:pods/a/c", Level: 3, Pos: 2, Of: 1253, Prefix: "a/", Label: "c", Revision: "109",
				Age: "1m", Deleting: true},
			{ID: "tree-g:apps", Key: "g:apps", Level: 1, Pos: 2, Of: 2, Label: "apps", Opens: true, Open: true},
			{ID: "tree-t:deployments.apps", Key: "t:deployments.apps", Level: 2, Pos: 1, Of: 1, Label: "deployments",
				Opens: true, Open: true, Count: "0"},
			{ID: "tree-n:deployments.apps", Key: "n:deployments.apps", Level: 3, Pos: 1, Of: 1, Label: "403 <no>", Note: true,
				Problem: true},
		}}),
		"by-node-none": ByNode(nil, nil, true),
		"by-node": ByNode([]objects.PlacedNode{{Name: "node-1", Status: "Ready", Ready: true, CPU: 4000, Asked: 1850,
			Pods: []objects.PlacedPod{
				{Namespace: "default", Name: "web", State: objects.PodRunning, Status: "Running"},
				{Namespace: "default", Name: "<job>", State: objects.PodDone, Status: "Completed"},
				{Namespace: "default", Name: "api", State: objects.PodFailing, Status: "CrashLoopBackOff"},
			}}, {Name: "node-2", Status: "NotReady", Pods: []objects.PlacedPod{
			{Namespace: "a", Name: "silent", State: objects.PodSilent, Status: "Running?"},
			{Namespace: "a", Name: "ending", State: objects.PodEnding, Status: "Terminating"},
		}}}, []objects.PlacedPod{{Namespace: "default", Name: "late", State: objects.PodPending, Status: "Pending"}}, true),
		"by":       By(true),
		"why-none": Why(why{}),
		"why-new":  Why(why{of: objects.PodStatus{Phase: "Pending"}}),
		"why": Why(why{of: objects.PodStatus{Phase: "Running", Said: []objects.Said{{What: "container c",
			Reason: "CrashLoopBackOff", Message: "back-off <10s>"}}},
			events: []objects.Said{{What: "Event", Reason: "BackOff", Message: "again", By: "kubelet", Times: 7}}}),
		"who-waits":    WhoWaits(Name{Kind: "Pod", Namespace: "a", Name: "<b>"}),
		"beside":       Beside(Name{Refs: "obj-pods/a/b"}, why{of: objects.PodStatus{Phase: "Pending"}}, false),
		"beside-over":  Beside(Name{Refs: "obj-pods/a/b"}, why{}, false),
		"beside-gone":  Beside(Name{Refs: "obj-pods/a/b"}, why{}, true),
		"family-alone": Relatives(Family{Reading: true}),
		"family": Relatives(Family{
			Problem: "Not all of them can be read: 403 no",
			Owners: []Relative{
				{Depth: 1, Kind: "Deployment", Name: "web", Ref: "deployments.apps/default/web",
					Refs: "obj-deployments.apps/default/web", Notes: []string{"controller", "blockOwnerDeletion"}},
				{Depth: 9, Kind: "Thing", Name: "t", Problem: "is gone"},
			},
			Dependents: []Relative{pod}, Deleting: "12:00:00",
			Finalizers: []Finalizer{{Name: "foregroundDeletion", Field: "metadata.finalizers", Waits: "It waits.",
				Blocking: []Relative{pod}}, {Name: "x/y", Field: "metadata.finalizers", Waits: "Somebody does."}},
		}),
	})
}
