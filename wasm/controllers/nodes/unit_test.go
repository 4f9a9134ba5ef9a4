package nodes

import (
	"encoding/json"
	"reflect"
	"testing"
	"testing/synctest"
	"time"

	corev1 "k8s.io/api/core/v1"
	clocktesting "k8s.io/utils/clock/testing"
	"k8s.io/utils/ptr"

	"github.com/tabernetes/tabernetes/wasm/controllers/nodes/stage"
)

func TestPhase(t *testing.T) {
	running := corev1.ContainerState{Running: &corev1.ContainerStateRunning{}}
	waiting := corev1.ContainerState{Waiting: &corev1.ContainerStateWaiting{}}
	exit := func(code int32) corev1.ContainerState {
		return corev1.ContainerState{Terminated: &corev1.ContainerStateTerminated{ExitCode: code}}
	}
	status := func(all ...corev1.ContainerState) (list []corev1.ContainerStatus) {
		for i, s := range all {
			list = append(list, corev1.ContainerStatus{Name: string(rune('a' + i)), State: s})
		}
		return list
	}
	again := func(code int32) []corev1.ContainerStatus {
		return []corev1.ContainerStatus{{Name: "a", State: waiting, LastTerminationState: exit(code)}}
	}
	for _, c := range []struct {
		policy           corev1.RestartPolicy
		init, containers []corev1.ContainerStatus
		over             bool
		want             corev1.PodPhase
	}{
		{"Always", nil, status(waiting), false, "Pending"},
		{"Always", nil, nil, false, "Pending"},
		{"Always", nil, status(running), false, "Running"},
		{"Always", nil, status(running, waiting), false, "Pending"},
		{"Always", nil, status(running, exit(1)), false, "Running"},
		{"Always", nil, status(exit(0)), false, "Running"},
		{"Always", nil, status(exit(0)), true, "Succeeded"},
		{"Always", nil, status(exit(1)), true, "Failed"},
		{"Always", nil, again(1), false, "Running"},
		{"OnFailure", nil, status(exit(0)), false, "Succeeded"},
		{"OnFailure", nil, status(exit(0), exit(1)), false, "Running"},
		{"Never", nil, status(exit(0), exit(1)), false, "Failed"},
		{"Never", nil, status(exit(0), running), false, "Running"},
		{"Always", status(running), status(waiting), false, "Pending"},
		{"Always", status(exit(1)), status(waiting), false, "Pending"},
		{"Never", status(exit(1)), status(waiting), false, "Failed"},
		{"Never", status(exit(0)), status(running), false, "Running"},
	} {
		spec := &corev1.PodSpec{RestartPolicy: c.policy}
		for i := range c.init {
			spec.InitContainers = append(spec.InitContainers, corev1.Container{Name: c.init[i].Name})
		}
		for i := range max(len(c.containers), 1) {
			spec.Containers = append(spec.Containers, corev1.Container{Name: string(rune('a' + i))})
		}
		s := &corev1.PodStatus{InitContainerStatuses: c.init, ContainerStatuses: c.containers}
		if got := phase(spec, s, c.over); got != c.want {
			data, _ := json.Marshal(s)
			t.Errorf("%s, over %v: %s, want %s: %s", c.policy, c.over, got, c.want, data)
		}
	}
}

func TestRestarts(t *testing.T) {
	rule := corev1.ContainerRestartRule{Action: corev1.ContainerRestartRuleActionRestart,
		ExitCodes: &corev1.ContainerRestartRuleOnExitCodes{Operator: "In", Values: []int32{42}}}
	for _, c := range []struct {
		pod       corev1.RestartPolicy
		container string
		rules     bool
		code      int32
		want      bool
	}{
		{"Always", "", false, 0, true}, {"OnFailure", "", false, 0, false}, {"OnFailure", "", false, 1, true},
		{"Never", "", false, 1, false}, {"Never", "Always", false, 0, true}, {"Always", "Never", false, 1, false},
		{"Never", "Never", true, 42, true}, {"Never", "Never", true, 1, false},
	} {
		container := &corev1.Container{}
		if c.container != "" {
			container.RestartPolicy = ptr.To(corev1.ContainerRestartPolicy(c.container))
		}
		if c.rules {
			container.RestartPolicyRules = []corev1.ContainerRestartRule{rule}
		}
		if got := restarts(container, &corev1.PodSpec{RestartPolicy: c.pod}, c.code); got != c.want {
			t.Errorf("%+v: %v", c, got)
		}
	}
}

func TestProbed(t *testing.T) {
	probe := func(initial, period, successes int32) *corev1.Probe {
		return &corev1.Probe{InitialDelaySeconds: initial, PeriodSeconds: period, SuccessThreshold: successes}
	}
	start := time.Unix(1000, 0)
	for _, c := range []struct {
		startup, readiness *corev1.Probe
		want               int
	}{
		{nil, nil, 0}, {nil, probe(0, 10, 1), 0}, {nil, probe(5, 10, 1), 10}, {nil, probe(0, 10, 3), 20},
		{probe(5, 10, 1), nil, 10}, {probe(5, 10, 1), probe(0, 3, 1), 12}, {probe(0, 10, 0), probe(15, 10, 2), 30},
	} {
		got := probed(&corev1.Container{StartupProbe: c.startup, ReadinessProbe: c.readiness}, start).Sub(start)
		if got != time.Duration(c.want)*time.Second {
			t.Errorf("%v, %v: after %v, want %d s", c.startup, c.readiness, got, c.want)
		}
	}
}

func TestImages(t *testing.T) {
	for image, want := range map[string]string{
		"nginx": "docker.io/library/nginx:latest", "nginx:1": "docker.io/library/nginx:1", "a/b": "docker.io/a/b:latest",
		"localhost/b:1": "localhost/b:1", "r.example:5000/b": "r.example:5000/b:latest",
		"r.example/b@sha256:0": "r.example/b@sha256:0",
	} {
		if got := fullImage(image); got != want {
			t.Errorf("%s: %s, want %s", image, got, want)
		}
	}
}

func TestMerge(t *testing.T) {
	const old = `{"status":{"phase":"Pending","message":"m","podIPs":[{"ip":"a"}],
		"conditions":[{"type":"A","status":"True"}],
		"containerStatuses":[{"name":"a","ready":true,"state":{"running":{}}},{"name":"b"}]}}`
	for patch, want := range map[string]string{
		`{"status":{}}`:                  `{}`,
		`{"status":{"phase":"Running"}}`: `{"phase":"Running"}`,
		`{"status":{"message":null,"containerStatuses":null,"podIPs":[]}}`: `{"message":null,"podIPs":[]}`,
		`{"status":{"conditions":[{"type":"B"},{"type":"A","reason":"R"}]}}`://
		`{"conditions":[{"type":"A","status":"True","reason":"R"},{"type":"B"}]}`,
		`{"status":{"containerStatuses":[{"name":"a","state":{"waiting":{}}}]}}`://
		`{"containerStatuses":[{"name":"a","ready":true,"state":{"waiting":{}}},{"name":"b"}]}`,
	} {
		tree, _ := stage.Decode([]byte(old))
		merged, _, err := mergeStatus(tree, []byte(patch))
		if err != nil {
			t.Fatal(err)
		}
		expected, _ := stage.Decode([]byte(old))
		status := expected["status"].(map[string]any)
		changes, _ := stage.Decode([]byte(want))
		for k, v := range changes {
			if status[k] = v; v == nil {
				delete(status, k)
			}
		}
		if !reflect.DeepEqual(merged, status) {
			t.Errorf("%s: %v, want %v", patch, merged, status)
		}
		if unchanged, _ := stage.Decode([]byte(old)); !reflect.DeepEqual(tree, unchanged) {
			t.Errorf("%s has changed what it is merged into: %v", patch, tree)
		}
	}
	if _, _, err := mergeStatus(nil, []byte(`{"status":[]}`)); err == nil {
		t.Error("a list was taken for a status")
	}
}

// TestClock gives the kubelets a clock that is stopped: nothing happens until it moves.
func TestClock(t *testing.T) {
	inCluster(t, func(t *testing.T, c *cluster) {
		clock := clocktesting.NewFakeClock(time.Now())
		c.run(Options{Nodes: make([]Node, 1), Clock: clock})
		time.Sleep(time.Hour)
		c.create("web", nil)
		time.Sleep(time.Hour)
		if got := describe(c.pod("web")); got != "Pending web:ContainerCreating Initialized" {
			t.Errorf("while the clock stands: %s", got)
		}
		clock.Step(time.Second)
		synctest.Wait()
		if got := describe(c.pod("web")); got != "Running web:running+ready Initialized Ready ContainersReady" {
			t.Errorf("a second later: %s", got)
		}
	})
}
