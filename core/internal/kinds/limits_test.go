package kinds_test

import (
	"testing"

	"github.com/tabernetes/tabernetes/core/internal/kinds/pod"
)

func TestBeyond(t *testing.T) {
	const claim = `{"spec":{"resources":{"requests":{"storage":"2Gi"}}}}`
	const one = `{"spec":{"containers":[{"name":"a","resources":{"requests":{"cpu":"100m","memory":"100M"},
		"limits":{"cpu":"300m"}}},
		{"name":"b","resources":{"requests":{"memory":"64Mi"}}}],"initContainers":[{"name":"s","restartPolicy":"Always",
		"resources":{"requests":{"memory":"1M"}}}]}}`
	for _, c := range []struct{ limit, plural, obj, want string }{
		{`{"type":"PersistentVolumeClaim","min":{"storage":"1Gi"},"max":{"storage":"2Gi"}}`, "persistentvolumeclaims", claim,
			""},
		{`{"type":"PersistentVolumeClaim","min":{"storage":"3Gi"}}`, "persistentvolumeclaims", claim,
			"minimum storage usage per PersistentVolumeClaim is 3Gi, but request is 2Gi"},
		{`{"type":"PersistentVolumeClaim","max":{"storage":"1Gi","x":"1"}}`, "persistentvolumeclaims", claim,
			"[maximum storage usage per PersistentVolumeClaim is 1Gi, but request is 2Gi, maximum x usage per " +
				"PersistentVolumeClaim is 1.  No request is specified]"},
		{`{"type":"Pod","max":{"memory":"1"}}`, "persistentvolumeclaims", claim, ""},
		{`{"type":"Container","min":{"memory":"2M"}}`, "pods", one,
			"minimum memory usage per Container is 2M, but request is 1M"},
		{`{"type":"Container","min":{"cpu":"50m"}}`, "pods", one,
			"minimum cpu usage per Container is 50m.  No request is specified"}, // reported once
		{`{"type":"Container","maxLimitRequestRatio":{"cpu":"2"}}`, "pods", one,
			"[cpu max limit to request ratio per Container is 2, but provided ratio is 3.000000, cpu max limit to request " +
				"ratio per Container is 2, but no request is specified or request is 0]"},
		{`{"type":"Pod","maxLimitRequestRatio":{"cpu":"3"},"min":{"memory":"168108864"}}`, "pods", one, ""},
		{`{"type":"Pod","min":{"memory":"168108865"}}`, "pods", one,
			"minimum memory usage per Pod is 168108865, but request is 168108864"},
		{`{"type":"Pod","max":{"memory":"1Gi"}}`, "pods", one, "maximum memory usage per Pod is 1Gi.  No limit is specified"},
	} {
		if got := pod.Beyond(parse(t, `{"spec":{"limits":[`+c.limit+`]}}`), c.plural, parse(t, c.obj)); got != c.want {
			t.Errorf("%s:\n got %s\nwant %s", c.limit, got, c.want)
		}
	}
}
