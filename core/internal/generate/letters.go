package main

import (
	"bytes"
	"strconv"
	"strings"
	"unicode"
	"unicode/utf8"

	"golang.org/x/text/unicode/norm"
)

// lettersFile is the table by which core/room compares display names. Package norm itself would take more of the
// binary that browsers load than the table does.
const lettersFile = "core/room/letters.txt"

// A series is characters that show letters or numbers, one after another, and have no decomposition in Unicode.
type series struct {
	first, last rune
	shows       func(n int) string
}

func letter(n int) string { return string(rune('a' + n)) }
func number(n int) string { return strconv.Itoa(n) }
func next(n int) string   { return number(n + 1) }

// shown are such series: circled, squared and flags' letters, and circled numbers.
var shown = []series{
	{0x1f150, 0x1f169, letter}, {0x1f170, 0x1f189, letter}, {0x1f1e6, 0x1f1ff, letter}, {0x2776, 0x277f, next},
	{0x2780, 0x2789, next}, {0x278a, 0x2793, next}, {0x24f5, 0x24fe, next}, {0x24ff, 0x24ff, number},
	{0x24eb, 0x24f4, func(n int) string { return number(n + 11) }},
}

// writeLetters returns the table: stretches of characters that are made of others, with those. The syllables of
// Hangul are missing: they are calculated.
func writeLetters() []byte {
	var b bytes.Buffer
	last := rune(-1)
	for r := rune(utf8.RuneSelf); r <= unicode.MaxRune; r++ {
		letters, made := lettersOf(r)
		if !made || unicode.Is(unicode.Hangul, r) && r >= 0xac00 && r <= 0xd7a3 {
			continue
		}
		if r != last+1 {
			if last > 0 {
				b.WriteByte('\n')
			}
			b.WriteRune(r)
		}
		b.WriteString(" " + letters)
		last = r
	}
	b.WriteByte('\n')
	return b.Bytes()
}

// lettersOf returns the letters that a character is made of; false if that is only itself.
func lettersOf(r rune) (string, bool) {
	for _, s := range shown {
		if r >= s.first && r <= s.last {
			return s.shows(int(r - s.first)), true
		}
	}
	whole := string(r)
	made := norm.NFKD.String(whole)
	if made == whole || !counts(r) {
		return "", false
	}
	var b strings.Builder
	for _, part := range made {
		if counts(part) {
			b.WriteRune(unicode.ToLower(part))
		}
	}
	return b.String(), true
}

// counts reports whether a character may make a name another one.
func counts(r rune) bool { return !unicode.In(r, unicode.M, unicode.P, unicode.Z, unicode.Cf) }
