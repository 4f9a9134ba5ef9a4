package site

import (
	"io/fs"
	"os"
	"path/filepath"
	"regexp"
	"strconv"
	"strings"
)

// The code that templ generates asks after each piece of text whether it could be
// written. In the lab all of it goes into memory, which never fails: without the
// questions its binary is smaller by some 70 KB in brotli. Nor has any component of ours
// children, whose passing on each asks about.
var slimmings = []struct {
	from *regexp.Regexp
	to   string
}{
	{regexp.MustCompile(`(?m)^(\s*)(?:_, )?templ_7745c5c3_Err = (templruntime\.WriteString\(.*\)|templ_7745c5c3_Buffer\.WriteString\(.*\)|templ\.RenderAttributes\(.*\)|.*\.Render\(ctx, templ_7745c5c3_Buffer\))` +
		ifErr + `return templ_7745c5c3_Err\n\s*\}\n`), "${1}_ = ${2}\n"},
	{regexp.MustCompile(`(?m)^(\s*)(templ_7745c5c3_Var\d+), templ_7745c5c3_Err = templ\.JoinStringErrs\(((?s:.+?))\)` +
		ifErr + `return templ\.Error\{.*\}\n\s*\}\n`), "${1}${2} = string(${3})\n"},
	{regexp.MustCompile(`(?m)^(\s*)(templ_7745c5c3_Var\d+), templ_7745c5c3_Err = (templ\.JoinURLErrs\(.*\))` +
		ifErr + `return templ\.Error\{.*\}\n\s*\}\n`), "${1}${2}, _ = ${3}\n"},
	// It would write the styles of CSS components, of which there are none.
	{regexp.MustCompile(`(?m)^\s*templ_7745c5c3_Err = templ\.RenderCSSItems\(.*\)` + ifErr + `return templ_7745c5c3_Err\n\s*\}\n`), ""},
	{regexp.MustCompile(`(?m)^\s*if !templ_7745c5c3_IsBuffer \{\n\s*defer func\(\) \{\n\s*templ_7745c5c3_BufErr := templruntime\.ReleaseBuffer\(templ_7745c5c3_Buffer\)` +
		`\n\s*if templ_7745c5c3_Err == nil \{\n\s*templ_7745c5c3_Err = templ_7745c5c3_BufErr\n\s*\}\n\s*\}\(\)\n\s*\}\n`), ""},
	{regexp.MustCompile(`(?m)^\t\treturn nil\n\t\}\)\n\}\n`),
		"\t\tif !templ_7745c5c3_IsBuffer {\n\t\t\treturn templruntime.ReleaseBuffer(templ_7745c5c3_Buffer)\n\t\t}\n\t\treturn nil\n\t})\n}\n"},
	{regexp.MustCompile(`(?m)^\s*if templ_7745c5c3_CtxErr := ctx\.Err\(\); templ_7745c5c3_CtxErr != nil \{\n\s*return templ_7745c5c3_CtxErr\n\s*\}\n`), ""},
	{regexp.MustCompile(`(?m)^\s*templ_7745c5c3_Var\d+ := templ\.GetChildren\(ctx\)\n\s*if templ_7745c5c3_Var\d+ == nil \{\n\s*templ_7745c5c3_Var\d+ = templ\.NopComponent\n\s*\}\n` +
		`\s*ctx = templ\.ClearChildren\(ctx\)\n`), ""},
}

const ifErr = `\n\s*if templ_7745c5c3_Err != nil \{\n\s*`

// writes are those calls whose result is a count as well as an error, or that look first
// whether the text is in a file that templ watches.
var writes = regexp.MustCompile(`(?m)^(\s*)_ = (?:templruntime\.WriteString\(templ_7745c5c3_Buffer, \d+, |templ_7745c5c3_Buffer\.WriteString\()`)

// slim makes generated code of templ smaller. Code that is written in another way than
// templ's present version does stays as it is.
func slim(source string) string {
	if strings.Contains(source, "templ.WithChildren") {
		return source
	}
	for _, s := range slimmings {
		source = s.from.ReplaceAllString(source, s.to)
	}
	return writes.ReplaceAllString(source, "${1}_, _ = templ_7745c5c3_Buffer.WriteString(")
}

// slimTemplates writes into dir the smaller forms of all generated files below root/web,
// and notes them.
func slimTemplates(root, dir string, with map[string]string) error {
	dir = filepath.Join(dir, "templ")
	if err := os.MkdirAll(dir, 0o755); err != nil {
		return err
	}
	n := 0
	return filepath.WalkDir(filepath.Join(root, "web"), func(path string, d fs.DirEntry, err error) error {
		if err != nil || !strings.HasSuffix(path, "_templ.go") {
			return err
		}
		source, err := os.ReadFile(path)
		if err != nil {
			return err
		}
		n++
		file := filepath.Join(dir, strconv.Itoa(n)+"_templ.go")
		with[path] = file
		return os.WriteFile(file, []byte(slim(string(source))), 0o644)
	})
}
