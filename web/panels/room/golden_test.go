package room

import (
	"testing"

	"github.com/a-h/templ"

	"github.com/tabernetes/tabernetes/web/golden"
	model "github.com/tabernetes/tabernetes/web/room"
)

// class is a room with a teacher, two learners and a spectator, as one of them sees it.
func class(you, role string) *model.State {
	return &model.State{You: you, Role: role, Synced: true, Members: []model.Member{
		{Name: "ada-x", DisplayName: "Ada <1>", Role: "learner", Here: 2,
			Progress: &model.Progress{Lesson: "watch", Step: 3, Steps: 8, Right: 2, Wrong: 1}},
		{Name: "bob-y", DisplayName: "Bob", Role: "learner", Progress: &model.Progress{Lesson: "watch", Step: 9, Steps: 8}},
		{Name: "eve-z", DisplayName: "Eve", Role: "spectator", Here: 1, Progress: &model.Progress{}},
		{Name: "teacher", DisplayName: "Teacher", Role: model.Teacher, Here: 1},
	}}
}

// shown returns a room in which a member shows a view.
func shown(s *model.State, by string) *model.State {
	s.Show = &model.Show{By: by}
	return s
}

func TestGolden(t *testing.T) {
	teacher := func() *model.State { return class("teacher", model.Teacher) }
	ada := func() *model.State { return class("ada-x", model.Learner) }
	lost := View{State: ada(), Lost: true, Wait: 4, Why: "502 Bad Gateway: <no>"}
	views := map[string]View{
		"teacher":    {State: teacher()},
		"showing":    {State: shown(teacher(), "teacher"), Frozen: true},
		"led":        {State: shown(teacher(), "ada-x"), Leader: "ada-x", Follows: true},
		"away":       {State: teacher(), Away: true},
		"learner":    {State: ada(), Shares: true},
		"following":  {State: shown(ada(), "teacher"), Follows: true},
		"wandering":  {State: shown(ada(), "teacher"), Frozen: true},
		"leading":    {State: shown(ada(), "ada-x"), Leader: "ada-x"},
		"lost":       lost,
		"refused":    {State: ada(), Lost: true, Refused: true},
		"connecting": {State: &model.State{}},
		"frozen":     {State: ada(), Frozen: true},
	}
	cases := map[string]templ.Component{
		"skeleton": Skeleton(), "invite/skeleton": InviteSkeleton(),
		"invite/learner": Invited(Invitation{Role: "learner", Link: "https://a.example/#room=0adf8397dd&token=x",
			Path: "M0 0h7v1h-7z", Size: 29}),
		"invite/teacher":   Invited(Invitation{Role: model.Teacher, Link: "http://127.0.0.1/#room=0", Local: true}),
		"invite/spectator": Invited(Invitation{Role: "spectator", Link: "https://a.example/"}),
	}
	for name, v := range views {
		cases["inside/"+name] = Inside(v)
		cases["line/"+name] = Line(v)
	}
	golden.Test(t, cases)
}
