package overlay

import (
	"io/fs"
	"os"
	"path/filepath"
	"regexp"
	"strconv"
	"strings"
)

// The code that templ generates asks after each piece of text whether it could be
// written. In the lab all of it goes into memory, which never fails. Nor has any
// component of ours children, whose passing on each asks about.
var templChanges = []struct {
	from *regexp.Regexp
	to   string
}{
	{expression(
		`^(\s*)(?:_, )?ERR = (`,
		`templruntime\.WriteString\(.*\)|`,
		`BUFFER\.WriteString\(.*\)|`,
		`templ\.RenderAttributes\(.*\)|`,
		`.*\.Render\(ctx, BUFFER\))`,
		ifErr, `return ERR\n\s*\}\n`),
		"${1}_ = ${2}\n"},
	{expression(
		`^(\s*)(VAR), ERR = templ\.JoinStringErrs\(((?s:.+?))\)`,
		ifErr, `return templ\.Error\{.*\}\n\s*\}\n`),
		"${1}${2} = string(${3})\n"},
	{expression(
		`^(\s*)(VAR), ERR = (templ\.JoinURLErrs\(.*\))`,
		ifErr, `return templ\.Error\{.*\}\n\s*\}\n`),
		"${1}${2}, _ = ${3}\n"},
	// It would write the styles of CSS components, which do not exist here.
	{expression(
		`^\s*ERR = templ\.RenderCSSItems\(.*\)`,
		ifErr, `return ERR\n\s*\}\n`),
		""},
	// The buffer goes back when all is written, rather than in any case.
	{expression(
		`^\s*if !IS_BUFFER \{\n\s*defer func\(\) \{\n`,
		`\s*templ_7745c5c3_BufErr := templruntime\.ReleaseBuffer\(BUFFER\)\n`,
		`\s*if ERR == nil \{\n\s*ERR = templ_7745c5c3_BufErr\n\s*\}\n\s*\}\(\)\n\s*\}\n`),
		""},
	{expression(`^\t\treturn nil\n\t\}\)\n\}\n`),
		"\t\tif !templ_7745c5c3_IsBuffer {\n" +
			"\t\t\treturn templruntime.ReleaseBuffer(templ_7745c5c3_Buffer)\n" +
			"\t\t}\n\t\treturn nil\n\t})\n}\n"},
	{expression(
		`^\s*if templ_7745c5c3_CtxErr := ctx\.Err\(\); templ_7745c5c3_CtxErr != nil \{\n`,
		`\s*return templ_7745c5c3_CtxErr\n\s*\}\n`),
		""},
	{expression(
		`^\s*VAR := templ\.GetChildren\(ctx\)\n`,
		`\s*if VAR == nil \{\n\s*VAR = templ\.NopComponent\n\s*\}\n`,
		`\s*ctx = templ\.ClearChildren\(ctx\)\n`),
		""},
}

const ifErr = `\n\s*if ERR != nil \{\n\s*`

// templNames are the names of templ's variables, as expressions write them.
var templNames = strings.NewReplacer(
	"IS_BUFFER", "templ_7745c5c3_IsBuffer",
	"BUFFER", "templ_7745c5c3_Buffer",
	"ERR", "templ_7745c5c3_Err",
	"VAR", `templ_7745c5c3_Var\d+`,
)

// expression compiles the expression of several lines that the parts make up.
func expression(parts ...string) *regexp.Regexp {
	return regexp.MustCompile("(?m)" + templNames.Replace(strings.Join(parts, "")))
}

// templWrites are those calls whose result is a count as well as an error, or that
// look first whether the text is in a file that templ watches.
var templWrites = expression(`^(\s*)_ = (?:templruntime\.WriteString\(BUFFER, \d+, |BUFFER\.WriteString\()`)

// smallerTempl returns generated code of templ in its smaller form. Code that is
// written in another way than templ's present version does stays as it is.
func smallerTempl(source string) string {
	if strings.Contains(source, "templ.WithChildren") {
		return source
	}
	for _, c := range templChanges {
		source = c.from.ReplaceAllString(source, c.to)
	}
	return templWrites.ReplaceAllString(source, "${1}_, _ = templ_7745c5c3_Buffer.WriteString(")
}

// smallerTemplates writes the smaller forms of all generated files, and notes them.
func smallerTemplates(o Options, with map[string]string) error {
	dir := filepath.Join(o.Dir, "templ")
	if err := os.MkdirAll(dir, 0o755); err != nil {
		return err
	}
	n := 0
	return filepath.WalkDir(o.Templates, func(path string, d fs.DirEntry, err error) error {
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
		return os.WriteFile(file, []byte(smallerTempl(string(source))), 0o644)
	})
}
