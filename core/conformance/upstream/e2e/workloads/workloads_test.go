package workloads

import (
	"encoding/json"
	"flag"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"sync"
	"testing"

	"github.com/onsi/ginkgo/v2"
	"github.com/onsi/ginkgo/v2/types"
	"github.com/onsi/gomega"
	_ "k8s.io/kubernetes/test/e2e/apimachinery"
	_ "k8s.io/kubernetes/test/e2e/apps"
	_ "k8s.io/kubernetes/test/e2e/auth"
	"k8s.io/kubernetes/test/e2e/framework"
	"k8s.io/kubernetes/test/e2e/framework/config"
	_ "k8s.io/kubernetes/test/e2e/framework/debug/init"
	_ "k8s.io/kubernetes/test/e2e/framework/node/init"
	_ "k8s.io/kubernetes/test/e2e/node"
	_ "k8s.io/kubernetes/test/e2e/scheduling"

	"github.com/tabernetes/tabernetes/core/conformance/upstream/e2e/server"
)

var (
	all   = flag.Bool("all", false, "run the specs too that are known not to pass")
	write = flag.Bool("write", false, "write testdata/specs.txt as it turns out")
)

// areas are the beginnings of the specs' names, by the cluster in which they run. The first cluster is the oldest one
// when specs begin: quotas do not notice what is deleted in the first seconds of a manager.
var areas = [][]string{
	{"[sig-api-machinery] ResourceQuota", "[sig-api-machinery] Garbage collector", "[sig-api-machinery] Namespaces",
		"[sig-auth] ServiceAccounts"},
	{"[sig-apps]"},
	{"[sig-scheduling]"},
	{"[sig-node] NoExecuteTaintManager", "[sig-node] Pod garbage collector"},
}

func TestMain(m *testing.M) {
	config.CopyFlags(config.Flags, flag.CommandLine)
	framework.RegisterCommonFlags(flag.CommandLine)
	framework.RegisterClusterFlags(flag.CommandLine)
	flag.Parse()
	os.Exit(m.Run())
}

// TestWorkloads has other processes run the specs, by this program with --kubeconfig, and compares how they end with
// the list.
func TestWorkloads(t *testing.T) {
	if framework.TestContext.KubeConfig != "" {
		runSpecs(t)
		return
	}
	if os.Getenv("TABERNETES_LONG") == "" {
		t.Skip("it compiles, and runs, for minutes: set TABERNETES_LONG")
	}
	known := read(t)
	var found []result
	var mu sync.Mutex
	var kubeconfigs []string
	for range areas {
		kubeconfigs = append(kubeconfigs, server.Start(t, "../../../../..", "--control-plane", "--nodes=3"))
	}
	t.Run("of", func(t *testing.T) {
		for i, areas := range areas {
			t.Run(areas[0], func(t *testing.T) {
				t.Parallel()
				results := start(t, known, areas, kubeconfigs[i])
				mu.Lock()
				defer mu.Unlock()
				found = append(found, results...)
			})
		}
	})
	known.compare(t, found)
}

// start has processes run the specs of some areas in a cluster.
func start(t *testing.T, known *list, areas []string, kubeconfig string) []result {
	t.Helper()
	program, err := filepath.Abs(os.Args[0])
	if err != nil {
		t.Fatal(err)
	}
	report := filepath.Join(t.TempDir(), "report.json")
	args := []string{"run", "github.com/onsi/ginkgo/v2/ginkgo", "--procs=4", "--json-report=" + report, "--timeout=3h",
		"--no-color", "--succinct"}
	for _, area := range areas {
		args = append(args, "--focus="+regexp.QuoteMeta(" "+area))
	}
	if !*all {
		for name := range known.failing() {
			args = append(args, "--skip="+regexp.QuoteMeta(" "+name)+"$")
		}
	}
	said, ran := exec.CommandContext(t.Context(), "go", append(args, program, "--", "-test.run=^TestWorkloads$",
		"-num-nodes=3", "-kubeconfig="+kubeconfig)...).CombinedOutput()
	if ran != nil {
		t.Logf("%v\n%s", ran, said)
	}
	data, err := os.ReadFile(report)
	if err != nil {
		t.Fatal(err)
	}
	return results(t, data, areas)
}

// runSpecs runs a part of the specs, as another process says.
func runSpecs(t *testing.T) {
	framework.TestContext.Provider = "local"
	framework.AfterReadingAllFlags(&framework.TestContext)
	gomega.RegisterFailHandler(framework.Fail)
	suite, reporter := framework.CreateGinkgoConfig()
	ginkgo.RunSpecs(t, "Kubernetes e2e suite", suite, reporter)
}

// A result is how a spec ended: why is empty if it passed.
type result struct {
	name string
	ran  bool
	why  string
}

// results reads how the specs of the areas ended.
func results(t *testing.T, data []byte, areas []string) []result {
	t.Helper()
	var reports []types.Report
	if err := json.Unmarshal(data, &reports); err != nil {
		t.Fatal(err)
	}
	var found []result
	for _, s := range reports[0].SpecReports {
		name := s.FullText()
		if s.LeafNodeType != types.NodeTypeIt || !slices.ContainsFunc(areas, func(area string) bool {
			return strings.HasPrefix(name, area)
		}) {
			continue
		}
		why, _, _ := strings.Cut(strings.TrimSpace(s.Failure.Message), "\n")
		r := result{name: name, why: why}
		// One that is skipped says why only if it has done so itself.
		r.ran = s.State == types.SpecStatePassed || s.State.Is(types.SpecStateFailureStates) || why != ""
		if r.ran && s.State != types.SpecStatePassed && why == "" {
			r.why = s.State.String()
		}
		found = append(found, r)
	}
	return found
}
