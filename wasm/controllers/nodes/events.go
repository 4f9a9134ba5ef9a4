package nodes

import (
	"context"
	"fmt"
	"time"

	corev1 "k8s.io/api/core/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/types"
	"k8s.io/client-go/tools/record/util"
	"k8s.io/klog/v2"
)

// component is the name by which kubelets report Events.
const component = "kubelet"

// event reports an Event as a kubelet does: it is counted with those that are like it. Events are not tried again.
func (k *Kubelets) event(ctx context.Context, about *corev1.ObjectReference, host, kind, reason, message string) {
	now := metav1.NewTime(k.clock.Now())
	namespace := about.Namespace
	if namespace == "" {
		namespace = metav1.NamespaceDefault
	}
	correlated, err := k.correlator.EventCorrelate(&corev1.Event{
		ObjectMeta:     metav1.ObjectMeta{Name: util.GenerateEventName(about.Name, k.moment(now)), Namespace: namespace},
		InvolvedObject: *about, Reason: reason, Message: message, Type: kind,
		FirstTimestamp: now, LastTimestamp: now, Count: 1,
		Source:              corev1.EventSource{Component: component, Host: host},
		ReportingController: component, ReportingInstance: host,
	})
	if err != nil || correlated.Skip {
		return
	}
	e, events := correlated.Event, k.client.CoreV1().Events(namespace)
	var stored *corev1.Event
	if e.Count > 1 {
		stored, err = events.Patch(ctx, e.Name, types.StrategicMergePatchType, correlated.Patch, metav1.PatchOptions{})
	}
	if e.Count <= 1 || apierrors.IsNotFound(err) {
		e.ResourceVersion = ""
		stored, err = events.Create(ctx, e, metav1.CreateOptions{})
	}
	switch {
	case err == nil:
		k.correlator.UpdateState(stored)
	case apierrors.IsNotFound(err) || apierrors.HasStatusCause(err, corev1.NamespaceTerminatingCause):
	case ctx.Err() == nil:
		klog.FromContext(ctx).Error(err, "Event was not reported", "reason", reason, "object", about.Name)
	}
}

// moment returns a time in nanoseconds that no other Event has: Events are named by it, and clocks of browsers are
// coarse.
func (k *Kubelets) moment(now metav1.Time) int64 {
	for {
		last := k.lastEvent.Load()
		next := max(now.UnixNano(), last+1)
		if k.lastEvent.CompareAndSwap(last, next) {
			return next
		}
	}
}

func nodeReference(o *corev1.Node) *corev1.ObjectReference {
	return &corev1.ObjectReference{APIVersion: "v1", Kind: "Node", Name: o.Name, UID: o.UID}
}

func podReference(o *corev1.Pod, field string) *corev1.ObjectReference {
	return &corev1.ObjectReference{
		APIVersion: "v1", Kind: "Pod", Namespace: o.Namespace, Name: o.Name, UID: o.UID,
		ResourceVersion: o.ResourceVersion, FieldPath: field,
	}
}

// containerEvent reports an Event about a container of the Pod.
func (w *podWorker) containerEvent(name, kind, reason, message string) {
	field := "containers"
	for i := range w.o.Spec.InitContainers {
		if w.o.Spec.InitContainers[i].Name == name {
			field = "initContainers"
		}
	}
	w.k.event(w.ctx, podReference(w.o, fmt.Sprintf("spec.%s{%s}", field, name)), w.n.name, kind, reason, message)
}

// happened reports what has happened to containers between two statuses.
func (w *podWorker) happened(before *corev1.Pod, after *corev1.PodStatus) {
	for _, l := range []struct{ old, now []corev1.ContainerStatus }{
		{before.Status.InitContainerStatuses, after.InitContainerStatuses},
		{before.Status.ContainerStatuses, after.ContainerStatuses},
	} {
		for i := range l.now {
			s := &l.now[i]
			old := containerStatus(l.old, s.Name)
			if old == nil {
				old = &corev1.ContainerStatus{}
			}
			switch {
			case s.State.Running != nil && old.State.Running == nil:
				w.pulled(s.Name)
				w.containerEvent(s.Name, corev1.EventTypeNormal, "Created", "Container created")
				w.containerEvent(s.Name, corev1.EventTypeNormal, "Started", "Container started")
			case s.State.Waiting != nil:
				if old.State.Waiting == nil || old.State.Waiting.Reason != s.State.Waiting.Reason {
					w.waits(s.Name, s.State.Waiting)
				}
			}
		}
	}
}

// waits reports why a container waits.
func (w *podWorker) waits(name string, s *corev1.ContainerStateWaiting) {
	image := w.container(name).Image
	switch s.Reason {
	case crashLoopBackOff:
		w.containerEvent(name, corev1.EventTypeWarning, "BackOff",
			fmt.Sprintf("Back-off restarting failed container %s in pod %s", name, format(w.o)))
	case errImagePull:
		w.begin(name)
		w.failed(image)
		w.containerEvent(name, corev1.EventTypeWarning, "Failed",
			fmt.Sprintf("Failed to pull image %q: %s", image, s.Message))
		w.containerEvent(name, corev1.EventTypeWarning, "Failed", "Error: "+errImagePull)
	case imagePullBackOff:
		w.containerEvent(name, corev1.EventTypeNormal, "BackOff", fmt.Sprintf("Back-off pulling image %q", image))
		w.containerEvent(name, corev1.EventTypeWarning, "Failed", "Error: "+imagePullBackOff)
	}
}

// pulling begins the pull of the first image that is missing: containers start one after another.
func (w *podWorker) pulling(v *view) {
	for _, name := range append(v.startInit, v.start...) {
		if c := w.container(name); !w.present(c) {
			w.begin(name)
			return
		}
	}
}

// begin begins the pull of a container's image, unless it has begun.
func (w *podWorker) begin(name string) {
	image := w.container(name).Image
	p := w.p.pulls[image]
	if p != nil && !p.begun.IsZero() {
		return
	}
	if w.p.pulls == nil {
		w.p.pulls = map[string]*pull{}
	}
	w.p.pulls[image] = &pull{begun: w.k.clock.Now()}
	w.containerEvent(name, corev1.EventTypeNormal, "Pulling", fmt.Sprintf("Pulling image %q", image))
}

// failed notes that a pull has failed: the next one is made after a back-off.
func (w *podWorker) failed(image string) {
	key, now := backOffKey(w.o, image), w.k.clock.Now()
	w.k.unpulled.Next(key, now)
	w.p.pulls[image] = &pull{failed: now, retry: now.Add(w.k.unpulled.Get(key))}
}

// pulled reports where the image of a container that starts has come from.
func (w *podWorker) pulled(name string) {
	c := w.container(name)
	if w.present(c) {
		w.containerEvent(name, corev1.EventTypeNormal, "Pulled",
			fmt.Sprintf("Container image %q already present on machine and can be accessed by the pod", c.Image))
		return
	}
	w.begin(name)
	took := w.k.clock.Since(w.p.pulls[c.Image].begun).Truncate(time.Millisecond)
	delete(w.p.pulls, c.Image)
	w.k.mu.Lock()
	if w.n.images == nil {
		w.n.images = map[string]bool{}
	}
	w.n.images[fullImage(c.Image)] = true
	w.k.mu.Unlock()
	w.containerEvent(name, corev1.EventTypeNormal, "Pulled", fmt.Sprintf(
		"Successfully pulled image %q in %v (%v including waiting). Image size: %v bytes.",
		c.Image, took, took, imageSize(c.Image)))
}

// imageSize returns the size of an image: some size between 5 and 105 MB, always the same for one image.
func imageSize(image string) uint64 { return 5_000_000 + hash(fullImage(image))%100_000_000 }
