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

// runs are the functions that apply.
var runs = map[string]func(context.Context, *testing.T, *store){
	"RunTestCreate": func(c context.Context, t *testing.T,
		s *store) {
		suite.RunTestCreate(c, t, s, anyKey)
	},
	"RunTestCreateWithKeyExist": func(c context.Context, t *testing.T,
		s *store) {
		suite.RunTestCreateWithKeyExist(c, t, s)
	},
	"RunTestGet": func(c context.Context, t *testing.T,
		s *store) {
		suite.RunTestGet(c, t, s)
	},
	"RunTestUnconditionalDelete": func(c context.Context, t *testing.T,
		s *store) {
		suite.RunTestUnconditionalDelete(c, t, s)
	},
	"RunTestConditionalDelete": func(c context.Context, t *testing.T,
		s *store) {
		suite.RunTestConditionalDelete(c, t, s)
	},
	"RunTestDeleteWithSuggestion": func(c context.Context, t *testing.T,
		s *store) {
		suite.RunTestDeleteWithSuggestion(c, t, s)
	},
	"RunTestDeleteWithSuggestionAndConflict": func(c context.Context, t *testing.T,
		s *store) {
		suite.RunTestDeleteWithSuggestionAndConflict(c, t, s)
	},
	"RunTestDeleteWithConflict": func(c context.Context, t *testing.T,
		s *store) {
		suite.RunTestDeleteWithConflict(c, t, s)
	},
	"RunTestDeleteWithSuggestionOfDeletedObject": func(c context.Context, t *testing.T, s *store) {
		suite.RunTestDeleteWithSuggestionOfDeletedObject(c, t, s)
	},
	"RunTestValidateDeletionWithSuggestion": func(c context.Context, t *testing.T,
		s *store) {
		suite.RunTestValidateDeletionWithSuggestion(c, t, s)
	},
	"RunTestValidateDeletionWithOnlySuggestionValid": func(c context.Context, t *testing.T, s *store) {
		suite.RunTestValidateDeletionWithOnlySuggestionValid(c, t, s)
	},
	"RunTestPreconditionalDeleteWithSuggestion": func(c context.Context, t *testing.T, s *store) {
		suite.RunTestPreconditionalDeleteWithSuggestion(c, t, s)
	},
	"RunTestPreconditionalDeleteWithOnlySuggestionPass": func(c context.Context, t *testing.T, s *store) {
		suite.RunTestPreconditionalDeleteWithOnlySuggestionPass(c, t, s)
	},
	"RunTestList": func(c context.Context, t *testing.T, s *store) {
		suite.RunTestList(c, t, s, s.compact, false, suite.NewKubernetesRecorder(nil))
	},
	"RunTestConsistentList": func(c context.Context, t *testing.T, s *store) {
		suite.RunTestConsistentList(c, t, s, s.increase, false, true, false)
	},
	"RunTestGetListNonRecursive": func(c context.Context, t *testing.T,
		s *store) {
		suite.RunTestGetListNonRecursive(c, t, s.increase, s)
	},
	"RunTestGetListRecursivePrefix": func(c context.Context, t *testing.T,
		s *store) {
		suite.RunTestGetListRecursivePrefix(c, t, s)
	},
	"RunTestListContinuation": func(c context.Context, t *testing.T,
		s *store) {
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
	"RunTestListResourceVersionMatch": func(c context.Context, t *testing.T,
		s *store) {
		suite.RunTestListResourceVersionMatch(c, t, s)
	},
	"RunTestGuaranteedUpdate": func(c context.Context, t *testing.T,
		s *store) {
		suite.RunTestGuaranteedUpdate(c, t, s, anyKey)
	},
	"RunTestGuaranteedUpdateChecksStoredData": func(c context.Context, t *testing.T, s *store) {
		suite.RunTestGuaranteedUpdateChecksStoredData(c, t, s)
	},
	"RunTestGuaranteedUpdateWithConflict": func(c context.Context, t *testing.T,
		s *store) {
		suite.RunTestGuaranteedUpdateWithConflict(c, t, s)
	},
	"RunTestGuaranteedUpdateWithSuggestionAndConflict": func(c context.Context, t *testing.T, s *store) {
		suite.RunTestGuaranteedUpdateWithSuggestionAndConflict(c, t, s)
	},
	"RunTestTransformationFailure": func(c context.Context, t *testing.T,
		s *store) {
		suite.RunTestTransformationFailure(c, t, s)
	},
	"RunTestListPaging": func(c context.Context, t *testing.T, s *store) { suite.RunTestListPaging(c, t, s) },
	"RunTestNamespaceScopedList": func(c context.Context, t *testing.T,
		s *store) {
		suite.RunTestNamespaceScopedList(c, t, s)
	},
	"RunTestCompactRevision": func(c context.Context, t *testing.T, s *store) {
		suite.RunTestCompactRevision(c, t, s, s.increase, s.compact)
	},
	"RunTestKeySchema": func(c context.Context, t *testing.T, s *store) { suite.RunTestKeySchema(c, t, s) },
	"RunTestWatch":     func(c context.Context, t *testing.T, s *store) { suite.RunTestWatch(c, t, s) },
	"RunTestWatchFromZero": func(c context.Context, t *testing.T,
		s *store) {
		suite.RunTestWatchFromZero(c, t, s, s.compact)
	},
	"RunTestDeleteTriggerWatch": func(c context.Context, t *testing.T,
		s *store) {
		suite.RunTestDeleteTriggerWatch(c, t, s)
	},
	"RunTestWatchFromNonZero": func(c context.Context, t *testing.T,
		s *store) {
		suite.RunTestWatchFromNonZero(c, t, s)
	},
	"RunTestDelayedWatchDelivery": func(c context.Context, t *testing.T,
		s *store) {
		suite.RunTestDelayedWatchDelivery(c, t, s)
	},
	"RunTestWatchError": func(c context.Context, t *testing.T, s *store) { suite.RunTestWatchError(c, t, s) },
	"RunTestWatchContextCancel": func(c context.Context, t *testing.T,
		s *store) {
		suite.RunTestWatchContextCancel(c, t, s)
	},
	"RunTestWatchDeleteEventObjectHaveLatestRV": func(c context.Context, t *testing.T, s *store) {
		suite.RunTestWatchDeleteEventObjectHaveLatestRV(c, t, s)
	},
	"RunTestWatchInitializationSignal": func(c context.Context, t *testing.T,
		s *store) {
		suite.RunTestWatchInitializationSignal(c, t, s)
	},
	"RunTestClusterScopedWatch": func(c context.Context, t *testing.T,
		s *store) {
		suite.RunTestClusterScopedWatch(c, t, s)
	},
	"RunTestNamespaceScopedWatch": func(c context.Context, t *testing.T,
		s *store) {
		suite.RunTestNamespaceScopedWatch(c, t, s)
	},
	"RunTestWatchDispatchBookmarkEvents": func(c context.Context, t *testing.T, s *store) {
		suite.RunTestWatchDispatchBookmarkEvents(c, t, s, false)
	},
	"RunSendInitialEventsBackwardCompatibility": func(c context.Context, t *testing.T, s *store) {
		suite.RunSendInitialEventsBackwardCompatibility(c, t, s)
	},
	"RunWatchSemantics": func(c context.Context, t *testing.T,
		s *store) {
		suite.RunWatchSemantics(c, t, s)
	},
	"RunWatchSemanticInitialEventsExtended": func(c context.Context, t *testing.T,
		s *store) {
		suite.RunWatchSemanticInitialEventsExtended(c, t, s)
	},
	"RunWatchListMatchSingle": func(c context.Context, t *testing.T,
		s *store) {
		suite.RunWatchListMatchSingle(c, t, s)
	},
	"RunWatchErrorIsBlockingFurtherEvents": func(c context.Context, t *testing.T,
		s *store) {
		suite.RunWatchErrorIsBlockingFurtherEvents(c, t, s)
	},
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
