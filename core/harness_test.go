package core

import (
	"testing"

	"github.com/tabernetes/tabernetes/core/apitest"
	"github.com/tabernetes/tabernetes/core/clock"
	"github.com/tabernetes/tabernetes/core/object/objecttest"
)

// What the tests of other packages use as well.
const (
	patience    = apitest.Patience
	configMaps  = apitest.ConfigMaps
	definitions = apitest.Definitions
)

var (
	at         = objecttest.At
	start      = apitest.Start
	randomness = apitest.Randomness
	call       = apitest.Call
	must       = apitest.Must
	requestAs  = apitest.RequestAs
	follow     = apitest.Follow
	setSpec    = apitest.SetSpec
	configMap  = apitest.ConfigMap
	exact      = apitest.Exact
	crontabs   = apitest.CronTabs
	condition  = apitest.Condition
)

type tail = apitest.Tail

// newCluster starts a cluster on a clock that the test moves.
func newCluster(t testing.TB, o Options) (*Cluster, *clock.Manual) {
	t.Helper()
	manual := clock.NewManual(start)
	if o.Clock == nil {
		o.Clock = manual
	}
	if o.Rand == nil {
		o.Rand = randomness()
	}
	c, err := New(o)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := c.Close(); err != nil {
			t.Error(err)
		}
	})
	return c, manual
}
