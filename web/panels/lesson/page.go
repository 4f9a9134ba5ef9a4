package lesson

import (
	"context"

	"github.com/a-h/templ"

	"github.com/tabernetes/tabernetes/web/app"
	"github.com/tabernetes/tabernetes/web/course"
	"github.com/tabernetes/tabernetes/web/lesson/format"
	"github.com/tabernetes/tabernetes/web/lesson/session"
	"github.com/tabernetes/tabernetes/web/lesson/view"
	"github.com/tabernetes/tabernetes/web/revisions"
	"github.com/tabernetes/tabernetes/web/room"
)

// What the panel needs of the page are the methods of these interfaces. In a page lab, store, column and article are
// the types that have them there (column.go), and not the interfaces, so that calls cost what they cost otherwise.

// anyLab is the running lab: app.App, where its methods are described.
type anyLab interface {
	Announce(text string)
	Alert(text string)
	Open(panel string)
	Copy(text, what string)
	Select(s app.Selection, from string)
	SetTarget(target string)
	Close(why string)
	State() app.State
	// Commit returns the write of a revision, as far as it is known.
	Commit(revision int64) (revisions.Commit, bool)
	CatchUp()
	Settle()

	Stream(ctx context.Context, r app.Request, head func(app.Response), body func(string)) error
	Fetch(ctx context.Context, r app.Request) (app.Response, error)
	Command(text string) (last int, err error)
	PutBack(revision int64) error
}

// anyStore keeps texts over visits, as far as the browser lets it: progress is a convenience. What it does not have is
// empty.
type anyStore interface {
	get(key string) string
	set(key, value string)
}

// anyColumn is the place of the lessons on the page, and what the page knows and can do beside the lab.
type anyColumn interface {
	// insert adds the HTML of an article, which has the id of a lesson or a template.
	insert(id, html string) (article, error)
	// live shows that the lessons can be used.
	live()

	// address returns the place that the page's address names, as a fragment. setPlace changes it without going there,
	// goHash goes where a fragment leads, also if the address names it already.
	address() string
	setPlace(hash string)
	goHash(hash string)
	// link returns the whole address of a place.
	link(hash string) string

	// place shows where the learner is, count how far something in the course's list is.
	place(v placeView)
	count(id, text string)
	closeMenu()
	// welcome shows a greeting; an empty one removes it.
	welcome(text string)
	// begun ends what a first visit begins with: the doors in the place of the lesson's text, and the scene.
	begun()
	showTeacher(on bool)
	// showWay shows requests, or kubectl's commands where there are some.
	showWay(kubectl bool)

	// beside draws the picture of a goal where the answer is, with the next frame: a wide window has room there.
	beside(draw func() templ.Component)

	// openPage opens one of the pages, pageTop scrolls it to its beginning and, if focused is set, moves the focus there.
	openPage(name string)
	paintPage(c templ.Component)
	pageTop(focused bool)
	closePage()
	// capstoneForm returns what the capstone's page holds: the code, the level and the seed. showVerdict brings the
	// verdict on it into view.
	capstoneForm() (code string, level, seed int)
	showVerdict()

	// member returns the room that the page is in, as it sees it; nil: none.
	member() *room.State
	// classExam returns the exam that is open in the room, nil if none is; report tells the room how far this member is,
	// and whether a question of it is on the page.
	classExam() *course.ClassExam
	report(text string, shown bool)
	// at says where the learner is.
	at(now app.LessonAt)
	// file reads a file of the site. It blocks.
	file(name string) (string, error)
	// judge judges code of the capstone, and returns a course.Run as JSON. It blocks. stopJudge ends it.
	judge(code string, level, seed int) (string, error)
	stopJudge()
	// download hands a text to the learner as a file.
	download(text, kind, name string)

	// blur removes the focus, focusSoon moves it to an element that the next frame draws.
	blur()
	focusSoon(id string)
}

// anyArticle is a lesson or a question on the page. Steps are named by their index; the number of steps stands for the
// end. Requests are named by their address. Kinds of folded parts are "hint" and "solution".
type anyArticle interface {
	// source returns the lesson's Markdown, empty if the article has none.
	source() string
	// find looks its elements up. question says that it is a question for practice or exam.
	find(l *format.Lesson, question bool)
	// open shows it in the column, or closes it.
	open(on bool)
	remove()

	// show opens a step, and folds the one that was shown, unless that has the focus; all unfolds everything, for
	// teachers. unfold does so for all steps.
	show(was, step int, all bool)
	unfold(step int, all bool)
	// opened returns how many of the parts of a step are open, from the first on; reveal opens or closes some of them.
	opened(step int, kind string) (open, all int)
	reveal(step int, kind string, from, to int, open bool)
	// scroll has a step begin at the top, unless all of it can be seen from the beginning; -1 scrolls to the beginning.
	scroll(step int)

	focusTitle()
	focusStep(step int)
	// focusRun moves the focus to what is to be run next in a step, once that is drawn; with ifLost if nothing has it.
	focusRun(step int, ifLost bool)
	// focusNext moves the focus to what is next in the bar, once that is drawn.
	focusNext()

	bar(v *view.BarView)
	passed(step int, passed bool)
	// trouble shows why a step cannot pass, in the place of its question's result; nil: it can.
	trouble(step int, t *session.Trouble, busy bool)
	score(step int, s session.Score)
	// picture shows a goal beside what the stage shows now; it is drawn with the next frame.
	picture(step int, draw func() templ.Component)
	// values shows what the references in requests stand for; empty: that is not known.
	values(valueOf func(reference string) string)
	button(at string, v buttonView)
	// chip and outcome show how a request goes; they are drawn with the next frame.
	chip(at string, draw func() templ.Component)
	outcome(at string, hidden bool, draw func() templ.Component)

	// order puts the choices of a question into an order.
	order(step int, choices []int)
	question(step int, v questionView)
	// given returns the answer that is chosen or typed: the number of a choice, or a text; empty if there is no answer.
	given(step int) string
	// choose selects an answer, as the learner would; toQuestion moves the focus to the question.
	choose(step, choice int)
	toQuestion(step int)
	// sayVerdict says something in the place of a question's verdict, showVerdict brings it into view.
	sayVerdict(step int, text string)
	showVerdict(step int)
}

// A placeView says where the learner is.
type placeView struct {
	// Entry is the id of what is open, in the course's list; Text says which lesson of how many it is.
	Entry, Text string
	// First says that it is the first lesson.
	First bool
	// Due says how much is to be practised; empty: nothing.
	Due string
}

// A buttonView is what a Run button shows. Label names its request.
type buttonView struct {
	Text, Label string
	// Next says that it is to be pressed next, Held that it waits for an answer, Busy that its request is under way.
	Next, Held, Busy bool
}

// A questionView is what is shown of a question.
type questionView struct {
	// Committed says that the question was answered or skipped; Explained that the explanation is shown.
	Committed, Explained bool
	// Put says that Given, the number of a choice or what was typed, replaces what the form has.
	Put     bool
	Given   string
	Choices []choiceView
	// Verdict says in words whether the answer was right; Right says that it was.
	Verdict string
	Right   bool
}

// A choiceView is what is shown of a choice.
type choiceView struct {
	Hidden bool
	// Judged is "right", "wrong", "given" or empty, Word says it.
	Judged, Word string
	// Reply says that the reply to it is shown, if it has one.
	Reply bool
}
