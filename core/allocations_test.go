//go:build !race && !js

package core

import (
	"flag"
	"fmt"
	"math"
	"os"
	"runtime"
	"runtime/debug"
	"strings"
	"testing"
)

// why is the reason that TestAllocations notes when it rewrites rows.
var why = flag.String("why", "", "why what a request allocates has changed")

const (
	allocationsFile = "ALLOCATIONS.md"
	allocationsHead = "| figure | allocations | bytes | why it last changed |\n|---|---|---|---|\n"
	// allowed is the share by which a figure may differ from its row.
	allowed = 0.03
	// measured is how many requests a measurement makes. The least of several measurements counts, since a table that
	// grows is not the request's cost, nor is what else the process does.
	measured, measurements = 50, 3
)

// allocated returns how much a request allocates. Nothing is collected meanwhile, so pools keep what they have, and
// all goroutines run on one processor, as they do in testing.AllocsPerRun.
func allocated(request, prepare func()) (count, size float64) {
	defer runtime.GOMAXPROCS(runtime.GOMAXPROCS(1))
	defer debug.SetGCPercent(debug.SetGCPercent(-1))
	count, size = math.Inf(1), math.Inf(1)
	for range measurements {
		runtime.GC()
		var mallocs, bytes uint64
		var before, after runtime.MemStats
		for n := range measured + 2 {
			if prepare != nil {
				prepare()
			}
			runtime.ReadMemStats(&before)
			request()
			if runtime.ReadMemStats(&after); n >= 2 { // the first fill what was collected
				mallocs += after.Mallocs - before.Mallocs
				bytes += after.TotalAlloc - before.TotalAlloc
			}
		}
		count, size = min(count, float64(mallocs)/measured), min(size, float64(bytes)/measured)
	}
	return count, size
}

// TestAllocations checks that no request allocates other amounts than ALLOCATIONS.md has, beyond 3 %: neither more, nor
// less, which would hide what is lost later. With -update it rewrites the rows that differ, which needs a reason.
func TestAllocations(t *testing.T) {
	text, err := os.ReadFile(allocationsFile)
	if err != nil {
		t.Fatal(err)
	}
	before, table, found := strings.Cut(string(text), allocationsHead)
	if !found {
		t.Fatalf("%s has no table", allocationsFile)
	}
	rows := strings.Split(strings.TrimSpace(table), "\n")
	written := map[string]string{}
	for _, row := range rows {
		name, _, _ := strings.Cut(strings.TrimPrefix(row, "| `"), "`")
		written[name] = row
	}
	if rows = nil; len(written) != len(figures) && !*update {
		t.Errorf("%s has %d rows, want %d", allocationsFile, len(written), len(figures))
	}
	for _, f := range figures {
		count, size := 0.0, 0.0
		t.Run(f.name, func(t *testing.T) { count, size = allocated(f.start(t, benchCluster(t))) })
		var wantCount, wantSize float64
		row := written[f.name]
		fmt.Sscanf(row, "| `"+f.name+"` | %g | %g |", &wantCount, &wantSize)
		differs := math.Abs(count-wantCount) > allowed*wantCount || math.Abs(size-wantSize) > allowed*wantSize
		switch {
		case differs && !*update:
			t.Errorf("%s allocates %.0f times, %.0f bytes; core/%s has %g and %g. make allocations WHY=\"the reason\" "+
				"rewrites the row", f.name, count, size, allocationsFile, wantCount, wantSize)
		case differs && *why == "":
			t.Errorf("%s allocates %.0f times, %.0f bytes, and not %g and %g: WHY has to say the reason", f.name, count, size,
				wantCount, wantSize)
		case differs:
			row = fmt.Sprintf("| `%s` | %.0f | %.0f | %s |", f.name, count, size, *why)
			t.Logf("was %s\nis  %s", written[f.name], row)
		}
		rows = append(rows, row)
	}
	if *update && !t.Failed() {
		text := before + allocationsHead + strings.Join(rows, "\n") + "\n"
		if err := os.WriteFile(allocationsFile, []byte(text), 0o644); err != nil {
			t.Fatal(err)
		}
	}
}
