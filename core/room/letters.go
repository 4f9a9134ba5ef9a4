package room

import (
	_ "embed"
	"strings"
	"sync"
	"unicode/utf8"
)

// The letters that other characters are made of, see core/internal/generate: a line has a character, and behind a
// space each, the letters of that one and of those that follow it. They have no upper case, marks, punctuation and
// spaces.
//
//go:embed letters.txt
var lettersText string

// A stretch is a line of the table.
type stretch struct {
	first, last rune
	letters     string
}

// stretches is the table, in the order of the characters. It is made when it is first needed.
var stretches struct {
	sync.Once
	all []stretch
}

func makeStretches() {
	for _, line := range strings.Split(strings.TrimSuffix(lettersText, "\n"), "\n") {
		first, n := utf8.DecodeRuneInString(line)
		shown := line[n+1:]
		stretches.all = append(stretches.all, stretch{first, first + rune(strings.Count(shown, " ")), shown})
	}
}

// The syllables of Hangul, in the order of their first, second and last sound.
const (
	firstSyllable, lastSyllable = 0xac00, 0xd7a3
	firstSound                  = 0x1100
	secondSound, secondSounds   = 0x1161, 21
	lastSound, lastSounds       = 0x11a7, 28 // the first of them stands for no sound
)

// letters returns what a character is made of, by the compatibility decomposition of Unicode; of most it is the
// character itself. It costs a binary search and a walk along at most some hundred characters.
func letters(r rune) string {
	switch {
	case r < utf8.RuneSelf:
		return string(r)
	case r >= firstSyllable && r <= lastSyllable:
		n := r - firstSyllable
		sounds := string(firstSound+n/(secondSounds*lastSounds)) + string(secondSound+n/lastSounds%secondSounds)
		if last := n % lastSounds; last > 0 {
			sounds += string(lastSound + last)
		}
		return sounds
	}
	stretches.Do(makeStretches)
	from, to := 0, len(stretches.all)
	for from < to {
		if middle := (from + to) / 2; stretches.all[middle].last < r {
			from = middle + 1
		} else {
			to = middle
		}
	}
	if from == len(stretches.all) || stretches.all[from].first > r {
		return string(r)
	}
	parts, rest, _ := strings.Cut(stretches.all[from].letters, " ")
	for at := stretches.all[from].first; at < r; at++ {
		parts, rest, _ = strings.Cut(rest, " ")
	}
	return parts
}
