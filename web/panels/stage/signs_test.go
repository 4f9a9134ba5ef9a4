package stage

import (
	"encoding/xml"
	"fmt"
	"io"
	"math"
	"strconv"
	"strings"
	"testing"
)

// A sign is something drawn that a person reads, with what it covers.
type sign struct {
	class, text string
	box
}

func (s sign) String() string {
	return fmt.Sprintf("%s %q [%.0f,%.0f %.0f,%.0f]", s.class, s.text, s.left, s.top, s.right, s.bottom)
}

// Classes of what is drawn, by how it is read: each part of a path, the path or group as a whole, or not as a sign:
// what lies behind the signs, and the frame of the stage.
var (
	eachPart = []string{"st-mark", "st-request", "st-bracketed", "st-wall"}
	whole    = []string{"st-arrow", "st-house", "st-push-out", "st-again", "st-crystal", "st-snap", "st-cap",
		"st-cachehead", "st-ribbon", "st-flag", "st-fold", "st-start", "st-next", "st-text"}
	// Lines lie behind the signs, but words keep away from them.
	lines = []string{"st-thread", "st-playline"}
	// What signs are drawn on.
	drawn  = []string{"st-line", "st-dots", "st-ring", "st-band"}
	groups = []string{"st-cut", "st-stop", "st-grip", "st-chip", "st-play", "st-read"}
)

func is(class string, classes []string) bool {
	for _, c := range classes {
		if strings.HasPrefix(class+" ", c+" ") {
			return true
		}
	}
	return false
}

// signsOf reads the boxes of a drawing's signs from its SVG. bars: marks are counts, on which signs may stand.
func signsOf(t *testing.T, svg string, bars bool) (out []sign) {
	t.Helper()
	d := xml.NewDecoder(strings.NewReader("<svg>" + svg + "</svg>"))
	var group *sign
	var texts *sign
	size, anchor, x, y := 0.0, "", 0.0, 0.0
	depth, groupDepth := 0, 0
	for {
		token, err := d.Token()
		if err == io.EOF {
			return out
		} else if err != nil {
			t.Fatal(err)
		}
		switch e := token.(type) {
		case xml.StartElement:
			depth++
			at := map[string]string{}
			for _, a := range e.Attr {
				at[a.Name.Local] = a.Value
			}
			number := func(name string) float64 {
				n, _ := strconv.ParseFloat(at[name], 64)
				if n < 0 && (name == "width" || name == "height" || name == "r") {
					t.Errorf("a %s has a %s of %g", at["class"], name, n)
				}
				return n
			}
			class := at["class"]
			half := number("stroke-width") / 2
			var boxes []box
			switch e.Name.Local {
			case "g":
				if is(class, groups) {
					group, groupDepth = &sign{class: class, box: box{math.Inf(1), math.Inf(1), math.Inf(-1), math.Inf(-1)}}, depth
				}
				continue
			case "tspan":
				anchor += " strong"
				continue
			case "text":
				texts = &sign{class: class}
				size, x, y, anchor = number("font-size"), number("x"), number("y"), class
				continue
			case "rect":
				if class == "st-hold" {
					continue
				}
				boxes = []box{{number("x"), number("y"), number("x") + number("width"), number("y") + number("height")}}
			case "circle":
				boxes = []box{around(number("cx"), number("cy"), number("r"), number("r"))}
			case "path":
				boxes = pathBoxes(t, at["d"])
			default:
				continue
			}
			for i := range boxes {
				b := &boxes[i]
				b.left, b.right = b.left-half, b.right+half
				if !is(class, []string{"st-wall", "st-cap", "st-cachehead"}) { // these end bluntly
					b.top, b.bottom = b.top-half, b.bottom+half
				}
			}
			switch {
			case group != nil:
				for _, b := range boxes {
					if !strings.HasPrefix(group.class, "st-read") || e.Name.Local == "rect" { // not the line that it hangs on
						group.box = union(group.box, b)
					}
				}
			case is(class, lines) || is(class, drawn), is(class, eachPart) && !(bars && strings.HasPrefix(class, "st-mark")):
				for _, b := range boxes {
					out = append(out, sign{class, "", b})
				}
			case is(class, whole) && len(boxes) > 0:
				b := boxes[0]
				for _, o := range boxes {
					b = union(b, o)
				}
				out = append(out, sign{class, "", b})
			}
		case xml.CharData:
			if texts != nil {
				texts.text += string(e)
			}
		case xml.EndElement:
			if e.Name.Local == "text" && texts != nil {
				if group == nil {
					texts.box = words{anchor, size, x, y, texts.text}.box()
					out = append(out, *texts)
				}
				texts = nil
			}
			if group != nil && depth == groupDepth {
				out = append(out, *group)
				group = nil
			}
			depth--
		}
	}
}

func union(a, b box) box {
	return box{min(a.left, b.left), min(a.top, b.top), max(a.right, b.right), max(a.bottom, b.bottom)}
}

// pathBoxes returns what each part of a path covers. Of arcs only half circles and rings occur.
func pathBoxes(t *testing.T, d string) (out []box) {
	t.Helper()
	var x, y float64
	at := func(px, py float64) {
		b := &out[len(out)-1]
		*b = union(*b, box{px, py, px, py})
	}
	for i := 0; i < len(d); {
		c := d[i]
		j := i + 1
		for j < len(d) && !strings.ContainsRune("MLHVZmlhvaAzZ", rune(d[j])) {
			j++
		}
		var n []float64
		for _, f := range strings.Fields(strings.ReplaceAll(d[i+1:j], ",", " ")) {
			for f != "" { // numbers may follow one another: 0-3.5
				k := strings.IndexByte(f[1:], '-') + 1
				if k == 0 {
					k = len(f)
				}
				v, err := strconv.ParseFloat(f[:k], 64)
				if err != nil {
					t.Fatalf("path %q: %v", d, err)
				}
				n, f = append(n, v), f[k:]
			}
		}
		i = j
		switch c {
		case 'M':
			x, y = n[0], n[1]
			out = append(out, box{x, y, x, y})
		case 'm':
			x, y = x+n[0], y+n[1]
			out = append(out, box{x, y, x, y})
		case 'L':
			x, y = n[0], n[1]
		case 'l':
			x, y = x+n[0], y+n[1]
		case 'H':
			x = n[0]
		case 'h':
			x += n[0]
		case 'V':
			y = n[0]
		case 'v':
			y += n[0]
		case 'A', 'a':
			px, py := n[5], n[6]
			if c == 'a' {
				px, py = x+px, y+py
			}
			at((x+px)/2, (y+py)/2-n[0])
			at((x+px)/2, (y+py)/2+n[0])
			x, y = px, py
		}
		at(x, y)
	}
	return out
}

// covering returns pairs of signs of a row that cover one another by more than a rounded coordinate. What signs are
// drawn on may not come after them; lines may not go through words.
func covering(signs []sign, width, height float64) (out []string) {
	for i, a := range signs {
		for _, b := range signs[i+1:] {
			w := min(a.right, b.right, width) - max(a.left, b.left, 0)
			h := min(a.bottom, b.bottom, height) - max(a.top, b.top, 0)
			aText, bText := is(a.class, []string{"st-text"}), is(b.class, []string{"st-text"})
			aLine, bLine := is(a.class, lines), is(b.class, lines)
			switch {
			case w <= 0.3 || h <= 0.3 || is(a.class, drawn) || (aLine || bLine) && !aText && !bText:
			case !is(b.class, drawn):
				out = append(out, a.String()+" and "+b.String())
			case !aLine:
				out = append(out, b.String()+" is drawn after "+a.String())
			}
		}
	}
	return out
}
