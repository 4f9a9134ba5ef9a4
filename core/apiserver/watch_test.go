package apiserver

import (
	"errors"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"

	"github.com/tabernetes/tabernetes/core/wellknown"
)

func TestWatchRequests(t *testing.T) {
	const one, all = "/api/v1/watch/namespaces/default/configmaps/a", configMaps + "?watch=1"
	run(t, newServer(t), []exchange{
		{"POST", configMaps, "", `{"metadata":{"name":"a"}}`, 201, ""},
		{"GET", one + "?fieldSelector=metadata.name%3Db", "", "", 400,
			"fieldSelector metadata.name doesn't match requested name"},
		{"GET", one + "?fieldSelector=metadata.namespace%3Ddefault", "", "", 400, "doesn't match requested name"},
		{"GET", one + "?fieldSelector=metadata.name%3Da&timeoutSeconds=-1", "", "", 200, `{"type":"ADDED"`},
		{"GET", one + "?timeoutSeconds=-1", "", "", 200, `{"type":"ADDED"`},
		// Ends at once, not after half an hour.
		{"GET", all + "&timeoutSeconds=-1", "", "", 200, `{"type":"ADDED"`},
		{"GET", all + "&timeoutSeconds=-9223372036854775808", "", "", 200, `{"type":"ADDED"`},
		// YAML has no frames.
		{"GET", all, "Accept: application/yaml", "", 406,
			"message: 'only the following media types are accepted: application/json;stream=watch,\n  " +
				"application/vnd.kubernetes.protobuf;stream=watch'"},
		{"GET", all, "Accept: */*, application/yaml", "", 406, "stream=watch"},
		{"GET", all + "&timeoutSeconds=-1", "Accept: application/json;stream=watch", "", 200, `{"type":"ADDED"`},
		{"GET", all, "Accept: application/json;stream=x", "", 406, "application/json, application/yaml"},
	})
}

// TestEarlyStreams asks for a byte with the head of a stream.
func TestEarlyStreams(t *testing.T) {
	s := newServer(t)
	run(t, s, []exchange{{"POST", configMaps, "", `{"metadata":{"name":"a"}}`, 201, ""}})
	for _, test := range []struct {
		query, accept, asked string
		early                bool
	}{
		{"?watch=1&timeoutSeconds=-1", "application/json", "1", true},
		{"?watch=1&timeoutSeconds=-1", "application/json", "", false},
		{"?watch=1&timeoutSeconds=-1", "application/vnd.kubernetes.protobuf;stream=watch", "1", false},
		{"", "application/json", "1", false},
	} {
		header := "Accept: " + test.accept
		if test.asked != "" {
			header += "\n" + wellknown.EarlyHeader + ": " + test.asked
		}
		w := exchange{method: "GET", path: configMaps + test.query, header: header}.do(s)
		got, said := strings.HasPrefix(w.Body.String(), "\n"), w.Header().Get(wellknown.EarlyHeader) != ""
		if w.Code != 200 || got != test.early || said != test.early {
			t.Errorf("%+v: %d, early %v, said %v", test, w.Code, got, said)
		}
	}
}

// TestAWatchOfNobody opens a watch whose client leaves when the head of the answer is sent: that is answered once.
func TestAWatchOfNobody(t *testing.T) {
	w := &leftWriter{ResponseWriter: httptest.NewRecorder()}
	defer func() {
		if p := recover(); p != http.ErrAbortHandler {
			t.Errorf("the handler ends with %v", p)
		}
		if w.heads != 1 {
			t.Errorf("%d heads of answers", w.heads)
		}
	}()
	newServer(t).ServeHTTP(w, httptest.NewRequest("GET", configMaps+"?watch=1", nil))
}

// leftWriter is the writer of a client that leaves before it gets anything.
type leftWriter struct {
	http.ResponseWriter
	heads int
}

func (w *leftWriter) WriteHeader(code int) {
	w.heads++
	w.ResponseWriter.WriteHeader(code)
}

func (w *leftWriter) FlushError() error { return errors.New("the client has left") }

func TestAnswersAreNegotiated(t *testing.T) {
	run(t, newServer(t), []exchange{
		{"POST", configMaps, "", `{"metadata":{"name":"a"}}`, 201, ""},
		{"GET", configMaps + "/a", "Accept: application/json;pretty=1", "", 200, "{\n  \"kind\": \"ConfigMap\""},
		{"GET", configMaps + "/a", "Accept: application/yaml\nAccept: application/json", "", 200, "kind: ConfigMap\n"},
		// Errors are negotiated too, even those found before the type of the object is known.
		{"GET", configMaps + "/b", "Accept: application/yaml", "", 404, "reason: NotFound\n"},
		{"GET", "/api/v1/nope", "Accept: application/yaml", "", 404, "reason: NotFound\n"},
		{"PUT", configMaps + "?pretty=1", "", "", 405, "{\n  \"kind\": \"Status\""},
		{"PUT", configMaps, "Accept: text/html", "", 405, `"kind": "Status"`},
		{"GET", configMaps + "/..", "", "", 400, `"message":"Name parameter invalid: \"..\": may not be '..'"`},
		{"PATCH", configMaps + "/a%b", mergeBody, "{}", 400,
			`"message":"Name parameter invalid: \"a%b\": may not contain '%'"`},
	})
}
