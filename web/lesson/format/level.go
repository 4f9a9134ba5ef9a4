package format

import (
	"cmp"
	"crypto/sha256"
	"encoding/hex"
	"slices"
	"strings"

	"github.com/tabernetes/tabernetes/core/wellknown"
	"github.com/tabernetes/tabernetes/web/apipath"
)

// Bounds of a level, which comes from anybody: of its text in bytes, of its namespaces, of the requests that it starts
// with and of the rows of its check.
const (
	MaxLevel           = 16 << 10
	maxLevelNamespaces = 10
	maxLevelMade       = 1000
	maxLevelRows       = 20
)

// levelPrefix begins the ids of levels, which no lesson of the course has.
const levelPrefix = "level-"

// LevelID returns the id of a level: levels with the same text are one.
func LevelID(src string) string {
	hash := sha256.Sum256([]byte(src))
	return levelPrefix + hex.EncodeToString(hash[:levelHash])
}

// levelHash is how many bytes of its text's hash are in a level's id: so many that nobody finds two texts with one id
// by chance, or in a short time.
const levelHash = 8

// IsLevel reports whether an id is one of a level.
func IsLevel(id string) bool {
	hash, ok := strings.CutPrefix(id, levelPrefix)
	return ok && len(hash) == 2*levelHash && strings.Trim(hash, "0123456789abcdef") == ""
}

// ParseLevel reads a level: a lesson of one step, which is a goal, that somebody has written in the page. It has less
// than a lesson: what it makes and removes is in namespaces that are called level or level-..., it requests nothing but
// the API, and no lever of it discards the cluster. The fewest requests are those of its first solution, whatever the
// text says. Errors are of type *Error, without a file, and without a line where they are about all of it.
func ParseLevel(src string) (*Lesson, error) {
	if len(src) > MaxLevel {
		return nil, errAt(0, "a level has at most %d kB of text", MaxLevel>>10)
	}
	l, err := ParseAs(LevelID(src), "", src)
	if err == nil {
		err = l.validateLevel()
	}
	if err == nil {
		err = l.Validate()
	}
	if err != nil {
		return nil, err
	}
	l.Steps[0].Goal().Fewest = l.Steps[0].counted()
	return l, nil
}

// levelKinds are the blocks that a level may have, before its step and in it.
var levelKinds = [2][]Kind{{Prose, Setup}, {GoalKind, Hint, Solution}}

func (l *Lesson) validateLevel() error {
	step := &l.Steps[0]
	if len(l.Steps) != 1 || step.Goal() == nil {
		return errAt(step.Line, "a level is one step, with a goal")
	}
	for i, blocks := range [][]Block{slices.Concat(l.Intro, l.Outro), step.Blocks} {
		for _, b := range blocks {
			if !slices.Contains(levelKinds[i], b.Kind) {
				return errAt(b.Line, "a level has no block %q here", b.Kind)
			}
		}
	}
	if l.Programs || l.Lesson+l.Step+l.Part+string(l.Exam) != "" ||
		len(step.Wrong)+len(step.Covers)+len(step.Claims)+len(l.Claims) > 0 {
		return errAt(0, "a level has a text, a start, a goal, hints and solutions, and nothing else")
	}
	if len(step.Check.Rows) > maxLevelRows {
		return errAt(step.Check.Line, "a level's check has at most %d rows", maxLevelRows)
	}
	if len(l.Namespaces) == 0 {
		return errAt(1, "a level needs a namespace: namespaces: level")
	}
	if len(l.Namespaces) > maxLevelNamespaces {
		return errAt(1, "a level has at most %d namespaces", maxLevelNamespaces)
	}
	for _, name := range l.Namespaces {
		if name+"-" != levelPrefix && !strings.HasPrefix(name, levelPrefix) {
			return errAt(1, "a level's namespaces are called level or level-..., since they are emptied when it starts, "+
				"not %q", name)
		}
	}
	made := 0
	for _, r := range l.Setup {
		if made += r.Repeat; made > maxLevelMade {
			return errAt(r.Line, "a level starts with at most %d requests", maxLevelMade)
		}
		if err := l.levelRequest(r, true); err != nil {
			return err
		}
	}
	for i := range step.Blocks {
		for j := range step.Blocks[i].Requests {
			if r := &step.Blocks[i].Requests[j]; step.Blocks[i].Kind == Solution {
				if err := l.levelRequest(r, false); err != nil {
					return err
				}
			}
		}
	}
	return nil
}

// plainPath reports whether a path is one that a level may ask for: segments that no browser resolves or takes for
// another host, and names that the API server has given.
func plainPath(path string) bool {
	segments := strings.Split(path, "/")
	for _, s := range segments[1:] {
		if name, given := strings.CutSuffix(s, ".response.body.metadata.name}}"); given {
			s = strings.TrimPrefix(name, "{{")
		}
		if s == "" || s[0] == '.' || strings.ContainsFunc(s, func(c rune) bool { return !isPlain(c) }) {
			return false
		}
	}
	return segments[0] == ""
}

func isPlain(c rune) bool {
	return 'a' <= c && c <= 'z' || 'A' <= c && c <= 'Z' || '0' <= c && c <= '9' || strings.ContainsRune("_.:-", c)
}

// levelRequest finds fault with a request that a level must not make.
func (l *Lesson) levelRequest(r *Request, setup bool) error {
	path, query, _ := strings.Cut(r.Target, "?")
	if !plainPath(path) || strings.ContainsAny(query, "#\\") {
		return errAt(r.Line, "a level's requests have plain paths of the API, not %q", r.Target)
	}
	if setup && strings.Contains(r.Target, "{{") { // an answer may have what makes another request of it
		return errAt(r.Line, "a level starts with requests that do not depend on answers: %q", r.Target)
	}
	reads := slices.Contains([]string{"GET", "HEAD", "OPTIONS"}, r.Method)
	if path == wellknown.ControlPlane || strings.HasPrefix(path, wellknown.ControlPlane+"/") {
		name := cmp.Or(strings.TrimPrefix(path[len(wellknown.ControlPlane):], "/"), settingsLever)
		switch goal := l.Steps[0].Goal(); {
		case setup:
			return errAt(r.Line, "a level starts with objects, and with the settings that stand under requires:")
		case !slices.Contains(Levers, name):
			return errAt(r.Line, "a level may use these levers: %s, not %q", strings.Join(Levers, ", "), name)
		case goal.Limited && !reads && !slices.Contains(goal.Levers, name):
			return errAt(r.Line, "the solution uses the lever %s, which the goal does not allow", name)
		}
		return nil
	}
	p, ok := apipath.Parse(path)
	if !ok {
		return errAt(r.Line, "a level's requests are for resources of the API, not %s", path)
	}
	if !reads && !slices.Contains(l.Namespaces, p.Namespace) {
		return errAt(r.Line, "a level's requests write in its own namespaces: %s %s does not", r.Method, path)
	}
	if strings.Contains(p.Group+p.Version+p.Namespace+p.Resource+p.Subresource, "{{") {
		return errAt(r.Line, "what is given may be the name of an object in a level's path, and nothing else: %q", path)
	}
	return nil
}
