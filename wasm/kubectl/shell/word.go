package shell

import "strings"

// A word is the last one of a text, with those before it in the same command.
type word struct {
	// text is what it means, without quotes; start is where it begins in the text, behind its quote if it has one.
	text  string
	start int
	// quote is the quote that is open, 0 if none is.
	quote byte
	// file is whether it is the file of a redirection.
	file bool
	// before are the words before it.
	before []string
}

// lastWord finds the last word of a text, which may end in the middle of anything.
func lastWord(text string) word {
	w := word{}
	var current strings.Builder
	inWord, file := false, false
	end := func() { // of a word
		if inWord && !file {
			w.before = append(w.before, current.String())
		}
		current.Reset()
		inWord, file = false, file && !inWord
	}
	for i := 0; i < len(text); i++ {
		ch := text[i]
		if !inWord {
			w.start = i
		}
		switch {
		case w.quote == 0 && (ch == ' ' || ch == '\t'):
			end()
		case w.quote == 0 && strings.IndexByte("|&;()\n`{", ch) >= 0 && !(ch == '{' && inWord):
			end()
			w.before, file = nil, false
		case w.quote == 0 && (ch == '>' || ch == '<'):
			if digits := current.String(); strings.Trim(digits, "0123456789") == "" {
				current.Reset() // 2>
				inWord = false
			}
			end()
			file = true
		case w.quote == 0 && (ch == '\'' || ch == '"'):
			if w.quote = ch; !inWord {
				w.start = i + 1
			}
			inWord = true
		case w.quote != 0 && ch == w.quote:
			w.quote = 0
		case w.quote == '"' && ch == '$' && i+1 < len(text) && text[i+1] == '(':
			w.quote = 0 // as well as can be: a command in quotes
			i++
			end()
			w.before = nil
		case w.quote != '\'' && ch == '\\' && i+1 < len(text):
			i++
			current.WriteByte(text[i])
			inWord = true
		case w.quote == 0 && ch == '#' && !inWord:
			for i+1 < len(text) && text[i+1] != '\n' {
				i++
			}
		default:
			current.WriteByte(ch)
			inWord = true
		}
	}
	if !inWord {
		w.start = len(text)
	}
	w.text, w.file = current.String(), file
	return w
}

// skip leaves out the first bytes of the word, which have no quotes.
func (w *word) skip(n int) {
	w.text = w.text[n:]
	w.start += n
}

// special are characters that mean something to the shell.
const special = " \t\n'\"\\$`|&;()<>*?[]#~!{}"

// quoted returns a text as it is typed in place of the word.
func (w *word) quoted(text string) string {
	if w.quote != 0 {
		return text
	}
	home := strings.HasPrefix(text, "~/")
	var out strings.Builder
	for i := 0; i < len(text); i++ {
		if strings.IndexByte(special, text[i]) >= 0 && !(i == 0 && home) {
			out.WriteByte('\\')
		}
		out.WriteByte(text[i])
	}
	return out.String()
}
