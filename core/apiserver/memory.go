package apiserver

import (
	"bytes"
	"context"
	"math"
	"slices"
	"sync"

	"github.com/tabernetes/tabernetes/core/object"
	"github.com/tabernetes/tabernetes/core/protobuf"
)

// Memory bounds what the requests of all servers that share it hold at the moment: bodies as they arrive, and
// what is made of bodies and stored objects while requests are carried out, which is many times as much. A
// request waits until there is memory for it; a body that does not get any is refused. Nil has no bounds.
//
// It is an estimate: Memory does not know what is allocated. Requests of about the same size have their own
// memory, so that small ones never wait for larger ones.
type Memory struct {
	bodies pool
	lanes  [len(lanes)]pool
	above  *Memory
}

// lanes are the sizes of requests: the largest estimate, in bytes, and the part of the memory for them. A
// request to create a Pod has an estimate of some 80 KB.
var lanes = [...]laneSize{{64 << 10, 8}, {512 << 10, 8}, {4 << 20, 4}, {math.MaxInt64, 2}}

type laneSize struct{ most, part int64 }

// NewMemory returns a Memory of so many bytes for bodies, and for all that is made of them.
func NewMemory(bodies, work int64) *Memory {
	m := &Memory{bodies: pool{most: bodies}}
	for i, l := range lanes {
		m.lanes[i].most = work / l.part
	}
	return m
}

// Share returns a Memory that takes at most a quarter of m at a time, and half of it for large requests, for one
// server of many.
func (m *Memory) Share() *Memory {
	if m == nil {
		return nil
	}
	s := &Memory{bodies: pool{most: m.bodies.most / 4}, above: m}
	for i := range m.lanes {
		s.lanes[i].most = m.lanes[i].most / 4
	}
	s.lanes[len(lanes)-1].most *= 2
	return s
}

// lane returns the pool for an estimate, and the estimate within what the pool has at all.
func (m *Memory) lane(n int64) (*pool, int64) {
	i := slices.IndexFunc(lanes[:], func(l laneSize) bool { return n <= l.most })
	return &m.lanes[i], min(n, m.lanes[i].most)
}

// take waits for memory. The error is that of the context.
func (m *Memory) take(ctx context.Context, n int64) error {
	if m == nil || n == 0 {
		return nil
	}
	p, own := m.lane(n)
	if err := p.take(ctx, own); err != nil {
		return err
	}
	if err := m.above.take(ctx, n); err != nil {
		p.give(own)
		return err
	}
	return nil
}

// try takes memory, if there is any without waiting.
func (m *Memory) try(n int64) bool {
	if m == nil {
		return true
	}
	p, own := m.lane(n)
	if !p.try(own) {
		return false
	}
	if m.above.try(n) {
		return true
	}
	p.give(own)
	return false
}

// shrink gives back what an estimate has taken, from bytes that are held of it down to others.
func (m *Memory) shrink(estimate, from, to int64) {
	if m == nil || from == to {
		return
	}
	m.above.shrink(estimate, from, to)
	p, _ := m.lane(estimate)
	p.give(min(from, p.most) - min(to, p.most))
}

// tryBody takes memory for a body, and reports whether there was any.
func (m *Memory) tryBody(n int64) bool {
	if m == nil {
		return true
	}
	if !m.bodies.try(n) {
		return false
	}
	if m.above.tryBody(n) {
		return true
	}
	m.bodies.give(n)
	return false
}

func (m *Memory) giveBody(n int64) {
	if m != nil && n > 0 {
		m.above.giveBody(n)
		m.bodies.give(n)
	}
}

// A pool is an amount that is taken and given back. Who waits gets it in the order of arrival.
type pool struct {
	most int64

	mu      sync.Mutex
	taken   int64
	waiting []*waiter
}

type waiter struct {
	n     int64
	ready chan struct{}
}

func (p *pool) try(n int64) bool {
	p.mu.Lock()
	defer p.mu.Unlock()
	if len(p.waiting) > 0 || p.taken+n > p.most {
		return false
	}
	p.taken += n
	return true
}

func (p *pool) take(ctx context.Context, n int64) error {
	if p.try(n) {
		return nil
	}
	w := &waiter{n, make(chan struct{})}
	p.mu.Lock()
	p.waiting = append(p.waiting, w)
	p.serve()
	p.mu.Unlock()
	select {
	case <-w.ready:
		return nil
	case <-ctx.Done():
	}
	p.mu.Lock()
	defer p.mu.Unlock()
	for i, other := range p.waiting {
		if other == w {
			p.waiting = append(p.waiting[:i], p.waiting[i+1:]...)
			p.serve() // those behind it may need less
			return ctx.Err()
		}
	}
	p.taken -= n // it got it all the same
	p.serve()
	return ctx.Err()
}

func (p *pool) give(n int64) {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.taken -= n
	p.serve()
}

// serve gives what there is to those who wait. Callers hold the lock.
func (p *pool) serve() {
	for len(p.waiting) > 0 && p.taken+p.waiting[0].n <= p.most {
		p.taken += p.waiting[0].n
		close(p.waiting[0].ready)
		p.waiting = p.waiting[1:]
	}
}

// held is what a request has taken of a Memory.
type held struct {
	memory *Memory
	// ctx ends with the request, or with its deadline.
	ctx          context.Context
	bodies, work int64
	// estimate is what work was when it was taken, which says from which pool.
	estimate int64
}

// body takes memory for n bytes of a body in all, twice as much as have arrived, as buffers grow. The first
// ones are free.
func (h *held) body(n int64) bool {
	const free, step = 64 << 10, 128 << 10
	if n <= free || 2*n <= h.bodies || h.memory == nil {
		return true
	}
	more := max(2*n-h.bodies, step)
	if !h.memory.tryBody(more) {
		return false
	}
	h.bodies += more
	return true
}

// more waits for memory for work that is estimated at n bytes in all.
func (h *held) more(n int64) error {
	if h.memory == nil || n <= h.work {
		return nil
	}
	h.less(0) // one that waits holds nothing, so that all can continue
	if err := h.memory.take(h.ctx, n); err != nil {
		return err
	}
	h.estimate, h.work = n, n
	return nil
}

// only waits for memory for n bytes, or gives back what is not needed for them.
func (h *held) only(n int64) error {
	h.less(n)
	return h.more(n)
}

// try takes memory for n bytes, if there is any without waiting and nothing was taken before.
func (h *held) try(n int64) bool {
	if h.memory == nil || n <= h.work {
		return true
	}
	if h.work > 0 || !h.memory.try(n) {
		return false
	}
	h.estimate, h.work = n, n
	return true
}

// less gives back what is not needed for n bytes. What is left stays in the pool that it was taken from.
func (h *held) less(n int64) {
	if h.memory == nil || n >= h.work {
		return
	}
	h.memory.shrink(h.estimate, h.work, n)
	h.work = n
}

func (h *held) end() {
	h.less(0)
	h.memory.giveBody(h.bodies)
	h.bodies = 0
}

// The estimates of work, in bytes: see TestEstimates. What is made of a document are above all its values,
// which the signs between them count, and copies of its text.
const (
	workOfByte  = 16
	workOfValue = 256
	// yamlTimes is how much more a document in YAML takes, with its lines and their indentation.
	yamlTimes = 4
)

// workOf estimates the work with a document, in bytes.
func workOf(document []byte) int64 {
	signs := bytes.Count(document, []byte{','}) + bytes.Count(document, []byte{'{'}) + bytes.Count(document, []byte{'['})
	return int64(len(document))*workOfByte + int64(signs)*workOfValue
}

// workOfBody estimates the work with a body in any encoding.
func workOfBody(body []byte) int64 {
	if len(body) == 0 {
		return 0
	}
	switch start := bytes.TrimLeft(body, " \t\r\n"); {
	case len(start) == 0:
		return 0
	case start[0] == '{', start[0] == '[':
		return workOf(body)
	case start[0] >= 0x80, bytes.HasPrefix(body, []byte(protobuf.Magic)): // a value may have one byte, or two
		return int64(len(body))*workOfByte + int64(min(len(body)/2, object.MaxValues))*workOfValue
	}
	lines := bytes.Count(body, []byte{'\n'})
	return (workOf(body) + int64(lines)*workOfValue) * yamlTimes
}

// withStored waits for the memory that is needed to work with the stored object besides the body.
func (a *answer) withStored(i *info) error {
	if a.held.memory == nil {
		return nil
	}
	return a.held.more(a.held.work + workOf(a.server.Registry.StoredValue(i.Target)))
}

// toShow waits for the memory that is needed to answer with a document of so many bytes.
func (a *answer) toShow(converted bool, size int64) error {
	times := int64(2)
	switch {
	case a.media == mediaYAML:
		times = workOfByte * yamlTimes
	case converted, a.media != mediaJSON, a.pretty:
		times = workOfByte / 2
	}
	return a.held.more(times * size)
}
