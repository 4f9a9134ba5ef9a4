package style

import (
	"fmt"
	"maps"
	"math"
	"os"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"testing"
)

// themes reads the colours that base.css and objects.css set for :root, and dark.css
// for the dark, by theme.
func themes(t *testing.T) map[string]map[string]string {
	t.Helper()
	read := func(name string) map[string]string {
		css, err := os.ReadFile(name)
		if err != nil {
			t.Fatal(err)
		}
		_, rest, found := strings.Cut(string(css), "\n:root {")
		if !found {
			t.Fatalf("%s has no rule :root", name)
		}
		rule, _, _ := strings.Cut(rest, "}")
		vars := map[string]string{}
		for _, m := range regexp.MustCompile(`(--[\w-]+):\s*(#[0-9a-f]{6});`).FindAllStringSubmatch(rule, -1) {
			vars[m[1]] = m[2]
		}
		return vars
	}
	light, dark := read("base.css"), read("dark.css")
	maps.Copy(light, read("../panels/objects/objects.css"))
	if len(light) < 20 || !maps.EqualFunc(light, dark, func(string, string) bool { return true }) {
		t.Fatalf("light has the colours %v, dark %v", slices.Sorted(maps.Keys(light)), slices.Sorted(maps.Keys(dark)))
	}
	return map[string]map[string]string{"light": light, "dark": dark}
}

type rgb [3]float64 // linear light

func parse(hex string) rgb {
	var c rgb
	for i := range c {
		n, _ := strconv.ParseUint(hex[1+2*i:3+2*i], 16, 8)
		v := float64(n) / 255
		if v <= 0.04045 {
			v /= 12.92
		} else {
			v = math.Pow((v+0.055)/1.055, 2.4)
		}
		c[i] = v
	}
	return c
}

func luminance(c rgb) float64 { return 0.2126*c[0] + 0.7152*c[1] + 0.0722*c[2] }

// contrast is WCAG's ratio.
func contrast(a, b string) float64 {
	x, y := luminance(parse(a))+0.05, luminance(parse(b))+0.05
	return max(x, y) / min(x, y)
}

// mix returns a colour that lies over another one, as browsers mix them.
func mix(over, under string, opacity float64) string {
	out := "#"
	for i := 1; i < 7; i += 2 {
		a, _ := strconv.ParseUint(over[i:i+2], 16, 8)
		b, _ := strconv.ParseUint(under[i:i+2], 16, 8)
		out += fmt.Sprintf("%02x", int(math.Round(float64(a)*opacity+float64(b)*(1-opacity))))
	}
	return out
}

// What is compacted is hatched and pale, and is still read: words on the lines of
// the hatching, and shapes (3), which stage-marks.css draws at 68 % of their colour.
func TestContrastOfWhatIsGone(t *testing.T) {
	css, err := os.ReadFile("../panels/stage/style/stage-marks.css")
	if err != nil {
		t.Fatal(err)
	}
	m := regexp.MustCompile(`\.st-mark\.is-past \{\s*fill: color-mix\(in srgb, currentColor (\d+)%`).FindSubmatch(css)
	if m == nil {
		t.Fatal("stage-marks.css does not say how pale what is compacted is")
	}
	share, _ := strconv.ParseFloat(string(m[1]), 64)
	for theme, v := range themes(t) {
		for _, mark := range []string{"added", "modified", "deleted"} {
			if got := contrast(mix(v["--"+mark], v["--stage"], share/100), v["--stage"]); got < 3 {
				t.Errorf("%s: %s's shape behind the wall has %.2f, needs 3", theme, mark, got)
			}
		}
	}
}

// Text must be readable on every surface (WCAG AA: 4.5), and what tells where a
// control is must be seen (3).
func TestContrast(t *testing.T) {
	for theme, v := range themes(t) {
		need := func(fore, back string, ratio float64) {
			t.Helper()
			if got := contrast(v["--"+fore], v["--"+back]); got < ratio {
				t.Errorf("%s: %s on %s has %.2f, needs %.1f", theme, fore, back, got, ratio)
			}
		}
		for _, surface := range []string{"stage", "panel", "paper", "raised", "related"} {
			for _, text := range []string{"ink", "ink-soft", "accent", "added", "modified", "deleted", "bookmark", "error", "ok",
				"text-string", "text-number"} {
				need(text, surface, 4.5)
			}
			if surface != "related" {
				need("edge", surface, 3)
			}
			need("focus", surface, 3)
		}
		need("on-accent", "accent", 4.5)
		need("on-error", "error", 4.5)
		need("paper", "ink", 4.5)
	}
}

// kinds of colour vision: matrices of Machado, Oliveira and Fernandes (2009) at
// full severity, for linear RGB.
var visions = map[string][3]rgb{
	"usual":        {{1, 0, 0}, {0, 1, 0}, {0, 0, 1}},
	"protanopia":   {{0.152286, 1.052583, -0.204868}, {0.114503, 0.786281, 0.099216}, {-0.003882, -0.048116, 1.051998}},
	"deuteranopia": {{0.367322, 0.860646, -0.227968}, {0.280085, 0.672501, 0.047413}, {-0.011820, 0.042940, 0.968881}},
	"tritanopia":   {{1.255528, -0.076749, -0.178779}, {-0.078411, 0.930809, 0.147602}, {0.004733, 0.691367, 0.303900}},
}

// seen returns a colour in Oklab as that vision has it.
func seen(hex string, vision [3]rgb) [3]float64 {
	c := parse(hex)
	var s rgb
	for i, row := range vision {
		s[i] = min(1, max(0, row[0]*c[0]+row[1]*c[1]+row[2]*c[2]))
	}
	l := math.Cbrt(0.4122214708*s[0] + 0.5363325363*s[1] + 0.0514459929*s[2])
	m := math.Cbrt(0.2119034982*s[0] + 0.6806995451*s[1] + 0.1073969566*s[2])
	k := math.Cbrt(0.0883024619*s[0] + 0.2817188376*s[1] + 0.6299787005*s[2])
	return [3]float64{
		0.2104542553*l + 0.793617785*m - 0.0040720468*k,
		1.9779984951*l - 2.428592205*m + 0.4505937099*k,
		0.0259040371*l + 0.7827717662*m - 0.808675766*k,
	}
}

func distance(a, b string, vision [3]rgb) float64 {
	x, y := seen(a, vision), seen(b, vision)
	return 100 * math.Sqrt((x[0]-y[0])*(x[0]-y[0])+(x[1]-y[1])*(x[1]-y[1])+(x[2]-y[2])*(x[2]-y[2]))
}

// The three kinds of events must be distinguished by everybody, though their
// shapes and letters say it first. Two Oklab colours 10 apart are plainly two.
func TestEventColoursAreTold(t *testing.T) {
	for theme, v := range themes(t) {
		for name, vision := range visions {
			for _, pair := range [][2]string{{"--added", "--modified"}, {"--added", "--deleted"}, {"--modified", "--deleted"}} {
				if d := distance(v[pair[0]], v[pair[1]], vision); d < 10 {
					t.Errorf("%s, %s: %s and %s are %.1f apart", theme, name, pair[0], pair[1], d)
				}
			}
		}
	}
}
