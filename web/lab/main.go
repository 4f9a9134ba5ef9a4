//go:build js && wasm

package lab

import "github.com/tabernetes/tabernetes/web/app"

// Main runs the lab until the page goes away. It calls begun when all panels have started.
func Main(begun func()) {
	a := app.New()
	for _, p := range panels() {
		if p.Start != nil {
			a.Yield() // so that starting is no long task of the page
			p.Start(a)
		}
	}
	a.Yield()
	a.Begin()
	begun()
	select {}
}
