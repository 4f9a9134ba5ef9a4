package nodes

import (
	"context"
	"fmt"
	"io"
	"net/http"
	"net/url"
	"slices"
	"strconv"
	"strings"
	"time"

	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/types"
)

// notHere is what exec, attach and port-forward get to know.
const notHere = "no program runs in this container: its node only stands in for a kubelet"

// Handler answers what an API server asks of a kubelet, at a kubelet's paths and with its errors:
//
//	GET /containerLogs/NAMESPACE/POD/CONTAINER, with the query of Pods' logs
//	/exec/…, /attach/…, /run/…, /portForward/…, which say what is not here
//
// All nodes have the same one; of Pods on a node whose kubelet does not run the connection breaks. It may be called
// while Run runs.
func (k *Kubelets) Handler() http.Handler {
	mux := http.NewServeMux()
	mux.HandleFunc("GET /containerLogs/{namespace}/{pod}/{container}", func(w http.ResponseWriter, r *http.Request) {
		k.serveLogs(w, r, k.asked(r))
	})
	mux.HandleFunc("GET /healthz", func(w http.ResponseWriter, _ *http.Request) { _, _ = io.WriteString(w, "ok") })
	refuse := func(w http.ResponseWriter, r *http.Request) {
		if k.asked(r) == nil {
			fail(w, http.StatusNotFound, "pod does not exist")
			return
		}
		fail(w, http.StatusNotImplemented, notHere)
	}
	for _, path := range []string{"/exec/", "/attach/", "/run/"} {
		mux.HandleFunc(path+"{namespace}/{pod}/{container}", refuse)
	}
	mux.HandleFunc("/portForward/{namespace}/{pod}", refuse)
	return mux
}

// asked returns the Pod of a request; nil if it does not exist.
func (k *Kubelets) asked(r *http.Request) *corev1.Pod {
	_, object := k.podOf(types.NamespacedName{Namespace: r.PathValue("namespace"), Name: r.PathValue("pod")})
	if object != nil {
		if n, _ := k.nodeOf(object.Spec.NodeName); n == nil {
			panic(http.ErrAbortHandler) // as with a machine that is dead
		}
	}
	return object
}

// fail answers with an error; unlike http.Error, it ends no line, as kubelets do not.
func fail(w http.ResponseWriter, code int, format string, args ...any) {
	w.Header().Set("Content-Type", "text/plain; charset=utf-8")
	w.WriteHeader(code)
	_, _ = fmt.Fprintf(w, format, args...)
}

// line is one line of a log.
type line struct {
	at   time.Time
	text string
}

// logOptions are what a request wants of a log.
type logOptions struct {
	follow, previous, timestamps bool
	tail, limit                  int64 // negative: all
	since                        time.Time
}

// serveLogs writes the log of a container.
func (k *Kubelets) serveLogs(w http.ResponseWriter, r *http.Request, o *corev1.Pod) {
	options, err := k.logOptions(r.URL.Query())
	name, container := r.PathValue("pod"), r.PathValue("container")
	switch {
	case err != nil:
		fail(w, http.StatusBadRequest, `{"message": "Unable to decode query."}`)
		return
	case o == nil:
		fail(w, http.StatusNotFound, "pod %q does not exist", name)
		return
	case !has(o, container):
		fail(w, http.StatusNotFound, "container %q not found in pod %q", container, name)
		return
	}
	if why := withoutLog(containerOf(o, container), options.previous); why != "" {
		fail(w, http.StatusBadRequest, why, container, name)
		return
	}
	w.Header().Set("Content-Type", "text/plain")
	k.writeLog(r.Context(), w, types.NamespacedName{Namespace: o.Namespace, Name: o.Name}, o, container, options)
}

// has reports whether a Pod has a container of a name.
func has(o *corev1.Pod, name string) bool {
	return slices.ContainsFunc(slices.Concat(o.Spec.InitContainers, o.Spec.Containers),
		func(c corev1.Container) bool { return c.Name == name })
}

// withoutLog returns why a container has no log, with room for its name and its Pod's; empty if it has one.
func withoutLog(s *corev1.ContainerStatus, previous bool) string {
	switch {
	case s == nil:
		return "container %q in pod %q is not available"
	case previous && s.LastTerminationState.Terminated == nil:
		return "previous terminated container %q in pod %q not found"
	case previous || ran(s):
		return ""
	case s.State.Waiting == nil:
		return "container %q in pod %q is waiting to start - no logs yet"
	}
	reason := s.State.Waiting.Reason
	switch reason {
	case "ErrImagePull":
		reason = "image can't be pulled"
	case "ImagePullBackOff":
		reason = "trying and failing to pull image"
	}
	return "container %q in pod %q is waiting to start: " + strings.ReplaceAll(reason, "%", "%%")
}

func (k *Kubelets) logOptions(q url.Values) (logOptions, error) {
	o := logOptions{tail: -1, limit: -1}
	for name, value := range map[string]*bool{"follow": &o.follow, "previous": &o.previous, "timestamps": &o.timestamps} {
		text := q.Get(name)
		*value = q.Has(name) && text != "0" && !strings.EqualFold(text, "false")
	}
	var seconds int64
	for name, value := range map[string]*int64{"tailLines": &o.tail, "limitBytes": &o.limit, "sinceSeconds": &seconds} {
		if !q.Has(name) {
			continue
		}
		n, err := strconv.ParseInt(q.Get(name), 10, 64)
		if err != nil {
			return o, fmt.Errorf("%s: %w", name, err)
		}
		*value = n
	}
	if seconds > 0 {
		o.since = k.clock.Now().Add(-time.Duration(seconds) * time.Second)
	}
	if text := q.Get("sinceTime"); text != "" {
		t, err := time.Parse(time.RFC3339, text)
		if err != nil {
			return o, fmt.Errorf("sinceTime: %w", err)
		}
		o.since = t
	}
	return o, nil
}

// writeLog writes the lines of a container; with follow, also those that come, until the container has ended.
func (k *Kubelets) writeLog(ctx context.Context, w http.ResponseWriter, name types.NamespacedName, object *corev1.Pod,
	container string, o logOptions) {
	written := 0
	run := containerOf(object, container).RestartCount
	for first := true; ; first = false {
		lines, ended := logOf(object, container, o.previous)
		begin := min(written, len(lines))
		written = len(lines)
		for begin < len(lines) && lines[begin].at.Before(o.since) {
			begin++
		}
		if first && o.tail >= 0 {
			begin = max(begin, len(lines)-int(min(o.tail, int64(len(lines)))))
		}
		for _, l := range lines[begin:] {
			text := l.text + "\n"
			if o.timestamps {
				text = l.at.UTC().Format(time.RFC3339Nano) + " " + text
			}
			if o.limit >= 0 {
				text = text[:min(int64(len(text)), o.limit)]
				o.limit -= int64(len(text))
			}
			if _, err := io.WriteString(w, text); err != nil || o.limit == 0 {
				return
			}
		}
		if !o.follow || ended {
			return
		}
		if f, ok := w.(http.Flusher); ok {
			f.Flush()
		}
		if object = k.await(ctx, name, object); object == nil || containerOf(object, container).RestartCount != run {
			return
		}
	}
}

// await returns the next version of a Pod; nil if it is gone, or the context ends.
func (k *Kubelets) await(ctx context.Context, name types.NamespacedName, known *corev1.Pod) *corev1.Pod {
	k.mu.Lock()
	p := k.pods[name]
	if p == nil || p.object.UID != known.UID {
		k.mu.Unlock()
		return nil
	}
	if p.object != known {
		defer k.mu.Unlock()
		return p.object
	}
	if p.changed == nil {
		p.changed = make(chan struct{})
	}
	changed := p.changed
	k.mu.Unlock()
	select {
	case <-ctx.Done():
		return nil
	case <-changed:
	}
	if p, object := k.podOf(name); p != nil && object.UID == known.UID {
		return object
	}
	return nil
}

// containerOf returns the status of a container of either list; nil if the Pod reports nothing of it.
func containerOf(o *corev1.Pod, name string) *corev1.ContainerStatus {
	if s := containerStatus(o.Status.ContainerStatuses, name); s != nil {
		return s
	}
	return containerStatus(o.Status.InitContainerStatuses, name)
}

// logOf returns what a container has written, as its Pod's status says it: nothing of it is kept. ended: it writes no
// more.
func logOf(o *corev1.Pod, name string, previous bool) (lines []line, ended bool) {
	s := containerOf(o, name)
	state, run := s.State, s.RestartCount
	if previous || state.Waiting != nil {
		if state = s.LastTerminationState; previous && s.State.Waiting == nil {
			run--
		}
	}
	say := func(at time.Time, format string, args ...any) {
		lines = append(lines, line{at, fmt.Sprintf(format, args...)})
	}
	begin := func(at time.Time) {
		say(at, "%s: %s has started on %s (restarts: %d)", name, s.Image, o.Spec.NodeName, run)
		c := specOf(o, name)
		if command := append(slices.Clone(c.Command), c.Args...); len(command) > 0 {
			say(at, "%s: it would run %q", name, command)
		}
	}
	switch {
	case state.Running != nil:
		begin(state.Running.StartedAt.Time)
		return lines, false
	case state.Terminated != nil:
		t := state.Terminated
		begin(t.StartedAt.Time)
		say(t.FinishedAt.Time, "%s: exit code %d (%s)", name, t.ExitCode, t.Reason)
	}
	return lines, true
}
