package core

import (
	"bytes"
	"encoding/hex"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"regexp"
	"strconv"
	"strings"
	"testing"
)

// malformed is one request of the corpus in testdata/malformed. A file there has one class of them,
// each below a line "== what it is": the request line, the header lines, and after an empty line
// the body. README.txt there explains the marks and the recipes.
type malformed struct {
	name string
	// taken marks a request that is not refused: the real server accepts it too.
	taken bool
	// code is the expected status code, if it is not any of 400 to 499.
	code int
	// request is what is sent, without the lines that all requests have in common.
	method, path, header string
	body                 []byte
}

// readCorpus returns the requests of each file.
func readCorpus(t *testing.T) map[string][]malformed {
	t.Helper()
	files, err := filepath.Glob("testdata/malformed/*.txt")
	if err != nil {
		t.Fatal(err)
	}
	all := map[string][]malformed{}
	for _, name := range files {
		text, err := os.ReadFile(name)
		if err != nil {
			t.Fatal(err)
		}
		class := strings.TrimSuffix(filepath.Base(name), ".txt")
		if class == "README" {
			continue
		}
		blocks := strings.Split("\n"+string(text), "\n== ")
		for _, block := range blocks[1:] {
			m, err := readMalformed(block)
			if err != nil {
				t.Fatalf("%s: %s: %v", name, m.name, err)
			}
			all[class] = append(all[class], m)
		}
	}
	return all
}

// readMalformed parses the text below a "== " line.
func readMalformed(block string) (m malformed, err error) {
	title, rest, _ := strings.Cut(block, "\n")
	m.name, title, _ = strings.Cut(title, " | ")
	for mark := range strings.FieldsSeq(title) {
		if mark == "taken" {
			m.taken = true
		} else if m.code, err = strconv.Atoi(strings.TrimSuffix(mark, ":")); err != nil {
			return m, err
		} else {
			break // the reason follows
		}
	}
	head, body, _ := strings.Cut(rest, "\n\n")
	line, header, _ := strings.Cut(strings.TrimSuffix(head, "\n"), "\n")
	m.method, m.path, _ = strings.Cut(line, " ")
	for _, text := range []*string{&m.path, &header} {
		made, err := expandRecipes(*text)
		if err != nil {
			return m, err
		}
		*text = string(made)
	}
	if header != "" {
		m.header = strings.ReplaceAll(header, "\n", "\r\n") + "\r\n"
	}
	m.body, err = expandRecipes(strings.TrimRight(body, "\n"))
	return m, err
}

var recipe = regexp.MustCompile(`(?s)<repeat ([0-9]+) (.*?)>>|<hex ([0-9a-f ]+)>`)

// expandRecipes expands the recipes in a text.
func expandRecipes(text string) (made []byte, err error) {
	made = recipe.ReplaceAllFunc([]byte(text), func(found []byte) []byte {
		parts := recipe.FindSubmatch(found)
		times, part, digits := 1, parts[2], parts[3]
		if len(digits) == 0 {
			digits, _ = bytes.CutPrefix(part, []byte("hex "))
			n, wrong := strconv.Atoi(string(parts[1]))
			times, err = n, errors.Join(err, wrong)
		}
		if len(digits) < len(part) || part == nil {
			raw, wrong := hex.DecodeString(strings.ReplaceAll(string(digits), " ", ""))
			part, err = raw, errors.Join(err, wrong)
		}
		var out []byte
		for n := range times {
			out = append(out, bytes.ReplaceAll(part, []byte("#"), strconv.AppendInt(nil, int64(n), 10))...)
		}
		return out
	})
	return made, err
}

// raw returns the request as it is sent to a host.
func (m malformed) raw(host string) []byte {
	var b bytes.Buffer
	fmt.Fprintf(&b, "%s %s HTTP/1.1\r\n", m.method, m.path)
	if !strings.Contains(strings.ToLower("\r\n"+m.header), "\r\nhost:") {
		fmt.Fprintf(&b, "Host: %s\r\n", host)
	}
	b.WriteString(m.header)
	lower := strings.ToLower("\r\n" + m.header)
	if len(m.body) > 0 && !strings.Contains(lower, "\r\ncontent-length:") &&
		!strings.Contains(lower, "\r\ntransfer-encoding:") {
		fmt.Fprintf(&b, "Content-Length: %d\r\n", len(m.body))
	}
	b.WriteString("Connection: close\r\n\r\n")
	b.Write(m.body)
	return b.Bytes()
}
