package torture

import (
	"fmt"
	"sync"
	"time"
)

// A Fault is a way to break the promise.
type Fault int

const (
	Lost Fault = iota
	Gone
	Reused
	Diverged
	faults
)

func (f Fault) String() string {
	return [...]string{"lost", "shown and gone", "reused", "diverged"}[f]
}

// details is how many findings are described in full.
const details = 20

// Findings are the faults that were found.
type Findings struct {
	mu     sync.Mutex
	counts [faults]int
	texts  []string
}

func (f *Findings) add(fault Fault, format string, args ...any) {
	f.mu.Lock()
	defer f.mu.Unlock()
	if f.counts[fault]++; len(f.texts) < details {
		f.texts = append(f.texts, fmt.Sprintf("%v: "+format, append([]any{fault}, args...)...))
	}
}

// Count returns how often a fault was found.
func (f *Findings) Count(fault Fault) int {
	f.mu.Lock()
	defer f.mu.Unlock()
	return f.counts[fault]
}

// Any reports whether anything is wrong.
func (f *Findings) Any() bool {
	f.mu.Lock()
	defer f.mu.Unlock()
	return f.counts != [faults]int{}
}

// Texts returns descriptions of the first findings.
func (f *Findings) Texts() []string {
	f.mu.Lock()
	defer f.mu.Unlock()
	return append([]string(nil), f.texts...)
}

// Figures are the amounts of work of a run.
type Figures struct {
	Took                         time.Duration
	Kills, Slow                  int
	Acknowledged, Unknown, Shown int
	Relists                      int
}

// Summary returns a line with the counts of all faults and of the work done.
func (f *Findings) Summary(what string, n Figures) string {
	line := fmt.Sprintf("torture %s: %v, %d kills (%d with slow syncs), %s writes acknowledged, %s unanswered, %s "+
		"versions shown, %d relists",
		what, n.Took.Round(time.Second), n.Kills, n.Slow, thousands(n.Acknowledged), thousands(n.Unknown), thousands(n.Shown),
		n.Relists)
	for fault := range faults {
		line += fmt.Sprintf(", %d %v", f.Count(fault), fault)
	}
	return line
}

// thousands writes a number with commas.
func thousands(n int) string {
	if n < 1000 {
		return fmt.Sprint(n)
	}
	return fmt.Sprintf("%s,%03d", thousands(n/1000), n%1000)
}
