//go:build !js

// Command figures prints in a sentence how many topics, lessons, steps and questions the course has:
//
//	go run ./web/lessons/figures
package main

import (
	"fmt"
	"os"

	"github.com/tabernetes/tabernetes/web/course/practice"
	"github.com/tabernetes/tabernetes/web/lessons"
)

func main() {
	f, err := count()
	if err != nil {
		fmt.Fprintln(os.Stderr, "figures:", err)
		os.Exit(1)
	}
	fmt.Println(f)
}

// count counts the lessons and the templates that the program carries.
func count() (lessons.Figures, error) {
	course, err := lessons.All()
	if err != nil {
		return lessons.Figures{}, err
	}
	templates, situations, err := practice.Count()
	if err != nil {
		return lessons.Figures{}, err
	}
	return lessons.Count(course, templates, situations)
}
