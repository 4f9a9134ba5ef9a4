package main

import (
	"context"
	"encoding/json"
	"io"
	"net/http"
	"net/http/httptest"
	"os"
	"os/exec"
	"slices"
	"strconv"
	"strings"
	"testing"
	"time"

	corev1 "k8s.io/api/core/v1"

	"github.com/tabernetes/tabernetes/web/lesson/format"
	"github.com/tabernetes/tabernetes/web/lesson/play"
)

// asProgram has the test's binary be the program.
const asProgram = "TABERNETES_AS_PROGRAM"

func TestMain(m *testing.M) {
	if os.Getenv(asProgram) != "" {
		main()
		return
	}
	os.Exit(m.Run())
}

// TestScenes plays the scenes that have programs, with them: each step's check finds what its sentence says.
func TestScenes(t *testing.T) {
	if os.Getenv("TABERNETES_LONG") == "" {
		t.Skip("takes minutes: make test-controllers-long")
	}
	all, err := format.Scenes(os.DirFS("../../web/scenes"))
	if err != nil {
		t.Fatal(err)
	}
	for _, s := range all {
		if s.Programs {
			t.Run(s.ID, func(t *testing.T) { playScene(t, s) })
		}
	}
}

func playScene(t *testing.T, s *format.Scene) {
	c, err := play.Cluster(1)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { c.Close() })
	server := httptest.NewServer(c)
	t.Cleanup(server.Close)
	begin(t, server.URL)
	p := play.New(t.Context(), c, s.Lesson)
	t.Cleanup(p.Close)
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

// begin runs the programs beside a server until the test ends, and waits until a Pod may run.
func begin(t *testing.T, url string) {
	t.Helper()
	for _, args := range [][]string{{"kube-controller-manager"}, {"kube-scheduler"}, {"kubelets", "--nodes=3"}} {
		ctx, stop := context.WithCancel(context.Background())
		cmd := exec.CommandContext(ctx, os.Args[0], append(args, "--master="+url)...)
		cmd.Env = append(os.Environ(), asProgram+"=1")
		if err := cmd.Start(); err != nil {
			t.Fatal(err)
		}
		t.Cleanup(func() {
			stop()
			_ = cmd.Wait() // it was killed
		})
	}
	for late := time.Now().Add(2 * time.Minute); !up(url); time.Sleep(100 * time.Millisecond) {
		if time.Now().After(late) {
			t.Fatal("no node is ready")
		}
	}
}

// up reports whether there are nodes, all ready and without taints.
func up(url string) bool {
	r, err := http.Get(url + "/api/v1/nodes")
	if err != nil {
		return false
	}
	defer r.Body.Close()
	return allUp(r.Body)
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
