package main

import (
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"os"
	"slices"
	"strconv"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	corev1 "k8s.io/api/core/v1"
	utilfeature "k8s.io/apiserver/pkg/util/feature"
	"k8s.io/component-base/featuregate"

	"github.com/tabernetes/tabernetes/core/wellknown"
	"github.com/tabernetes/tabernetes/devserver/kubetest"
	"github.com/tabernetes/tabernetes/web/lesson/format"
	"github.com/tabernetes/tabernetes/web/lesson/play"
)

// How a scene is played: on a machine on which the programs are slow, or while another client writes each object before
// the scene does, after what that has read of it.
const (
	slowly  = ", slowly"
	between = ", others write between"
)

// TestScenes plays the scenes that have programs, with them, in the test's own process: each step's check finds what
// its sentence says. To advance the clock is to let the time of the bubble pass, which is the programs' time.
func TestScenes(t *testing.T) {
	all, err := format.Scenes(os.DirFS("../../web/scenes"))
	if err != nil {
		t.Fatal(err)
	}
	for _, s := range all {
		if s.Programs {
			for _, how := range []string{"", slowly, between} {
				t.Run(s.ID+how, func(t *testing.T) { synctest.Test(t, func(t *testing.T) { playScene(t, s, how) }) })
			}
		}
	}
}

func playScene(t *testing.T, s *format.Scene, how string) {
	switchGates(t, s.Gates)
	t.Cleanup(func() { time.Sleep(2 * time.Second) }) // until the scheduler's metrics see that it has ended
	server := kubetest.New(t)
	on := &handler{RoundTripper: server.Transport(), between: how == between}
	b := newBusy(1)
	programs := &programs{t: t, server: server, lines: map[string]*line{}}
	if how == slowly {
		programs.machine = b
	}
	for _, name := range []string{"kube-controller-manager", "kube-scheduler", "kubelets"} {
		programs.start(name, name)
	}
	for !up(on.RoundTripper) {
		time.Sleep(100 * time.Millisecond)
	}
	p := play.New(t.Context(), on, s.Lesson)
	t.Cleanup(p.Close)
	p.Lever(programs.lever)
	p.AfterRequest(b.settle)
	if err := p.Begin(); err != nil {
		t.Fatal(err)
	}
	for i := range s.Steps {
		if err := p.Solve(i); err != nil {
			t.Fatalf("step %d: %v", i+1, err)
		}
		said, err := p.Session.Fill(s.Sentence(i), func(request int) string { return "w" + strconv.Itoa(request) })
		if err != nil || strings.Contains(said, "{{") {
			t.Errorf("step %d says %q, %v", i+1, said, err)
		}
		t.Log(said)
	}
}

// switchGates switches features, "Name=false", until the test ends. Programs of one process have them in common.
func switchGates(t *testing.T, gates string) {
	if gates == "" {
		return
	}
	all := utilfeature.DefaultMutableFeatureGate
	for gate := range strings.SplitSeq(gates, ",") {
		name, _, _ := strings.Cut(gate, "=")
		before := name + "=" + strconv.FormatBool(all.Enabled(featuregate.Feature(name)))
		t.Cleanup(func() {
			if err := all.Set(before); err != nil {
				t.Error(err)
			}
		})
	}
	if err := all.Set(gates); err != nil {
		t.Fatal(err)
	}
}

// up reports whether there are nodes, all ready and without taints.
func up(server http.RoundTripper) bool {
	r, err := http.NewRequest(http.MethodGet, kubetest.Host+"/api/v1/nodes", nil)
	if err != nil {
		return false
	}
	w, err := server.RoundTrip(r)
	if err != nil {
		return false
	}
	defer w.Body.Close()
	return allUp(w.Body)
}

func allUp(body io.Reader) bool {
	var nodes corev1.NodeList
	if err := json.NewDecoder(body).Decode(&nodes); err != nil {
		return false
	}
	for i := range nodes.Items {
		ready := slices.ContainsFunc(nodes.Items[i].Status.Conditions, func(c corev1.NodeCondition) bool {
			return c.Type == corev1.NodeReady && c.Status == corev1.ConditionTrue
		})
		if !ready || len(nodes.Items[i].Spec.Taints) > 0 {
			return false
		}
	}
	return len(nodes.Items) > 0
}

// A handler passes requests on to a server in the bubble.
type handler struct {
	http.RoundTripper
	// between says that another client writes an object before each change of it; writes counts that.
	between bool
	writes  int
}

// writeBefore writes to the object of a request.
func (h *handler) writeBefore(r *http.Request) {
	h.writes++
	body := strings.NewReader(fmt.Sprintf(`{"metadata": {"annotations": {"example.com/seen": "%d"}}}`, h.writes))
	write, err := http.NewRequestWithContext(r.Context(), http.MethodPatch, kubetest.Host+r.URL.Path, body)
	if err != nil {
		panic(err)
	}
	write.Header.Set("Content-Type", "application/merge-patch+json")
	if answer, err := h.RoundTrip(write); err != nil || answer.StatusCode != http.StatusOK {
		panic(fmt.Sprint("another client could not write: ", answer, err))
	}
}

func (h *handler) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	if changes := r.Method == http.MethodPatch || r.Method == http.MethodPut || r.Method == http.MethodDelete; h.between &&
		changes && !strings.HasPrefix(r.URL.Path, wellknown.ControlPlane) {
		h.writeBefore(r)
	}
	if strings.HasPrefix(r.URL.Path, wellknown.ControlPlane+"/advance") {
		var by struct{ Seconds int }
		body, err := io.ReadAll(r.Body)
		if err == nil {
			err = json.Unmarshal(body, &by)
		}
		if err != nil {
			http.Error(w, err.Error(), http.StatusBadRequest)
			return
		}
		time.Sleep(time.Duration(by.Seconds) * time.Second)
		r.URL.RawQuery, r.Body = "dryRun=All", io.NopCloser(strings.NewReader(string(body)))
	}
	r.RequestURI = ""
	answer, err := h.RoundTrip(r)
	if err != nil {
		panic(http.ErrAbortHandler)
	}
	defer answer.Body.Close()
	for name, values := range answer.Header {
		w.Header()[name] = values
	}
	w.WriteHeader(answer.StatusCode)
	buffer := make([]byte, 64<<10)
	for {
		n, err := answer.Body.Read(buffer)
		if n > 0 {
			if _, err := w.Write(buffer[:n]); err != nil {
				return
			}
			_ = http.NewResponseController(w).Flush() // a writer that cannot sends at once
		}
		if err != nil {
			return
		}
	}
}
