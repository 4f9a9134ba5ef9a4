package view

import "strings"

// sourceScript carries a lesson's source in the page, where no browser runs it.
func sourceScript(source string) string {
	return `<script type="text/markdown">` + strings.ReplaceAll(source, "</script", "<\\/script") + `</script>`
}
