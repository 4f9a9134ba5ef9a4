package site

import (
	"context"
	"fmt"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"

	"github.com/tabernetes/tabernetes/wasm/shrink"
)

// noticeFile matches the files in which modules keep their license and notices.
var noticeFile = regexp.MustCompile(`(?i)^(licen[cs]e|copying|notice)(\.(md|txt))?$`)

// licenses gathers the licenses of all that the binaries are linked from: the
// project, Go itself and the modules. The scripts and styles are the project's
// own.
func (b *Builder) licenses(ctx context.Context) ([]byte, error) {
	goroot, err := GoEnv(ctx, b.opt.Root, "GOROOT")
	if err != nil {
		return nil, err
	}
	const format = `{{with .Module}}{{if not .Main}}{{.Path}} {{.Version}}{{"\t"}}{{.Dir}}{{end}}{{end}}`
	list := command{
		dir:  b.opt.Root,
		args: []string{"go", "list", "-deps", "-f", format, serverPackage, labPackage, edgePackage},
		env:  shrink.None().Env(),
	}
	out, err := list.run(ctx)
	if err != nil {
		return nil, err
	}
	modules := strings.Split(strings.TrimSpace(string(out)), "\n")
	slices.Sort(modules)
	modules = slices.DeleteFunc(slices.Compact(modules), func(m string) bool { return m == "" })

	var text strings.Builder
	text.WriteString("Tabernetes, and what its binary is linked from, with the licenses of each.\n")
	if err := AddNotices(&text, "Tabernetes", b.opt.Root); err != nil {
		return nil, err
	}
	if err := AddNotices(&text, "Go", goroot); err != nil {
		return nil, err
	}
	for _, m := range modules {
		name, dir, _ := strings.Cut(m, "\t")
		if err := AddNotices(&text, name, dir); err != nil {
			return nil, err
		}
	}
	return []byte(text.String()), nil
}

// AddNotices adds the license and the notices that are in a directory, under a name.
func AddNotices(text *strings.Builder, name, dir string) error {
	entries, err := os.ReadDir(dir)
	if err != nil {
		return err
	}
	for _, e := range entries {
		if e.IsDir() || !noticeFile.MatchString(e.Name()) {
			continue
		}
		data, err := os.ReadFile(filepath.Join(dir, e.Name()))
		if err != nil {
			return err
		}
		fmt.Fprintf(text, "\n\n%[1]s\n%[2]s: %[3]s\n%[1]s\n\n%[4]s\n",
			strings.Repeat("=", 72), name, e.Name(), strings.TrimSpace(string(data)))
	}
	return nil
}
