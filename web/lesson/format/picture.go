package format

import (
	"slices"
	"strconv"
	"strings"
)

// Bounds of a Picture, so that it can be seen at a glance.
const (
	MaxPictureRows  = 8
	MaxPictureSigns = 16
)

// A Picture is what the stage shows of a goal that is reached, as far as all ways there have it in common: the writes,
// the watches, and the answers of reads. Tests compute it from the goal's solutions, so nobody draws it.
type Picture []PictureRow

// A PictureRow is a line of a Picture, with its signs from left to right.
type PictureRow struct {
	Kind PictureKind
	// Path is that of the requests, without a query; empty for the writes, which are in one row.
	Path  string
	Signs []PictureSign
}

// PictureKind says what a row of a Picture shows.
type PictureKind string

// The kinds of rows.
const (
	PictureWrites  PictureKind = "writes"  // all writes, in the order of their revisions
	PictureWatch   PictureKind = "watch"   // a watch, from its start over its events to its end
	PictureAnswers PictureKind = "answers" // answers of gets and lists, and refusals
)

// A PictureSign is a sign of a row.
type PictureSign struct {
	// Name is one of the row's signs, or the code of an error.
	Name string
	// Of is the resource that was written; empty for signs of other rows.
	Of string
	// Place is the number of the newest write at that moment, from 1; 0: before the first. It says where the sign is
	// drawn, and nothing is compared with it.
	Place int
	// Loose says, of the end of a watch, that it was asked for a time: how it ends is then no part of a goal. It is not
	// written.
	Loose bool
}

// pictureSigns are the signs that a row of each kind may have, beside the code of an error.
var pictureSigns = map[PictureKind][]string{
	PictureWrites: {"added", "modified", "deleted"},
	// The first says what the watch begins with: a version, the most recent state, any state, either as a streaming
	// list, or anything. Then come the initial state, events, the end of the initial events; an open end, or another.
	PictureWatch: {"start", "recent", "zero", "streaming", "any", "initial", "added", "modified", "deleted", "end",
		"arrow", "cap"},
	PictureAnswers: {"read", "page"},
}

// parsePicture reads the lines of a picture block, such as "watch /api/v1/pods: start, 1 added, arrow".
func parsePicture(body []string, open int) (p Picture, err error) {
	for i, line := range body {
		head, signs, found := strings.Cut(line, ": ")
		kind, path, _ := strings.Cut(head, " ")
		row := PictureRow{Kind: PictureKind(kind), Path: path}
		if known := pictureSigns[row.Kind]; !found || known == nil || (row.Kind == PictureWrites) != (path == "") {
			return nil, errAt(open+1+i, "a row of a picture is like %q", "watch /api/v1/pods: start, 1 added, arrow")
		}
		for text := range strings.SplitSeq(signs, ", ") {
			sign, ok := parseSign(row.Kind, text)
			if !ok {
				return nil, errAt(open+1+i, "%q is no sign of a row of %s", text, kind)
			}
			row.Signs = append(row.Signs, sign)
		}
		p = append(p, row)
		if len(p) > MaxPictureRows || len(row.Signs) > MaxPictureSigns {
			return nil, errAt(open+1+i, "a picture has at most %d rows of %d signs", MaxPictureRows, MaxPictureSigns)
		}
	}
	if p == nil {
		return nil, errAt(open, "an empty picture")
	}
	return p, nil
}

func parseSign(kind PictureKind, text string) (s PictureSign, ok bool) {
	words := strings.Fields(text)
	if len(words) > 1 {
		if n, err := strconv.Atoi(words[0]); err == nil && n > 0 {
			s.Place, words = n, words[1:]
		}
	}
	if len(words) == 0 || len(words) > 2 || (len(words) == 2) != (kind == PictureWrites) {
		return s, false
	}
	if s.Name = words[0]; len(words) == 2 {
		s.Of = words[1]
	}
	code, err := strconv.Atoi(s.Name)
	refused := kind != PictureWrites && err == nil && code >= 400 && code < 600
	return s, refused || slices.Contains(pictureSigns[kind], s.Name)
}

// String returns the picture as the lines of its block.
func (p Picture) String() string {
	var b strings.Builder
	for _, row := range p {
		b.WriteString(strings.TrimSpace(string(row.Kind) + " " + row.Path))
		for i, s := range row.Signs {
			b.WriteString(map[bool]string{true: ": ", false: ", "}[i == 0])
			if s.Place > 0 {
				b.WriteString(strconv.Itoa(s.Place) + " ")
			}
			b.WriteString(strings.TrimSpace(s.Name + " " + s.Of))
		}
		b.WriteString("\n")
	}
	return b.String()
}
