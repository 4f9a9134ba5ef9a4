package clientgo

import (
	"context"
	"testing"

	corev1 "k8s.io/api/core/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	"k8s.io/apimachinery/pkg/api/meta"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/util/resourceversion"
	"k8s.io/client-go/tools/pager"

	"github.com/tabernetes/tabernetes/core/conformance/upstream/fixture"
)

func TestResourceVersionMatch(t *testing.T) {
	t.Parallel()
	c, ctx := newCluster(t), fixture.Context(t)
	first := c.create(ctx, "a").ResourceVersion
	last := c.create(ctx, "b").ResourceVersion
	list := func(o metav1.ListOptions) (*corev1.ConfigMapList, error) {
		var out corev1.ConfigMapList
		err := c.client.CoreV1().RESTClient().Get().Namespace(namespace).Resource("configmaps").
			VersionedParams(&o, metav1.ParameterCodec).MaxRetries(0).Do(ctx).Into(&out)
		return &out, err
	}
	exact := metav1.ListOptions{ResourceVersionMatch: metav1.ResourceVersionMatchExact, ResourceVersion: first}
	for _, row := range []struct {
		options metav1.ListOptions
		items   int
		version string
	}{
		{exact, 1, first},
		{metav1.ListOptions{ResourceVersionMatch: metav1.ResourceVersionMatchNotOlderThan, ResourceVersion: first}, 2, last},
		{metav1.ListOptions{ResourceVersion: first, Limit: 5}, 1, first},
		{metav1.ListOptions{ResourceVersion: "0"}, 2, last},
		{metav1.ListOptions{}, 2, last},
	} {
		got, err := list(row.options)
		if err != nil {
			t.Errorf("%+v: %v", row.options, err)
		} else if len(got.Items) != row.items || got.ResourceVersion != row.version {
			t.Errorf("%+v: %d items at %s, want %d at %s", row.options, len(got.Items), got.ResourceVersion, row.items,
				row.version)
		}
	}
	if order, err := resourceversion.CompareResourceVersion(first, last); err != nil || order != -1 {
		t.Errorf("comparing versions: %d, %v", order, err)
	}
	_, err := list(metav1.ListOptions{ResourceVersionMatch: metav1.ResourceVersionMatchNotOlderThan,
		ResourceVersion: "1000000"})
	if !apierrors.IsTimeout(err) || !apierrors.HasStatusCause(err, metav1.CauseTypeResourceVersionTooLarge) {
		t.Errorf("a version that is too large: %v", err)
	}
	if seconds, ok := apierrors.SuggestsClientDelay(err); !ok || seconds != 1 {
		t.Errorf("a version that is too large: try again in %d s, %v", seconds, ok)
	}
	_, err = list(metav1.ListOptions{ResourceVersionMatch: metav1.ResourceVersionMatchExact})
	if !apierrors.IsInvalid(err) {
		t.Errorf("a match without a version: %v", err)
	}
	c.act(ctx, "compact", "{}")
	if _, err = list(exact); !apierrors.IsResourceExpired(err) {
		t.Errorf("a compacted version: %v", err)
	}
}

func TestListPager(t *testing.T) {
	t.Parallel()
	const objects = 450
	for name, expires := range map[string]bool{"whole": false, "expires": true} {
		t.Run(name, func(t *testing.T) {
			c, ctx := newCluster(t), fixture.Context(t)
			c.fill(ctx, objects)
			pages := 0
			p := pager.New(func(ctx context.Context, o metav1.ListOptions) (runtime.Object, error) {
				if pages++; expires && pages == 3 {
					c.create(ctx, "late") // or there is nothing to compact
					c.act(ctx, "compact", "{}")
				}
				return c.configMaps().List(ctx, o)
			})
			p.PageSize = 100
			list, _, err := p.List(ctx, metav1.ListOptions{})
			if err != nil {
				t.Fatal(err)
			}
			got, wantPages := meta.LenList(list), 5
			want := objects
			if expires {
				want, wantPages = objects+1, 4 // two pages, the one that expired, and the full list
			}
			if got != want || pages != wantPages {
				t.Errorf("%d objects in %d pages, want %d in %d", got, pages, want, wantPages)
			}
		})
	}
}
