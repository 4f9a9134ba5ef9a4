package format_test

import (
	"fmt"
	"log"
	"strings"

	"github.com/tabernetes/tabernetes/web/lesson/format"
)

// A lesson is one Markdown file. Each step has a check, whose rows say which requests and events
// pass the step.
func ExampleParse() {
	const source = `# Reading

## List the pods

` + "```http" + `
GET /api/v1/pods
` + "```" + `

` + "```check" + `
- The pods were listed
  list: GET /api/v1/pods -> 200
` + "```" + `
`
	l, err := format.Parse("01-reading.md", source)
	if err != nil {
		log.Fatal(err)
	}
	step := l.Steps[0]
	fmt.Println(l.ID, "-", step.Title)
	for _, request := range step.Solve() {
		fmt.Println(request.Label())
	}

	// A reference that leads nowhere is an error, with its line.
	_, err = format.Parse("01-reading.md", strings.Replace(source, "/v1/pods\n", "/{{lost.response.body}}\n", 1))
	fmt.Println(err)
	// Output:
	// reading - List the pods
	// GET /api/v1/pods
	// 01-reading.md:6: {{lost.response.body}}: nothing is called "lost" here
}
