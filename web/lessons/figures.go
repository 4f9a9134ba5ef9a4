//go:build !js

package lessons

import (
	"fmt"

	"github.com/tabernetes/tabernetes/web/lesson/format"
	"github.com/tabernetes/tabernetes/web/text"
)

// Figures are how much there is of the course, as the pages say that are kept with it: nothing that one more step
// changes, or they would have to be written again with each.
type Figures struct {
	// Lessons are all of them, Goals the steps that say what to reach.
	Lessons, Goals int
	// Minutes are how long the lessons that count take.
	Minutes int
	// Topics are the parts of the documentation that steps cover.
	Topics int
	// Templates are those of practice, Situations the different ones that they make.
	Templates, Situations int
}

// Count counts what there is in a course, to which practice adds so many templates and
// situations. The error is that of Coverage.
func Count(course []*format.Lesson, templates, situations int) (Figures, error) {
	places, err := Coverage(course)
	if err != nil {
		return Figures{}, err
	}
	f := Figures{Lessons: len(course), Topics: len(places), Templates: templates, Situations: situations}
	for _, l := range course {
		if l.Part != format.FurtherReading {
			f.Minutes += Measure(l).Minutes()
		}
		for i := range l.Steps {
			if l.Steps[i].Goal() != nil {
				f.Goals++
			}
		}
	}
	return f, nil
}

// FiguresStart is how the sentence with the figures begins.
const FiguresStart = "The course covers "

// String returns the figures as a sentence.
func (f Figures) String() string {
	hours := text.Plural(int64(f.Minutes+30)/60, "hour", "hours")
	return fmt.Sprintf("%s%d topics in %d lessons with %d goals; what is not further reading takes about "+
		"%s. Practice has %d templates with %s different situations.", FiguresStart, f.Topics, f.Lessons, f.Goals, hours,
		f.Templates, text.Count(f.Situations))
}
