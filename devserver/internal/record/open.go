package record

import (
	"bytes"
	"context"
	"crypto/rand"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"maps"
	"os"
	"slices"
	"strings"
	"time"

	"github.com/tabernetes/tabernetes/core/journal"
	"github.com/tabernetes/tabernetes/core/mvcc"
	"github.com/tabernetes/tabernetes/core/registry"
	"github.com/tabernetes/tabernetes/devserver/internal/filelock"
	"github.com/tabernetes/tabernetes/devserver/internal/record/kubeconfig"
)

// pageMemory is what a page has for a cluster, in bytes (quota in wasm/api.go); a part more may be opened.
const pageMemory = 96 << 20

// A Command is what the command line says.
type Command struct {
	Kubeconfig, Out string
	Options
}

// Run records a cluster into a file until ctx ends; a file that is there is continued. What it does is printed on out.
// finishing ends the reading of what has come until then.
func Run(ctx, finishing context.Context, out io.Writer, c Command) (err error) {
	rules, err := c.rules()
	if err != nil {
		return err
	}
	if c.Out == "" {
		return errors.New("record: --out names the file to write")
	}
	if c.Kubeconfig == "" {
		if c.Kubeconfig, err = kubeconfig.DefaultFile(); err != nil {
			return err
		}
	}
	target, err := kubeconfig.Load(c.Kubeconfig, c.Context)
	if err != nil {
		return err
	}
	c.Context = target.Context
	lock, err := filelock.Lock(c.Out + ".lock")
	if errors.Is(err, filelock.ErrLocked) {
		err = errors.New("another process writes it")
	}
	if err != nil {
		return fmt.Errorf("record: %s: %w", c.Out, err)
	}
	defer func() {
		_ = os.Remove(c.Out + ".lock") // otherwise it is left, and may be locked again
		_ = lock.Close()
	}()
	to, err := os.OpenFile(c.Out, os.O_RDWR|os.O_CREATE, 0o600)
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, to.Close()) }()
	p := newPrinter(out)
	c.Options.Say = p.note
	r, err := start(ctx, &client{server: target.Server, http: target.Client, lists: make(chan struct{}, 4)}, to, c.Options,
		rules)
	if err != nil {
		return err
	}
	done := make(chan struct{})
	defer close(done)
	go p.run(r, done)
	err = r.record(ctx, finishing)
	p.summary(r)
	return err
}

// rules returns what is redacted beside Secrets.
func (o *Options) rules() (all []rule, err error) {
	for _, text := range o.Redact {
		r, err := parseRule(text)
		if err != nil {
			return nil, fmt.Errorf("--redact: %w", err)
		}
		all = append(all, r)
	}
	return all, nil
}

// start asks a cluster who it is, and begins a file, or continues one of the same cluster.
func start(ctx context.Context, c *client, to *os.File, o Options, rules []rule) (*Recorder, error) {
	what := about{
		Context: o.Context, Began: time.Now().UTC(), Namespace: o.Namespace, Types: slices.Sorted(slices.Values(o.Types)),
		Redacted: append([]string{"secrets:data", "secrets:stringData", "secrets:metadata.annotations"},
			slices.Sorted(slices.Values(o.Redact))...),
	}
	var version struct{ GitVersion string }
	if err := c.get(ctx, "/version", nil, &version); err != nil && codeOf(err) == 0 {
		return nil, fmt.Errorf("record: the server cannot be reached: %w", err)
	}
	what.Version = version.GitVersion
	system := struct{ Metadata struct{ UID string } }{}
	if err := c.get(ctx, "/api/v1/namespaces/kube-system", nil, &system); err == nil { // otherwise it is not known
		what.Cluster = system.Metadata.UID
	}
	was, err := readEarlier(to)
	if err != nil {
		return nil, fmt.Errorf("record: %s: %w", to.Name(), err)
	}
	say := o.Say
	f := newFile(to, was.size, time.Now, func(n note) { say(n.Text) })
	r := newRecorder(o, c, f, rules)
	if was.size == 0 {
		f.add(header{Format: 2, UID: newUID(), Recording: what}.frame())
		f.note(note{Kind: "redaction", Types: []string{"secrets"}, Text: "Redacted: " + strings.Join(what.Redacted, ", ") +
			". What is shown there says only whether it has changed."})
		return r, f.flush()
	}
	if !was.about.same(what) {
		return nil, fmt.Errorf("record: %s is of another cluster, or has other types, namespaces or redactions: name "+
			"another file", to.Name())
	}
	f.horizon, f.head, f.versions, f.memory = was.horizon, was.head, was.versions, was.memory
	for bucket, rev := range was.reached {
		f.reached[bucket] = rev
	}
	r.earlier = was
	f.note(note{Kind: "begun", From: was.head, Text: fmt.Sprintf(
		"The recorder was started again, after revision %d: its watches go on there if the server remembers it.", was.head)})
	return r, f.flush()
}

// record records until ctx ends, and closes the file.
func (r *Recorder) record(ctx, finishing context.Context) error {
	done := make(chan struct{})
	var writing = make(chan struct{})
	go func() { defer close(writing); r.file.run(done) }()
	err := r.run(ctx, finishing)
	close(done)
	<-writing
	if failed := r.file.close(); failed != nil {
		err = errors.Join(err, fmt.Errorf("the end of the recording could not be written: %w", failed))
	}
	switch {
	case ctx.Err() == nil || !errors.Is(err, context.Canceled):
		return err
	case r.file.figures().horizon > 0: // it continues from what it had
		return nil
	}
	return errors.New("record: it was ended before there was anything to open")
}

func newUID() string {
	var b [16]byte
	_, _ = rand.Read(b[:]) // which never fails
	return registry.NewUID(bytes.NewReader(b[:]))
}

// earlier is what a file has that is continued.
type earlier struct {
	size          int64
	about         about
	head, horizon int64
	versions      int64
	memory        int64
	reached       map[string]int64
	known         map[string]map[string]entry
	definitions   map[string]defined
	notes         map[string]bool
}

// A defined is a definition's version.
type defined struct {
	value []byte
	rev   int64
}

// readEarlier reads a file to be continued, and cuts off what was not written to its end. One without a state is begun
// again.
func readEarlier(f *os.File) (earlier, error) {
	e := earlier{
		reached: map[string]int64{}, known: map[string]map[string]entry{}, definitions: map[string]defined{},
		notes: map[string]bool{},
	}
	ours := false
	if _, err := f.Seek(0, io.SeekStart); err != nil {
		return e, err
	}
	found, err := journal.Read(f, journal.Visitor{
		Header: func(meta []byte) (bool, error) {
			var h header
			if err := json.Unmarshal(meta, &h); err != nil || h.Format != 2 || h.Secret != nil || h.Recording.Redacted == nil {
				return false, errNotOurs
			}
			e.about, ours = h.Recording, true
			return true, nil
		},
		Record: func(r mvcc.Record) error { e.record(r); return nil },
		Note: func(text []byte) error {
			var n note
			err := json.Unmarshal(text, &n)
			e.notes[n.Text] = true
			return err
		},
		Progress: func(bucket string, rev int64) error {
			e.reached[bucket] = max(e.reached[bucket], rev)
			return nil
		},
		Position: func(head, horizon int64) error {
			e.head, e.horizon = head, horizon
			return nil
		},
	})
	switch {
	case err != nil:
		return e, err
	case found.Size > 0 && !ours:
		return e, errNotOurs
	case found.Problem != nil && found.Beyond > 0:
		return e, fmt.Errorf("it is damaged: %w", found.Problem)
	case !found.Complete:
		e = earlier{}
	default:
		e.size = found.Sound
		for _, keys := range e.known {
			maps.DeleteFunc(keys, func(_ string, k entry) bool { return k.list == deleted })
		}
	}
	if err := f.Truncate(e.size); err != nil {
		return e, err
	}
	_, err = f.Seek(e.size, io.SeekStart)
	return e, err
}

var errNotOurs = errors.New("it is there, and no recording")

// deleted marks entries of objects that do not exist any more, while a file is read.
const deleted = -1

func (e *earlier) record(r mvcc.Record) {
	e.versions++
	e.memory += int64(len(r.Value)) + mvcc.VersionCost
	keys := e.known[r.Bucket]
	if keys == nil {
		keys = map[string]entry{}
		e.known[r.Bucket] = keys
	}
	if r.Revision < keys[r.Key].rev {
		return // it came later than what followed it
	}
	next := entry{rev: r.Revision, created: r.Created}
	if r.Deleted {
		next.list = deleted
	}
	keys[r.Key] = next
	if r.Bucket == definitionsBucket() {
		if delete(e.definitions, r.Key); !r.Deleted {
			e.definitions[r.Key] = defined{bytes.Clone(r.Value), r.Revision}
		}
	}
}
