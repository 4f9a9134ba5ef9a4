package kinds_test

import (
	"testing"

	"github.com/tabernetes/tabernetes/core/internal/kinds"
	"github.com/tabernetes/tabernetes/core/object"
	"github.com/tabernetes/tabernetes/core/schema"
)

// An object that is converted to its other version and back is unchanged.
func TestConvertThereAndBack(t *testing.T) {
	table := schema.Builtin()
	for _, c := range []struct{ group, version, plural, obj string }{
		{"", "v1", "events",
			`{"involvedObject":{"kind":"Pod","name":"p"},"reason":"r","message":"m","source":{"component":"c"},"count":2,
			"firstTimestamp":"2020-01-02T03:04:05Z","lastTimestamp":null,"eventTime":null,"reportingComponent":"x",
				"reportingInstance":"y"}`},
		{"autoscaling", "v2", "horizontalpodautoscalers",
			`{"metadata":{"annotations":{"k":"v"}},"spec":{"scaleTargetRef":{"kind":"Deployment","name":"d"},"maxReplicas":3,
			"metrics":[
				{"type":"Pods","pods":{"metric":{"name":"rps","selector":{"matchLabels":{"a":"b"}}},
				"target":{"type":"AverageValue","averageValue":"1k"}}},
				{"type":"Object","object":{"describedObject":{"kind":"Service","name":"s"},"metric":{"name":"x"},
				"target":{"type":"Value","value":"5"}}},
				{"type":"External","external":{"metric":{"name":"q"},"target":{"type":"AverageValue","averageValue":"30"}}},
				{"type":"ContainerResource","containerResource":{"name":"memory","container":"c","target":{"type":"AverageValue",
				"averageValue":"1Gi"}}},
				{"type":"Resource","resource":{"name":"cpu","target":{"type":"Utilization","averageUtilization":60}}}],
			"behavior":{"scaleDown":{"selectPolicy":"Max","stabilizationWindowSeconds":60,"policies":[{"type":"Percent",
				"value":10,"periodSeconds":15}]}}},
			"status":{"currentReplicas":1,"desiredReplicas":2,
				"currentMetrics":[{"type":"Resource","resource":{"name":"cpu","current":{"averageUtilization":5}}}],
				"conditions":[{"type":"AbleToScale","status":"True","lastTransitionTime":"2020-01-02T03:04:05Z","reason":"R",
				"message":"m"}]}}`},
	} {
		stored := table.Resource(c.group, c.version, c.plural)
		for _, other := range table.Resources() {
			if other == stored || other.Storage() != stored {
				continue
			}
			obj, problems, err := object.Decode([]byte(c.obj), stored.Type())
			if err != nil || len(problems) > 0 {
				t.Fatal(err, problems)
			}
			object.SetTypeMeta(obj, stored.APIVersion(), stored.Kind)
			want := string(object.Encode(nil, obj, stored.Type()))
			if err := kinds.Convert(t.Context(), obj, stored, other); err != nil {
				t.Fatal(err)
			}
			there, problems, err := object.Normalize(obj, other.Type())
			if err != nil || len(problems) > 0 {
				t.Fatalf("%s of %s: %v %v", other.APIVersion(), c.plural, err, problems)
			}
			if err := kinds.Convert(t.Context(), there, other, stored); err != nil {
				t.Fatal(err)
			}
			if got := string(object.Encode(nil, there, stored.Type())); got != want {
				t.Errorf("%s by way of %s:\n got %s\nwant %s", c.plural, other.APIVersion(), got, want)
			}
		}
	}
}
