//go:build !js

package practice

// generators has the Generator of each template that has one, by its id.
var generators = map[string]Generator{
	"p01c": p01c, "p07b": p07b, "p09a": p09a, "p16a": p16a, "p16b": p16b, "p20a": p20a, "p22c": p22c,
}
