package check

import (
	"bytes"
	"crypto/tls"
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"os"
	"reflect"
	"regexp"
	"slices"
	"strings"
	"testing"
	"time"
)

// TestRealServer checks the manifests of a directory, TABERNETES_MANIFESTS, and compares each answer with that of a
// real kube-apiserver to the same request: its URL is TABERNETES_REAL_URL, and the bearer token of its administrator
// TABERNETES_REAL_TOKEN. It has to be new, with --allow-privileged. It runs without kube-controller-manager, so its
// quotas are not measured.
// TABERNETES_DEFINITIONS may name files of definitions, with commas between them, and TABERNETES_OLD a commit of git
// that has an older version of the directory.
func TestRealServer(t *testing.T) {
	address, dir := os.Getenv("TABERNETES_REAL_URL"), os.Getenv("TABERNETES_MANIFESTS")
	if address == "" || dir == "" {
		t.Skip("TABERNETES_REAL_URL and TABERNETES_MANIFESTS say with what to compare what")
	}
	client := &http.Client{Transport: &http.Transport{TLSClientConfig: &tls.Config{InsecureSkipVerify: true}}}
	compared, differ := 0, 0
	ask := func(r *http.Request, body []byte) (int, http.Header, []byte) {
		real, err := http.NewRequestWithContext(r.Context(), r.Method, address+r.URL.String(), bytes.NewReader(body))
		if err != nil {
			t.Fatal(err)
		}
		real.Header = r.Header.Clone()
		real.Header.Set("Authorization", "Bearer "+os.Getenv("TABERNETES_REAL_TOKEN"))
		answer, err := client.Do(real)
		if err != nil {
			t.Fatal(err)
		}
		defer answer.Body.Close()
		text, err := io.ReadAll(answer.Body)
		if err != nil {
			t.Fatal(err)
		}
		return answer.StatusCode, answer.Header, text
	}
	o := Options{Paths: []string{dir}, Old: os.Getenv("TABERNETES_OLD"), around: func(api http.Handler) http.Handler {
		return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
			if r.Method == http.MethodGet {
				api.ServeHTTP(w, r)
				return
			}
			body, err := io.ReadAll(r.Body)
			if err != nil {
				t.Error(err)
			}
			r.Body = io.NopCloser(bytes.NewReader(body))
			mine := &kept{ResponseWriter: w, code: http.StatusOK}
			api.ServeHTTP(mine, r)
			code, header, text := ask(r, body)
			if !strings.Contains(r.URL.RawQuery, query) {
				return // it makes place for an object, or a namespace
			}
			for deadline := time.Now().Add(20 * time.Second); code == http.StatusNotFound && mine.code < 400 &&
				time.Now().Before(deadline); {
				time.Sleep(50 * time.Millisecond) // the real server serves a new definition a little later
				code, header, text = ask(r, body)
			}
			compared++
			warned := w.Header().Values("Warning")
			same := func() bool {
				return mine.code == code && slices.Equal(warned, header.Values("Warning")) &&
					reflect.DeepEqual(comparable(t, mine.body.Bytes()), comparable(t, text))
			}
			// It goes through maps in a random order, so the same request may be refused with other words.
			for range 20 {
				if same() || code < http.StatusBadRequest {
					break
				}
				code, header, text = ask(r, body)
			}
			if !same() {
				differ++
				t.Errorf("%s %s\n%s\nhere %d %q %s\nreal %d %q %s", r.Method, r.URL, body, mine.code, warned,
					mine.body.Bytes(), code, header.Values("Warning"), text)
			}
		})
	}}
	if names := os.Getenv("TABERNETES_DEFINITIONS"); names != "" {
		o.Definitions = strings.Split(names, ",")
	}
	report, err := Run(t.Context(), o)
	if err != nil {
		t.Fatal(err)
	}
	t.Logf("%s: %s; %d answers compared, %d differ", dir, report.Summary(), compared, differ)
}

// kept keeps what is answered.
type kept struct {
	http.ResponseWriter
	code int
	body bytes.Buffer
}

func (k *kept) WriteHeader(code int) {
	k.code = code
	k.ResponseWriter.WriteHeader(code)
}

func (k *kept) Write(b []byte) (int, error) {
	k.body.Write(b)
	return k.ResponseWriter.Write(b)
}

var uid = regexp.MustCompile(`[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}`)

// comparable returns an answer without what differs from server to server: uids, versions, times, addresses.
func comparable(t *testing.T, text []byte) any {
	t.Helper()
	text = uid.ReplaceAll(text, []byte("uid")) // those of Jobs are in labels and messages, too
	var tree map[string]any
	if err := json.Unmarshal(text, &tree); err != nil {
		return string(text)
	}
	meta, _ := tree["metadata"].(map[string]any)
	if name, ok := meta["name"].(string); ok && meta["generateName"] != nil { // a label of a Job has it
		tree = nil
		if err := json.Unmarshal(bytes.ReplaceAll(text, []byte(name), []byte("name")), &tree); err != nil {
			t.Fatal(err)
		}
		meta, _ = tree["metadata"].(map[string]any)
	}
	if tree["kind"] == "CustomResourceDefinition" {
		delete(tree, "status") // how far it was when the answer was made
	}
	if tree["kind"] == "Status" { // the order of labels, and which of several unknown fields is reported, is random
		details, _ := tree["details"].(map[string]any)
		causes, _ := details["causes"].([]any)
		slices.SortFunc(causes, func(a, b any) int { return strings.Compare(fmt.Sprint(a), fmt.Sprint(b)) })
		if len(causes) > 1 {
			delete(tree, "message")
		}
		if message, _ := tree["message"].(string); strings.Contains(message, undeclared) {
			tree["message"] = message[:strings.LastIndex(message, ".")]
		}
	}
	for _, name := range []string{"resourceVersion", "creationTimestamp"} {
		delete(meta, name)
	}
	managed, _ := meta["managedFields"].([]any)
	for _, m := range managed {
		delete(m.(map[string]any), "time")
	}
	if spec, ok := tree["spec"].(map[string]any); ok && tree["kind"] == "Service" {
		if spec["clusterIP"] != "None" {
			delete(spec, "clusterIP")
			delete(spec, "clusterIPs")
		}
		delete(spec, "healthCheckNodePort")
		ports, _ := spec["ports"].([]any)
		for _, p := range ports {
			delete(p.(map[string]any), "nodePort")
		}
	}
	return tree
}
