package storagesuite

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"strings"
	"sync"

	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apiserver/pkg/storage"
	storagetesting "k8s.io/apiserver/pkg/storage/testing"
	"k8s.io/apiserver/pkg/storage/value"

	"github.com/tabernetes/tabernetes/core/mvcc"
)

// prefix is where the keys of the suite's resource begin; bucket is where the
// store keeps what follows it.
const (
	prefix = "/pods/"
	bucket = "v1/pods"
)

// store is a storage.Interface over an mvcc.Store.
type store struct {
	data      *mvcc.Store
	codec     runtime.Codec
	versioner storage.APIObjectVersioner

	mu          sync.Mutex
	transformer value.Transformer
}

var _ storage.Interface = (*store)(nil)

func (s *store) Versioner() storage.Versioner { return s.versioner }

// UpdatePrefixTransformer replaces the transformer until the returned function is called.
func (s *store) UpdatePrefixTransformer(modify storagetesting.PrefixTransformerModifier) func() {
	s.mu.Lock()
	defer s.mu.Unlock()
	old := s.transformer.(*storagetesting.PrefixTransformer)
	changed := *old
	s.transformer = modify(&changed)
	return func() {
		s.mu.Lock()
		defer s.mu.Unlock()
		s.transformer = old
	}
}

func (s *store) transform() value.Transformer {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.transformer
}

// split removes the resource's prefix from a key.
func split(key string, recursive bool) (string, error) {
	switch {
	case key == "" || key == "/":
		return "", errors.New("empty key: " + key)
	case key == "." || key == ".." || strings.Contains(key, "/./") || strings.Contains(key, "/../"):
		return "", errors.New("invalid key: " + key)
	}
	if recursive && !strings.HasSuffix(key, "/") {
		key += "/"
	}
	rest, ok := strings.CutPrefix(key, prefix)
	if !ok {
		return "", fmt.Errorf("invalid key: %q lacks resource prefix %q", key, prefix)
	}
	return rest, nil
}

// at decodes stored bytes into an object at a revision. It reports whether the bytes should be
// written again.
func (s *store) at(ctx context.Context, key string, stored []byte, rev int64, into runtime.Object) (plain []byte,
	stale bool, err error) {
	plain, stale, err = s.transform().TransformFromStorage(ctx, stored, value.DefaultContext(prefix+key))
	if err != nil {
		return nil, false, storage.NewInternalError(err)
	}
	if _, _, err := s.codec.Decode(plain, nil, into); err != nil {
		return nil, false, err
	}
	return plain, stale, s.versioner.UpdateObject(into, uint64(rev))
}

// encode makes the bytes of an object, before and after transformation.
func (s *store) encode(ctx context.Context, key string, obj runtime.Object) (plain, stored []byte, err error) {
	if err := s.versioner.PrepareObjectForStorage(obj); err != nil {
		return nil, nil, err
	}
	if plain, err = runtime.Encode(s.codec, obj); err != nil {
		return nil, nil, err
	}
	stored, err = s.transform().TransformToStorage(ctx, plain, value.DefaultContext(prefix+key))
	if err != nil {
		return nil, nil, storage.NewInternalError(err)
	}
	return plain, stored, nil
}

func as(b []byte) mvcc.Build { return func(int64) ([]byte, any) { return b, nil } }

func (s *store) Create(ctx context.Context, path string, obj, out runtime.Object, _ uint64) error {
	key, err := split(path, false)
	if err != nil {
		return err
	}
	if rev, err := s.versioner.ObjectResourceVersion(obj); err == nil && rev != 0 {
		return storage.ErrResourceVersionSetOnCreate
	}
	plain, stored, err := s.encode(ctx, key, obj)
	if err != nil {
		return err
	}
	e, err := s.data.Put(bucket, key, 0, as(stored))
	if err != nil {
		return storage.NewKeyExistsError(path, 0)
	}
	if out == nil {
		return nil
	}
	return s.decode(plain, e.Revision, out)
}

func (s *store) Get(ctx context.Context, path string, o storage.GetOptions, out runtime.Object) error {
	key, err := split(path, false)
	if err != nil {
		return err
	}
	v, head, err := s.data.Get(bucket, key, 0)
	if err != nil {
		return err
	}
	if err := s.reached(o.ResourceVersion, head); err != nil {
		return err
	}
	switch {
	case v != nil:
		_, _, err := s.at(ctx, key, v.Value, v.Revision, out)
		return err
	case o.IgnoreNotFound:
		return runtime.SetZeroValue(out)
	}
	return storage.NewKeyNotFoundError(path, 0)
}

// reached refuses a version that the store has not reached.
func (s *store) reached(version string, head int64) error {
	rev, err := s.versioner.ParseResourceVersion(version)
	if err != nil {
		return err
	}
	if int64(rev) > head {
		return storage.NewTooLargeResourceVersionError(rev, uint64(head), 0)
	}
	return nil
}

// present is the current object, as far as a writer knows.
type present struct {
	obj   runtime.Object
	rev   int64
	plain []byte
	stale bool
	// sure is false for a caller's suggestion.
	sure bool
}

// read returns the stored object. An object that does not exist has revision 0.
func (s *store) read(ctx context.Context, key string, empty runtime.Object) (present, error) {
	v, _, err := s.data.Get(bucket, key, 0)
	if err != nil || v == nil {
		return present{obj: empty, sure: true}, err
	}
	p := present{obj: empty, rev: v.Revision, sure: true}
	p.plain, p.stale, err = s.at(ctx, key, v.Value, v.Revision, p.obj)
	return p, err
}

// believe starts with a suggestion, or with the stored object if none exists.
func (s *store) believe(ctx context.Context, key string, suggestion, empty runtime.Object) (present, error) {
	if suggestion == nil {
		return s.read(ctx, key, empty)
	}
	rev, err := s.versioner.ObjectResourceVersion(suggestion)
	if err != nil {
		return present{}, err
	}
	plain, err := runtime.Encode(s.codec, suggestion)
	if err != nil {
		return present{}, err
	}
	clean := empty.DeepCopyObject()
	if _, _, err := s.codec.Decode(plain, nil, clean); err != nil {
		return present{}, err
	}
	if plain, _, err = s.encode(ctx, key, clean); err != nil {
		return present{}, err
	}
	return present{obj: suggestion, rev: int64(rev), plain: plain}, nil
}

// write calls try with the current object until it succeeds, or fails with an object that is sure.
// After a conflict it reads the object again.
func (s *store) write(ctx context.Context, key string, suggestion runtime.Object, empty func() runtime.Object,
	try func(present) error) error {
	p, err := s.believe(ctx, key, suggestion, empty())
	for err == nil {
		err = try(p)
		var conflict *mvcc.ConflictError
		if err == nil || p.sure && !errors.As(err, &conflict) {
			return err
		}
		failed, rev := err, p.rev
		if p, err = s.read(ctx, key, empty()); err == nil && p.rev == rev && !errors.As(failed, &conflict) {
			return failed // the suggestion was right
		}
	}
	return err
}

func (s *store) Delete(ctx context.Context, path string, out runtime.Object, pre *storage.Preconditions,
	validate storage.ValidateObjectFunc, suggestion runtime.Object, _ storage.DeleteOptions) error {
	key, err := split(path, false)
	if err != nil {
		return err
	}
	return s.write(ctx, key, suggestion, func() runtime.Object { return zero(out) }, func(p present) error {
		if p.rev == 0 {
			return storage.NewKeyNotFoundError(path, 0)
		}
		if pre != nil {
			if err := pre.Check(path, p.obj); err != nil {
				return err
			}
		}
		if err := validate(ctx, p.obj); err != nil {
			return err
		}
		v, _, err := s.data.Get(bucket, key, 0)
		if err != nil {
			return err
		}
		if v == nil {
			return &mvcc.ConflictError{}
		}
		e, err := s.data.Delete(bucket, key, p.rev, as(v.Value))
		if err != nil {
			return err
		}
		_, _, err = s.at(ctx, key, e.Value, e.Revision, out)
		return err
	})
}

func (s *store) GuaranteedUpdate(ctx context.Context, path string, out runtime.Object, ignoreNotFound bool,
	pre *storage.Preconditions, update storage.UpdateFunc, suggestion runtime.Object) error {
	key, err := split(path, false)
	if err != nil {
		return err
	}
	return s.write(ctx, key, suggestion, func() runtime.Object { return zero(out) }, func(p present) error {
		if p.rev == 0 && !ignoreNotFound {
			return storage.NewKeyNotFoundError(path, 0)
		}
		if err := pre.Check(path, p.obj); err != nil {
			return err
		}
		changed, _, err := update(p.obj, storage.ResponseMeta{ResourceVersion: uint64(p.rev)})
		if err != nil {
			return err
		}
		plain, stored, err := s.encode(ctx, key, changed)
		if err != nil {
			return err
		}
		if p.rev != 0 && bytes.Equal(plain, p.plain) {
			if !p.sure {
				return errUnsure
			}
			if !p.stale {
				return s.decode(plain, p.rev, out)
			}
		}
		e, err := s.data.Put(bucket, key, p.rev, as(stored))
		if err != nil {
			return err
		}
		return s.decode(plain, e.Revision, out)
	})
}

// errUnsure makes write read the store before it accepts, based on a suggestion, that there is
// nothing to change.
var errUnsure error = &mvcc.ConflictError{}

func (s *store) decode(plain []byte, rev int64, out runtime.Object) error {
	if err := runtime.SetZeroValue(out); err != nil {
		return err
	}
	if _, _, err := s.codec.Decode(plain, nil, out); err != nil {
		return err
	}
	return s.versioner.UpdateObject(out, uint64(rev))
}

// zero returns a new object of the type of another.
func zero(like runtime.Object) runtime.Object {
	obj := like.DeepCopyObject()
	if err := runtime.SetZeroValue(obj); err != nil {
		panic(err) // a pointer to a struct
	}
	return obj
}

func (s *store) Stats(context.Context) (storage.Stats, error) {
	page, err := s.data.Range(bucket, mvcc.Query{})
	return storage.Stats{ObjectCount: int64(len(page.Items))}, err
}

func (s *store) ReadinessCheck() error { return nil }

func (s *store) RequestWatchProgress(context.Context) error { return nil }

func (s *store) GetCurrentResourceVersion(context.Context) (uint64, error) {
	return uint64(s.data.Status().Head), nil
}

func (s *store) EnableResourceSizeEstimation(storage.KeysFunc) error { return nil }

func (s *store) CompactRevision() int64 { return s.data.Status().Compacted }
