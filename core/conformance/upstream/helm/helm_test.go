package helm

import (
	"fmt"
	"log/slog"
	"net/http/httptest"
	"path"
	"slices"
	"strings"
	"testing"
	"time"

	"helm.sh/helm/v4/pkg/action"
	"helm.sh/helm/v4/pkg/kube"
	"helm.sh/helm/v4/pkg/release"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/apimachinery/pkg/types"
	"k8s.io/cli-runtime/pkg/genericclioptions"
	"k8s.io/client-go/dynamic"
	"k8s.io/client-go/rest"

	"github.com/tabernetes/tabernetes/core"
	"github.com/tabernetes/tabernetes/core/conformance/upstream/fixture"
)

// helmTimeout is Helm's timeout: far longer than it needs.
const helmTimeout = 2 * time.Minute

// user uses Helm, and checks the resulting objects.
type user struct {
	t       *testing.T
	config  *action.Configuration
	objects dynamic.Interface
}

// newUser returns a user with its own cluster.
func newUser(t *testing.T) *user {
	t.Helper()
	url := fixture.Serve(t, core.Options{}, httptest.NewServer)
	objects, err := dynamic.NewForConfig(&rest.Config{Host: url})
	if err != nil {
		t.Fatal(err)
	}
	flags := genericclioptions.NewConfigFlags(false)
	none, namespace, cache := "/dev/null", metav1.NamespaceDefault, t.TempDir()
	flags.KubeConfig, flags.APIServer, flags.Namespace, flags.CacheDir = &none, &url, &namespace, &cache
	config := action.NewConfiguration(action.ConfigurationSetLogger(slog.DiscardHandler))
	if err := config.Init(flags, namespace, "secrets"); err != nil {
		t.Fatal(err)
	}
	return &user{t: t, config: config, objects: objects}
}

// TestRelease runs the life cycle of a release, with server-side apply and with the older three-way
// patches.
func TestRelease(t *testing.T) {
	for name, serverSide := range map[string]bool{"server-side": true, "client-side": false} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			p := newUser(t)
			p.lists()

			install := action.NewInstall(p.config)
			install.ReleaseName, install.Namespace, install.ServerSideApply = "a", metav1.NamespaceDefault, serverSide
			install.WaitStrategy, install.Timeout = kube.HookOnlyStrategy, helmTimeout
			_, err := install.Run(newChart("1.0.0"), nil)
			p.must(err)
			p.lists("a 1 deployed")
			p.finds("v1/configmaps/a", "map[colour:red revision:1]", "data")
			p.finds("v1/configmaps/a", "Helm", "metadata", "labels", "app.kubernetes.io/managed-by")
			p.finds("v1/configmaps/a-hook", "map[revision:1]", "data")
			p.finds("v1/secrets/a", "map[password:cmVk]", "data")
			p.finds("v1/services/a", "map[app:a]", "spec", "selector")
			p.finds("apps/v1/deployments/a", "2", "spec", "replicas")
			p.finds("example.com/v1/widgets/a", "red", "spec", "colour")

			// Another client adds what is not in the chart.
			_, err = p.resource("v1/configmaps").Patch(t.Context(), "a", types.MergePatchType,
				[]byte(`{"data":{"note":"mine"}}`), metav1.PatchOptions{FieldManager: "somebody"})
			p.must(err)

			upgrade := action.NewUpgrade(p.config)
			upgrade.Namespace, upgrade.WaitStrategy = metav1.NamespaceDefault, kube.HookOnlyStrategy
			upgrade.Timeout = helmTimeout
			_, err = upgrade.Run("a", newChart("1.1.0"), map[string]any{"replicas": 3, "colour": "blue", "extra": true})
			p.must(err)
			p.lists("a 1 superseded", "a 2 deployed")
			p.finds("v1/configmaps/a", "map[colour:blue note:mine revision:2]", "data")
			p.finds("v1/configmaps/a-extra", "a-extra", "metadata", "name")
			p.finds("v1/configmaps/a-hook", "map[revision:2]", "data")
			p.finds("v1/secrets/a", "map[password:Ymx1ZQ==]", "data")
			p.finds("apps/v1/deployments/a", "3", "spec", "replicas")
			p.finds("example.com/v1/widgets/a", "blue", "spec", "colour")

			rollback := action.NewRollback(p.config)
			rollback.Version, rollback.WaitStrategy, rollback.Timeout = 1, kube.HookOnlyStrategy, helmTimeout
			p.must(rollback.Run("a"))
			p.lists("a 1 superseded", "a 2 superseded", "a 3 deployed")
			p.finds("v1/configmaps/a", "map[colour:red note:mine revision:1]", "data")
			p.misses("v1/configmaps/a-extra")
			p.finds("apps/v1/deployments/a", "2", "spec", "replicas")
			p.finds("example.com/v1/widgets/a", "red", "spec", "colour")

			uninstall := action.NewUninstall(p.config)
			uninstall.WaitStrategy, uninstall.Timeout = kube.StatusWatcherStrategy, helmTimeout
			_, err = uninstall.Run("a")
			p.must(err)
			p.lists()
			for _, object := range []string{"v1/configmaps/a", "v1/secrets/a", "v1/services/a", "apps/v1/deployments/a",
				"example.com/v1/widgets/a"} {
				p.misses(object)
			}
			p.finds("v1/configmaps/a-hook", "map[revision:2]", "data") // a hook has no owner
			p.finds("apiextensions.k8s.io/v1/customresourcedefinitions/widgets.example.com", "Widget", "spec", "names", "kind")
		})
	}
}

func (p *user) must(err error) {
	p.t.Helper()
	if err != nil {
		p.t.Fatal(err)
	}
}

// lists compares all revisions of all releases with what is expected.
func (p *user) lists(want ...string) {
	p.t.Helper()
	all, err := p.config.Releases.ListReleases()
	p.must(err)
	var got []string
	for _, one := range all {
		r, err := release.NewAccessor(one)
		p.must(err)
		got = append(got, fmt.Sprint(r.Name(), " ", r.Version(), " ", r.Status()))
	}
	slices.Sort(got)
	if !slices.Equal(got, want) {
		p.t.Fatalf("the releases are %q, want %q", got, want)
	}
	list := action.NewList(p.config)
	list.StateMask = action.ListDeployed
	deployed, err := list.Run()
	p.must(err)
	if len(deployed) != min(1, len(want)) {
		p.t.Fatalf("%d releases are deployed", len(deployed))
	}
}

// resource returns a client for a type, given by version and plural.
func (p *user) resource(name string) dynamic.ResourceInterface {
	version, plural := path.Split(name)
	gv, err := schema.ParseGroupVersion(strings.TrimSuffix(version, "/"))
	p.must(err)
	if plural == "customresourcedefinitions" {
		return p.objects.Resource(gv.WithResource(plural))
	}
	return p.objects.Resource(gv.WithResource(plural)).Namespace(metav1.NamespaceDefault)
}

// finds reads an object and checks one of its fields.
func (p *user) finds(object, want string, field ...string) {
	p.t.Helper()
	resource, name := path.Split(object)
	found, err := p.resource(path.Clean(resource)).Get(p.t.Context(), name, metav1.GetOptions{})
	p.must(err)
	value, _, err := unstructured.NestedFieldNoCopy(found.Object, field...)
	p.must(err)
	if got := fmt.Sprint(value); got != want {
		p.t.Errorf("%s of %s is %s, want %s", field, object, got, want)
	}
}

// misses checks that an object does not exist.
func (p *user) misses(object string) {
	p.t.Helper()
	resource, name := path.Split(object)
	if _, err := p.resource(path.Clean(resource)).Get(p.t.Context(), name,
		metav1.GetOptions{}); !apierrors.IsNotFound(err) {
		p.t.Errorf("%s is there, or: %v", object, err)
	}
}
