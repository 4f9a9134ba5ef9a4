package record

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"math/rand/v2"
	"slices"
	"strings"
	"sync"
	"time"

	"github.com/tabernetes/tabernetes/core/journal"
)

// Options say what is recorded.
type Options struct {
	// Context is the name of the cluster, for the header.
	Context string
	// Namespace limits what is recorded to a namespace, its Namespace, and definitions of custom resources.
	Namespace string
	// Types are names as "pods" and "deployments.apps", or "*" for all; none: all but Leases.
	Types []string
	// Redact are rules beside those for Secrets, in the form of parseRule.
	Redact []string
	// Say is called with each note.
	Say func(text string)

	// Tests set these to wait less; 0 is what a cluster is asked with.
	watchFor, rights, wait time.Duration
}

func (o *Options) retryRights() time.Duration {
	if o.rights > 0 {
		return o.rights
	}
	return 30 * time.Second
}

func (o *Options) backoff() time.Duration {
	if o.wait > 0 {
		return o.wait
	}
	return 500 * time.Millisecond
}

// finishTime is how long the end of a recording may take.
const finishTime = 15 * time.Second

// A Recorder records a cluster. Use newRecorder.
type Recorder struct {
	Options
	client   *client
	file     *file
	redactor *redactor
	now      func() time.Time

	running     sync.WaitGroup
	filling     sync.WaitGroup
	fillers     chan struct{}
	fillContext context.Context

	mu        sync.Mutex
	ctx       context.Context       // in which followers run
	followers map[string]*follower  // by bucket
	defined   map[string]definition // custom resources by the names of their definitions
	earlier   earlier
	noted     map[string]bool
	fields    map[string]int // how many unknown fields were noted of a type
	gaps      []*gap
	gapHeard  time.Time
	lostSince time.Time
	lostBy    error
	ended     bool
}

func newRecorder(o Options, c *client, f *file, rules []rule) *Recorder {
	return &Recorder{
		Options: o, client: c, file: f, redactor: newRedactor(rules), now: time.Now,
		fillers: make(chan struct{}, 4), followers: map[string]*follower{}, defined: map[string]definition{},
		noted: map[string]bool{}, fields: map[string]int{},
	}
}

// watchSeconds returns how long a watch is asked for: not all end at the same time.
func (r *Recorder) watchSeconds() int {
	if r.watchFor > 0 {
		return max(1, int(r.watchFor/time.Second))
	}
	return 240 + rand.IntN(120)
}

// run records until ctx ends. finishing limits what is done after that: read what all types have come to.
func (r *Recorder) run(ctx, finishing context.Context) error {
	filling, cancel := context.WithCancel(finishing)
	defer cancel()
	defer context.AfterFunc(ctx, func() { time.AfterFunc(finishTime, cancel) })()
	r.ctx, r.fillContext = ctx, filling
	choice, err := r.begin(ctx)
	if err != nil {
		return err
	}
	for _, n := range choice.notes {
		if !r.earlier.notes[n.Text] {
			r.file.note(n)
		}
	}
	var all []*follower
	for _, t := range choice.targets {
		if f := r.follow(t); f != nil {
			all = append(all, f)
		}
	}
	for _, f := range all {
		select {
		case <-f.listed:
		case <-ctx.Done():
		}
	}
	r.complete(ctx)
	tick := time.NewTicker(time.Second)
	defer tick.Stop()
	for ctx.Err() == nil {
		select {
		case <-tick.C:
			r.noteGaps(false)
		case <-ctx.Done():
		}
	}
	return r.finish(finishing)
}

// begin finds out what there is, and follows the definitions of custom resources, which come first.
func (r *Recorder) begin(ctx context.Context) (c choice, err error) {
	var all []served
	var silent map[string]error
	for {
		if all, silent, err = r.client.discover(ctx); err == nil {
			break
		}
		if code := codeOf(err); code == 401 || code == 403 || code == 404 || ctx.Err() != nil {
			return c, err
		}
		r.connectionLost(err)
		select {
		case <-time.After(r.backoff()):
		case <-ctx.Done():
			return c, ctx.Err()
		}
	}
	aggregated, err := r.client.aggregated(ctx)
	if err != nil {
		return c, err
	}
	for name, v := range r.earlier.definitions {
		r.define(name, v.value, v.rev)
	}
	for _, t := range builtin() {
		if t.name() == definitionsName && slices.ContainsFunc(all, func(s served) bool {
			return s.group == t.group && s.plural == t.plural && s.version == t.version
		}) {
			f := r.follow(t)
			select {
			case <-f.listed:
			case <-ctx.Done():
				return c, ctx.Err()
			}
		}
	}
	r.mu.Lock()
	defer r.mu.Unlock()
	c = choose(all, silent, aggregated, func(name string) bool { _, is := r.defined[name]; return is }, &r.Options)
	if len(c.unmatched) > 0 {
		return c, fmt.Errorf("--types: the cluster has no %s", strings.Join(c.unmatched, ", "))
	}
	return c, nil
}

// follow starts to record a type; nil if it is being recorded already.
func (r *Recorder) follow(t *target) *follower {
	r.mu.Lock()
	defer r.mu.Unlock()
	if r.followers[t.bucket] != nil || r.ended {
		return nil
	}
	ctx, stop := context.WithCancel(r.ctx)
	f := &follower{
		target: t, r: r, rules: r.redactor.rulesOf(t.name()), known: r.earlier.known[t.bucket],
		at:     r.earlier.reached[t.bucket],
		listed: make(chan struct{}), stop: stop, stopped: make(chan struct{}),
	}
	if f.known == nil {
		f.known = map[string]entry{}
	}
	delete(r.earlier.known, t.bucket)
	delete(r.earlier.reached, t.bucket)
	if t.name() == definitionsName {
		f.observe = r.define
	} else if t.name() == servicesName {
		f.observe = r.aggregate
	}
	r.followers[t.bucket] = f
	r.running.Go(func() { f.run(ctx) })
	return f
}

// all returns the followers in no order.
func (r *Recorder) all() (all []*follower) {
	r.mu.Lock()
	defer r.mu.Unlock()
	for _, f := range r.followers {
		all = append(all, f)
	}
	return all
}

// complete says from where on the recording has a state of all types.
func (r *Recorder) complete(ctx context.Context) {
	if ctx.Err() != nil || r.file.figures().horizon > 0 {
		return
	}
	var horizon int64 = 1
	for _, f := range r.all() {
		horizon = max(horizon, f.first.Load())
	}
	r.file.begin(horizon)
	r.file.note(note{Kind: "begun", From: horizon, Text: fmt.Sprintf(
		"The state of all types that are recorded is known from revision %d on.", horizon)})
}

// finish ends the recording: it reads what all types have come to, so that the end is the same for all.
func (r *Recorder) finish(ctx context.Context) error {
	r.mu.Lock()
	r.ended = true
	r.mu.Unlock()
	r.running.Wait()
	ctx, cancel := context.WithTimeout(ctx, finishTime)
	defer cancel()
	r.filling.Wait()
	var group sync.WaitGroup
	var late []string
	seats := make(chan struct{}, 16)
	for _, f := range r.all() {
		group.Go(func() {
			seats <- struct{}{}
			defer func() { <-seats }()
			if err := f.catchUp(ctx); err != nil {
				r.mu.Lock()
				late = append(late, f.name())
				r.mu.Unlock()
			}
		})
	}
	group.Wait()
	r.noteGaps(true)
	r.connectionBack()
	if r.file.figures().horizon == 0 {
		return errors.New("it was ended before all resource types had been listed: there is nothing to open yet")
	}
	text, to := "Everything that is recorded is known up to revision %d.", int64(0)
	for _, f := range r.all() {
		if f.at > 0 && !f.refused && !slices.Contains(late, f.name()) && (to == 0 || f.at < to) {
			to = f.at
		}
	}
	if slices.Sort(late); len(late) > 0 {
		text += " The last changes of " + listed(late) + " may be missing: the server did not answer."
	}
	r.file.note(note{Kind: "ended", Types: late, To: to, Text: fmt.Sprintf(text, to)})
	return nil
}

// A header is that of the file, as far as the recorder reads it.
type header struct {
	Format    int    `json:"format"`
	UID       string `json:"uid"`
	Secret    []byte `json:"secret,omitempty"` // a cluster's, which recordings do not have
	Recording about  `json:"recording"`
}

// about says what is recorded.
type about struct {
	Context   string    `json:"context,omitempty"`
	Cluster   string    `json:"cluster,omitempty"` // the uid of its namespace kube-system
	Version   string    `json:"version"`
	Began     time.Time `json:"began"`
	Namespace string    `json:"namespace,omitempty"`
	Types     []string  `json:"types,omitempty"`
	Redacted  []string  `json:"redacted"`
}

// same reports whether a recording of another can continue as one of this.
func (a about) same(b about) bool {
	return a.Cluster == b.Cluster && a.Namespace == b.Namespace && slices.Equal(a.Types, b.Types) &&
		slices.Equal(a.Redacted, b.Redacted)
}

func (h header) frame() []byte {
	meta, err := json.Marshal(h)
	if err != nil {
		panic(err) // strings
	}
	return journal.AppendHeader(nil, meta)
}
