package e2e

import (
	"flag"
	"os"
	"testing"

	"github.com/onsi/ginkgo/v2"
	"github.com/onsi/gomega"
	"k8s.io/client-go/kubernetes"
	"k8s.io/client-go/tools/clientcmd"
	_ "k8s.io/kubernetes/test/e2e/apimachinery"
	"k8s.io/kubernetes/test/e2e/framework"
	"k8s.io/kubernetes/test/e2e/framework/config"
	_ "k8s.io/kubernetes/test/e2e/framework/node/init"

	"github.com/tabernetes/tabernetes/core/conformance/upstream/e2e/server"
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
		settings.KubeConfig = server.Start(t, "../../../..")
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
