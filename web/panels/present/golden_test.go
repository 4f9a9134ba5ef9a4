package present

import (
	"testing"

	"github.com/a-h/templ"

	"github.com/tabernetes/tabernetes/web/app"
	"github.com/tabernetes/tabernetes/web/internal/golden"
)

func TestGolden(t *testing.T) {
	scene := app.SceneAt{ID: "gone", Title: "410 Gone", Step: 4, Shown: 4, Steps: 6, Next: "next: it lists again"}
	busy := scene
	busy.Busy, busy.Auto, busy.Shown = true, true, 0
	golden.Test(t, map[string]templ.Component{
		"skeleton":       Skeleton(),
		"sentence/whole": Sentence("31: `web` is <new>."),
		"sentence/two":   Sentence("410: newer events pushed 22 out. w2 has to list again."),
		"options":        Options([]Option{{"cut w1", "end its connection"}, {"cut w2", "the same for w2"}}, -1),
		"options/picked": Options([]Option{{"cut w1", "end its connection"}, {"cut w2", "the same for w2"}}, 1),
		"keys":           Keys(),
		"foot/scene":     Foot(scene),
		"foot/busy":      Foot(busy),
		"sign/410":       Sign("410"),
		"sign/deleted":   Sign("deleted"),
		"sign/none":      Sign(""),
	})
}
