package exam

import (
	"testing"

	"github.com/a-h/templ"

	"github.com/tabernetes/tabernetes/web/course"
	"github.com/tabernetes/tabernetes/web/internal/golden"
)

func TestGolden(t *testing.T) {
	class := []course.Sitter{
		{Name: "Ada <1>", Report: course.Report{Seed: 7, Marks: "r2."}}, {Name: "Bo", Away: true},
		{Name: "Chen", Report: course.Report{Seed: 7, Marks: "rxr"}},
	}
	beliefs := []course.Belief{{Text: "<code>410</code> is the status", Reply: "<p>Look.</p>", About: "Gone?", Step: "7.4",
		Href: "#lesson-410-gone-4", Count: 2, Of: 3}}
	open := &course.ClassExam{Seed: 7, Questions: 3}
	golden.Test(t, map[string]templ.Component{
		"skeleton": Skeleton(), "learner": Body(View{}), "none": Body(View{Teaches: true, Class: class[1:2]}),
		"open":  Body(View{Teaches: true, Open: open, Class: class, Beliefs: beliefs, Lessons: beliefs}),
		"ended": Body(View{Teaches: true, Class: class, Problem: "no"}),
		"ends":  Body(View{Teaches: true, Open: open, Ending: true}),
		"each":  Body(View{Teaches: true, Open: &course.ClassExam{Seed: 7, Questions: 3, Each: true}}),
	})
}
