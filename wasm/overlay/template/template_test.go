package template_test

import (
	"io"
	"testing"

	"github.com/tabernetes/tabernetes/wasm/overlay/template"
)

func TestExecute(t *testing.T) {
	if err := new(template.Template).Execute(io.Discard, template.HTML("")); err == nil {
		t.Error("a template was executed")
	}
}
