package nodes

import (
	"slices"
	"time"

	corev1 "k8s.io/api/core/v1"
)

// restarts reports whether a container that has exited starts again: by its rules, its policy, or its Pod's policy.
func restarts(c *corev1.Container, s *corev1.PodSpec, exitCode int32) bool {
	if c.RestartPolicy != nil {
		for _, r := range c.RestartPolicyRules {
			if r.ExitCodes == nil {
				continue
			}
			in := slices.Contains(r.ExitCodes.Values, exitCode)
			if in == (r.ExitCodes.Operator == corev1.ContainerRestartRuleOnExitCodesOpIn) {
				return true
			}
		}
		return policy(string(*c.RestartPolicy), exitCode)
	}
	return policy(string(s.RestartPolicy), exitCode)
}

func policy(p string, exitCode int32) bool {
	return p == string(corev1.RestartPolicyAlways) || p == string(corev1.RestartPolicyOnFailure) && exitCode != 0
}

// sidecar reports whether an init container is one that continues to run.
func sidecar(c *corev1.Container) bool {
	return c.RestartPolicy != nil && *c.RestartPolicy == corev1.ContainerRestartPolicyAlways
}

// containerStatus returns the status of a container; nil if the list has no such entry.
func containerStatus(all []corev1.ContainerStatus, name string) *corev1.ContainerStatus {
	i := slices.IndexFunc(all, func(s corev1.ContainerStatus) bool { return s.Name == name })
	if i < 0 {
		return nil
	}
	return &all[i]
}

// ran reports whether a container has ever run.
func ran(s *corev1.ContainerStatus) bool {
	return s != nil && (s.State.Running != nil || s.State.Terminated != nil || s.LastTerminationState.Terminated != nil)
}

func anyRan(all []corev1.ContainerStatus) bool {
	return slices.ContainsFunc(all, func(s corev1.ContainerStatus) bool { return ran(&s) })
}

// phase returns the phase that a kubelet gives a Pod with these statuses. over: all has stopped, and nothing starts
// again.
func phase(spec *corev1.PodSpec, s *corev1.PodStatus, over bool) corev1.PodPhase {
	var initPending, initFailed, waiting, running, unknown, stopped, final, succeeded int
	begun := anyRan(s.ContainerStatuses)
	for i := range spec.InitContainers {
		c := &spec.InitContainers[i]
		cs := containerStatus(s.InitContainerStatuses, c.Name)
		switch exit, exited := exitCode(cs); {
		case sidecar(c) && cs != nil && cs.State.Running != nil:
			running++
			if !begun && (cs.Started == nil || !*cs.Started) {
				initPending++
			}
		case sidecar(c):
			if !begun && !exited {
				initPending++
			}
		case cs == nil || cs.State.Running != nil || !exited:
			initPending++
		case exit != 0 && !restarts(c, spec, exit):
			initFailed++
		}
	}
	for i := range spec.Containers {
		c := &spec.Containers[i]
		cs := containerStatus(s.ContainerStatuses, c.Name)
		switch exit, exited := exitCode(cs); {
		case cs == nil:
			unknown++
		case cs.State.Running != nil:
			running++
		case !exited:
			waiting++
		default:
			stopped++
			if !restarts(c, spec, exit) {
				final++
			}
			if exit == 0 && cs.State.Terminated != nil {
				succeeded++
			}
		}
	}
	switch {
	case initFailed > 0:
		return corev1.PodFailed
	case initPending > 0 || waiting > 0 || unknown > 0:
		return corev1.PodPending
	case running > 0 || !over && stopped != final:
		return corev1.PodRunning
	case stopped == succeeded:
		return corev1.PodSucceeded
	}
	return corev1.PodFailed
}

// exitCode returns how a container has ended, the last time that it ran; false if it has not.
func exitCode(s *corev1.ContainerStatus) (int32, bool) {
	switch {
	case s == nil:
		return 0, false
	case s.State.Terminated != nil:
		return s.State.Terminated.ExitCode, true
	case s.State.Waiting != nil && s.LastTerminationState.Terminated != nil:
		return s.LastTerminationState.Terminated.ExitCode, true
	}
	return 0, false
}

// probed returns when the probes of a container have succeeded often enough for it to count as started and ready, if
// all succeed that are made from its start on.
func probed(c *corev1.Container, started time.Time) time.Time {
	at := started
	for _, p := range []*corev1.Probe{c.StartupProbe, c.ReadinessProbe} {
		if p == nil {
			continue
		}
		period := time.Duration(max(p.PeriodSeconds, 1)) * time.Second
		least := max(at.Sub(started), time.Duration(p.InitialDelaySeconds)*time.Second)
		// Probes are made at multiples of the period.
		n := (least + period - 1) / period
		at = started.Add((n + time.Duration(max(p.SuccessThreshold, 1)-1)) * period)
	}
	return at
}

func terminal(p corev1.PodPhase) bool { return p == corev1.PodSucceeded || p == corev1.PodFailed }
