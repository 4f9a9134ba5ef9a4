package core

import (
	"fmt"
	"strings"
	"sync"
	"testing"

	"github.com/tabernetes/tabernetes/core/journal"
)

const quotaPath = "/api/v1/namespaces/default/resourcequotas"

func quotaOf(limits string) string {
	return `{"metadata":{"name":"q"},"spec":{"hard":` + limits + `}}`
}

// usedOf returns what the status of the quota says, as text.
func usedOf(t *testing.T, c *Cluster) string {
	t.Helper()
	return fmt.Sprint(at(must(t, c, 200, "GET", quotaPath+"/q", ""), "status.used"))
}

// TestResourceQuotaHolds lets many clients create at once: exactly as many as the quota allows get through, and each is
// a write of the quota by the server itself, before that of the object.
func TestResourceQuotaHolds(t *testing.T) {
	c, _ := newCluster(t, Options{Storage: journal.NewMemory(nil)})
	must(t, c, 201, "POST", quotaPath, quotaOf(`{"configmaps":"20"}`))
	must(t, c, 201, "POST", configMaps, configMap("free", "")) // without a status it limits nothing
	must(t, c, 200, "PUT", quotaPath+"/q/status", `{"metadata":{"name":"q"},"status":{"hard":{"configmaps":"20"},`+
		`"used":{"configmaps":"1"}}}`)
	var clients sync.WaitGroup
	var mu sync.Mutex
	answers := map[int]int{}
	for i := range 40 {
		clients.Go(func() {
			code, text := call(t, c, "POST", configMaps, configMap(fmt.Sprint("c-", i), ""))
			if code == 403 && !strings.Contains(text, "exceeded quota: q, requested: configmaps=1, used: configmaps=20, ") {
				t.Error(text)
			}
			mu.Lock()
			defer mu.Unlock()
			answers[code]++
		})
	}
	clients.Wait()
	if answers[201] != 19 || answers[403] != 21 || usedOf(t, c) != "map[configmaps:20]" {
		t.Errorf("answers %v, %s", answers, usedOf(t, c))
	}
	q := must(t, c, 200, "GET", quotaPath+"/q", "")
	if managers := fmt.Sprint(at(q, "metadata.managedFields")); !strings.Contains(managers, "manager:kube-apiserver") {
		t.Errorf("the status is not the server's: %v", managers)
	}
	must(t, c, 200, "DELETE", configMaps+"/free", "")
	must(t, c, 200, "PUT", quotaPath+"/q/status", `{"metadata":{"name":"q"},"status":{"hard":{"configmaps":"20"},`+
		`"used":{"configmaps":"19"}}}`)
	charged := at(must(t, c, 201, "POST", configMaps, configMap("last", "")), "metadata.resourceVersion")
	before := at(must(t, c, 200, "GET", quotaPath+"/q", ""), "metadata.resourceVersion")
	var a, b int
	fmt.Sscan(before.(string), &a)
	fmt.Sscan(charged.(string), &b)
	if b != a+1 {
		t.Errorf("the quota is at %v, the object at %v", before, charged)
	}
}

// TestResourceQuotaMeasured checks the plugin and the controller together: the quota counts what is there, and gives
// back what is deleted.
func TestResourceQuotaMeasured(t *testing.T) {
	c, _ := newCluster(t, Options{Controllers: true})
	quotas := follow(t, c, quotaPath+"?watch=1")
	defer quotas.Stop()
	seen := func(want string) {
		t.Helper()
		for {
			if got := fmt.Sprint(at(quotas.Next(), "object.status")); got == want {
				return
			}
		}
	}
	must(t, c, 201, "POST", configMaps, configMap("one", ""))
	must(t, c, 201, "POST", quotaPath, quotaOf(`{"count/configmaps":"3"}`))
	seen("map[hard:map[count/configmaps:3] used:map[count/configmaps:2]]") // with kube-root-ca.crt
	must(t, c, 201, "POST", configMaps, configMap("two", ""))
	seen("map[hard:map[count/configmaps:3] used:map[count/configmaps:3]]")
	must(t, c, 403, "POST", configMaps, configMap("three", ""))
	must(t, c, 200, "DELETE", configMaps+"/one", "")
	seen("map[hard:map[count/configmaps:3] used:map[count/configmaps:2]]")
	must(t, c, 201, "POST", configMaps, configMap("three", ""))
	seen("map[hard:map[count/configmaps:3] used:map[count/configmaps:3]]")
	must(t, c, 200, "PATCH", quotaPath+"/q", `{"spec":{"hard":{"count/configmaps":"5"}}}`, "Content-Type",
		"application/merge-patch+json")
	seen("map[hard:map[count/configmaps:5] used:map[count/configmaps:3]]")
	must(t, c, 201, "POST", configMaps, configMap("four", ""))
	must(t, c, 200, "DELETE", quotaPath+"/q", "")
	must(t, c, 201, "POST", configMaps, configMap("five", ""))
	must(t, c, 201, "POST", configMaps, configMap("six", ""))
}
