package develop

import (
	"testing"

	"github.com/tabernetes/tabernetes/devserver/internal/site"
)

func TestEffectOf(t *testing.T) {
	for path, want := range map[string]effect{
		"core/mvcc/store.go":                    {site.Wasm | site.Page, true},
		"core/mvcc/store_test.go":               {},
		"core/schema/types.txt":                 {site.Wasm | site.Page, true},
		"core/wellknown/wellknown.js":           {steps: site.Files | site.Scripts},
		"core/conformance/testdata/a/b":         {},
		"wasm/main.go":                          {steps: site.Wasm | site.Page},
		"wasm/shrink/traces.go":                 {server: true},
		"wasm/overlay/overlay.go":               {server: true},
		"wasm/kubectl/main.go":                  {},
		"wasm/controllers/main.go":              {},
		"wasm/overlay/http/http.go":             {steps: site.Wasm | site.Page},
		"wasm/host/worker.js":                   {steps: site.Scripts},
		"web/ui/page.templ":                     {steps: site.Templates | site.Wasm | site.Page},
		"web/page/main.js":                      {steps: site.Scripts},
		"web/page/main.test.js":                 {},
		"web/shim/tabernetes.d.ts":              {},
		"web/shim/banner.css":                   {steps: site.Styles},
		"web/style/base.css":                    {steps: site.Styles},
		"web/samples/guestbook.yaml":            {steps: site.Files | site.Wasm},
		"web/lessons/01-watch.md":               {steps: site.Page},
		"web/sw/sw.js":                          {steps: site.Files | site.Scripts},
		"devserver/internal/site/shell/main.go": {steps: site.Page},
		"devserver/internal/front/front.go":     {server: true},
		"devserver/internal/develop/reload.js":  {server: true},
		"go.mod":                                {site.Wasm | site.Page, true},
		"package-lock.json":                     {steps: site.Scripts},
		"README.md":                             {},
		"dist/app.js":                           {},
		"playwright/proxy.js":                   {},
		"web/ui/.page.templ.swp":                {},
	} {
		if got := effectOf(path); got != want {
			t.Errorf("%s: %+v, want %+v", path, got, want)
		}
	}
}
