//go:build !js

package practice

// fieldValidation are the draws of lesson 18.
var fieldValidation = map[string]Draw{}
