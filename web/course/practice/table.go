//go:build !js

package practice

// generators has the Generator of each template that has one, by its id.
var generators = map[string]Generator{
	"finalizer-requests":   finalizerRequests,
	"menu-of-two":          menuOfTwo,
	"old-copy":             oldCopy,
	"smallest-role":        smallestRole,
	"taken-or-free":        takenOrFree,
	"three-controllers":    threeControllers,
	"writes-between-pages": writesBetweenPages,
}
