package programs

import (
	"context"
	"encoding/json"
	"io"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// echo answers with what it was asked.
func echo(w http.ResponseWriter, r *http.Request) {
	body, err := io.ReadAll(r.Body)
	if err != nil {
		w.WriteHeader(http.StatusTeapot)
	}
	w.Header()["Date"] = nil
	switch r.URL.Path {
	case "/old":
		http.Redirect(w, r, "/new", http.StatusFound)
		return
	case "/gone":
		w.WriteHeader(http.StatusNotFound)
	}
	w.Header().Set("X-Command", r.Header.Get(CommandHeader))
	_ = json.NewEncoder(w).Encode([]string{r.Method, r.URL.String(), r.Header.Get("Content-Type"),
		r.Header.Get("Accept"), string(body)})
}

func TestCurl(t *testing.T) {
	server := httptest.NewServer(http.HandlerFunc(echo))
	defer server.Close()
	dir := files(t, "f", "a\nb\n")
	curl := func(stdin string, args ...string) (string, string, int) {
		t.Helper()
		var out, problems strings.Builder
		c := &Call{Args: append([]string{"curl"}, args...), Dir: dir, Stdin: strings.NewReader(stdin), Stdout: &out,
			Stderr: &problems,
			Env:    []string{"KUBERNETES_MASTER=" + server.URL, "TABERNETES_SESSION=2", "TABERNETES_COMMAND=7"}}
		status := Run(t.Context(), c)
		return out.String(), problems.String(), status
	}
	const form = "application/x-www-form-urlencoded"
	for _, c := range []struct {
		line string
		want string // what the server was asked
	}{
		{"/api", `["GET","/api","","*/*",""]`},
		{"http://localhost:8001/api?x=1", `["GET","/api?x=1","","*/*",""]`},
		{"127.0.0.1/api", `["GET","/api","","*/*",""]`},
		{server.URL + "/api", `["GET","/api","","*/*",""]`},
		{"https://kubernetes.default.svc", `["GET","/","","*/*",""]`},
		{"-X DELETE /a", `["DELETE","/a","","*/*",""]`},
		{"-d x=1 -d y=2 /a", `["POST","/a","` + form + `","*/*","x=1\u0026y=2"]`},
		{"-d @f /a", `["POST","/a","` + form + `","*/*","ab"]`},
		{"--data-binary @f -H Content-Type:text/plain /a", `["POST","/a","text/plain","*/*","a\nb\n"]`},
		{"--data-binary @- /a", `["POST","/a","` + form + `","*/*","in"]`},
		{"--json {} /a", `["POST","/a","application/json","application/json","{}"]`},
		{"-XPUT --json @f /a", `["PUT","/a","application/json","application/json","a\nb\n"]`},
		{"-G -d a=1 --data-urlencode b=x/y /a", `["GET","/a?a=1\u0026b=x%2Fy","","*/*",""]`},
		{"--url-query a=x/y /a", `["GET","/a?a=x%2Fy","","*/*",""]`},
		{"-T f /a", `["PUT","/a","","*/*","a\nb\n"]`},
		{"-H Accept:application/yaml /a", `["GET","/a","","application/yaml",""]`},
		{"-k -s -S -N --compressed -L /old", `["GET","/new","","*/*",""]`},
	} {
		out, problems, status := curl("in", strings.Fields(c.line)...)
		if strings.TrimSpace(out) != c.want || problems != "" || status != 0 {
			t.Errorf("curl %s: %s, %s, %d, and not %s", c.line, out, problems, status, c.want)
		}
	}
	for _, c := range []struct {
		line          string
		out, problems string
		status        int
	}{
		{"-I /a",
			"HTTP/1.1 200 OK\r\nContent-Length: 26\r\nContent-Type: text/plain; charset=utf-8\r\nX-Command: 2/7\r\n\r\n", "", 0},
		{"-s -o /dev/null -w %{http_code}:%{method}\\n /gone", "404:GET\n", "", 0},
		{"-f /gone", "", "curl: (22) The requested URL returned error: 404\n", 22},
		{"-sf /gone", "", "", 22},
		{"--fail-with-body -s -S -o /dev/null /gone", "", "curl: (22) The requested URL returned error: 404\n", 22},
		{"-d @nothing /a", "", "curl: (26) Failed to open nothing: No such file or directory\n", 26},
		{"-Q /a", "", "curl: invalid option -- 'Q'\n", 2},
		{"", "", "curl: (2) no URL specified: curl /api/v1/pods asks the cluster for its pods\n", 2},
		{"-m x /a", "", "curl: (2) option -m: expected a number\n", 2},
	} {
		out, problems, status := curl("", strings.Fields(c.line)...)
		if out != c.out || problems != c.problems || status != c.status {
			t.Errorf("curl %s: %q, %q, %d", c.line, out, problems, status)
		}
	}
	if out, _, _ := curl("", "-i", "/a"); !strings.HasPrefix(out, "HTTP/1.1 200 OK\r\n") || !strings.Contains(out,
		"\r\n\r\n[\"GET\"") {
		t.Errorf("%q", out)
	}
	if _, problems, _ := curl("", "-v", "/a"); !strings.HasPrefix(problems, "> GET /a HTTP/1.1\n> Host: ") ||
		!strings.Contains(problems, "\n< HTTP/1.1 200 OK\n") || strings.Contains(problems, CommandHeader) {
		t.Errorf("%q", problems)
	}
	if _, _, status := curl("", "-o", "out", "/a"); status != 0 {
		t.Error(status)
	}
	if data, err := os.ReadFile(filepath.Join(dir, "out")); err != nil || !strings.HasPrefix(string(data), `["GET"`) {
		t.Errorf("%s, %v", data, err)
	}
	server.Close()
	if _, problems, status := curl("", "/a"); status != 7 || !strings.HasPrefix(problems,
		"curl: (7) Failed to connect to ") {
		t.Errorf("%q, %d", problems, status)
	}
}

// TestCurlStreams wants an answer to be printed as it comes, and an interrupt to end it.
func TestCurlStreams(t *testing.T) {
	ended := make(chan bool)
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		_, _ = io.WriteString(w, "first\n")
		w.(http.Flusher).Flush()
		<-r.Context().Done()
		close(ended)
	}))
	defer server.Close()
	ctx, cancel := context.WithCancel(t.Context())
	defer cancel()
	r, w := io.Pipe()
	status := make(chan int)
	go func() {
		status <- Run(ctx, &Call{Args: []string{"curl", "/watch"}, Env: []string{"KUBERNETES_MASTER=" + server.URL},
			Stdout: w, Stderr: io.Discard})
	}()
	data := make([]byte, 10)
	if n, err := r.Read(data); string(data[:n]) != "first\n" || err != nil {
		t.Errorf("%q, %v", data, err)
	}
	cancel()
	if s := <-status; s != interrupted {
		t.Error(s)
	}
	<-ended
}
