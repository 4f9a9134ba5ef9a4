package kinds_test

import (
	"bytes"
	"fmt"
	"io"
	"math/rand"
	"net/netip"
	"sync"
	"testing"

	"github.com/tabernetes/tabernetes/core/internal/kinds"
	"github.com/tabernetes/tabernetes/core/internal/kinds/network"
	"github.com/tabernetes/tabernetes/core/internal/kinds/strategy"
	"github.com/tabernetes/tabernetes/core/schema"
)

func TestAllocations(t *testing.T) {
	a := newAllocations(bytes.NewReader(make([]byte, 8))) // always the first free one
	for _, want := range []string{"10.96.0.1", "10.96.0.2"} {
		if ip, err := a.ClusterIPs.Next(); ip != want || err != nil {
			t.Errorf("Next() = %s, %v, want %s", ip, err, want)
		}
	}
	for value, want := range map[string]string{
		"10.96.0.2":      "provided IP is already allocated",
		"10.96.0.3":      "<nil>",
		"10.96.0.0":      "the provided network does not match the current range",
		"10.111.255.255": "the provided network does not match the current range",
		"10.1.2.3":       "the provided network does not match the current range",
		"::1":            "the provided network does not match the current range",
	} {
		if err := a.ClusterIPs.Take(value); fmt.Sprint(err) != want {
			t.Errorf("Take(%s) = %v, want %s", value, err, want)
		}
	}
	a.ClusterIPs.Free("10.96.0.2")
	if err := a.ClusterIPs.Take("10.96.0.2"); err != nil {
		t.Errorf("a freed address cannot be taken: %v", err)
	}
	if err := a.NodePorts.Take("29999"); fmt.Sprint(err) != "provided port is not in the valid range. The range of "+
		"valid ports is 30000-32767" {
		t.Error(err)
	}
}

// Every port is allocated once, then the pool is full.
func TestAllocationsRunOut(t *testing.T) {
	a := newAllocations(rand.New(rand.NewSource(1)))
	var mu sync.Mutex
	seen := map[string]bool{}
	var wg sync.WaitGroup
	for range 4 {
		wg.Go(func() {
			for {
				port, err := a.NodePorts.Next()
				if err != nil {
					return
				}
				mu.Lock()
				if seen[port] {
					t.Errorf("%s was handed out twice", port)
				}
				seen[port] = true
				mu.Unlock()
			}
		})
	}
	wg.Wait()
	if len(seen) != 2768 || !seen["30000"] || !seen["32767"] {
		t.Errorf("handed out %d ports", len(seen))
	}
}

// A dry run gets the first free address and ports, and allocates nothing.
func TestDryRunAllocation(t *testing.T) {
	a := newAllocations(bytes.NewReader(make([]byte, 64)))
	if err := a.NodePorts.Take("30001"); err != nil {
		t.Fatal(err)
	}
	for range 2 {
		ips, ports := a.ClusterIPs.DryRun(), a.NodePorts.DryRun()
		ip, _ := ips.Next()
		first, _ := ports.Next()
		second, _ := ports.Next()
		if got, want := fmt.Sprintln(ip, first, second, ips.Take("10.96.0.9"), ips.Take("1.1.1.1") != nil,
			ports.Take("30001"), ports.Take("30002")),
			"10.96.0.0 32769 32770 <nil> true provided port is already allocated <nil>\n"; got != want {
			t.Errorf("got %s\nwant %s", got, want)
		}
	}
	if err := a.NodePorts.Take("30002"); err != nil {
		t.Error(err)
	}
}

func TestServiceAllocation(t *testing.T) {
	a := newAllocations(bytes.NewReader(make([]byte, 64)))
	c := &strategy.Context{ClusterIPs: a.ClusterIPs, NodePorts: a.NodePorts}
	strat := kinds.For("", "Service")
	service := func(kind string, more ...any) map[string]any {
		spec := map[string]any{"type": kind, "ports": []any{map[string]any{"port": int64(80), "protocol": "TCP"}}}
		for i := 0; i < len(more); i += 2 {
			spec[more[i].(string)] = more[i+1]
		}
		return map[string]any{"spec": spec}
	}
	get := func(obj map[string]any, name string) any { return obj["spec"].(map[string]any)[name] }

	first := service("NodePort")
	undo, errs := strat.Alloc(c, first, nil)
	if len(errs) > 0 || get(first, "clusterIP") != "10.96.0.1" ||
		get(first, "ports").([]any)[0].(map[string]any)["nodePort"] != int64(30000) {
		t.Fatal(first, errs)
	}
	undo()
	second := service("ClusterIP")
	if _, errs = strat.Alloc(c, second, nil); get(second, "clusterIP") != "10.96.0.1" {
		t.Errorf("what was undone is not free: %v %v", second, errs)
	}
	clash := service("ClusterIP", "clusterIP", "10.96.0.1", "clusterIPs", []any{"10.96.0.1"})
	_, errs = strat.Alloc(c, clash, nil)
	if want := `spec.clusterIPs: Invalid value: ` +
		`["10.96.0.1"]: failed to allocate IP 10.96.0.1: provided IP is already allocated`; errs.Message() != want {
		t.Errorf("got %s\nwant %s", errs.Message(), want)
	}
	renamed := service("ExternalName")
	if _, errs = strat.Alloc(c, renamed, second); len(errs) > 0 {
		t.Fatal(errs.Message())
	}
	strat.FreeReplaced(c, renamed, second)
	strat.FreeReplaced(c, nil, second)
	if _, errs = strat.Alloc(c, clash, nil); len(errs) == 0 {
		t.Error("the address of a service is free although its IPAddress exists")
	}
	address := map[string]any{"metadata": map[string]any{"name": "10.96.0.1"}}
	claims := kinds.Of(schema.Builtin().Resource("networking.k8s.io", "v1", "ipaddresses"))
	claims.FreeReplaced(c, address, address)
	if err := a.ClusterIPs.Take("10.96.0.1"); err == nil {
		t.Error("a change of an IPAddress frees its address")
	}
	claims.FreeReplaced(c, nil, address)
	if undo, _ = claims.Alloc(c, address, nil); a.ClusterIPs.Take("10.96.0.1") == nil {
		t.Error("an IPAddress does not take its address")
	}
	undo()
	if _, errs = strat.Alloc(c, clash, nil); len(errs) > 0 {
		t.Errorf("the address of an IPAddress that is gone is not free: %s", errs.Message())
	}
	if undo, _ = claims.Alloc(c, address, nil); undo != nil {
		undo()
	}
	if err := a.ClusterIPs.Take("10.96.0.1"); err == nil {
		t.Error("an IPAddress that was not stored has freed the address of a service")
	}
}

// newAllocations returns pools with the default range of addresses.
func newAllocations(random io.Reader) *network.Allocations {
	return network.NewAllocationsIn(netip.MustParsePrefix(network.ServiceRange), random)
}
