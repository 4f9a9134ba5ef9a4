//go:build js && wasm

package lab

import "github.com/tabernetes/tabernetes/web/app"

// Main runs the lab until the page goes away.
func Main() {
	a := app.New()
	for _, p := range panels() {
		if p.Start != nil {
			a.Yield() // so that starting is no long task of the page
			p.Start(a)
		}
	}
	a.Yield()
	a.Begin()
	select {}
}
