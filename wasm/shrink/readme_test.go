package shrink

import (
	"math"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"testing"
)

// worthwhile is how much a trick saves at least, in KB of brotli.
const worthwhile = 10

var testLink = regexp.MustCompile(`\[(\w+)\]\(([\w./]+_test\.go)\)`)

// TestReadme: the table in README.md has exactly the tricks there are, in their order.
// Each saves enough to be worth its risk, which a test that exists looks after.
func TestReadme(t *testing.T) {
	readme, err := os.ReadFile("README.md")
	if err != nil {
		t.Fatal(err)
	}
	var names []string
	for line := range strings.Lines(string(readme)) {
		cells := strings.Split(strings.Trim(strings.TrimSpace(line), "|"), "|")
		name, isTrick := strings.CutPrefix(strings.TrimSpace(cells[0]), "`")
		if !isTrick || len(cells) != 7 {
			continue
		}
		name = strings.TrimSuffix(name, "`")
		names = append(names, name)
		var kb [3]float64
		for i := range kb {
			if kb[i], err = strconv.ParseFloat(strings.TrimSpace(cells[2+i]), 64); err != nil {
				t.Errorf("%s: %v", name, err)
			}
		}
		if math.Abs(kb[0]+kb[1]-kb[2]) > 0.11 || kb[2] < worthwhile {
			t.Errorf("%s saves %v KB: too little, or wrongly added", name, kb)
		}
		if strings.TrimSpace(cells[5]) == "" {
			t.Errorf("%s has no risk: then say so", name)
		}
		tests := testLink.FindAllStringSubmatch(cells[6], -1)
		if len(tests) == 0 {
			t.Errorf("%s has no test", name)
		}
		for _, test := range tests {
			source, err := os.ReadFile(filepath.FromSlash(test[2]))
			if err != nil || !strings.Contains(string(source), "\nfunc "+test[1]+"(") {
				t.Errorf("%s: there is no %s in %s, %v", name, test[1], test[2], err)
			}
		}
	}
	if !slices.Equal(names, Names()) {
		t.Errorf("the table has %q, the code %q", names, Names())
	}
}
