package format

import "slices"

// A Lesson is a parsed lesson.
type Lesson struct {
	// ID is the file's name without its number and suffix: "list-then-watch".
	ID, Title, File string
	// Source is the text of the file, where somebody has kept it.
	Source string
	// Minutes is about how long it takes; 0: not said.
	Minutes int
	// Part is the part of the course that the lesson belongs to.
	Part string
	// Programs says that kube-controller-manager, kube-scheduler and nodes run in its cluster, and Gates which of their
	// features are on or off: "Name=false", or empty.
	Programs bool
	Gates    string
	// Requires are the settings of the control plane that it starts with.
	Requires []Requirement
	// Namespaces are the lesson's own: emptied and made again when it starts, gone when it
	// ends.
	Namespaces []string
	// Setup are requests to be made when the lesson starts, Restore those that delete
	// what it leaves outside of its namespaces.
	Setup, Restore []*Request
	// Lesson and Step are, of a practice template, the ids of the lesson and the step that
	// it comes from; Exam is what it is in the exam.
	Lesson, Step string
	Exam         ExamKind
	// Intro comes before the first step, Outro after the last.
	Intro, Outro []Block
	Steps        []Step
	// Claims are what its intro and outro say, with their sources.
	Claims []Claim
}

// FurtherReading is the part of the course whose lessons are not counted. It is the last.
const FurtherReading = "Further reading"

// ExamKind says how a practice template is used in the exam.
type ExamKind string

// The ways to be used in the exam.
const (
	NotInExam ExamKind = ""
	// InTurn is asked in some exams, in place of another.
	InTurn ExamKind = "in turn"
	// Asked is asked in each exam, unless another is asked in its place.
	Asked ExamKind = "asked"
	// Must is asked in each exam, and has to be right.
	Must ExamKind = "must"
)

// A Step is what a learner does and the check that tells whether it was done.
type Step struct {
	// ID is made of the title; progress is kept under it.
	ID, Title string
	Line      int
	Blocks    []Block
	Check     *Check
	// Wrong are attempts that do not pass the step: for the tests.
	Wrong []Attempt
	// Covers are the parts of the documentation that the step shows.
	Covers []string
	// Claims are what the step says, with their sources.
	Claims []Claim
	// Levers are pulled before the requests of the step: in scenes with programs.
	Levers []Lever
}

// An Attempt is a way to do a step wrong.
type Attempt struct {
	Requests []*Request
	// Miss is part of the message for a learner who tries it, or empty.
	Miss string
	Line int
}

// Kind says what a Block is.
type Kind string

// The kinds of blocks.
const (
	Prose    Kind = "prose"    // Markdown
	HTTP     Kind = "http"     // requests to run
	Predict  Kind = "predict"  // a question to answer before continuing
	GoalKind Kind = "goal"     // what to reach, in any way
	Hint     Kind = "hint"     // Markdown, to reveal
	Solution Kind = "solution" // a way to pass the step, to reveal
	Setup    Kind = "setup"    // requests made when the lesson starts
	Restore  Kind = "restore"  // requests that delete what the lesson leaves
)

// A Block is a part of a lesson's text.
type Block struct {
	Kind Kind
	Line int
	// Markdown is the source of Prose, Hint and GoalKind, HTML what package markdown renders it to.
	Markdown, HTML string
	// Way is what tells a Solution from another one of the step.
	Way string
	// Goal is that of GoalKind.
	Goal *Goal
	// Prediction is that of Predict.
	Prediction *Prediction
	// Requests are those of HTTP, Solution, Setup and Restore.
	Requests []Request
	// Kubectl are commands for the page's terminal that do what the requests of HTTP do, or empty.
	Kubectl string
}

// Kubectl reports whether a learner may do some of the lesson's steps with kubectl.
func (l *Lesson) Kubectl() bool {
	return slices.ContainsFunc(l.Steps, func(s Step) bool {
		return slices.ContainsFunc(s.Blocks, func(b Block) bool { return b.Kubectl != "" })
	})
}

// KubectlAt returns the commands that are run instead of the requests of the block at an address; empty without any,
// or if the address is not that of its first request.
func (l *Lesson) KubectlAt(at Address) string {
	if at.Step < 0 || at.Request > 0 {
		return ""
	}
	return l.Steps[at.Step].Blocks[at.Block].Kubectl
}

// Prediction returns the step's question and the index of its block; nil if it has none.
func (s *Step) Prediction() (p *Prediction, block int) {
	for i, b := range s.Blocks {
		if b.Kind == Predict {
			return b.Prediction, i
		}
	}
	return nil, -1
}

// TroubleAt returns the index of the block above which is said why the step cannot pass as it is: in the place of its
// question, or else above its first requests, or at its end.
func (s *Step) TroubleAt() int {
	if _, at := s.Prediction(); at >= 0 {
		return at
	}
	for i, b := range s.Blocks {
		if b.Kind != Prose {
			return i
		}
	}
	return len(s.Blocks) - 1
}

// Ways returns the requests of each way to pass the step: those of its solutions, or if it has none, all requests of
// its http blocks. To a goal's solutions the http blocks belong, too: they make what is to be repaired.
func (s *Step) Ways() (ways [][]*Request) {
	for i := range s.Blocks {
		if b := &s.Blocks[i]; b.Kind == Solution {
			var way []*Request
			if s.Goal() != nil {
				way = s.Given()
			}
			ways = append(ways, append(way, b.pointers()...))
		}
	}
	if ways == nil {
		ways = append(ways, s.Given())
	}
	return ways
}

// Solve returns the requests of the first way to pass the step.
func (s *Step) Solve() []*Request { return s.Ways()[0] }

// Given returns the requests of the step's http blocks, in their order.
func (s *Step) Given() []*Request { return s.requests(HTTP) }

func (s *Step) requests(kind Kind) (all []*Request) {
	for i := range s.Blocks {
		if s.Blocks[i].Kind == kind {
			all = append(all, s.Blocks[i].pointers()...)
		}
	}
	return all
}

func (b *Block) pointers() (all []*Request) {
	for i := range b.Requests {
		all = append(all, &b.Requests[i])
	}
	return all
}

// Free reports whether the step is a task: its own requests do not pass it, so there is a solution.
func (s *Step) Free() bool {
	return slices.ContainsFunc(s.Blocks, func(b Block) bool { return b.Kind == Solution })
}

// Refs lists all references in the step's requests and check.
func (s *Step) Refs() []Ref {
	var out []Ref
	for _, b := range s.Blocks {
		for i := range b.Requests {
			out = append(out, b.Requests[i].Refs()...)
		}
	}
	for i := range s.Check.Rows {
		out = append(out, s.Check.Rows[i].Refs()...)
	}
	if p, _ := s.Prediction(); p != nil {
		out = append(out, p.Refs()...)
	}
	return out
}
