package registry

import (
	"bytes"
	"cmp"
	"context"
	"errors"
	"time"

	"github.com/tabernetes/tabernetes/core/admission"
	"github.com/tabernetes/tabernetes/core/internal/kinds"
	"github.com/tabernetes/tabernetes/core/internal/kinds/metadata"
	"github.com/tabernetes/tabernetes/core/internal/kinds/strategy"
	"github.com/tabernetes/tabernetes/core/internal/traces"
	"github.com/tabernetes/tabernetes/core/mvcc"
	"github.com/tabernetes/tabernetes/core/object"
	"github.com/tabernetes/tabernetes/core/random"
	"github.com/tabernetes/tabernetes/core/schema"
	"github.com/tabernetes/tabernetes/core/status"
)

// WriteOptions are the options of all modifying verbs.
type WriteOptions struct {
	// DryRun skips the last stage, which stores the object.
	DryRun bool
	// Warn, if set, is called with warnings for the client.
	Warn func(string)
	// Manager is the field manager of the fields that the write sets.
	Manager string
	// Program names the client for writes without a field manager: deletions.
	Program string
	// Tree is the options as a tree, with apiVersion and kind, for admission.
	Tree map[string]any
	// Given is what the object's tree does not hold of the body.
	Given *object.Given
	// Replaces is set if the Change neither changes the object that it is given nor keeps a part of it.
	Replaces bool
	// MayCreate, if set, authorizes the creation of the object by an update or an apply.
	MayCreate func(context.Context) error

	managed   bool // the change sets managedFields itself
	mayCreate bool // whatever the type's behaviour
	byUpdate  bool // the creation is an update or an apply of an object that does not exist
	unread    bool // nobody reads the answer
	frees     bool // the write is a step of a deletion, whose growth the server decides: see space.go
	written   *written

	after string // the uid of another object, from which that of a new one is derived; empty: it is drawn
}

// generateTries is how many generated names are tried before the client is
// asked to try again.
const generateTries = 8

// Create stores a new object and returns its bytes. The object is changed.
func (r *Registry) Create(ctx context.Context, t Target, obj map[string]any, o WriteOptions) ([]byte, error) {
	meta := object.Meta(obj)
	for _, name := range []string{"uid", "creationTimestamp", "deletionTimestamp", "deletionGracePeriodSeconds",
		"selfLink"} {
		delete(meta, name)
	}
	return r.createIn(ctx, t, obj, o)
}

// createIn creates an object in the target's namespace.
func (r *Registry) createIn(ctx context.Context, t Target, obj map[string]any, o WriteOptions) ([]byte, error) {
	r.begin(ctx, &o)
	if err := MatchNamespace(t, obj); err != nil {
		return nil, err
	}
	a := newAttributes(t, admission.Create, obj, nil, o)
	if err := r.Admission.Precheck(ctx, a); err != nil {
		return nil, err
	}
	value, err := r.create(ctx, t, a, o)
	if err := r.settle(ctx, o, err); err != nil {
		return nil, err
	}
	return value, nil
}

// create sets the object's identity, runs admission and stores it; a generated name is tried again
// if it is taken.
func (r *Registry) create(ctx context.Context, t Target, a *admission.Attributes, o WriteOptions) ([]byte, error) {
	obj := a.Object
	meta := object.Meta(obj)
	meta["creationTimestamp"] = timestamp(r.Clock.Now())
	prefix := object.GenerateName(obj)
	if o.after != "" {
		meta["uid"] = derivedUID(t.bucket()+"/"+t.key(object.Name(obj)), o.after)
	} else {
		meta["uid"] = NewUID(random.For(r.Rand, "uid", t.Group, t.Plural, t.Namespace, cmp.Or(object.Name(obj), prefix)))
	}
	strat, c := kinds.Of(t.Resource), r.kindContext(o)
	c.Traces = traces.Of(ctx)
	r.strip(t, obj)
	o.Given.Put(obj)
	strat.Fill(obj)
	o.Given.Take(obj)
	if err := r.Pause(ctx); err != nil {
		return nil, err
	}
	r.manage(ctx, t, nil, obj, o)
	if err := r.Pause(ctx); err != nil {
		return nil, err
	}
	if err := r.mutate(ctx, t, a); err != nil {
		return nil, err
	}
	meta = object.Meta(obj)
	prefix = object.GenerateName(obj)
	generated := prefix != "" && object.Name(obj) == ""
	for try := 1; ; try++ {
		if generated {
			meta["name"] = metadata.GeneratedName(prefix,
				newSuffix(random.For(r.Rand, "name", t.Group, t.Plural, t.Namespace, prefix)))
		}
		value, err := r.createOnce(ctx, t, c, a, o)
		if err == nil {
			return value, nil
		}
		var conflict *mvcc.ConflictError
		switch {
		case !errors.As(err, &conflict):
			return value, err
		case generated && try < generateTries:
		case prefix != "":
			return nil, status.NewGenerateNameConflict(t.GroupResource(), object.Name(obj), 1)
		default:
			return nil, alreadyExists(t, object.Name(obj), conflict.Current)
		}
	}
}

// alreadyExists returns the error of a create whose name is taken by v.
func alreadyExists(t Target, name string, v *mvcc.Version) error {
	e := status.NewAlreadyExists(t.GroupResource(), name)
	if v != nil && object.DeletionTimestamp(decode(t.Storage().Type(), v.Value)) != "" {
		e.Status.Message = "object is being deleted: " + e.Status.Message
	}
	return e
}

// refill gives an object the defaults that a reader of the store sees: an empty value that was given, and
// kept them away, is not stored.
func (o *WriteOptions) refill(strat *strategy.Strategy, obj map[string]any) {
	if o.Given.Any() {
		strat.Fill(obj)
	}
}

func (r *Registry) createOnce(
	ctx context.Context, t Target, c *strategy.Context, a *admission.Attributes, o WriteOptions,
) ([]byte, error) {
	obj, strat := a.Object, kinds.Of(t.Resource)
	c.Unwarn() // of the previous attempt
	o.Given.Put(obj)
	violations := strat.Create(c, t.Resource, obj)
	o.Given.Take(obj)
	o.refill(strat, obj)
	warn(c.Anyway, o)
	violations = r.validate(ctx, t, obj, violations)
	if len(violations) > 0 {
		return nil, status.NewInvalid(t.GroupKind(), object.Name(obj), violations)
	}
	// An invalid number counts as no version. It is the store that refuses a valid one, which a dry run does not reach.
	if rev, err := revisionOf(obj); err == nil && rev != 0 && !o.byUpdate && !o.DryRun {
		return nil, errors.New("resourceVersion should not be set on objects to be created")
	}
	unstored(obj, o)
	warn(c.Warnings, o)
	if err := r.Pause(ctx); err != nil {
		return nil, err
	}
	if err := r.admit(ctx, a); err != nil {
		return nil, err
	}
	undo, violations := strat.Alloc(c, obj, nil)
	if len(violations) > 0 {
		return nil, status.NewInvalid(t.GroupKind(), object.Name(obj), violations)
	}
	claimed, err := r.claim(ctx, t, c, obj, nil, o)
	var value []byte
	if err == nil {
		value, _, err = r.put(ctx, t, obj, nil, o)
	}
	if err != nil {
		r.unclaim(ctx, claimed, o)
		undo()
	}
	return value, err
}

// unstored drops the fields that are never stored. The answer to a dry run, which is not read from
// the store, still has them.
func unstored(obj map[string]any, o WriteOptions) {
	if !o.DryRun {
		delete(object.Meta(obj), "resourceVersion")
		delete(object.Meta(obj), "selfLink")
	}
}

// put commits an object over the version that the key is expected to have, nil for none, and
// returns its bytes and its revision. A dry run only checks for a conflict.
func (r *Registry) put(ctx context.Context, t Target, obj map[string]any, over *mvcc.Version, o WriteOptions) ([]byte,
	int64, error) {
	key, expect := t.key(object.Name(obj)), int64(0)
	if over != nil {
		expect = over.Revision
	}
	if o.DryRun {
		v := r.Store.Latest(t.bucket(), key)
		if (v == nil) != (expect == 0) || v != nil && v.Revision != expect {
			return nil, 0, &mvcc.ConflictError{Current: v}
		}
		if err := r.wouldRefuse(ctx, t, obj, over, o); err != nil {
			return nil, 0, err
		}
		value, err := r.wouldRead(ctx, t, obj)
		return value, expect, err
	}
	if err := r.writable(); err != nil {
		return nil, 0, err
	}
	if err := r.between(ctx); err != nil {
		return nil, 0, err
	}
	e, err := r.store(ctx, t, obj, over, o)
	if ofQuota(err) {
		if lean := lean(ctx, t, obj, over); lean != nil {
			e, err = r.store(ctx, t, lean, over, o)
		}
	}
	if err != nil {
		if errors.Is(err, mvcc.ErrNoSpace) && r.Full != "" {
			return nil, 0, status.NewForbidden(t.GroupResource(), object.Name(obj), r.Full)
		}
		if wrong := new(unconvertible); errors.As(err, &wrong) {
			return nil, 0, wrong.error
		}
		return nil, 0, r.refused(err)
	}
	o.note(e)
	if o.unread {
		return nil, e.Revision, nil
	}
	value, err := r.read(ctx, t.Resource, e.Value)
	return value, e.Revision, err
}

// build converts an object to the version that it is stored in, and encodes it at its revision, over the previous
// version, nil for none. The bytes live long, so they have no spare capacity; the scratch buffer is only used under the
// store's lock.
func (r *Registry) build(ctx context.Context, t Target, obj map[string]any, over *mvcc.Version) (mvcc.Build, error) {
	stored := t.Storage()
	if stored != t.Resource {
		obj = object.DeepCopy(obj)
		if err := kinds.Convert(ctx, obj, t.Resource, stored); err != nil {
			return nil, &unconvertible{err}
		}
	}
	like := over
	if like == nil {
		like = r.Store.Last(t.bucket())
	}
	a := attrsOf(stored, obj, like).sharedWith(over)
	kept := verbatim(stored, obj)
	return func(rev int64) ([]byte, any) {
		setRevision(kept, rev)
		r.scratch = object.Encode(r.scratch[:0], kept, stored.Type())
		return bytes.Clone(r.scratch), a
	}, nil
}

// verbatim returns an object of which Encode writes what is stored.
func verbatim(t *schema.Resource, obj map[string]any) map[string]any {
	if object.HasOrdered(t.Type()) {
		return object.Verbatim(obj)
	}
	return obj
}

// kindContext returns the strategy.Context for one request.
func (r *Registry) kindContext(o WriteOptions) *strategy.Context {
	c := r.Kinds
	if o.DryRun && c.ClusterIPs != nil {
		c.ClusterIPs, c.NodePorts = c.ClusterIPs.DryRun(), c.NodePorts.DryRun()
	}
	return &c
}

// warn passes on warnings of strategies.
func warn(texts []string, o WriteOptions) {
	for _, text := range texts {
		if o.Warn != nil {
			o.Warn(text)
		}
	}
}

// MatchNamespace checks that an object's namespace is the request's, and sets it if it is empty.
func MatchNamespace(t Target, obj map[string]any) error {
	meta := object.Meta(obj)
	if !t.Namespaced {
		delete(meta, "namespace")
		return nil
	}
	switch given, _ := meta["namespace"].(string); given {
	case t.Namespace:
	case "":
		meta["namespace"] = t.Namespace
	default:
		return status.NewBadRequest("the namespace of the provided object does not match the namespace sent on the request")
	}
	return nil
}

// checkPart checks that a Binding or an Eviction is for the target, and runs the first phase of
// admission.
func (r *Registry) checkPart(ctx context.Context, t Target, kind string, obj map[string]any) error {
	if err := MatchNamespace(t, obj); err != nil {
		return err
	}
	if err := r.Precheck(ctx, t, obj); err != nil {
		return err
	}
	if object.Name(obj) != t.Name {
		return status.NewBadRequest("name in URL does not match name in " + kind + " object")
	}
	return nil
}

// Bootstrap creates an initial object of the cluster. after is the uid of another object, from which this one's is
// derived; empty: it is drawn.
func (r *Registry) Bootstrap(t Target, obj map[string]any, after string) error {
	ctx, cancel := context.WithTimeout(context.Background(), time.Minute)
	defer cancel()
	_, err := r.Create(Admitted(ctx), t, obj, WriteOptions{Manager: serverManager, unread: true, after: after})
	return err
}
