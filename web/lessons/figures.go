//go:build !js

package lessons

import (
	"fmt"

	"github.com/tabernetes/tabernetes/web/lesson"
	"github.com/tabernetes/tabernetes/web/text"
)

// Figures are how much there is of the course.
type Figures struct {
	Lessons, Steps, Predictions, Goals int
	// Minutes are how long the lessons that count take.
	Minutes int
	// Topics are the parts of the documentation that steps cover.
	Topics int
	// Templates are those of practice, Situations the different ones that they make.
	Templates, Situations int
}

// Count counts what there is in a course, to which practice adds so many templates and
// situations. The error is that of Coverage.
func Count(course []*lesson.Lesson, templates, situations int) (Figures, error) {
	places, err := Coverage(course)
	if err != nil {
		return Figures{}, err
	}
	f := Figures{Lessons: len(course), Topics: len(places), Templates: templates, Situations: situations}
	for _, l := range course {
		f.Steps += len(l.Steps)
		if l.Part != lesson.FurtherReading {
			f.Minutes += Measure(l).Minutes()
		}
		for i := range l.Steps {
			if q, _ := l.Steps[i].Prediction(); q != nil {
				f.Predictions++
			}
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
	return fmt.Sprintf("%s%d topics in %d lessons with %d steps, %d predictions and %d goals; what is not further "+
		"reading takes %d minutes. Practice has %d templates with %s different situations.", FiguresStart, f.Topics,
		f.Lessons, f.Steps, f.Predictions, f.Goals, f.Minutes, f.Templates, text.Count(f.Situations))
}
