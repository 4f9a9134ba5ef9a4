package nested

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"

	"github.com/tabernetes/tabernetes/devserver/internal/site"
)

// licensesFile has the licenses of all that the program is linked from, beside the parts.
func (p Program) licensesFile() string { return p.Name + "-licenses.txt" }

// licenses gathers them: those of Go, and of the modules in a vendor directory.
func (p Program) licenses(goroot, vendor string) ([]byte, error) {
	list, err := os.ReadFile(filepath.Join(vendor, "modules.txt"))
	if err != nil {
		return nil, err
	}
	var text strings.Builder
	fmt.Fprintf(&text, "%s, and what it is linked from, with the licenses of each. The README of Tabernetes'\n"+
		"%s lists the files that were changed.\n", p.Name, p.dir)
	if err := site.AddNotices(&text, "Go", goroot); err != nil {
		return nil, err
	}
	for line := range strings.Lines(string(list)) {
		words := strings.Fields(line)
		if len(words) < 3 || words[0] != "#" {
			continue
		}
		dir := filepath.Join(vendor, filepath.FromSlash(words[1]))
		if _, err := os.Stat(dir); err != nil {
			continue // required, and nothing of it used
		}
		if err := site.AddNotices(&text, words[1]+" "+words[2], dir); err != nil {
			return nil, err
		}
	}
	return []byte(text.String()), nil
}
