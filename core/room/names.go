package room

import (
	"strings"
	"sync"
	"unicode"
)

// teachersName is what the first teacher of a room is called, as fold returns it: nobody else is, who is no teacher.
const teachersName = "teacher"

// nameless is what fold returns for names in which nothing counts, such as "...".
const nameless = "-"

// maxMarks is how many marks a letter of a display name may have above or below it: what Thai needs.
const maxMarks = 2

// alike has, for each letter or pair of them, others that look the same in lower or in upper case and are no
// forms of it to Unicode: with strokes and hooks, small capitals, and letters of other scripts.
var alike = map[string]string{
	"a": "аαɑᴀⱥᎪꓮⲁ", "ae": "æᴁӕ", "b": "вβʙᴃƀɓƃᏴꓐⲃ", "c": "сϲᴄȼƈꮯꓚⲥ", "d": "ԁđðᴅɖɗƌᎠꓓ", "e": "еєεɛᴇɇᎬꓰⲉ",
	"f": "ƒꜰꓝ", "g": "ɡɢǥɠցᏀꓖ", "h": "һнηħʜɦⱨհᏂᎻꓧⲏ", "i": "іιıɪɨɩᎥꓲⲓ", "j": "јϳȷᴊɉʝᎫꓙ", "k": "кκᴋƙⱪᏦꓗⲕ", "l": "łӏʟƚɫɭᏞꓡ",
	"m": "мμᴍɱᎷꓟⲙ", "n": "ŋɴɲƞոꓠⲛ", "o": "оοøөᴏɵօꓳⲟ", "oe": "œɶ", "p": "рρᴘƥᏢꓑⲣ", "q": "ԛɋզ", "r": "ʀɍɽɾᎡᏒꓣ",
	"s": "ѕꜱʂȿᏚꓢ", "ss": "ß", "t": "тτŧᴛƭʈⱦᎢꓔⲧ", "u": "υᴜʉսꓴ", "v": "νѵᴠʋᏙꓦ", "w": "ԝᴡⱳᎳꓪ", "x": "хχꓫⲭ", "y": "уүʏɏƴᎩꓬⲩ",
	"z": "ζᴢƶʐȥᏃꓜⲍ",
}

// plain returns alike, the other way round, for letters in lower case.
var plain = sync.OnceValue(func() map[rune]string {
	all := map[rune]string{}
	for base, others := range alike {
		for _, r := range others {
			all[unicode.ToLower(r)] = base
		}
	}
	return all
})

// fold returns what two display names have in common that look like each other: it has no upper case, marks,
// punctuation, spaces, small symbols and typefaces, and letters of other scripts that look like Latin ones are those.
// How a name's letters are composed makes no difference: fold is the same for all normal forms of Unicode.
func fold(name string) string {
	var b strings.Builder
	for _, r := range name {
		for _, part := range letters(r) {
			part = unicode.ToLower(part)
			if base, known := plain()[part]; known {
				b.WriteString(base)
			} else if counts(part) {
				b.WriteRune(part)
			}
		}
	}
	if b.Len() == 0 {
		return nameless
	}
	return b.String()
}

// counts reports whether a rune makes a name another one: letters, digits and large symbols, such as emoji, do.
func counts(r rune) bool {
	const (
		largeSymbols = 0x2600
		kashida      = 0x640 // makes a word longer
	)
	switch {
	case unicode.In(r, unicode.M, unicode.P, unicode.Z, unicode.Cf, unicode.Sk, unicode.Sm):
		return false
	case r >= 0x2b0 && r <= 0x2ff, r == kashida: // apostrophes and the like, which are letters to Unicode
		return false
	}
	return r >= largeSymbols || !unicode.Is(unicode.S, r)
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
