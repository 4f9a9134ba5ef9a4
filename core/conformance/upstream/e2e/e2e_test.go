package e2e

import (
	"context"
	"flag"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"testing"
	"time"

	"github.com/onsi/ginkgo/v2"
	"github.com/onsi/gomega"
	"k8s.io/apimachinery/pkg/util/wait"
	"k8s.io/client-go/kubernetes"
	"k8s.io/client-go/tools/clientcmd"
	_ "k8s.io/kubernetes/test/e2e/apimachinery"
	"k8s.io/kubernetes/test/e2e/framework"
	"k8s.io/kubernetes/test/e2e/framework/config"
	_ "k8s.io/kubernetes/test/e2e/framework/node/init"
)

// focus are the specs that run.
var focus = []string{
	"ValidatingAdmissionPolicy", "MutatingAdmissionPolicy", "CustomResourceValidationRules", "AdmissionWebhook",
	"CustomResourceConversionWebhook",
}

// skip are those of them that need a container.
var skip = []string{"should be able to deny attaching pod"}

func TestMain(m *testing.M) {
	config.CopyFlags(config.Flags, flag.CommandLine)
	framework.RegisterCommonFlags(flag.CommandLine)
	framework.RegisterClusterFlags(flag.CommandLine)
	flag.Parse()
	os.Exit(m.Run())
}

// TestE2E runs the specs. With --kubeconfig it takes that cluster, such as one of the real kube-apiserver.
func TestE2E(t *testing.T) {
	if os.Getenv("TABERNETES_LONG") == "" {
		t.Skip("it compiles for minutes: set TABERNETES_LONG")
	}
	settings := &framework.TestContext
	if settings.KubeConfig == "" {
		settings.KubeConfig = devserver(t)
	}
	settings.Provider = "local"
	framework.AfterReadingAllFlags(settings)
	reached, err := clientcmd.BuildConfigFromFlags("", settings.KubeConfig)
	if err != nil {
		t.Fatal(err)
	}
	serve(t, kubernetes.NewForConfigOrDie(reached))

	gomega.RegisterFailHandler(framework.Fail)
	suite, reporter := framework.CreateGinkgoConfig()
	if len(suite.FocusStrings) == 0 {
		suite.FocusStrings = focus
	}
	suite.SkipStrings = append(suite.SkipStrings, skip...)
	ginkgo.RunSpecs(t, "Kubernetes e2e suite", suite, reporter)
}

// devserver builds and starts one, and returns the file by which clients reach it.
func devserver(t *testing.T) string {
	t.Helper()
	dir := t.TempDir()
	program, file := filepath.Join(dir, "devserver"), filepath.Join(dir, "kubeconfig")
	build := exec.CommandContext(t.Context(), "go", "build", "-o", program, "./devserver")
	build.Dir = "../../../.."
	if said, err := build.CombinedOutput(); err != nil {
		t.Fatalf("go build: %v\n%s", err, said)
	}
	run := exec.CommandContext(t.Context(), program, "--api-only", "--addr", "127.0.0.1:0", "--kubeconfig", file)
	log, err := os.Create(filepath.Join(dir, "log"))
	if err != nil {
		t.Fatal(err)
	}
	run.Stdout, run.Stderr = log, log
	run.Cancel = func() error { return run.Process.Signal(os.Interrupt) }
	if err := run.Start(); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		_ = run.Wait() // the test's context has ended it
		_ = log.Close()
	})
	err = wait.PollUntilContextTimeout(t.Context(), 20*time.Millisecond, time.Minute, true,
		func(ctx context.Context) (bool, error) {
			c, err := clientcmd.BuildConfigFromFlags("", file)
			if err != nil {
				return false, nil
			}
			got, err := kubernetes.NewForConfigOrDie(c).RESTClient().Get().AbsPath("/readyz").DoRaw(ctx)
			return err == nil && string(got) == "ok", nil
		})
	if err != nil {
		said, _ := os.ReadFile(log.Name())
		t.Fatal(fmt.Errorf("the devserver has not started: %w\n%s", err, said))
	}
	return file
}
