package histories

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"io"
	"maps"
	"net/http"
	"slices"
	"strings"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/runtime/serializer"
	utilruntime "k8s.io/apimachinery/pkg/util/runtime"
	"k8s.io/client-go/kubernetes/scheme"
)

// codecs read what controllers send and get, in JSON and Protobuf.
var codecs = func() serializer.CodecFactory {
	all := runtime.NewScheme()
	utilruntime.Must(scheme.AddToScheme(all))
	utilruntime.Must(metav1.AddMetaToScheme(all))
	return serializer.NewCodecFactory(all)
}()

// A write is a request that was to change something, and what it has changed.
type write struct {
	who       string // program and controller, of the User-Agent
	namespace string
	object    string // resource/name; resource/ for a collection
	does      string // method, subresource, type of a patch
	details   []string
	// before and after are the object around it; nil where it does not exist.
	before, after map[string]any
}

// A recorder is a transport that notes the writes of all clients, one after another. It asks for each object before and
// after, so that it knows what a write has changed whatever the client sends and gets.
type recorder struct {
	base http.RoundTripper
	turn chan struct{} // has one element while nobody writes
	saw  func(write)
	// pause is called before each write: in a bubble no time would pass between two, and so Events that are named by
	// their time would have the same name.
	pause func()
}

func newRecorder(base http.RoundTripper, saw func(write)) *recorder {
	r := &recorder{base: base, turn: make(chan struct{}, 1), saw: saw, pause: func() {}}
	r.turn <- struct{}{}
	return r
}

// wrap has requests recorded that go through another transport to the same server.
func (r *recorder) wrap(base http.RoundTripper) http.RoundTripper {
	return &recorder{base: base, turn: r.turn, saw: r.saw, pause: r.pause}
}

// RoundTrip implements http.RoundTripper.
func (r *recorder) RoundTrip(in *http.Request) (*http.Response, error) {
	at, ok := parse(in.URL.Path)
	if in.Method == http.MethodGet || !ok || strings.HasPrefix(in.URL.Path, "/apis/coordination.k8s.io/") {
		return r.base.RoundTrip(in)
	}
	select {
	case <-r.turn:
		defer func() { r.turn <- struct{}{} }()
	case <-in.Context().Done():
		return nil, in.Context().Err()
	}
	in = in.Clone(in.Context())
	r.pause()
	w := write{who: who(in.UserAgent()), namespace: at.namespace, does: in.Method}
	if at.subresource != "" {
		w.does += " " + at.subresource
	}
	body, err := drain(&in.Body)
	if err != nil {
		return nil, err
	}
	switch in.Method {
	case http.MethodPatch:
		w.does += " " + in.Header.Get("Content-Type")
	case http.MethodDelete:
		w.details = append(w.details, describeOptions(body)...)
	}
	for key, values := range in.URL.Query() {
		w.details = append(w.details, fmt.Sprintf("query %s: %s", key, strings.Join(values, ", ")))
	}
	if at.name != "" {
		w.before = r.get(in.Context(), at)
	}
	out, err := r.base.RoundTrip(in)
	if err != nil {
		return nil, err
	}
	answer, err := drain(&out.Body)
	if err != nil {
		return nil, err
	}
	for _, warning := range out.Header.Values("Warning") {
		w.details = append(w.details, "warning: "+warning)
	}
	if out.StatusCode >= 300 {
		reason := decode(answer)["reason"]
		gone := out.StatusCode == http.StatusNotFound && at.name != "" && w.before == nil
		if gone || out.StatusCode == http.StatusConflict {
			return out, nil // somebody else was faster
		}
		w.details = append(w.details, fmt.Sprintf("refused: %d %v", out.StatusCode, reason))
		w.object, w.after = at.resource+"/"+at.name, w.before
		r.saw(w)
		return out, nil
	}
	if in.Method == http.MethodPost && at.name == "" {
		metadata, _ := decode(answer)["metadata"].(map[string]any)
		at.name, _ = metadata["name"].(string)
	}
	if w.object = at.resource + "/" + at.name; at.name != "" {
		w.after = r.get(in.Context(), at)
	}
	r.saw(w)
	return out, nil
}

// get returns an object as it is; nil if it does not exist.
func (r *recorder) get(ctx context.Context, at place) map[string]any {
	ask, err := http.NewRequestWithContext(context.WithoutCancel(ctx), http.MethodGet, at.url, nil)
	if err != nil {
		panic(err) // the URL was that of a request
	}
	ask.URL.Path = at.collection + "/" + at.name
	answer, err := r.base.RoundTrip(ask)
	if err != nil {
		return nil
	}
	body, err := drain(&answer.Body)
	if err != nil || answer.StatusCode != http.StatusOK {
		return nil
	}
	return decode(body)
}

// drain reads a body, and puts a new one in its place.
func drain(body *io.ReadCloser) ([]byte, error) {
	if *body == nil {
		return nil, nil
	}
	data, err := io.ReadAll(*body)
	(*body).Close()
	*body = io.NopCloser(bytes.NewReader(data))
	return data, err
}

// decode returns an object as a tree, or nil.
func decode(data []byte) map[string]any {
	var tree map[string]any
	if json.Unmarshal(data, &tree) == nil {
		return tree
	}
	object, _, err := codecs.UniversalDeserializer().Decode(data, nil, nil)
	if err != nil {
		return nil
	}
	tree, err = runtime.DefaultUnstructuredConverter.ToUnstructured(object)
	if err != nil {
		return nil
	}
	return tree
}

// describeOptions returns what the body of a DELETE asks for.
func describeOptions(body []byte) []string {
	if len(body) == 0 {
		return nil
	}
	tree := decode(body)
	if tree == nil {
		return []string{"options that cannot be read"}
	}
	delete(tree, "kind")
	delete(tree, "apiVersion")
	if p, ok := tree["preconditions"].(map[string]any); ok {
		for key := range p {
			p[key] = "<known>"
		}
	}
	return slices.Sorted(maps.Keys(flatten("options", tree)))
}

// A place is where a request goes.
type place struct {
	url, collection                        string
	namespace, resource, name, subresource string
}

// parse returns the place of a path in a namespace, or of a Namespace.
func parse(path string) (place, bool) {
	words := strings.Split(strings.TrimPrefix(path, "/"), "/")
	start := 2
	if words[0] == "apis" {
		start = 3
	} else if words[0] != "api" {
		return place{}, false
	}
	if len(words) < start+2 || words[start] != "namespaces" {
		return place{}, false
	}
	at := place{url: "http://recorder.invalid", namespace: words[start+1], resource: "namespaces", name: words[start+1]}
	at.collection = "/" + strings.Join(words[:start+1], "/")
	rest := words[start+2:]
	// Both have paths of that form, and only those of Namespaces end with these.
	if len(rest) > 0 && rest[0] != "status" && rest[0] != "finalize" {
		at.resource, at.name = rest[0], ""
		at.collection = "/" + strings.Join(words[:start+3], "/")
		if rest = rest[1:]; len(rest) > 0 {
			at.name, rest = rest[0], rest[1:]
		}
	}
	at.subresource = strings.Join(rest, "/")
	return at, true
}

// who returns the program and the controller that a User-Agent names.
func who(agent string) string {
	program, rest, _ := strings.Cut(agent, "/")
	if _, commit, ok := strings.Cut(rest, "kubernetes/"); ok {
		if _, controller, ok := strings.Cut(commit, "/"); ok {
			return program + " " + controller
		}
	}
	return program
}
