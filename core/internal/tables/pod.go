package tables

import (
	"fmt"
	"strconv"
	"time"

	"github.com/tabernetes/tabernetes/core/object"
)

func podCells(v view) []any {
	p := readPod(v)
	restarts := strconv.FormatInt(p.restarts, 10)
	if p.restarts != 0 && !p.lastRestart.IsZero() {
		restarts += " (" + v.ago(p.lastRestart) + " ago)"
	}
	return []any{
		v.name(), fmt.Sprintf("%d/%d", p.ready, p.containers), p.status, restarts, v.age(),
		or(podIP(v), none), v.textOr(none, "spec", "nodeName"), v.textOr(none, "status", "nominatedNodeName"),
		readinessGates(v),
	}
}

// podIP returns the address of a pod, or the first one if there is a list only.
func podIP(v view) string {
	if ip := v.text("status", "podIP"); ip != "" {
		return ip
	}
	for first := range v.each("status", "podIPs") {
		return object.GetString(first, "ip")
	}
	return ""
}

// readinessGates returns how many of the gates are met.
func readinessGates(v view) string {
	gates := v.list("spec", "readinessGates")
	if len(gates) == 0 {
		return none
	}
	held := 0
	for gate := range trees(gates) {
		if v.isTrue(object.GetString(gate, "conditionType")) {
			held++
		}
	}
	return fmt.Sprintf("%d/%d", held, len(gates))
}

// podState summarizes a pod and its containers.
type podState struct {
	// status is one word: the phase, unless there is a more specific reason.
	status            string
	ready, containers int
	restarts          int64
	lastRestart       time.Time
}

// restarted counts the restarts of a container.
func (p *podState) restarted(status map[string]any) {
	n, _ := object.GetInt(status, "restartCount")
	p.restarts += n
	if t := parseTime(object.GetString(status, "lastState", "terminated", "finishedAt")); t.After(p.lastRestart) {
		p.lastRestart = t
	}
}

func readPod(v view) podState {
	p := podState{status: v.textOr(v.text("status", "phase"), "status", "reason")}
	for c := range v.each("status", "conditions") {
		if c["type"] == "PodScheduled" && c["reason"] == "SchedulingGated" {
			p.status = "SchedulingGated"
		}
	}
	p.containers = len(v.list("spec", "containers"))
	sidecars := map[string]bool{}
	for c := range v.each("spec", "initContainers") {
		sidecar := c["restartPolicy"] == "Always"
		sidecars[object.GetString(c, "name")] = sidecar
		if sidecar {
			p.containers++
		}
	}
	if ofSidecars, initialized := p.initialize(v, sidecars); initialized || v.isTrue("Initialized") {
		// From here on only the restarts of running containers count.
		p.restarts, p.lastRestart = ofSidecars.restarts, ofSidecars.lastRestart
		p.run(v)
	}
	switch phase := v.text("status", "phase"); {
	case !v.deleted():
	case v.text("status", "reason") == "NodeLost":
		p.status = "Unknown"
	case phase != "Failed" && phase != "Succeeded":
		p.status = "Terminating"
	}
	return p
}

// initialize reads the states of the init containers up to the first that has not finished. It
// reports whether all have, and the restarts of the sidecars.
func (p *podState) initialize(v view, sidecars map[string]bool) (ofSidecars podState, done bool) {
	i := 0
	for c := range v.each("status", "initContainerStatuses") {
		p.restarted(c)
		sidecar := sidecars[object.GetString(c, "name")]
		if sidecar {
			ofSidecars.restarted(c)
		}
		code, _ := object.GetInt(c, "state", "terminated", "exitCode")
		ended := has(c, "state", "terminated")
		waits := object.GetString(c, "state", "waiting", "reason")
		switch {
		case ended && code == 0:
		case sidecar && object.GetBool(c, "started"):
			if object.GetBool(c, "ready") {
				p.ready++
			}
		case ended:
			p.status = "Init:" + termination(c)
			return ofSidecars, false
		case waits != "" && waits != "PodInitializing":
			p.status = "Init:" + waits
			return ofSidecars, false
		default:
			p.status = fmt.Sprintf("Init:%d/%d", i, len(v.list("spec", "initContainers")))
			return ofSidecars, false
		}
		i++
	}
	return ofSidecars, true
}

// run reads the states of the containers. The first one with a reason determines the status.
func (p *podState) run(v view) {
	statuses := v.list("status", "containerStatuses")
	running, failure := false, ""
	for i := len(statuses) - 1; i >= 0; i-- {
		c, _ := statuses[i].(map[string]any)
		p.restarted(c)
		code, _ := object.GetInt(c, "state", "terminated", "exitCode")
		ended := has(c, "state", "terminated")
		waits := object.GetString(c, "state", "waiting", "reason")
		switch {
		case waits != "":
			p.status = waits
		case ended:
			if p.status = termination(c); code != 0 {
				failure = p.status
			}
		case object.GetBool(c, "ready") && has(c, "state", "running"):
			running = true
			p.ready++
		}
	}
	if p.status != "Completed" {
		return
	}
	switch {
	case running && v.isTrue("Ready"):
		p.status = "Running"
	case failure != "":
		p.status = failure
	case running:
		p.status = "NotReady"
	}
}

// termination returns the reason why a container has ended.
func termination(status map[string]any) string {
	if reason := object.GetString(status, "state", "terminated", "reason"); reason != "" {
		return reason
	}
	if signal, _ := object.GetInt(status, "state", "terminated", "signal"); signal != 0 {
		return fmt.Sprintf("Signal:%d", signal)
	}
	code, _ := object.GetInt(status, "state", "terminated", "exitCode")
	return fmt.Sprintf("ExitCode:%d", code)
}
