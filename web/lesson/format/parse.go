package format

import (
	"path"
	"slices"
	"strings"
)

// fileID returns the id of the lesson in a file of that name, such as
// 01-list-then-watch.md.
func fileID(name string) (string, bool) {
	name, ok := strings.CutSuffix(path.Base(name), ".md")
	number, id, found := strings.Cut(name, "-")
	ok = ok && found && number != "" && strings.Trim(number, "0123456789") == "" && id == slug(id) && id != ""
	return id, ok
}

// Parse reads a lesson. Errors are of type *Error.
func Parse(file, src string) (*Lesson, error) {
	id, err := FileID(file)
	if err != nil {
		return nil, err
	}
	l, err := ParseAs(id, file, src)
	if err == nil {
		err = l.Validate()
	}
	if err != nil {
		return nil, err
	}
	return l, nil
}

// FileID returns the id of the lesson in a file of that name. Errors are of type *Error.
func FileID(file string) (string, error) {
	id, ok := fileID(file)
	if !ok {
		return "", &Error{File: file, Line: 1, Msg: "a lesson's file is named like 01-list-then-watch.md"}
	}
	return id, nil
}

// ParseTexts reads the texts of a lesson whose requests, checks and conditions may hold
// placeholders, and are left out.
func ParseTexts(id, file, src string) (*Lesson, error) {
	return (&parser{textsOnly: true}).parse(id, file, src)
}

// ParseAs reads a lesson that has an id, whatever its file is called. It does not check what the lesson refers to
// (Validate does): of those in the page the build has. Errors are of type *Error.
func ParseAs(id, file, src string) (*Lesson, error) { return (&parser{}).parse(id, file, src) }

// parse reads the lesson, and says in errors which file it is in.
func (p *parser) parse(id, file, src string) (*Lesson, error) {
	l, err := p.read(id, file, src)
	if e, ok := err.(*Error); ok {
		e.File = file
		return nil, e
	}
	return l, err
}

func (p *parser) read(id, file, src string) (*Lesson, error) {
	p.lesson, p.lines = &Lesson{ID: id, File: file}, SplitLines(src)
	var err error
	if p.textsOnly {
		p.at = frontEnd(p.lines)
	} else if p.at, err = p.lesson.parseFront(p.lines); err != nil {
		return nil, err
	}
	p.lesson.requireUsual()
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
	return l, nil
}

// parser reads a lesson line by line.
type parser struct {
	lesson *Lesson
	lines  []string
	at     int
	// textsOnly leaves out what is no text: see ParseTexts.
	textsOnly bool
	// step is the one being read; nil in the intro and the outro.
	step  *Step
	outro bool
	// prose is what has gathered since the last block, from line proseLine on.
	prose     []string
	proseLine int
}

func (p *parser) line() error {
	s, at := p.lines[p.at], p.at+1
	if mark, language, info, ok := fence(s); ok {
		return p.fence(mark, language, info)
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
		id := StepID(title)
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

// withoutWords are the blocks whose first line has nothing but what they are.
var withoutWords = []string{
	string(HTTP), string(Setup), string(Restore), string(Hint), string(Predict), string(GoalKind), "kubectl", "claims",
	"picture", "check", "covers",
}

// fence reads a fenced block. One in another language is prose.
func (p *parser) fence(mark, language, info string) error {
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
	if b.Kind == Solution {
		b.Way = info
	}
	if info != "" && slices.Contains(withoutWords, language) {
		return errAt(open, "words behind %q: they belong into the block, below", language)
	}
	src := strings.Join(body, "\n")
	var err error
	switch Kind(language) {
	case HTTP, Solution, Setup, Restore:
		if !p.textsOnly {
			b.Requests, err = ParseHTTP(src, open+1)
		}
	case Hint:
		b.Markdown = strings.TrimSpace(src)
		if b.Markdown == "" {
			err = errAt(open, "an empty hint")
		}
	case Predict:
		if p.step != nil {
			if other, _ := p.step.Prediction(); other != nil {
				return errAt(open, "a second question in the step %q", p.step.Title)
			}
		}
		b.Prediction, err = parsePrediction(body, open, p.textsOnly)
	case GoalKind:
		if p.step == nil || p.step.Goal() != nil {
			return errAt(open, "a goal belongs into a step that has no other one")
		}
		b.Markdown, b.Goal, err = parseGoal(body, open)
	case "kubectl":
		return p.kubectl(src, open)
	case "claims":
		return p.claims(body, open)
	case "lever":
		return p.levers(body, open)
	case "picture":
		return p.picture(body, open)
	case "check":
		if p.step == nil {
			return errAt(open, "a check outside of a step")
		}
		if p.step.Check != nil {
			return errAt(open, "a second check in the step %q", p.step.Title)
		}
		p.flush()
		if p.step.Check = (&Check{}); p.textsOnly {
			return nil
		}
		p.step.Check, err = ParseCheck(src, open+1)
		return err
	case "wrong":
		return p.wrong(src, info, open)
	case "covers":
		if p.step == nil {
			return errAt(open, "covers outside of a step")
		}
		p.step.Covers = append(p.step.Covers, strings.Fields(src)...)
		return nil
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
	switch inStep := p.step != nil; {
	case b.Kind == Setup || b.Kind == Restore:
		if inStep || p.outro {
			return errAt(open, "%s belongs before the first step", language)
		}
		p.lesson.keep(&b)
	case !inStep:
		return errAt(open, "a block %q outside of a step", language)
	}
	p.flush()
	p.add(b)
	return nil
}

// kubectl reads the commands that do what the requests of the block right above do.
func (p *parser) kubectl(src string, open int) error {
	if p.step != nil && len(p.step.Blocks) > 0 && strings.TrimSpace(strings.Join(p.prose, "")) == "" {
		above := &p.step.Blocks[len(p.step.Blocks)-1]
		if above.Kind == HTTP && above.Kubectl == "" {
			if above.Kubectl = strings.TrimSpace(src); above.Kubectl == "" {
				return errAt(open, "no command")
			}
			return nil
		}
	}
	return errAt(open, "kubectl belongs right below the http block that it does the same as")
}

// keep notes the requests of a setup or restore block.
func (l *Lesson) keep(b *Block) {
	for i := range b.Requests {
		if r := &b.Requests[i]; b.Kind == Setup {
			l.Setup = append(l.Setup, r)
		} else {
			l.Restore = append(l.Restore, r)
		}
	}
}

// wrong reads a block of a step that is an attempt that fails.
func (p *parser) wrong(src, miss string, open int) error {
	if p.step == nil {
		return errAt(open, "a wrong attempt outside of a step")
	}
	if p.textsOnly {
		return nil
	}
	requests, err := ParseHTTP(src, open+1)
	if err != nil {
		return err
	}
	a := Attempt{Miss: miss, Line: open}
	for i := range requests {
		a.Requests = append(a.Requests, &requests[i])
	}
	p.step.Wrong = append(p.step.Wrong, a)
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
		if p.lesson.Lesson != "" {
			if err := s.deriveCheck(); err != nil {
				return err
			}
		}
		if s.Check == nil && !p.textsOnly {
			return errAt(s.Line, "the step %q has no check", s.Title)
		}
		if g := s.Goal(); g != nil && g.Limited && !p.textsOnly {
			s.Check.Rows = append(s.Check.Rows, g.leverRow())
		}
		if len(s.Solve())+len(s.Levers) == 0 && !p.textsOnly {
			return errAt(s.Line, "the step %q has neither a solution nor requests to run", s.Title)
		}
		if s.Goal() != nil {
			for i := range s.Wrong {
				s.Wrong[i].Requests = slices.Concat(s.Given(), s.Wrong[i].Requests)
			}
		}
	}
	p.step = nil
	return nil
}

// StepID returns the id of the step with a title.
func StepID(title string) string { return slug(title) }

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

// fence reads a line that opens a fenced block: its mark, its language, and what follows
// that.
func fence(s string) (mark, language, info string, ok bool) {
	s = strings.TrimRight(s, " \t")
	n := 0
	for n < len(s) && s[n] == s[0] {
		n++
	}
	if n < 3 || s[0] != '`' && s[0] != '~' {
		return "", "", "", false
	}
	language, info, _ = strings.Cut(strings.TrimLeft(s[n:], " \t"), " ")
	for i := range len(language) {
		if !IsWordByte(language[i]) && language[i] != '-' {
			return "", "", "", false
		}
	}
	return s[:n], language, strings.TrimSpace(info), true
}
