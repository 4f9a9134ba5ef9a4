package room

import (
	"testing"

	"github.com/a-h/templ"

	"github.com/tabernetes/tabernetes/web/course"
	"github.com/tabernetes/tabernetes/web/internal/golden"
	"github.com/tabernetes/tabernetes/web/room"
)

// class is a room with a teacher, two learners and a spectator, as one of them sees it.
func class(you, role string) *room.State {
	return &room.State{You: you, Role: role, Synced: true, Members: []room.Member{
		{Name: "ada-x", DisplayName: "Ada <1>", Role: "learner", Here: 2,
			Progress: &room.Progress{Lesson: "watch", Step: 3, Steps: 8, Right: 2, Wrong: 1}},
		{Name: "bob-y", DisplayName: "Bob", Role: "learner", Progress: &room.Progress{Lesson: "watch", Step: 9, Steps: 8}},
		{Name: "eve-z", DisplayName: "Eve", Role: "spectator", Here: 1, Progress: &room.Progress{}},
		{Name: "teacher", DisplayName: "Teacher", Role: room.Teacher, Here: 1},
	}}
}

// shown returns a room in which a member shows a view.
func shown(s *room.State, member string) *room.State {
	s.Show = &room.Show{By: member}
	return s
}

func TestGolden(t *testing.T) {
	teacher := func() *room.State { return class("teacher", room.Teacher) }
	ada := func() *room.State { return class("ada-x", room.Learner) }
	usage := func(s *room.State) *room.State {
		for i := range s.Members {
			s.Members[i].Usage = &room.Usage{Objects: int64(i), Bytes: int64(i) * 100_000, RequestsPerSecond: 0.4 * float64(i),
				Share: room.Share{Objects: 500, Bytes: 1 << 20}}
		}
		s.Find("ada-x").Usage.Objects, s.Find("ada-x").Usage.RequestsPerSecond = 480, 38
		s.Floods(20)
		return s
	}
	second := func(s *room.State) *room.State { // and the one who shows is away
		s.Members = append(s.Members, room.Member{Name: "amy", DisplayName: "Amy", Role: room.Teacher})
		return shown(s, "amy")
	}
	former := func(s *room.State) *room.State {
		s.Former = []room.Former{{Name: "gil", Title: "Gil", Usage: room.Usage{Objects: 1, Bytes: 300}},
			{Name: "hal", Title: "Hal", Usage: room.Usage{Objects: 412, Bytes: 1028096}}}
		return s
	}
	links := []room.Link{{Name: "0a", Role: room.Learner, Token: "SECRET", Joined: 32},
		{Name: "0b", Role: room.Teacher}, {Name: "0c", Role: room.Spectator, Ended: true, Joined: 1}}
	ask := func(what, name string) View {
		return View{State: usage(teacher()), Most: 40, Links: links, Chosen: "ada-x", Stop: "ada-x", Made: 412,
			Asking: question{what, name}}
	}
	exam := &course.ClassExam{Seed: 7, Questions: 5}
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
		"connecting": {State: &room.State{}},
		"frozen":     {State: ada(), Frozen: true},
		"usage":      {State: usage(teacher()), Most: 40, Links: links, Made: -1, Copied: true},
		"self":       {State: usage(teacher()), Chosen: "teacher"},
		"row":        ask("", ""),
		"purge":      ask(askPurge, "ada-x"),
		"remove":     ask(askRemove, "ada-x"),
		"end":        ask(askEnd, "0a"),
		"leave":      ask(askLeave, ""),
		"absent":     {State: second(ada()), Follows: true, Copied: true},
		"gone":       {State: second(teacher())},
		"former":     {State: former(teacher()), Asking: question{askPurge, "hal"}},
		"exam":       {State: ada(), Exam: exam},
		"examColumn": {State: ada(), Exam: exam, Column: true},
		"asked":      {State: ada(), Exam: exam, Taken: "7 .....", Asked: true, Away: true},
		"continue":   {State: ada(), Exam: exam, Taken: "7 .....", Away: true},
		"result":     {State: ada(), Exam: exam, Taken: "7 rrx1r", Away: true},
		"removed":    {State: &room.State{}, Out: outRemoved},
		"left":       {State: &room.State{}, Out: outLeft},
		"unknown":    {State: ada(), Out: outRefused, Lost: true, Away: true},
	}
	cases := map[string]templ.Component{
		"skeleton": Skeleton(), "invite/skeleton": InviteSkeleton(),
		"invite/learner": Invited(Invitation{Role: "learner", Link: "https://a.example/#room=0adf8397dd&token=x",
			Path: "M0 0h7v1h-7z", Size: 29}),
		"invite/teacher":   Invited(Invitation{Role: room.Teacher, Link: "http://127.0.0.1/#room=0", Local: true}),
		"invite/spectator": Invited(Invitation{Role: "spectator", Link: "https://a.example/"}),
	}
	for name, v := range views {
		cases["inside/"+name] = Inside(v)
		cases["line/"+name] = Line(v)
		cases["foot/"+name] = Foot(v)
	}
	golden.Test(t, cases)
}

// Who alone governs a room is asked before the tab closes.
func TestGoverns(t *testing.T) {
	second := func(here int) *room.State {
		s := class("teacher", room.Teacher)
		s.Members = append(s.Members, room.Member{Name: "amy", Role: room.Teacher, Here: here})
		return s
	}
	for name, c := range map[string]struct {
		View
		want bool
	}{
		"the only teacher":         {View{State: class("teacher", room.Teacher)}, true},
		"whose link was copied":    {View{State: class("teacher", room.Teacher), Copied: true}, false},
		"beside one who is away":   {View{State: second(0)}, true},
		"beside one who is here":   {View{State: second(1)}, false},
		"a learner":                {View{State: class("ada-x", room.Learner)}, false},
		"nobody, before any frame": {View{State: &room.State{}}, false},
	} {
		if got := c.governs(); got != c.want {
			t.Errorf("%s: %t", name, got)
		}
	}
}

func TestWords(t *testing.T) {
	for bytes, want := range map[int64]string{0: "0 KB", 1: "1 KB", 1500: "1 KB", 9 << 10: "9 KB", 1028096: "1,004 KB",
		1 << 20: "1 MB", 3 << 19: "1,536 KB", 20<<20 + 5: "20 MB"} {
		if got := size(bytes); got != want {
			t.Errorf("%d bytes: %s, want %s", bytes, got, want)
		}
	}
	for r, want := range map[float64]string{0: "0/s", 0.3: "<1/s", 1: "1/s", 37.6: "38/s"} {
		if got := rate(&room.Usage{RequestsPerSecond: r}); got != want {
			t.Errorf("%v: %s, want %s", r, got, want)
		}
	}
}
