//go:build js && wasm

package exam

import (
	"strconv"
	"syscall/js"

	"github.com/tabernetes/tabernetes/web/app"
)

func init() {
	Start = func(a *app.App) {
		start(a, func(html string) article {
			t := a.Doc.Underlying().Call("createElement", "template")
			t.Set("innerHTML", html)
			return content{t.Get("content")}
		})
	}
}

// content is an article in the browser.
type content struct{ js.Value }

func (a content) markdown() string {
	return a.Call("querySelector", `script[type="text/markdown"]`).Get("textContent").String()
}

func (a content) choice(step, place, at int) (text, reply string, ok bool) {
	box := a.Call("querySelector", `.lesson-predict[data-step="`+strconv.Itoa(step)+`"]`)
	if box.IsNull() {
		return "", "", false
	}
	if at >= 0 {
		reply = box.Call("querySelector", ".lesson-replies").Get("content").Get("children").Index(at).
			Get("innerHTML").String()
	}
	text = box.Call("querySelectorAll", ".lesson-choice label > span:first-of-type").Index(place).
		Get("innerHTML").String()
	return text, reply, true
}
