package lesson

import (
	"path"
	"strings"
)

// A Lesson is a parsed lesson.
type Lesson struct {
	// ID is the file's name without its number and suffix: "list-then-watch".
	ID, Title, File string
	// Minutes is about how long it takes; 0: not said.
	Minutes int
	// Requires are the settings of the control plane that it starts with.
	Requires []Requirement
	// Intro comes before the first step, Outro after the last.
	Intro, Outro []Block
	Steps        []Step
}

// A Step is what a learner does and the check that tells whether it was done.
type Step struct {
	// ID is made of the title; progress is kept under it.
	ID, Title string
	Line      int
	Blocks    []Block
	Check     *Check
}

// Kind says what a Block is.
type Kind string

// The kinds of blocks.
const (
	Prose    Kind = "prose"    // Markdown
	HTTP     Kind = "http"     // requests to run
	Predict  Kind = "predict"  // a question, and an answer to reveal
	Hint     Kind = "hint"     // Markdown, to reveal
	Solution Kind = "solution" // requests that pass the step, to reveal
)

// A Block is a part of a lesson's text.
type Block struct {
	Kind Kind
	Line int
	// Markdown is the source of Prose and Hint, and the question of Predict;
	// Answer is the answer of Predict.
	Markdown, Answer string
	// HTML and AnswerHTML are Markdown and Answer rendered; package markdown
	// fills them in.
	HTML, AnswerHTML string
	// Requests are those of HTTP and Solution.
	Requests []Request
}

// Solve returns the requests that pass the step: its solution's, or if it has
// none, all requests of its http blocks.
func (s *Step) Solve() []*Request {
	var solution, given []*Request
	for i := range s.Blocks {
		b := &s.Blocks[i]
		for j := range b.Requests {
			if b.Kind == Solution {
				solution = append(solution, &b.Requests[j])
			} else {
				given = append(given, &b.Requests[j])
			}
		}
	}
	if solution != nil {
		return solution
	}
	return given
}

// fence reads a line that opens a fenced block: its mark and its language.
func fence(s string) (mark, language string, ok bool) {
	s = strings.TrimRight(s, " 	")
	n := 0
	for n < len(s) && s[n] == s[0] {
		n++
	}
	if n < 3 || s[0] != '`' && s[0] != '~' {
		return "", "", false
	}
	language = strings.TrimLeft(s[n:], " 	")
	for i := range len(language) {
		if !isWordByte(language[i]) && language[i] != '-' {
			return "", "", false
		}
	}
	return s[:n], language, true
}

// fileID is the id of the lesson in a file of that name, such as
// 01-list-then-watch.md.
func fileID(name string) (string, bool) {
	name, ok := strings.CutSuffix(path.Base(name), ".md")
	number, id, found := strings.Cut(name, "-")
	ok = ok && found && number != "" && strings.Trim(number, "0123456789") == "" && id == slug(id) && id != ""
	return id, ok
}

// Parse reads a lesson. Errors are of type *Error.
func Parse(file, src string) (*Lesson, error) {
	l, err := parse(file, src)
	if e, ok := err.(*Error); ok {
		e.File = file
		return nil, e
	}
	return l, err
}

func parse(file, src string) (*Lesson, error) {
	id, ok := fileID(file)
	if !ok {
		return nil, errAt(1, "a lesson's file is named like 01-list-then-watch.md")
	}
	p := &parser{lesson: &Lesson{ID: id, File: file}, lines: splitLines(src)}
	var err error
	if p.at, err = p.lesson.parseFront(p.lines); err != nil {
		return nil, err
	}
	for p.at < len(p.lines) {
		if err := p.line(); err != nil {
			return nil, err
		}
	}
	if err := p.closeStep(); err != nil {
		return nil, err
	}
	l := p.lesson
	if l.Title == "" {
		return nil, errAt(1, "no title: a lesson starts with # Title")
	}
	if len(l.Steps) == 0 {
		return nil, errAt(len(p.lines), "no steps: a step starts with ## Title")
	}
	if err := validate(l); err != nil {
		return nil, err
	}
	return l, nil
}

// parser reads a lesson line by line.
type parser struct {
	lesson *Lesson
	lines  []string
	at     int
	// step is the one being read; nil in the intro and the outro.
	step  *Step
	outro bool
	// prose is what has gathered since the last block, from line proseLine on.
	prose     []string
	proseLine int
}

func (p *parser) line() error {
	s, at := p.lines[p.at], p.at+1
	if mark, language, ok := fence(s); ok {
		return p.fence(mark, language)
	}
	p.at++
	title, isStep := strings.CutPrefix(s, "## ")
	name, isTitle := strings.CutPrefix(s, "# ")
	switch {
	case isStep:
		if p.lesson.Title == "" {
			return errAt(at, "a step before the title")
		}
		if p.outro {
			return errAt(at, "a step after the line --- that ends the steps")
		}
		if err := p.closeStep(); err != nil {
			return err
		}
		title = strings.TrimSpace(title)
		id := slug(title)
		if id == "" {
			return errAt(at, "a step needs a title")
		}
		for _, other := range p.lesson.Steps {
			if other.ID == id {
				return errAt(at, "two steps are called %q", title)
			}
		}
		p.lesson.Steps = append(p.lesson.Steps, Step{ID: id, Title: title, Line: at})
		p.step = &p.lesson.Steps[len(p.lesson.Steps)-1]
	case isTitle:
		if p.lesson.Title != "" {
			return errAt(at, "a second title")
		}
		if p.lesson.Title = strings.TrimSpace(name); p.lesson.Title == "" {
			return errAt(at, "an empty title")
		}
	case p.step != nil && strings.TrimSpace(s) == "---":
		if err := p.closeStep(); err != nil {
			return err
		}
		p.outro = true
	default:
		if len(p.prose) == 0 {
			p.proseLine = at
		}
		p.prose = append(p.prose, s)
	}
	return nil
}

// fence reads a fenced block. One in another language is prose.
func (p *parser) fence(mark, language string) error {
	open := p.at + 1 // its line's number
	end := p.at + 1
	for ; end < len(p.lines); end++ {
		s := strings.TrimRight(p.lines[end], " \t")
		if strings.HasPrefix(s, mark) && strings.Trim(s, mark[:1]) == "" {
			break
		}
	}
	if end == len(p.lines) {
		return errAt(open, "the block is not closed")
	}
	body := p.lines[p.at+1 : end]
	whole := p.lines[p.at : end+1]
	p.at = end + 1
	b := Block{Kind: Kind(language), Line: open}
	src := strings.Join(body, "\n")
	var err error
	switch Kind(language) {
	case HTTP, Solution:
		b.Requests, err = ParseHTTP(src, open+1)
	case Hint:
		b.Markdown = strings.TrimSpace(src)
		if b.Markdown == "" {
			err = errAt(open, "an empty hint")
		}
	case Predict:
		err = b.splitPrediction(body, open)
	case "check":
		if p.step == nil {
			return errAt(open, "a check outside of a step")
		}
		if p.step.Check != nil {
			return errAt(open, "a second check in the step %q", p.step.Title)
		}
		p.flush()
		p.step.Check, err = ParseCheck(src, open+1)
		return err
	default:
		if len(p.prose) == 0 {
			p.proseLine = open
		}
		p.prose = append(p.prose, whole...)
		return nil
	}
	if err != nil {
		return err
	}
	if p.step == nil && b.Kind != Predict {
		return errAt(open, "a block %q outside of a step", language)
	}
	p.flush()
	p.add(b)
	return nil
}

func (b *Block) splitPrediction(lines []string, open int) error {
	for i, s := range lines {
		if strings.TrimSpace(s) == "---" {
			b.Markdown = strings.TrimSpace(strings.Join(lines[:i], "\n"))
			b.Answer = strings.TrimSpace(strings.Join(lines[i+1:], "\n"))
			break
		}
	}
	if b.Markdown == "" || b.Answer == "" {
		return errAt(open, "predict has a question, a line ---, and an answer")
	}
	return nil
}

// flush makes the prose so far a block.
func (p *parser) flush() {
	text := strings.Join(p.prose, "\n")
	p.prose = nil
	if strings.TrimSpace(text) != "" {
		p.add(Block{Kind: Prose, Line: p.proseLine, Markdown: text})
	}
}

func (p *parser) add(b Block) {
	switch {
	case p.step != nil:
		p.step.Blocks = append(p.step.Blocks, b)
	case p.outro:
		p.lesson.Outro = append(p.lesson.Outro, b)
	default:
		p.lesson.Intro = append(p.lesson.Intro, b)
	}
}

func (p *parser) closeStep() error {
	p.flush()
	if s := p.step; s != nil {
		if s.Check == nil {
			return errAt(s.Line, "the step %q has no check", s.Title)
		}
		if len(s.Solve()) == 0 {
			return errAt(s.Line, "the step %q has neither a solution nor requests to run", s.Title)
		}
	}
	p.step = nil
	return nil
}

// slug makes an id of a title.
func slug(title string) string {
	var b strings.Builder
	dash := false
	for _, c := range strings.ToLower(title) {
		if c >= 'a' && c <= 'z' || c >= '0' && c <= '9' {
			if dash && b.Len() > 0 {
				b.WriteByte('-')
			}
			b.WriteRune(c)
			dash = false
		} else {
			dash = true
		}
	}
	return b.String()
}
