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

// alike has letters or pairs of them, each with others that look the same in lower or in upper case and are no forms of
// it to Unicode: with strokes and hooks, small capitals, and letters of other scripts.
var alike = [...][2]string{
	{"a", "аαɑᴀⱥᎪꓮⲁ"}, {"ae", "æᴁӕ"}, {"b", "вβʙᴃƀɓƃᏴꓐⲃ"}, {"c", "сϲᴄȼƈꮯꓚⲥ"}, {"d", "ԁđðᴅɖɗƌᎠꓓ"}, {"e", "еєεɛᴇɇᎬꓰⲉ"},
	{"f", "ƒꜰꓝ"}, {"g", "ɡɢǥɠցᏀꓖ"}, {"h", "һнηħʜɦⱨհᏂᎻꓧⲏ"}, {"i", "іιıɪɨɩᎥꓲⲓ"}, {"j", "јϳȷᴊɉʝᎫꓙ"}, {"k", "кκᴋƙⱪᏦꓗⲕ"},
	{"l", "łӏʟƚɫɭᏞꓡ"}, {"m", "мμᴍɱᎷꓟⲙ"}, {"n", "ŋɴɲƞոꓠⲛ"}, {"o", "оοøөᴏɵօꓳⲟ"}, {"oe", "œɶ"}, {"p", "рρᴘƥᏢꓑⲣ"},
	{"q", "ԛɋզ"}, {"r", "ʀɍɽɾᎡᏒꓣ"}, {"s", "ѕꜱʂȿᏚꓢ"}, {"ss", "ß"}, {"t", "тτŧᴛƭʈⱦᎢꓔⲧ"}, {"u", "υᴜʉսꓴ"}, {"v", "νѵᴠʋᏙꓦ"},
	{"w", "ԝᴡⱳᎳꓪ"}, {"x", "хχꓫⲭ"}, {"y", "уүʏɏƴᎩꓬⲩ"}, {"z", "ζᴢƶʐȥᏃꓜⲍ"},
}

// plain has what others than Latin letters are alike, for letters in lower case. It is made when it is first needed.
var plain struct {
	sync.Once
	letters map[rune]string
}

func makePlain() {
	plain.letters = map[rune]string{}
	for _, like := range alike {
		for _, r := range like[1] {
			plain.letters[unicode.ToLower(r)] = like[0]
		}
	}
}

// fold returns what two display names have in common that look like each other: it has no upper case, marks,
// punctuation, spaces, symbols but emoji, and typefaces, and letters that look like Latin ones are those.
// How a name's letters are composed makes no difference: fold is the same for all normal forms of Unicode.
func fold(name string) string {
	plain.Do(makePlain)
	var b strings.Builder
	for _, r := range name {
		for _, part := range letters(r) {
			part = unicode.ToLower(part)
			if base, known := plain.letters[part]; known {
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

// counts reports whether a rune makes a name another one: letters, digits and emoji do. Apostrophes and the like, which
// are letters to Unicode, do not, nor does what makes a word of Arabic longer.
func counts(r rune) bool {
	const kashida = 0x640
	if r >= 0x2b0 && r <= 0x2ff || r == kashida {
		return false
	}
	return unicode.IsLetter(r) || unicode.IsNumber(r) || r >= 0x2600 && r < 0x27c0 || r >= 0x1f000
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
