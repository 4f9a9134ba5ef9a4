//go:build !js

// Command figures prints how many words each lesson has, and in a sentence how much there is of the course:
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
	if err := count(); err != nil {
		fmt.Fprintln(os.Stderr, "figures:", err)
		os.Exit(1)
	}
}

// count counts the lessons and the templates that the program carries.
func count() error {
	course, err := lessons.All()
	if err != nil {
		return err
	}
	templates, situations, err := practice.Count()
	if err != nil {
		return err
	}
	f, err := lessons.Count(course, templates, situations)
	if err != nil {
		return err
	}
	for _, l := range course {
		fmt.Printf("%-20s %4d words\n", l.ID, lessons.Measure(l).Words)
	}
	fmt.Println(f)
	return nil
}
