//go:build !js

package lesson

// Outside of a page, whatever has the methods can take part: a test's.
type (
	lab     = anyLab
	store   = anyStore
	column  = anyColumn
	article = anyArticle
)
