package scan

import "strings"

// Lines cuts a text that arrives in pieces into its lines. The zero value is
// ready. Only an unfinished line is kept between pieces, so feeding costs one
// pass over each piece, and a copy only of lines that a piece boundary cuts.
type Lines struct {
	rest strings.Builder
}

// Feed takes the next piece and calls each with every line that is now complete, without its line end; it leaves out
// empty lines.
func (l *Lines) Feed(piece string, each func(line string)) {
	for {
		end := strings.IndexByte(piece, '\n')
		if end < 0 {
			l.rest.WriteString(piece)
			return
		}
		line := piece[:end]
		piece = piece[end+1:]
		if l.rest.Len() > 0 {
			l.rest.WriteString(line)
			line = l.rest.String()
			l.rest.Reset()
		}
		if line = strings.TrimRight(line, "\r"); line != "" {
			each(line)
		}
	}
}
