package record

import (
	"fmt"
	"io"
	"os"
	"runtime"
	"strings"
	"sync"
	"time"
)

// A printer prints what a recorder does: notes as lines, and progress, on a terminal in place.
type printer struct {
	mu       sync.Mutex
	out      io.Writer
	terminal bool
	shown    bool // whether progress is in the last line
	began    time.Time
	most     uint64
}

func newPrinter(out io.Writer) *printer {
	p := &printer{out: out, began: time.Now()}
	if f, ok := out.(*os.File); ok {
		info, err := f.Stat()
		p.terminal = err == nil && info.Mode()&os.ModeCharDevice != 0
	}
	return p
}

// note prints a note.
func (p *printer) note(text string) {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.clear()
	fmt.Fprintln(p.out, printable(text))
}

// printable returns a text without what would control a terminal.
func printable(text string) string {
	return strings.Map(func(c rune) rune {
		if c < ' ' || c == 0x7f || c >= 0x80 && c < 0xa0 {
			return ' '
		}
		return c
	}, text)
}

func (p *printer) clear() {
	if p.shown {
		fmt.Fprint(p.out, "\r\x1b[K")
		p.shown = false
	}
}

// run prints progress until done is closed: each second on a terminal, each half minute elsewhere.
func (p *printer) run(r *Recorder, done <-chan struct{}) {
	tick := time.NewTicker(time.Second)
	defer tick.Stop()
	warned := false
	for n := 1; ; n++ {
		select {
		case <-done:
			return
		case <-tick.C:
		}
		if f := r.file.figures(); f.memory > pageMemory && !warned {
			warned = true
			r.file.note(note{Kind: "size", Text: fmt.Sprintf("The cluster with its history takes more than %d MiB: a page does "+
				"not open it, a server does (--quota).", pageMemory>>20)})
		}
		p.mu.Lock()
		p.measure()
		if p.terminal {
			p.clear()
			fmt.Fprint(p.out, p.line(r))
			p.shown = true
		} else if n%30 == 0 {
			fmt.Fprintln(p.out, p.line(r))
		}
		p.mu.Unlock()
	}
}

// measure notes what memory the recorder takes.
func (p *printer) measure() {
	var m runtime.MemStats
	runtime.ReadMemStats(&m)
	p.most = max(p.most, m.Sys-m.HeapReleased)
}

func (p *printer) line(r *Recorder) string {
	f := r.file.figures()
	return fmt.Sprintf("%s: revision %d, %d versions, %d types, file %.1f MB; %d requests, %.1f MB "+
		"received, at most %.1f MB "+
		"of memory", time.Since(p.began).Round(time.Second), f.head, f.versions, len(r.all()), float64(f.size)/1e6,
		r.client.requests.Load(), float64(r.client.received.Load())/1e6, float64(p.most)/1e6)
}

// summary prints what it took.
func (p *printer) summary(r *Recorder) {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.clear()
	p.measure()
	fmt.Fprintln(p.out, p.line(r))
}
