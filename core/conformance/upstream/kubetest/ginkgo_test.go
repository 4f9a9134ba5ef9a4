package kubetest

import (
	"context"
	"testing"
	"time"

	. "github.com/onsi/ginkgo/v2"
	. "github.com/onsi/gomega"
	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"github.com/tabernetes/tabernetes/devserver/kubetest"
)

// patience is how long a spec waits for what has to come.
const patience = 3 * time.Minute

// A suite as kubebuilder scaffolds it, but for two things: BeforeSuite starts no programs, and each spec has a fork of
// the prepared cluster instead of one that it shares with all others.

var (
	prepared  *kubetest.Server
	k8sServer *kubetest.Server
	k8sClient client.Client
	ctx       context.Context
	cancel    context.CancelFunc
)

func TestControllers(t *testing.T) {
	RegisterFailHandler(Fail)
	RunSpecs(t, "Controller Suite")
}

var _ = BeforeSuite(func() {
	By("bootstrapping test environment")
	ctx, cancel = context.WithCancel(context.Background())
	DeferCleanup(func() { cancel() })
	prepared = kubetest.New(GinkgoT(), kubetest.Controllers())
	prepared.Apply(GinkgoT(), "testdata/crd.yaml")
})

var _ = BeforeEach(func() {
	k8sServer = prepared.Fork(GinkgoT())
	var err error
	k8sClient, err = client.New(config(k8sServer.Client), client.Options{})
	Expect(err).NotTo(HaveOccurred())
})

var _ = Describe("Order", func() {
	order := func(name, item string) *unstructured.Unstructured {
		return &unstructured.Unstructured{Object: map[string]any{
			"apiVersion": "example.com/v1", "kind": "Order",
			"metadata": map[string]any{"name": name, "namespace": "default"}, "spec": map[string]any{"item": item},
		}}
	}
	for range 3 { // the same name each time: no spec sees another's
		It("is created in a cluster of its own", func() {
			Expect(k8sClient.Create(ctx, order("first", "tea"))).To(Succeed())
			Expect(k8sServer.Writes()).To(Equal([]string{"create orders.example.com default/first"}))
		})
	}
	It("is validated by its schema", func() {
		Expect(k8sClient.Create(ctx, order("second", "a rather long name"))).To(MatchError(ContainSubstring("Too long")))
	})
	It("goes with its namespace", func() {
		shop := &corev1.Namespace{ObjectMeta: metav1.ObjectMeta{Name: "shop"}}
		Expect(k8sClient.Create(ctx, shop)).To(Succeed())
		one := order("first", "tea")
		one.SetNamespace("shop")
		Expect(k8sClient.Create(ctx, one)).To(Succeed())
		Expect(k8sClient.Delete(ctx, shop)).To(Succeed())
		Eventually(func() bool {
			k8sServer.Advance(1e9)
			return client.IgnoreNotFound(k8sClient.Get(ctx, client.ObjectKeyFromObject(shop), shop)) == nil &&
				k8sClient.Get(ctx, client.ObjectKeyFromObject(shop), shop) != nil
		}).WithTimeout(patience).Should(BeTrue())
	})
})
