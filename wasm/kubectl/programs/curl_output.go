package programs

import (
	"fmt"
	"io"
	"maps"
	"net/http"
	"net/url"
	"os"
	"path"
	"slices"
	"strings"
)

// answer prints an answer, as it comes, and returns how long it was.
func (g *curler) answer(u *url.URL, answer *http.Response) (int64, error) {
	o := g.o
	if answer.StatusCode >= 400 && o.has("f") {
		return 0, curlError{curlFailed, fmt.Sprintf("The requested URL returned error: %d", answer.StatusCode)}
	}
	var out io.Writer = g.out
	name := o.value("o", "")
	if o.has("O") {
		name = path.Base(u.Path)
	}
	if name != "" && name != "-" {
		f, err := os.Create(g.path(name))
		if err != nil {
			return 0, curlError{curlWrite, "Failure writing output to destination: " + name + ": " + Reason(err)}
		}
		defer func() { _ = f.Close() }()
		out = f
	}
	if o.has("i") || o.has("I") {
		fmt.Fprintf(out, "HTTP/1.1 %s\r\n", status(answer))
		for _, line := range headerLines(answer.Header) {
			fmt.Fprintf(out, "%s\r\n", line)
		}
	}
	written := int64(0)
	buffer := make([]byte, 32<<10)
	for {
		n, err := answer.Body.Read(buffer)
		written += int64(n)
		if _, failed := out.Write(buffer[:n]); failed != nil {
			return written, curlError{curlWrite, "Failure writing output to destination: " + Reason(failed)}
		}
		_ = g.out.Flush()
		if g.ctx.Err() != nil {
			panic(end{interrupted})
		}
		if err != nil {
			break
		}
	}
	if answer.StatusCode >= 400 && o.has("fail-with-body") {
		return written, curlError{curlFailed, fmt.Sprintf("The requested URL returned error: %d", answer.StatusCode)}
	}
	return written, nil
}

// status returns the code and the text of an answer's status.
func status(answer *http.Response) string {
	return strings.TrimSpace(fmt.Sprintf("%d %s", answer.StatusCode, http.StatusText(answer.StatusCode)))
}

// headerLines returns the lines of a header, with the empty one behind them.
func headerLines(header http.Header) []string {
	var lines []string
	for _, name := range slices.Sorted(maps.Keys(header)) {
		for _, value := range header[name] {
			lines = append(lines, name+": "+value)
		}
	}
	return append(lines, "")
}

// verboseRequest shows a request, with -v.
func (g *curler) verboseRequest(request *http.Request) {
	if !g.o.has("v") {
		return
	}
	fmt.Fprintf(g.Stderr, "> %s %s HTTP/1.1\n> Host: %s\n", request.Method, request.URL.RequestURI(), request.URL.Host)
	shown := request.Header.Clone()
	shown.Del(CommandHeader)
	for _, line := range headerLines(shown) {
		fmt.Fprintf(g.Stderr, "> %s\n", line)
	}
}

// verboseAnswer shows an answer's header, with -v.
func (g *curler) verboseAnswer(answer *http.Response) {
	if !g.o.has("v") {
		return
	}
	fmt.Fprintf(g.Stderr, "< HTTP/1.1 %s\n", status(answer))
	for _, line := range headerLines(answer.Header) {
		fmt.Fprintf(g.Stderr, "< %s\n", line)
	}
}

// writeOut returns the text of -w.
func writeOut(format string, values map[string]string) string {
	format = strings.NewReplacer(`\n`, "\n", `\t`, "\t", `\r`, "\r").Replace(format)
	var out strings.Builder
	for {
		before, rest, found := strings.Cut(format, "%{")
		out.WriteString(before)
		name, after, closed := strings.Cut(rest, "}")
		if !found || !closed {
			return out.String()
		}
		out.WriteString(values[name])
		format = after
	}
}
