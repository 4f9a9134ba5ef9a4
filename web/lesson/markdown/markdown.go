//go:build !js

// Package markdown loads lessons from files and renders their prose to HTML. It is for builds and
// tests; the page gets the finished HTML, so it needs no Markdown renderer.
//
// Raw HTML in a lesson is an error: the source stays readable, and the page only gets HTML that the
// renderer makes.
package markdown

import (
	"bytes"
	"fmt"
	"io/fs"
	"strings"

	"github.com/yuin/goldmark"
	"github.com/yuin/goldmark/ast"
	"github.com/yuin/goldmark/extension"
	"github.com/yuin/goldmark/renderer"
	"github.com/yuin/goldmark/renderer/html"
	"github.com/yuin/goldmark/text"
	"github.com/yuin/goldmark/util"

	"github.com/tabernetes/tabernetes/web/lesson/format"
	"github.com/tabernetes/tabernetes/web/lesson/view"
)

// Load reads and renders the lessons in the root of files, in the order of their
// names. A file that is not named like 01-list-then-watch.md is not a lesson.
func Load(files fs.FS) (out []format.Lesson, err error) {
	err = format.Load(files, func(l *format.Lesson, src string) error {
		l.Source = src
		err := Render(l)
		out = append(out, *l)
		return err
	})
	if err != nil {
		return nil, err
	}
	return out, nil
}

// Render fills in the HTML of a lesson's texts.
func Render(l *format.Lesson) error {
	for _, t := range l.Texts() {
		var err error
		if *t.HTML, err = render(l.File, t.Line, t.Markdown, t.Inline); err != nil {
			return err
		}
	}
	return nil
}

var md = goldmark.New(
	goldmark.WithExtensions(extension.Table),
	goldmark.WithRendererOptions(renderer.WithNodeRenderers(util.Prioritized(&code{}, 100))),
)

// render renders Markdown. line is where it starts in the file. What is shown inline is
// one paragraph, without its <p>.
func render(file string, line int, src string, inline bool) (string, error) {
	source := []byte(src)
	doc := md.Parser().Parse(text.NewReader(source))
	var bad error
	_ = ast.Walk(doc, func(n ast.Node, entering bool) (ast.WalkStatus, error) {
		if n.Kind() == ast.KindRawHTML || n.Kind() == ast.KindHTMLBlock {
			bad = &format.Error{File: file, Line: line, Msg: "HTML in the Markdown from here on"}
			return ast.WalkStop, nil
		}
		if h, ok := n.(*ast.Heading); ok && entering {
			bad = &format.Error{File: file, Line: line,
				Msg: fmt.Sprintf("a heading of level %d in a step's text: steps have only a title", h.Level)}
			return ast.WalkStop, nil
		}
		return ast.WalkContinue, nil
	})
	if bad != nil {
		return "", bad
	}
	var b bytes.Buffer
	if err := md.Renderer().Render(&b, source, doc); err != nil {
		return "", err
	}
	out := b.String()
	if inline {
		inner, ok := strings.CutPrefix(strings.TrimSpace(out), "<p>")
		inner, closed := strings.CutSuffix(inner, "</p>")
		if !ok || !closed || strings.Contains(inner, "<p>") {
			return "", &format.Error{File: file, Line: line, Msg: "a choice is one paragraph"}
		}
		return inner, nil
	}
	return out, nil
}

// code renders fenced code blocks with the lessons' highlighting.
type code struct{}

func (c *code) RegisterFuncs(r renderer.NodeRendererFuncRegisterer) {
	r.Register(ast.KindFencedCodeBlock,
		func(w util.BufWriter, source []byte, n ast.Node, entering bool) (ast.WalkStatus, error) {
			if !entering {
				return ast.WalkContinue, nil
			}
			block := n.(*ast.FencedCodeBlock)
			var src bytes.Buffer
			for i := range block.Lines().Len() {
				seg := block.Lines().At(i)
				src.Write(seg.Value(source))
			}
			s := strings.TrimRight(src.String(), "\n")
			_, _ = w.WriteString(`<pre class="lesson-code"><code>`)
			if string(block.Language(source)) == "json" {
				_, _ = w.WriteString(view.HighlightJSON(s))
			} else {
				html.DefaultWriter.RawWrite(w, []byte(s))
			}
			_, _ = w.WriteString("</code></pre>\n")
			return ast.WalkContinue, nil
		})
}
