package room

import (
	"strings"
	"unicode"
)

// teachersName is what the first teacher of a room is called: nobody else is, who is no teacher.
var teachersName = fold("Teacher")

// maxMarks is how many marks a letter of a display name may have above or below it: what Thai needs.
const maxMarks = 2

// alike has, for each letter or pair of them, others that are folded to it: the Latin letters with marks,
// and those of other scripts that look the same in lower or in upper case.
var alike = map[string]string{
	"a": "àáâãäåāăąǎạảấầẩẫậắằẳẵặаαά", "ae": "æ", "b": "вβ", "c": "çćĉċčсϲ", "d": "ďđðԁ", "e": "èéêëēĕėęěẹẻẽếềểễệеёεέ",
	"g": "ĝğġģǧ", "h": "ĥħнһη", "i": "ìíîïĩīĭįıǐỉịіїιί", "j": "ĵјϳ", "k": "ķкκ", "l": "ĺļľŀł", "m": "мμ", "n": "ñńņňŉŋ",
	"o": "òóôõöøōŏőơǒọỏốồổỗộớờởỡợоοό", "oe": "œ", "p": "рρ", "q": "ԛ", "r": "ŕŗř", "s": "śŝşšșѕ", "ss": "ß",
	"t": "ţťŧțтτ", "u": "ùúûüũūŭůűųưǔụủứừửữựυύ", "v": "νѵ", "w": "ŵẁẃẅԝ", "x": "хχ", "y": "ýÿŷỳỵỷỹуү", "z": "źżžζ",
}

// plain is alike, the other way round.
var plain = func() map[rune]string {
	all := map[rune]string{}
	for base, others := range alike {
		for _, r := range others {
			all[r] = base
		}
	}
	return all
}()

// fold returns what two display names have in common that look like each other: it has no upper case,
// marks, punctuation, spaces and typefaces, and letters of other scripts that look like Latin ones are
// those. It is much less than what Unicode has tables for, and covers the names that a class tries.
func fold(name string) string {
	var b strings.Builder
	for _, r := range name {
		r = unicode.ToLower(withoutTypeface(r))
		base, known := plain[r]
		switch {
		case known:
			b.WriteString(base)
		case unicode.In(r, unicode.M, unicode.P, unicode.Z, unicode.Cf):
		default:
			b.WriteRune(r)
		}
	}
	if b.Len() == 0 {
		return name
	}
	return b.String()
}

// withoutTypeface returns the letter or digit that a wide, circled or mathematical one is made of.
func withoutTypeface(r rune) rune {
	const letters = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz"
	switch {
	case r >= 0xff01 && r <= 0xff5e:
		return r - 0xff01 + '!'
	case r >= 0x24b6 && r <= 0x24e9:
		return rune(letters[r-0x24b6])
	case r >= 0x1d400 && r <= 0x1d6a3:
		return rune(letters[(r-0x1d400)%52])
	case r >= 0x1d7ce && r <= 0x1d7ff:
		return '0' + (r-0x1d7ce)%10
	}
	return r
}

// isBlank reports whether a rune counts as printable but shows nothing.
func isBlank(r rune) bool {
	return strings.ContainsRune("\u034f\u115f\u1160\u17b4\u17b5\u2800\u3164\uffa0", r)
}

// hasPile reports whether a name has more marks in a row than any script needs.
func hasPile(name string) bool {
	marks := 0
	for _, r := range name {
		if !unicode.In(r, unicode.Mn, unicode.Me) {
			marks = 0
		} else if marks++; marks > maxMarks {
			return true
		}
	}
	return false
}
