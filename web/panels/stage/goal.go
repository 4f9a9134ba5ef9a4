package stage

import (
	"github.com/tabernetes/tabernetes/web/lesson/format"
	"github.com/tabernetes/tabernetes/web/lesson/picture"
)

// A goalRow is a row of a goal's picture, or of that of now beside it.
type goalRow struct {
	// Box is the place of SVG, of which more is seen where there are more columns.
	Name, SVG, Box string
	// There says that there is such a row now.
	There bool
}

// goalRows draws the rows of both pictures, in columns that they have in common: in one column are a write, and what
// watches have received of it.
func goalRows(v picture.View) (goal, now []goalRow) {
	before, columns := 0, 1 // the columns before the first write
	each := func(visit func(s format.PictureSign, i int, row format.PictureRow)) {
		for _, p := range []format.Picture{v.Goal, v.Now} {
			for _, row := range p {
				for i, s := range row.Signs {
					visit(s, i, row)
				}
			}
		}
	}
	each(func(s format.PictureSign, i int, row format.PictureRow) {
		if row.Kind == format.PictureWatch && s.Place == 0 {
			before = max(before, i+1)
		}
	})
	place := func(s format.PictureSign, i, last int, row format.PictureRow) int {
		at := last + 1
		if row.Kind != format.PictureAnswers && s.Place > 0 {
			at = max(at, before+s.Place-1)
		}
		if s.Name == "arrow" { // behind the newest write
			at = max(at, before+s.Place)
		}
		return at
	}
	last := 0
	each(func(s format.PictureSign, i int, row format.PictureRow) {
		if i == 0 {
			last = -1
		}
		last = place(s, i, last, row)
		columns = max(columns, last+1)
	})
	var box markup
	wide := min(pictureWidth, 2*pictureEdge+pictureSlot*float64(columns))
	box.n((pictureWidth - wide) / 2).s(" 0 ").n(wide).s(" ").n(signHeight)
	draw := func(p format.Picture) (out []goalRow) {
		for _, row := range p {
			signs := make([]string, columns)
			last := -1
			for i, s := range row.Signs {
				at := place(s, i, last, row)
				for between := last + 1; between < at && row.Kind != format.PictureAnswers; between++ {
					signs[between] = "line"
				}
				if signs[at] = s.Name; i == 0 && row.Kind == format.PictureWatch && s.Name != "start" {
					signs[at] = map[bool]string{true: "line"}[s.Name == "any"]
				}
				last = at
			}
			out = append(out, goalRow{Name: picture.Short(row), There: row.Signs != nil, SVG: signRow(signs),
				Box: box.String()})
		}
		return out
	}
	return draw(v.Goal), draw(v.Now)
}

// The height of a row of signs.
const signHeight = 30.0

func signRow(signs []string) string {
	var m markup
	pictureRow(&m, signs, signHeight/2, 7)
	return m.String()
}

// goalSign draws a sign alone, in a box of 40 by 30.
func goalSign(name string) string {
	var m markup
	switch name {
	case "recent", "zero", "streaming":
		name = "initial"
	case "any":
		name = "arrow"
	}
	if name == "arrow" {
		m.s(`<path class="st-line" stroke-width="2" d="M6 15H20"/>`)
	}
	pictureSign(&m, name, 20, signHeight/2, 7, 30)
	return m.String()
}
