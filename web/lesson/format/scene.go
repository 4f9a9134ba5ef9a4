package format

import (
	"fmt"
	"slices"
	"strings"
)

// Bounds of a scene, so that it can be followed at a glance. Texts are counted with their references as written between
// {{ and }} taken for three characters.
const (
	// MaxSceneSteps is the most steps of a scene.
	MaxSceneSteps = 9
	maxLine       = 72 // of the sentence in the menu
	maxSays       = 90 // of a step's sentence: a line on a projector
	maxTitle      = 40 // of a step
)

// A Scene is a parsed scene: a short sequence of requests that shows one behaviour of the API on the stage, a step at a
// time, with a sentence for each step. It is run like a lesson, by a session in a separate cluster.
//
// The sentence of a step is shown only after the step's check has found what it says, and its numbers are values of
// what was sent and answered: ParseScene accepts only sentences that refer to something that a check has found by then.
type Scene struct {
	*Lesson
	// Source is the text of its file.
	Source string
	// Line is what the menu says of it, in a sentence.
	Line string
	// Picture are the rows of its drawing in the menu, each of SceneSigns.
	Picture [][]string

	says []Template // the steps' sentences
}

// SceneSigns are what a drawing may have, from left to right in a row.
var SceneSigns = []string{"start", "added", "modified", "deleted", "initial", "end", "bookmark", "line", "arrow", "cut",
	"gap", "blank", "410", "409", "403", "429", "503", "wall", "cache", "late", "read", "old", "page", "lost"}

// ParseScene reads a scene from a file named like 01-gone.md, and checks it. Errors are of type *Error.
func ParseScene(file, src string) (*Scene, error) {
	id, err := FileID(file)
	if err != nil {
		return nil, err
	}
	s, err := parseScene(id, file, src)
	if err == nil {
		err = s.ValidateScene()
	}
	if err != nil {
		return nil, err
	}
	return s, nil
}

// ParseSceneAs reads a scene that has an id, whatever its file is called. What it refers to is not checked: see
// ParseAs. Errors are of type *Error.
func ParseSceneAs(id, src string) (*Scene, error) { return parseScene(id, id+".md", src) }

func parseScene(id, file, src string) (*Scene, error) {
	s := &Scene{Source: src}
	rest, err := s.front(src)
	if err == nil {
		s.Lesson, err = ParseAs(id, file, rest)
	}
	if err == nil {
		err = s.check()
	}
	if e, ok := err.(*Error); ok {
		e.File = file
	}
	if err != nil {
		return nil, err
	}
	return s, nil
}

// Sentence returns what a step says once it has passed, in which `code` is marked as in Markdown.
func (s *Scene) Sentence(step int) Template { return s.says[step] }

// front reads the lines of the front matter that a lesson does not have, and returns the source with empty lines in
// their places.
func (s *Scene) front(src string) (rest string, err error) {
	lines := strings.Split(strings.ReplaceAll(src, "\r\n", "\n"), "\n")
	for i, line := range lines {
		if i > 0 && strings.TrimSpace(line) == "---" {
			break
		}
		value, ok := strings.CutPrefix(line, "picture:")
		if !ok {
			continue
		}
		for _, row := range strings.Split(value, "/") {
			signs := strings.Fields(row)
			for _, sign := range signs {
				if !slices.Contains(SceneSigns, sign) {
					return "", errAt(i+1, "picture: there is no sign %q; there are %s", sign, strings.Join(SceneSigns, ", "))
				}
			}
			if len(signs) == 0 {
				return "", errAt(i+1, "picture: an empty row")
			}
			s.Picture = append(s.Picture, signs)
		}
		lines[i] = ""
	}
	if len(s.Picture) > 0 {
		return strings.Join(lines, "\n"), nil
	}
	return "", errAt(1, "no picture: the front matter needs a line such as picture: start added 410")
}

// check refuses what a scene does not have, and reads its sentences.
func (s *Scene) check() error {
	if s.Minutes != 0 || s.Part != "" || s.Lesson.Lesson != "" || s.Step != "" || s.Exam != "" {
		return errAt(1, "the front matter of a scene has picture, namespaces, programs and requires")
	}
	var err error
	if s.Line, _, err = sentence(s.Intro, 1, "the scene", Setup, Restore); err != nil {
		return err
	}
	if len(s.Line) > maxLine || strings.Contains(s.Line, "{{") {
		return errAt(1, "the sentence for the menu has %d characters, and may have %d, without references", len(s.Line),
			maxLine)
	}
	if len(s.Outro) > 0 {
		return errAt(s.Outro[0].Line, "a scene ends with its last step")
	}
	if !s.Programs {
		if err := s.noLevers(); err != nil {
			return err
		}
	}
	if len(s.Steps) > MaxSceneSteps {
		return errAt(s.Steps[MaxSceneSteps].Line, "a scene has at most %d steps", MaxSceneSteps)
	}
	known := map[string]bool{}
	for _, r := range s.Setup {
		known[r.Name] = true
	}
	for i := range s.Steps {
		if err := s.step(&s.Steps[i], known); err != nil {
			return err
		}
	}
	return nil
}

// step reads the sentence of a step. known are the names that it may refer to, to which it adds those of its rows.
func (s *Scene) step(st *Step, known map[string]bool) error {
	if len(st.Title) > maxTitle {
		return errAt(st.Line, "the step's title has %d characters, and may have %d", len(st.Title), maxTitle)
	}
	if len(st.Wrong)+len(st.Covers) > 0 {
		return errAt(st.Line, "the steps of a scene have no wrong and no covers")
	}
	text, line, err := sentence(st.Blocks, st.Line, fmt.Sprintf("the step %q", st.Title), HTTP)
	if err != nil {
		return err
	}
	for i := range st.Check.Rows {
		known[st.Check.Rows[i].Name] = true
	}
	t, err := ParseTemplate(text)
	if err != nil {
		return errAt(line, "%v", err)
	}
	for _, name := range t.Names() {
		if !known[name] {
			return errAt(line, "{{%s}}: no row of a check has found that by now", name)
		}
	}
	if n := shown(text); n > maxSays {
		return errAt(line, "the sentence has about %d characters, and may have %d", n, maxSays)
	}
	s.says = append(s.says, t)
	return nil
}

// sentence returns the one paragraph among blocks, and its line. Besides it there may be blocks of some kinds.
func sentence(blocks []Block, line int, what string, kinds ...Kind) (string, int, error) {
	text := ""
	for _, b := range blocks {
		switch {
		case b.Kind == Prose && text == "":
			text, line = strings.TrimSpace(b.Markdown), b.Line
		case b.Kind == Prose:
			return "", 0, errAt(b.Line, "%s has more than one sentence", what)
		case !slices.Contains(kinds, b.Kind):
			return "", 0, errAt(b.Line, "a block %q in a scene", b.Kind)
		}
	}
	if text == "" || strings.Contains(text, "\n\n") {
		return "", 0, errAt(line, "%s needs one sentence", what)
	}
	return strings.Join(strings.Fields(text), " "), line, nil
}

// shown returns about how many characters a text has when its references are filled in.
func shown(text string) int {
	n := 0
	for {
		before, after, found := strings.Cut(text, "{{")
		n += len([]rune(strings.ReplaceAll(before, "`", "")))
		if !found {
			return n
		}
		_, text, _ = strings.Cut(after, "}}")
		n += 3
	}
}
