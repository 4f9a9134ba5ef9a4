package schema

import (
	"fmt"
	"strings"
	"testing"
)

// The numbers are those of k8s.io/api's generated.proto.
func TestMessageOf(t *testing.T) {
	for name, want := range map[string]string{
		"io.k8s.api.core.v1.Pod":       "1 metadata, 2 spec, 3 status",
		"io.k8s.api.core.v1.ConfigMap": "1 metadata, 2 data, 3 binaryData, 4 immutable",
		"io.k8s.api.core.v1.Volume":    "1 name, 2 (VolumeSource)",
		"io.k8s.apimachinery.pkg.apis.meta.v1.ListMeta": "1 selfLink, 2 resourceVersion, 3 continue, 4 " +
			"remainingItemCount, 5 shardInfo",
	} {
		var got []string
		m := MessageOf(TypeNamed(name))
		for _, f := range m.Fields {
			text := "(" + f.EmbedName + ")"
			if f.Field != nil {
				text = f.Field.Name
			}
			got = append(got, fmt.Sprint(f.Number, " ", text))
			if m.ByNumber(f.Number).Number != f.Number {
				t.Errorf("%s: number %d finds another field", name, f.Number)
			}
		}
		if got := strings.Join(got, ", "); got != want {
			t.Errorf("%s: %s, want %s", name, got, want)
		}
	}
	volume := MessageOf(TypeNamed("io.k8s.api.core.v1.Volume"))
	if f := volume.ByNumber(2).Embed.ByNumber(19); f == nil || f.Field.Name != "configMap" {
		t.Error("the sources of a volume are not in the message of the embedded struct")
	}
	if volume.ByNumber(3) != nil {
		t.Error("a volume has a field that it has not")
	}
	if MessageOf(TypeNamed("io.k8s.api.core.v1.Volume")) != volume {
		t.Error("a message is made twice")
	}
}
