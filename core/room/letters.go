package room

import (
	_ "embed"
	"sort"
	"strings"
	"sync"
	"unicode/utf8"
)

// The letters that other characters are made of, see core/generate: a line has a character, and behind a space each,
// the letters of that one and of those that follow it. They have no upper case, marks, punctuation and spaces.
//
//go:embed letters.txt
var lettersText string

// A stretch is a line of the table.
type stretch struct {
	first, last rune
	letters     string
}

// stretches returns the table, in the order of the characters.
var stretches = sync.OnceValue(func() (all []stretch) {
	for line := range strings.Lines(lettersText) {
		first, n := utf8.DecodeRuneInString(line)
		of := strings.TrimSuffix(line[n+1:], "\n")
		all = append(all, stretch{first, first + rune(strings.Count(of, " ")), of})
	}
	return all
})

// The syllables of Hangul, in the order of their first, second and last sound.
const (
	firstSyllable, lastSyllable = 0xac00, 0xd7a3
	firstSound                  = 0x1100
	secondSound, secondSounds   = 0x1161, 21
	lastSound, lastSounds       = 0x11a7, 28 // the first of them is none
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
	all := stretches()
	i := sort.Search(len(all), func(i int) bool { return all[i].last >= r })
	if i == len(all) || all[i].first > r {
		return string(r)
	}
	parts, rest, _ := strings.Cut(all[i].letters, " ")
	for at := all[i].first; at < r; at++ {
		parts, rest, _ = strings.Cut(rest, " ")
	}
	return parts
}
