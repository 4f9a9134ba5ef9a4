package nodes

import (
	"fmt"
	"time"

	corev1 "k8s.io/api/core/v1"
)

// view is what a kubelet sees when it looks at a Pod.
type view struct {
	// status has what the kubelet reports at once, without anything happening; nil if there is nothing.
	status *corev1.PodStatus
	// given is what of it is not for the kubelet to find out from the containers.
	given map[string]any
	// next is when it looks again; zero: when something changes.
	next time.Time
	// startInit and start are the containers that start next, pull the images among theirs that are not on the node.
	startInit, start, pull []string
	// runInit and run are the containers that run; of the init containers those that are to end.
	runInit, run []string
	// ready are the containers whose probes have all succeeded at readyAt, and which are not ready yet.
	ready   []string
	readyAt time.Time
}

// facts returns what Stages see of it, as the field kubelet of the Pod.
func (v *view) facts() map[string]any {
	f := map[string]any{
		"toStart": map[string]any{"initContainers": list(v.startInit), "containers": list(v.start)},
		"toPull":  list(v.pull),
		"running": map[string]any{"initContainers": list(v.runInit), "containers": list(v.run)},
		"toReady": list(v.ready),
	}
	if len(v.ready) > 0 {
		f["readyAt"] = v.readyAt.UTC().Format(time.RFC3339Nano)
	}
	return f
}

func list(names []string) []any {
	all := make([]any, len(names))
	for i, n := range names {
		all[i] = n
	}
	return all
}

// look finds out what happens to a Pod next.
func (w *podWorker) look() *view {
	v := &view{}
	spec, s := &w.o.Spec, &w.o.Status
	for i := range spec.Containers {
		c := &spec.Containers[i]
		if cs := containerStatus(s.ContainerStatuses, c.Name); cs != nil && cs.State.Running != nil {
			v.run = append(v.run, cs.Name)
			w.probes(v, c, cs)
			w.definition(v, c, cs)
		}
	}
	ends := w.o.DeletionTimestamp != nil || terminal(s.Phase)
	defer w.outlived(v)
	w.respecified(v)
	begun := anyRan(s.ContainerStatuses)
	for i := range spec.InitContainers {
		c := &spec.InitContainers[i]
		cs := containerStatus(s.InitContainerStatuses, c.Name)
		switch {
		case cs == nil:
			return v // the kubelet has reported nothing yet
		case cs.State.Running != nil && sidecar(c):
			v.run = append(v.run, c.Name)
			w.probes(v, c, cs)
			if !begun && (cs.Started == nil || !*cs.Started) {
				return v
			}
		case cs.State.Running != nil:
			v.runInit = append(v.runInit, c.Name)
			return v
		case !sidecar(c) && (begun || cs.State.Terminated != nil && cs.State.Terminated.ExitCode == 0):
		case !ends && w.mayStart(v, c, cs, true):
			v.startInit = append(v.startInit, c.Name)
			fallthrough
		default:
			if !begun {
				w.images(v)
				return v
			}
		}
	}
	if ends {
		return v
	}
	for i := range spec.Containers {
		c := &spec.Containers[i]
		cs := containerStatus(s.ContainerStatuses, c.Name)
		if cs != nil && cs.State.Running == nil && w.mayStart(v, c, cs, false) {
			v.start = append(v.start, c.Name)
		}
	}
	w.images(v)
	return v
}

// respecified has the status reported again if the spec has changed, or if a readiness gate has.
func (w *podWorker) respecified(v *view) {
	s := &w.o.Status
	if v.status != nil || s.StartTime == nil || terminal(s.Phase) {
		return
	}
	changed := s.ObservedGeneration != w.o.Generation
	if len(w.o.Spec.ReadinessGates) > 0 {
		r := w.report(nil)
		pod, containers := podCondition(s.Conditions, corev1.PodReady), podCondition(s.Conditions, corev1.ContainersReady)
		changed = changed || pod != nil && containers != nil && containers.Status == corev1.ConditionTrue &&
			(pod.Status == corev1.ConditionTrue) != (r.gates(s.Conditions, &w.o.Spec) == "")
	}
	if changed {
		v.status = s.DeepCopy()
	}
}

// definition ends a container whose image has changed: it starts again with the new one.
func (w *podWorker) definition(v *view, c *corev1.Container, s *corev1.ContainerStatus) {
	if s.ImageID == "" || s.Image == fullImage(c.Image) || w.o.DeletionTimestamp != nil || s.Image == c.Image {
		return
	}
	if v.status == nil {
		v.status = w.o.Status.DeepCopy()
	}
	containerStatus(v.status.ContainerStatuses, c.Name).State = corev1.ContainerState{
		Terminated: &corev1.ContainerStateTerminated{},
	}
	w.containerEvent(c.Name, corev1.EventTypeNormal, "Killing",
		fmt.Sprintf("Container %s definition changed, will be restarted", c.Name))
}

// outlived ends containers that still run when the grace period of a deleted Pod has passed, or the time that a Pod may
// be active.
func (w *podWorker) outlived(v *view) {
	now := w.k.clock.Now()
	s := &w.o.Status
	if at := w.o.DeletionTimestamp; at != nil && len(v.run)+len(v.runInit) > 0 {
		if now.Before(at.Time) {
			v.wake(at.Time)
		} else {
			w.stop(v)
		}
	}
	if d := w.o.Spec.ActiveDeadlineSeconds; d != nil && s.StartTime != nil && !terminal(s.Phase) {
		if at := s.StartTime.Add(time.Duration(*d) * time.Second); now.Before(at) {
			v.wake(at)
			return
		}
		const reason, message = "DeadlineExceeded", "Pod was active on the node longer than the specified deadline"
		w.stop(v)
		v.status.Phase, v.status.Reason, v.status.Message = corev1.PodFailed, reason, message
		v.given = map[string]any{"phase": "Failed", "reason": reason, "message": message}
		w.k.event(w.ctx, podReference(w.o, ""), w.n.name, corev1.EventTypeNormal, reason, message)
	}
}

// stop kills the containers that run.
func (w *podWorker) stop(v *view) {
	if v.status == nil {
		v.status = w.o.Status.DeepCopy()
	}
	for _, all := range [][]corev1.ContainerStatus{v.status.InitContainerStatuses, v.status.ContainerStatuses} {
		for i := range all {
			if all[i].State.Running != nil {
				all[i].State = corev1.ContainerState{Terminated: &corev1.ContainerStateTerminated{ExitCode: killed}}
			}
		}
	}
}

// killed is the exit code of what was killed by SIGKILL.
const killed = 137

// probes adds a container that is not ready, and that its probes will make ready.
func (w *podWorker) probes(v *view, c *corev1.Container, s *corev1.ContainerStatus) {
	if s.Ready {
		return
	}
	switch at := probed(c, s.State.Running.StartedAt.Time); {
	case len(v.ready) == 0 || at.Before(v.readyAt):
		v.ready, v.readyAt = []string{c.Name}, at
	case at.Equal(v.readyAt):
		v.ready = append(v.ready, c.Name)
	}
}

// mayStart reports whether a container that does not run starts now. If it has to wait, the view says until when, and
// has what is reported of that.
func (w *podWorker) mayStart(v *view, c *corev1.Container, s *corev1.ContainerStatus, init bool) bool {
	now := w.k.clock.Now()
	switch {
	case s.State.Terminated != nil:
		if !restarts(c, &w.o.Spec, s.State.Terminated.ExitCode) {
			return false
		}
		r := w.restart(c, s, now)
		if !r.backOff {
			return true
		}
		if seen := s.State.Terminated.FinishedAt.Add(noticed); now.Before(seen) {
			v.wake(seen)
		} else {
			w.wait(v, c, init, crashLoopBackOff, fmt.Sprintf("back-off %s restarting failed container=%s pod=%s",
				w.k.crashed.Get(backOffKey(w.o, c.Name)), c.Name, format(w.o)))
		}
		return false
	case s.State.Waiting == nil:
		return true
	}
	switch s.State.Waiting.Reason {
	case crashLoopBackOff:
		r := w.p.restarts[c.Name]
		if now.Before(r.at) {
			v.wake(r.at)
			return false
		}
		if r.backOff {
			r.backOff = false
			w.p.restarts[c.Name] = r
			w.k.crashed.Next(backOffKey(w.o, c.Name), now)
		}
	case errImagePull:
		p := w.p.pulls[c.Image]
		if p == nil {
			return true
		}
		if seen := p.failed.Add(noticed); now.Before(seen) {
			v.wake(seen)
		} else {
			w.wait(v, c, init, imagePullBackOff, fmt.Sprintf("Back-off pulling image %q: %s: %s", c.Image, errImagePull,
				s.State.Waiting.Message))
		}
		return false
	case imagePullBackOff:
		if p := w.p.pulls[c.Image]; p != nil && now.Before(p.retry) {
			v.wake(p.retry)
			return false
		}
	}
	return true
}

// restart returns when a container that has ended starts again.
func (w *podWorker) restart(c *corev1.Container, s *corev1.ContainerStatus, now time.Time) restart {
	ended := s.ContainerID + s.State.Terminated.FinishedAt.String()
	if r, ok := w.p.restarts[c.Name]; ok && r.ended == ended {
		return r
	}
	r := restart{ended: ended, at: now}
	finished, key := s.State.Terminated.FinishedAt.Time, backOffKey(w.o, c.Name)
	if w.k.crashed.IsInBackOffSince(key, finished) {
		r.at, r.backOff = finished.Add(w.k.crashed.Get(key)), true
	} else {
		w.k.crashed.Next(key, finished)
	}
	if w.p.restarts == nil {
		w.p.restarts = map[string]restart{}
	}
	w.p.restarts[c.Name] = r
	return r
}

// wait makes the status one in which a container waits.
func (w *podWorker) wait(v *view, c *corev1.Container, init bool, reason, message string) {
	if v.status == nil {
		v.status = w.o.Status.DeepCopy()
	}
	all := v.status.ContainerStatuses
	if init {
		all = v.status.InitContainerStatuses
	}
	containerStatus(all, c.Name).State = corev1.ContainerState{
		Waiting: &corev1.ContainerStateWaiting{Reason: reason, Message: message},
	}
}

func (v *view) wake(at time.Time) { v.next = earliest(v.next, at) }

// images adds the images that have to be pulled first.
func (w *podWorker) images(v *view) {
	for _, name := range append(append([]string(nil), v.startInit...), v.start...) {
		if c := w.container(name); !w.present(c) {
			v.pull = append(v.pull, c.Image)
		}
	}
}

// container returns a container of the Pod's spec.
func (w *podWorker) container(name string) *corev1.Container { return specOf(w.o, name) }

// specOf returns a container of a Pod's spec.
func specOf(o *corev1.Pod, name string) *corev1.Container {
	for _, all := range [][]corev1.Container{o.Spec.InitContainers, o.Spec.Containers} {
		for i := range all {
			if all[i].Name == name {
				return &all[i]
			}
		}
	}
	return &corev1.Container{Name: name}
}

// present reports whether a container's image is on the node, and need not be pulled.
func (w *podWorker) present(c *corev1.Container) bool {
	w.k.mu.Lock()
	defer w.k.mu.Unlock()
	return c.ImagePullPolicy != corev1.PullAlways && w.n.images[fullImage(c.Image)]
}
