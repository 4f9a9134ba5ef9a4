//go:build !js

package app

// App is the running lab. Outside of a page there is none; the name is there
// so that the table of panels can be read when the page is built.
type App struct{}
