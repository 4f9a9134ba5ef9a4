package registry

import "testing"

// TestDerivedUID wants uids to be derived as web/panels/share/frames.js does, whose test has the same.
func TestDerivedUID(t *testing.T) {
	const other, want = "ac452fd4-89ec-47d2-be0f-2eaebcd9be04", "94879cb8-96b4-4353-bdff-6434170d4709"
	if got := derivedUID("v1/namespaces/kube-system", other); got != want {
		t.Errorf("derived %s, not %s", got, want)
	}
}
