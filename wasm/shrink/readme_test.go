package shrink

import (
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"testing"
)

// worthwhile is how much a trick saves at least, in KB of brotli, or in milliseconds of the start.
const worthwhile = 10

var (
	earlier   = regexp.MustCompile(`is ready (\d+) ms earlier`)
	testLink  = regexp.MustCompile(`\[(\w+)\]\(([\w./]+_test\.go)\)`)
	linesLink = regexp.MustCompile(`\[(\d+)\]\(([\w./]+)\)`)
)

// TestReadme: the table in README.md has exactly the tricks there are, in their order. Each saves enough to be worth
// its risk, which a test that exists looks after, and has as many lines as the row says.
func TestReadme(t *testing.T) {
	readme, err := os.ReadFile("README.md")
	if err != nil {
		t.Fatal(err)
	}
	var names []string
	for line := range strings.Lines(string(readme)) {
		cells := strings.Split(strings.Trim(strings.TrimSpace(line), "|"), "|")
		name, isTrick := strings.CutPrefix(strings.TrimSpace(cells[0]), "`")
		if !isTrick || len(cells) != 8 {
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
		time := 0
		if saved := earlier.FindStringSubmatch(cells[1]); saved != nil {
			time, _ = strconv.Atoi(saved[1])
		}
		if kb[0]+kb[1] < worthwhile && time < worthwhile {
			t.Errorf("%s saves %v KB and %d ms, which is too little", name, kb, time)
		}
		files := linesLink.FindAllStringSubmatch(cells[5], -1)
		if len(files) == 0 && strings.TrimSpace(cells[5]) != "as above" {
			t.Errorf("%s has no lines", name)
		}
		for _, file := range files {
			source, err := os.ReadFile(filepath.FromSlash(file[2]))
			if lines := strings.Count(string(source), "\n"); err != nil || strconv.Itoa(lines) != file[1] {
				t.Errorf("%s: %s has %d lines, not %s, %v", name, file[2], lines, file[1], err)
			}
		}
		if strings.TrimSpace(cells[6]) == "" {
			t.Errorf("%s has no risk: then say so", name)
		}
		tests := testLink.FindAllStringSubmatch(cells[7], -1)
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
