package lesson

import "strconv"

// An act is what a person can do in the column.
type act struct {
	// name is the data-action of the button, or of what else it is.
	name string
	// do does it, or with, which needs to know where.
	do   func(p *lessonPanel)
	with func(p *lessonPanel, o origin)
	// blocks says that do blocks.
	blocks bool
}

// An origin is where in the column something is done: in a lesson or a question, at a step, and in a request of that,
// as far as the element lies in one.
type origin struct {
	lesson, at string
	step       int
	// value is what the element holds or leads to, on says that it is checked or unfolded.
	value string
	on    bool
}

// on does what the act says.
func (a *act) on(p *lessonPanel, o origin) {
	switch {
	case a.with != nil:
		a.with(p, o)
	case a.blocks:
		go a.do(p)
	default:
		a.do(p)
	}
}

// acts are what can be done.
var acts = []act{
	{name: "lesson-run", with: (*lessonPanel).run},
	{name: "lesson-compose", with: (*lessonPanel).compose},
	{name: "lesson-copy", with: (*lessonPanel).copy},
	{name: "lesson-way", with: (*lessonPanel).chooseWay},
	{name: "lesson-open", with: (*lessonPanel).follow},
	{name: "lesson-go", do: (*lessonPanel).goOn},
	{name: "lesson-choose", do: (*lessonPanel).chosen},
	{name: "lesson-pick", with: (*lessonPanel).pickAnswer},
	{name: "lesson-next", do: (*lessonPanel).next},
	{name: "lesson-show", with: (*lessonPanel).showChosen},
	{name: "lesson-unfolded", with: (*lessonPanel).unfolded},
	{name: "lesson-toggled", do: (*lessonPanel).paint},
	{name: "lesson-reveal", with: (*lessonPanel).reveal},
	{name: "lesson-again", with: (*lessonPanel).again},
	{name: "lesson-set-up", do: (*lessonPanel).setUpAgain},
	{name: "lesson-catch-up", do: (*lessonPanel).setUpAgain},
	{name: "lesson-ask", do: (*lessonPanel).ask},
	{name: "lesson-keep", do: (*lessonPanel).keep},
	{name: "lesson-restart", do: (*lessonPanel).restart},
	{name: "lesson-more", do: (*lessonPanel).toggleMore},
	{name: "lesson-dismiss", do: (*lessonPanel).dismiss},
	{name: "lesson-set", do: (*lessonPanel).beginOpen, blocks: true},
	{name: "lesson-give-back", do: (*lessonPanel).tidyUp, blocks: true},
	{name: "lesson-put-back", do: (*lessonPanel).askToPutBack},
	{name: "lesson-put-back-now", do: (*lessonPanel).putBack, blocks: true},
	{name: "lesson-own", do: (*lessonPanel).toOwn},
	{name: "lesson-teach", do: (*lessonPanel).teach},
	{name: "lesson-commit", with: (*lessonPanel).commit},
	{name: "lesson-skip", with: (*lessonPanel).skip},
	{name: "practice-start", do: (*lessonPanel).startPractice},
	{name: "practice-give-up", do: (*lessonPanel).giveUp},
	{name: "practice-later", do: (*lessonPanel).later},
	{name: "practice-sure", with: (*lessonPanel).setSure},
	{name: "practice-share", do: (*lessonPanel).shareQuestion},
	{name: "exam-begin", do: (*lessonPanel).beginExam},
	{name: "exam-next", do: (*lessonPanel).askExam},
	{name: "exam-pass", do: (*lessonPanel).passExam},
	{name: "exam-class", do: (*lessonPanel).beginClass},
	{name: "exam-own", do: (*lessonPanel).toOwnExam},
	{name: "exam-save", do: (*lessonPanel).saveExam},
	{name: "progress-save", do: (*lessonPanel).saveRecord},
	{name: "progress-forget", do: (*lessonPanel).forget},
	{name: "capstone-edit", with: (*lessonPanel).editCode},
	{name: "capstone-level", with: (*lessonPanel).chooseLevel},
	{name: "capstone-run", do: (*lessonPanel).judgeOnce, blocks: true},
	{name: "capstone-all", do: (*lessonPanel).judgeAll, blocks: true},
	{name: "capstone-stop", do: (*lessonPanel).stopJudge},
	{name: "capstone-open", do: (*lessonPanel).openLevels},
	{name: "capstone-watch", do: (*lessonPanel).watchRun},
}

// numberOf reads a number, 0 if the text is something else.
func numberOf(text string) int {
	n, _ := strconv.Atoi(text)
	return n
}
