package storagesuite

import (
	"context"
	"go/ast"
	"go/parser"
	"go/token"
	"os/exec"
	"strconv"
	"strings"
	"testing"
	"time"

	"k8s.io/apimachinery/pkg/api/apitesting"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/runtime/serializer"
	"k8s.io/apiserver/pkg/apis/example"
	examplev1 "k8s.io/apiserver/pkg/apis/example/v1"
	"k8s.io/apiserver/pkg/storage"
	suite "k8s.io/apiserver/pkg/storage/testing"

	"github.com/tabernetes/tabernetes/core/mvcc"
)

// newStore returns an empty store with the types of the suite.
func newStore(t *testing.T) *store {
	t.Helper()
	scheme := runtime.NewScheme()
	metav1.AddToGroupVersion(scheme, metav1.SchemeGroupVersion)
	for _, add := range []func(*runtime.Scheme) error{example.AddToScheme, examplev1.AddToScheme} {
		if err := add(scheme); err != nil {
			t.Fatal(err)
		}
	}
	return &store{
		data:        mvcc.New(time.Now),
		codec:       apitesting.TestCodec(serializer.NewCodecFactory(scheme), examplev1.SchemeGroupVersion),
		transformer: suite.NewPrefixTransformer([]byte("stored:"), false),
	}
}

// elsewhere writes an object of another resource.
func (s *store) elsewhere(t *testing.T) int64 {
	t.Helper()
	v, _, err := s.data.Get("v1/others", "x", 0)
	if err != nil {
		t.Fatal(err)
	}
	var expect int64
	if v != nil {
		expect = v.Revision
	}
	e, err := s.data.Put("v1/others", "x", expect, as(nil))
	if err != nil {
		t.Fatal(err)
	}
	return e.Revision
}

// compact is the suite's way to compact. Like etcd's own bookkeeping, it takes a revision.
func (s *store) compact(_ context.Context, t *testing.T, version string) {
	t.Helper()
	rev, err := strconv.ParseInt(version, 10, 64)
	if err != nil {
		t.Fatal(err)
	}
	if err := s.data.Compact(rev); err != nil {
		t.Fatal(err)
	}
	s.elsewhere(t)
}

func (s *store) increase(_ context.Context, t *testing.T) int64 { return s.elsewhere(t) }

// The suite counts calls to etcd and looks at its keys; neither exists here.
func anyKey(context.Context, *testing.T, string) {}
func anyCalls(*testing.T, uint64, uint64)        {}

// plain runs a function of the suite that takes no more than a store.
func plain[S storage.Interface](run func(context.Context, *testing.T, S)) func(context.Context, *testing.T, *store) {
	return func(c context.Context, t *testing.T, s *store) { run(c, t, any(s).(S)) }
}

// runs are the functions that apply.
var runs = map[string]func(context.Context, *testing.T, *store){
	"RunTestCreate": func(c context.Context, t *testing.T, s *store) {
		suite.RunTestCreate(c, t, s, anyKey)
	},
	"RunTestCreateWithKeyExist":                         plain(suite.RunTestCreateWithKeyExist),
	"RunTestGet":                                        plain(suite.RunTestGet),
	"RunTestUnconditionalDelete":                        plain(suite.RunTestUnconditionalDelete),
	"RunTestConditionalDelete":                          plain(suite.RunTestConditionalDelete),
	"RunTestDeleteWithSuggestion":                       plain(suite.RunTestDeleteWithSuggestion),
	"RunTestDeleteWithSuggestionAndConflict":            plain(suite.RunTestDeleteWithSuggestionAndConflict),
	"RunTestDeleteWithConflict":                         plain(suite.RunTestDeleteWithConflict),
	"RunTestDeleteWithSuggestionOfDeletedObject":        plain(suite.RunTestDeleteWithSuggestionOfDeletedObject),
	"RunTestValidateDeletionWithSuggestion":             plain(suite.RunTestValidateDeletionWithSuggestion),
	"RunTestValidateDeletionWithOnlySuggestionValid":    plain(suite.RunTestValidateDeletionWithOnlySuggestionValid),
	"RunTestPreconditionalDeleteWithSuggestion":         plain(suite.RunTestPreconditionalDeleteWithSuggestion),
	"RunTestPreconditionalDeleteWithOnlySuggestionPass": plain(suite.RunTestPreconditionalDeleteWithOnlySuggestionPass),
	"RunTestList": func(c context.Context, t *testing.T, s *store) {
		suite.RunTestList(c, t, s, s.compact, false, suite.NewKubernetesRecorder(nil))
	},
	"RunTestConsistentList": func(c context.Context, t *testing.T, s *store) {
		suite.RunTestConsistentList(c, t, s, s.increase, false, true, false)
	},
	"RunTestGetListNonRecursive": func(c context.Context, t *testing.T, s *store) {
		suite.RunTestGetListNonRecursive(c, t, s.increase, s)
	},
	"RunTestGetListRecursivePrefix": plain(suite.RunTestGetListRecursivePrefix),
	"RunTestListContinuation": func(c context.Context, t *testing.T, s *store) {
		suite.RunTestListContinuation(c, t, s, anyCalls)
	},
	"RunTestListPaginationRareObject": func(c context.Context, t *testing.T, s *store) {
		suite.RunTestListPaginationRareObject(c, t, s, anyCalls)
	},
	"RunTestListContinuationWithFilter": func(c context.Context, t *testing.T, s *store) {
		suite.RunTestListContinuationWithFilter(c, t, s, anyCalls)
	},
	"RunTestListInconsistentContinuation": func(c context.Context, t *testing.T, s *store) {
		suite.RunTestListInconsistentContinuation(c, t, s, s.compact)
	},
	"RunTestListResourceVersionMatch": plain(suite.RunTestListResourceVersionMatch),
	"RunTestGuaranteedUpdate": func(c context.Context, t *testing.T, s *store) {
		suite.RunTestGuaranteedUpdate(c, t, s, anyKey)
	},
	"RunTestGuaranteedUpdateChecksStoredData":          plain(suite.RunTestGuaranteedUpdateChecksStoredData),
	"RunTestGuaranteedUpdateWithConflict":              plain(suite.RunTestGuaranteedUpdateWithConflict),
	"RunTestGuaranteedUpdateWithSuggestionAndConflict": plain(suite.RunTestGuaranteedUpdateWithSuggestionAndConflict),
	"RunTestTransformationFailure":                     plain(suite.RunTestTransformationFailure),
	"RunTestListPaging":                                plain(suite.RunTestListPaging),
	"RunTestNamespaceScopedList":                       plain(suite.RunTestNamespaceScopedList),
	"RunTestCompactRevision": func(c context.Context, t *testing.T, s *store) {
		suite.RunTestCompactRevision(c, t, s, s.increase, s.compact)
	},
	"RunTestKeySchema": plain(suite.RunTestKeySchema),
	"RunTestWatch":     plain(suite.RunTestWatch),
	"RunTestWatchFromZero": func(c context.Context, t *testing.T, s *store) {
		suite.RunTestWatchFromZero(c, t, s, s.compact)
	},
	"RunTestDeleteTriggerWatch":                 plain(suite.RunTestDeleteTriggerWatch),
	"RunTestWatchFromNonZero":                   plain(suite.RunTestWatchFromNonZero),
	"RunTestDelayedWatchDelivery":               plain(suite.RunTestDelayedWatchDelivery),
	"RunTestWatchError":                         plain(suite.RunTestWatchError),
	"RunTestWatchContextCancel":                 plain(suite.RunTestWatchContextCancel),
	"RunTestWatchDeleteEventObjectHaveLatestRV": plain(suite.RunTestWatchDeleteEventObjectHaveLatestRV),
	"RunTestWatchInitializationSignal":          plain(suite.RunTestWatchInitializationSignal),
	"RunTestClusterScopedWatch":                 plain(suite.RunTestClusterScopedWatch),
	"RunTestNamespaceScopedWatch":               plain(suite.RunTestNamespaceScopedWatch),
	"RunTestWatchDispatchBookmarkEvents": func(c context.Context, t *testing.T, s *store) {
		suite.RunTestWatchDispatchBookmarkEvents(c, t, s, false)
	},
	"RunSendInitialEventsBackwardCompatibility": plain(suite.RunSendInitialEventsBackwardCompatibility),
	"RunWatchSemantics":                         plain(suite.RunWatchSemantics),
	"RunWatchSemanticInitialEventsExtended":     plain(suite.RunWatchSemanticInitialEventsExtended),
	"RunWatchListMatchSingle":                   plain(suite.RunWatchListMatchSingle),
	"RunWatchErrorIsBlockingFurtherEvents":      plain(suite.RunWatchErrorIsBlockingFurtherEvents),
}

// leftOut are the functions that cannot apply, with the reason.
var leftOut = map[string]string{
	"RunTestCreateWithTTL": "the store has no times to live: no resource of the " +
		"API has one, but for events, whose end is the retention's",
	"RunTestGuaranteedUpdateWithTTL": "as above",
	"RunTestStats":                   "sizes by resource are etcd's bookkeeping for the cost of lists",
	"RunTestWatchWithUnsafeDelete":   "deletes objects that cannot be decoded; the store holds no such ones",
	"RunTestWatcherTimeout":          "is about the buffers of k8s.io/apiserver's cacher; a cursor has none",
	"RunTestOptionalWatchBookmarksWithCorrectResourceVersion": "is for storages with bookmarks of their own; ours are " +
		"made a floor above, in core/registry",
	"RunOptionalTestProgressNotify": "is for storages that notify of progress; the store is asked for its head instead",
	"RunBenchmarkStoreListCreate":   "is a benchmark",
	"RunBenchmarkStoreList":         "is a benchmark",
	"RunBenchmarkStoreStats":        "is a benchmark",
}

func TestSuite(t *testing.T) {
	for name, run := range runs {
		t.Run(name, func(t *testing.T) { run(t.Context(), t, newStore(t)) })
	}
}

// TestSuiteFunctionsAreListed compares the two lists with what upstream exports.
func TestSuiteFunctionsAreListed(t *testing.T) {
	dir, err := exec.Command("go", "list", "-f", "{{.Dir}}", "k8s.io/apiserver/pkg/storage/testing").Output()
	if err != nil {
		t.Fatal(err)
	}
	packages, err := parser.ParseDir(token.NewFileSet(), strings.TrimSpace(string(dir)), nil, parser.SkipObjectResolution)
	if err != nil {
		t.Fatal(err)
	}
	exported := map[string]bool{}
	for _, p := range packages {
		for _, file := range p.Files {
			for _, decl := range file.Decls {
				f, ok := decl.(*ast.FuncDecl)
				if ok && f.Recv == nil && strings.HasPrefix(f.Name.Name, "Run") {
					exported[f.Name.Name] = true
				}
			}
		}
	}
	for name := range exported {
		_, runs := runs[name]
		_, out := leftOut[name]
		if runs == out {
			t.Errorf("%s: runs is %v, left out is %v", name, runs, out)
		}
	}
	if listed := len(runs) + len(leftOut); listed != len(exported) {
		t.Errorf("%d functions are listed, %d are exported", listed, len(exported))
	}
	if len(runs) < 48 {
		t.Errorf("only %d functions run", len(runs))
	}
}
