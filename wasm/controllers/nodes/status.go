package nodes

import (
	"cmp"
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"slices"
	"strings"

	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/utils/ptr"
)

// Reasons of containers that wait, and of Pods' conditions.
const (
	containerCreating = "ContainerCreating"
	podInitializing   = "PodInitializing"
	crashLoopBackOff  = "CrashLoopBackOff"
	errImagePull      = "ErrImagePull"
	imagePullBackOff  = "ImagePullBackOff"
)

// report is what a kubelet knows besides a Pod when it reports the Pod's status.
type report struct {
	pod    *corev1.Pod
	now    metav1.Time
	hostIP string
	// podIP gives the Pod an address; it is called only if the Pod needs one.
	podIP func() string
	// given is what a Stage says of the status; it is as the Stage says.
	given map[string]any
}

// complete makes a status, into which a Stage or the kubelet has written what happens, the one that a kubelet reports:
// with containers' times, ids and restarts, conditions, phase and addresses.
func (r *report) complete(s *corev1.PodStatus) {
	spec, old := &r.pod.Spec, &r.pod.Status
	first := containerCreating
	if len(spec.InitContainers) > 0 {
		first = podInitializing
	}
	s.InitContainerStatuses = r.containers("initContainerStatuses", spec.InitContainers, old.InitContainerStatuses,
		s.InitContainerStatuses, first)
	s.ContainerStatuses = r.containers("containerStatuses", spec.Containers, old.ContainerStatuses, s.ContainerStatuses,
		first)
	// The API shows containers by name, and init containers as they run.
	slices.SortFunc(s.ContainerStatuses, func(a, b corev1.ContainerStatus) int { return cmp.Compare(a.Name, b.Name) })

	all := append(slices.Clone(s.InitContainerStatuses), s.ContainerStatuses...)
	running := slices.ContainsFunc(all, func(s corev1.ContainerStatus) bool { return s.State.Running != nil })
	if r.pod.DeletionTimestamp != nil && !running && !terminal(old.Phase) {
		if len(spec.InitContainers) == 0 || anyRan(s.ContainerStatuses) {
			lost(s.ContainerStatuses)
		}
		all = append(slices.Clone(s.InitContainerStatuses), s.ContainerStatuses...)
	}
	if _, ok := r.given["phase"]; !ok {
		s.Phase = phase(spec, s, r.pod.DeletionTimestamp != nil && !running)
		if r.pod.DeletionTimestamp != nil && !running && !terminal(s.Phase) {
			s.Phase = corev1.PodFailed // it has not begun, and will not
		}
	}
	if terminal(old.Phase) {
		s.Phase = old.Phase
	}
	if s.Phase != old.Phase {
		for name, field := range map[string]*string{"reason": &s.Reason, "message": &s.Message} {
			if _, ok := r.given[name]; !ok {
				*field = ""
			}
		}
	}
	if s.StartTime == nil {
		s.StartTime = ptr.To(r.now)
	}
	s.ObservedGeneration = r.pod.Generation
	s.HostIP, s.HostIPs = r.hostIP, []corev1.HostIP{{IP: r.hostIP}}
	if s.PodIP == "" && (spec.HostNetwork || anyRan(all)) {
		s.PodIP = r.hostIP
		if !spec.HostNetwork {
			s.PodIP = r.podIP()
		}
	}
	s.PodIPs = nil
	if s.PodIP != "" {
		s.PodIPs = []corev1.PodIP{{IP: s.PodIP}}
	}
	r.conditions(s, all, running)
}

// containers returns the statuses of containers: those that the spec has, in its order.
func (r *report) containers(list string, spec []corev1.Container, old, now []corev1.ContainerStatus, waiting string) (
	all []corev1.ContainerStatus) {
	for i := range spec {
		c := &spec[i]
		s := containerStatus(now, c.Name)
		if s == nil {
			s = &corev1.ContainerStatus{Name: c.Name}
		}
		before := containerStatus(old, c.Name)
		if before == nil {
			before = &corev1.ContainerStatus{}
		}
		if s.State == (corev1.ContainerState{}) {
			s.State.Waiting = &corev1.ContainerStateWaiting{Reason: waiting}
		}
		r.container(c, before, s, list == "initContainerStatuses", entryOf(r.given, list, c.Name))
		all = append(all, *s)
	}
	return all
}

// container completes the status of one container, given what it was before.
func (r *report) container(c *corev1.Container, before, s *corev1.ContainerStatus, init bool, given map[string]any) {
	if s.Image == "" {
		s.Image = c.Image
	}
	switch {
	case s.State.Running != nil && before.State.Running == nil:
		if s.State.Running.StartedAt.IsZero() {
			s.State.Running.StartedAt = r.now
		}
		if before.ContainerID != "" {
			s.RestartCount = before.RestartCount + 1
		}
		s.Image = fullImage(c.Image)
		s.ImageID = imageID(s.Image)
		s.ContainerID = "containerd://" + id(string(r.pod.UID), c.Name, fmt.Sprint(s.RestartCount))
	case s.State.Terminated != nil && before.State.Terminated == nil:
		r.terminated(before, s)
	}
	if before.State.Terminated != nil && s.State.Terminated == nil {
		s.LastTerminationState = before.State
	}
	if s.ContainerID != "" {
		s.AllocatedResources = c.Resources.Requests
		s.Resources = c.Resources.DeepCopy()
	}
	if s.VolumeMounts == nil {
		for _, m := range c.VolumeMounts {
			status := corev1.VolumeMountStatus{Name: m.Name, MountPath: m.MountPath, ReadOnly: m.ReadOnly}
			if m.ReadOnly {
				status.RecursiveReadOnly = ptr.To(corev1.RecursiveReadOnlyDisabled)
			}
			s.VolumeMounts = append(s.VolumeMounts, status)
		}
	}
	r.readiness(c, before, s, init, given)
}

// lost makes containers that wait, when their Pod has come to its end, ones that have ended: as they did the last time,
// or in a way that nobody knows.
func lost(all []corev1.ContainerStatus) {
	for i := range all {
		s := &all[i]
		switch {
		case s.State.Waiting == nil:
		case s.LastTerminationState.Terminated != nil:
			s.State, s.LastTerminationState = s.LastTerminationState, corev1.ContainerState{}
		default:
			s.State = corev1.ContainerState{Terminated: &corev1.ContainerStateTerminated{
				Reason: "ContainerStatusUnknown", ExitCode: killed,
				Message: "The container could not be located when the pod was terminated",
			}}
		}
	}
}

// terminated completes the end of a container.
func (r *report) terminated(before, s *corev1.ContainerStatus) {
	t := s.State.Terminated
	if t.FinishedAt.IsZero() {
		t.FinishedAt = r.now
	}
	if t.Reason == "" {
		if t.Reason = "Error"; t.ExitCode == 0 {
			t.Reason = "Completed"
		}
	}
	if before.State.Running != nil {
		t.StartedAt, t.ContainerID = before.State.Running.StartedAt, s.ContainerID
	}
}

// readiness sets whether a container has started and is ready, where no Stage says it.
func (r *report) readiness(c *corev1.Container, before, s *corev1.ContainerStatus, init bool, given map[string]any) {
	began := s.State.Running != nil && before.State.Running == nil
	if _, ok := given["started"]; !ok && (began || s.State.Running == nil) {
		s.Started = ptr.To(began && c.StartupProbe == nil)
	}
	if _, ok := given["ready"]; ok {
		return
	}
	switch {
	case s.State.Running == nil:
		s.Ready = init && !sidecar(c) && s.State.Terminated != nil && s.State.Terminated.ExitCode == 0
	case init && !sidecar(c):
		s.Ready = false
	case began:
		s.Ready = c.StartupProbe == nil && c.ReadinessProbe == nil
	}
}

// conditions sets the conditions that a kubelet is responsible for, behind those of others.
func (r *report) conditions(s *corev1.PodStatus, all []corev1.ContainerStatus, running bool) {
	spec := &r.pod.Spec
	own := []corev1.PodConditionType{corev1.PodReadyToStartContainers, corev1.PodInitialized, corev1.PodReady,
		corev1.ContainersReady, corev1.PodScheduled}
	conditions := slices.DeleteFunc(slices.Clone(s.Conditions), func(c corev1.PodCondition) bool {
		return slices.Contains(own, c.Type)
	})
	add := func(t corev1.PodConditionType, ok bool, reason, message string) {
		c := corev1.PodCondition{Type: t, Status: corev1.ConditionTrue, Reason: reason, Message: message}
		if !ok {
			c.Status = corev1.ConditionFalse
		}
		if entryOf(r.given, "conditions", string(t)) != nil {
			c = *podCondition(s.Conditions, t)
		}
		c.ObservedGeneration, c.LastTransitionTime = r.pod.Generation, r.now
		if before := podCondition(r.pod.Status.Conditions, t); before != nil && before.Status == c.Status {
			c.LastTransitionTime = before.LastTransitionTime
		}
		conditions = append(conditions, c)
	}
	// Containers can start while the Pod has a sandbox: an address, and something that runs or is going to.
	add(corev1.PodReadyToStartContainers, s.PodIP != "" && !terminal(s.Phase) && anyRan(all), "", "")
	add(r.initialized(s, spec))
	ready, reason, message := r.ready(s, spec)
	podReady, podReason, podMessage := ready, reason, message
	if ready {
		if podMessage = r.gates(conditions, spec); podMessage != "" {
			podReady, podReason = false, "ReadinessGatesNotReady"
		}
	}
	add(corev1.PodReady, podReady, podReason, podMessage)
	add(corev1.ContainersReady, ready, reason, message)
	add(corev1.PodScheduled, true, "", "")
	// What Stages say of others' conditions, and what those have said, has its time.
	for i := range conditions {
		if c := &conditions[i]; c.LastTransitionTime.IsZero() {
			c.LastTransitionTime = r.now
		}
	}
	s.Conditions = conditions
}

// initialized returns the condition that says whether the init containers have done their work.
func (r *report) initialized(s *corev1.PodStatus, spec *corev1.PodSpec) (t corev1.PodConditionType, ok bool,
	reason, message string) {
	var missing []string
	for i := range spec.InitContainers {
		c := &spec.InitContainers[i]
		cs := containerStatus(s.InitContainerStatuses, c.Name)
		if done := cs.Ready; !done && !(sidecar(c) && ptr.Deref(cs.Started, false)) {
			missing = append(missing, c.Name)
		}
	}
	was := podCondition(r.pod.Status.Conditions, corev1.PodInitialized)
	switch {
	case s.Phase == corev1.PodSucceeded:
		return corev1.PodInitialized, true, "PodCompleted", ""
	case len(missing) == 0, anyRan(s.ContainerStatuses), was != nil && was.Status == corev1.ConditionTrue:
		return corev1.PodInitialized, true, "", ""
	}
	return corev1.PodInitialized, false, "ContainersNotInitialized",
		fmt.Sprintf("containers with incomplete status: %s", missing)
}

// ready returns whether all containers that should run are ready, and why not.
func (r *report) ready(s *corev1.PodStatus, spec *corev1.PodSpec) (ok bool, reason, message string) {
	switch s.Phase {
	case corev1.PodSucceeded:
		return false, "PodCompleted", ""
	case corev1.PodFailed:
		return false, "PodFailed", ""
	}
	var not []string
	for i := range spec.InitContainers {
		c := &spec.InitContainers[i]
		if sidecar(c) && !containerStatus(s.InitContainerStatuses, c.Name).Ready {
			not = append(not, c.Name)
		}
	}
	for i := range spec.Containers {
		if name := spec.Containers[i].Name; !containerStatus(s.ContainerStatuses, name).Ready {
			not = append(not, name)
		}
	}
	if not != nil {
		return false, "ContainersNotReady", fmt.Sprintf("containers with unready status: %s", not)
	}
	return true, "", ""
}

// gates returns which readiness gates keep a Pod from being ready; empty: none.
func (r *report) gates(conditions []corev1.PodCondition, spec *corev1.PodSpec) string {
	var not []string
	for _, g := range spec.ReadinessGates {
		switch c := podCondition(conditions, g.ConditionType); {
		case c == nil:
			not = append(not, fmt.Sprintf("corresponding condition of pod readiness gate %q does not exist.", g.ConditionType))
		case c.Status != corev1.ConditionTrue:
			not = append(not, fmt.Sprintf("the status of pod readiness gate %q is not \"True\", but %v", g.ConditionType,
				c.Status))
		}
	}
	return strings.Join(not, ", ")
}

func podCondition(all []corev1.PodCondition, t corev1.PodConditionType) *corev1.PodCondition {
	i := slices.IndexFunc(all, func(c corev1.PodCondition) bool { return c.Type == t })
	if i < 0 {
		return nil
	}
	return &all[i]
}

// id returns a text of 64 hexadecimal digits that belongs to some names, as ids of containers look.
func id(names ...string) string {
	sum := sha256.Sum256([]byte(strings.Join(names, "\x00")))
	return hex.EncodeToString(sum[:])
}

// fullImage returns an image as a container runtime names it: with registry and tag.
func fullImage(image string) string {
	host, rest, found := strings.Cut(image, "/")
	switch {
	case !found:
		image = "docker.io/library/" + image
	case !strings.ContainsAny(host, ".:") && host != "localhost":
		image = "docker.io/" + image
	default:
		image = host + "/" + rest
	}
	if name := image[strings.LastIndex(image, "/"):]; !strings.ContainsAny(name, ":@") {
		image += ":latest"
	}
	return image
}

// imageID returns the digest by which a runtime names an image.
func imageID(full string) string {
	name, _, _ := strings.Cut(full, "@")
	if i := strings.LastIndex(name, ":"); i > strings.LastIndex(name, "/") {
		name = name[:i]
	}
	return name + "@sha256:" + id(full)
}
