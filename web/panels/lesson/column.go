//go:build js && wasm

package lesson

import (
	"fmt"
	"syscall/js"

	"github.com/a-h/templ"

	"github.com/tabernetes/tabernetes/web/app"
	"github.com/tabernetes/tabernetes/web/app/dom"
	"github.com/tabernetes/tabernetes/web/course"
	"github.com/tabernetes/tabernetes/web/room"
)

// What the panel needs, in a page.
type (
	lab     = *app.App
	store   = browserStore
	column  = *pageColumn
	article = *drawnLesson
)

var (
	_ anyLab     = lab(nil)
	_ anyStore   = store{}
	_ anyColumn  = column(nil)
	_ anyArticle = article(nil)
)

// pageColumn is the column on the page.
type pageColumn struct {
	app *app.App
	el  *dom.Element
	// shown is the article that is open; nil while a page is.
	shown *drawnLesson
	// page is the article of the pages, pageText its text, pageName the page that is open; none until the first.
	page, pageText *dom.Element
	pageName       string
	// script is what judges the capstone, once it is loaded.
	script js.Value
}

// insert implements column.
func (c *pageColumn) insert(id, html string) (article, error) {
	c.el.Underlying().Call("insertAdjacentHTML", "beforeend", html)
	el := c.app.Doc.GetElementByID("lesson-" + id)
	if el == nil {
		return nil, fmt.Errorf("the lesson %s is not in its file", id)
	}
	return c.drawn(el), nil
}

func (c *pageColumn) live() { c.el.SetAttribute("data-live", "") }

func (c *pageColumn) address() string { return place(js.Global().Get("location").Get("hash").String()) }

func (c *pageColumn) setPlace(hash string) { c.app.Page.Call("setPlace", hash) }

func (c *pageColumn) goHash(hash string) {
	if c.address() == hash {
		js.Global().Call("dispatchEvent", js.Global().Get("HashChangeEvent").New("hashchange"))
		return
	}
	js.Global().Get("location").Set("hash", hash)
}

func (c *pageColumn) link(hash string) string {
	at := js.Global().Get("location")
	return at.Get("origin").String() + at.Get("pathname").String() + hash
}

func (c *pageColumn) place(v placeView) {
	for _, el := range c.el.QuerySelectorAll("[data-entry]") {
		current := el.GetAttribute("data-entry") == v.Entry
		app.Toggle(el, "data-current", current)
		if current {
			el.SetAttribute("aria-current", "true")
		} else {
			el.RemoveAttribute("aria-current")
		}
	}
	setText(c.el.QuerySelector(".lesson-place"), v.Text)
	setHidden(c.el.QuerySelector(".course-line"), !v.First)
	due := c.el.QuerySelector(".lesson-due")
	setHidden(due, v.Due == "")
	setText(due, v.Due)
}

func (c *pageColumn) count(id, text string) {
	setText(c.el.QuerySelector(`[data-lesson-count="`+id+`"]`), text)
}

func (c *pageColumn) closeMenu() { unfold(c.el.QuerySelector(".lesson-menu"), false) }

func (c *pageColumn) welcome(text string) {
	line := c.el.QuerySelector(".course-welcome")
	if text != "" {
		setText(line.QuerySelector("span"), text)
	}
	setHidden(line, text == "")
}

func (c *pageColumn) begun() {
	c.app.Page.Call("mark", "data-first", false)
	if c.app.Scene.Intro {
		app.Emit(c.app.Bus, app.PlayScene{Act: app.LeaveScene})
	}
}

func (c *pageColumn) showTeacher(on bool) { app.Toggle(c.el, "data-teacher", on) }

func (c *pageColumn) showWay(kubectl bool) {
	c.app.Kubectl = kubectl
	app.Toggle(c.el, "data-kubectl", kubectl)
	c.markWay(c.app.Doc.QuerySelectorAll(".lesson-ways input"))
}

// markWay marks the choice that is made.
func (c *pageColumn) markWay(choices []*dom.Element) {
	for _, choice := range choices {
		choice.Underlying().Set("checked", c.app.Kubectl == (valueOf(choice) == "kubectl"))
	}
}

func (c *pageColumn) beside(draw func() templ.Component) {
	if el := c.app.Doc.GetElementByID("goal-beside"); el != nil {
		c.app.Render(el, draw())
	}
}

func (c *pageColumn) openPage(name string) {
	c.pageName = name
	app.Toggle(c.el, "data-wide", name == "capstone" || name == "levels")
	if c.page == nil {
		v := c.app.Doc.Underlying().Call("createElement", "article")
		v.Set("className", "lesson course-page")
		text := c.app.Doc.Underlying().Call("createElement", "div")
		text.Set("className", "lesson-text")
		v.Call("append", text)
		c.el.Underlying().Call("append", v)
		c.page, c.pageText = dom.Wrap(v), dom.Wrap(text)
	}
	c.page.SetAttribute("data-open", "")
}

func (c *pageColumn) closePage() {
	c.pageName = ""
	c.el.RemoveAttribute("data-wide")
	c.page.RemoveAttribute("data-open")
}

func (c *pageColumn) paintPage(page templ.Component) {
	switch c.pageName {
	case "capstone":
		c.soon(c.mountEditor)
	case "levels":
		c.soon(c.mountLevels)
	}
	c.app.Render(c.pageText, page)
}

func (c *pageColumn) pageTop(focused bool) {
	c.pageText.Underlying().Set("scrollTop", 0)
	if focused {
		was := c.focused()
		c.soon(func() {
			// Someone who has gone to something on the page meanwhile stays there.
			if at := c.focused(); at == nil || !c.pageText.Contains(at) ||
				was != nil && at.Underlying().Equal(was.Underlying()) {
				moveFocus(c.pageText.QuerySelector(".lesson-title"))
			}
		})
	}
}

func (c *pageColumn) showVerdict() {
	c.soon(func() { scrollIntoView(c.pageText.QuerySelector(".capstone-result"), "start") })
}

// mountEditor makes an editor of the field for the code, once it is there.
func (c *pageColumn) mountEditor() {
	area := c.app.Doc.GetElementByID("capstone-code")
	if area == nil && c.pageName == "capstone" {
		c.soon(c.mountEditor) // it is drawn with a later frame
		return
	}
	if area == nil || area.Underlying().Get("parentElement").Get("classList").Call("contains", "is-live").Bool() {
		return
	}
	go func() {
		if editor, err := c.app.Load("editor.js"); err == nil {
			editor.Call("mount", area.Underlying())
		}
	}()
}

// mountLevels has the page of levels filled, once it is there.
func (c *pageColumn) mountLevels() {
	place := c.app.Doc.GetElementByID("levels")
	if place == nil && c.pageName == "levels" {
		c.soon(c.mountLevels) // it is drawn with a later frame
		return
	}
	if place == nil {
		return
	}
	go func() {
		if script, err := c.app.Load("levels.js"); err == nil {
			script.Call("mount", place.Underlying())
		} else {
			c.app.Alert("The editor of levels could not be loaded: " + err.Error())
		}
	}()
}

func (c *pageColumn) capstoneForm() (code string, level, seed int) {
	return c.app.Field("capstone-code").Value(), numberOf(c.app.Field("capstone-level").Value()),
		numberOf(c.app.Field("capstone-seed").Value())
}

func (c *pageColumn) blur() {
	if at := c.focused(); at != nil {
		at.Underlying().Call("blur")
	}
}

func (c *pageColumn) focusSoon(id string) { c.soon(func() { moveFocus(c.app.Doc.GetElementByID(id)) }) }

// focused returns the element that has the focus.
func (c *pageColumn) focused() *dom.Element {
	return dom.Wrap(c.app.Doc.Underlying().Get("activeElement"))
}

// soon calls f after the next frame's renderings.
func (c *pageColumn) soon(f func()) {
	var then js.Func
	then = js.FuncOf(func(js.Value, []js.Value) any {
		then.Release()
		f()
		return nil
	})
	c.app.Page.Call("after", then)
}

// press clicks the first element in the open article that a selector matches, and reports whether there is one.
func (c *pageColumn) press(selector string) bool {
	return c.shown != nil && click(c.shown.el.QuerySelector(selector))
}

// click clicks an element, which may be nil, and reports whether there is one.
func click(el *dom.Element) bool {
	if el != nil {
		el.Underlying().Call("click")
	}
	return el != nil
}

// moveFocus moves the focus to an element, which may be nil, and scrolls nothing.
func moveFocus(el *dom.Element) {
	if el != nil {
		el.Underlying().Call("focus", map[string]any{"preventScroll": true})
	}
}

// scrollIntoView scrolls to an element, which may be nil.
func scrollIntoView(el *dom.Element, block string) {
	if el != nil {
		el.Underlying().Call("scrollIntoView", map[string]any{"block": block})
	}
}

// unfold opens or closes a details element.
func unfold(el *dom.Element, open bool) { el.Underlying().Set("open", open) }

// setText and its like write to the document only where something changes. The element may be nil.
func setText(el *dom.Element, text string) {
	if el != nil && el.TextContent() != text {
		el.SetTextContent(text)
	}
}

func setAttribute(el *dom.Element, name, value string) {
	if el != nil && el.GetAttribute(name) != value {
		el.SetAttribute(name, value)
	}
}

func setHidden(el *dom.Element, hidden bool) {
	if el != nil && el.HasAttribute("hidden") != hidden {
		el.Underlying().Set("hidden", hidden)
	}
}

func (c *pageColumn) member() *room.State { return c.app.Room }

func (c *pageColumn) classExam() *course.ClassExam { return c.app.Exam.Open }

func (c *pageColumn) report(text string, shown bool) {
	if e := &c.app.Exam; text != e.Report || shown != e.Shown {
		e.Report, e.Shown = text, shown
		app.Emit(c.app.Bus, *e)
	}
}

func (c *pageColumn) at(now app.LessonAt) {
	c.app.Lesson = now
	app.Emit(c.app.Bus, now)
}

func (c *pageColumn) file(name string) (string, error) {
	text, err := app.Await(c.app.Page.Call("file", name))
	return app.Text(text), err
}

func (c *pageColumn) judge(code string, level, seed int) (string, error) {
	if !c.script.Truthy() {
		loaded, err := c.app.Load("capstone.js")
		if err != nil {
			return "", err
		}
		c.script = loaded
	}
	text, err := app.Await(c.script.Call("run", code, level, seed))
	return app.Text(text), err
}

func (c *pageColumn) stopJudge() {
	if c.script.Truthy() {
		c.script.Call("stop")
	}
}

func (c *pageColumn) download(text, kind, name string) { app.Download(text, kind, name) }

// browserStore keeps texts in the browser's localStorage.
type browserStore struct{}

// storePrefix begins the keys of what the lessons keep.
const storePrefix = "tabernetes/"

func (browserStore) get(key string) (value string) {
	defer func() { _ = recover() }() // where storage is forbidden
	return app.Text(localStorage().Call("getItem", storePrefix+key))
}

func (browserStore) set(key, value string) {
	defer func() { _ = recover() }()
	localStorage().Call("setItem", storePrefix+key, value)
}

// localStorage panics where the browser forbids it. Value.Get would not: an
// exception of a getter ends the program, one of a call becomes a panic.
func localStorage() js.Value {
	return js.Global().Get("Reflect").Call("get", js.Global(), "localStorage")
}
