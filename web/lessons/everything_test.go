//go:build !js

package lessons_test

import (
	"encoding/json"
	"net/http"
	"slices"
	"strings"
	"testing"

	"github.com/tabernetes/tabernetes/core/apitest"
)

// everything lists the paths of all objects of a cluster, except for what comes and goes by
// itself.
func everything(t *testing.T, c http.Handler) []string {
	t.Helper()
	var paths []string
	for _, group := range groups(t, c) {
		var list struct {
			Resources []struct {
				Name  string
				Verbs []string
			}
		}
		get(t, c, group, &list)
		for _, r := range list.Resources {
			if strings.Contains(r.Name, "/") || !slices.Contains(r.Verbs, "list") || r.Name == "events" {
				continue
			}
			var all struct {
				Items []struct {
					Metadata struct {
						Namespace, Name string
						Labels          map[string]string
					}
				}
			}
			get(t, c, group+"/"+r.Name, &all)
			for _, o := range all.Items {
				if o.Metadata.Labels["kubernetes.io/bootstrapping"] != "" {
					continue // the server makes them once RBAC is on
				}
				paths = append(paths, strings.Join([]string{group, r.Name, o.Metadata.Namespace, o.Metadata.Name}, " "))
			}
		}
	}
	slices.Sort(paths)
	return paths
}

// groups returns the paths of all groups and versions.
func groups(t *testing.T, c http.Handler) []string {
	t.Helper()
	paths := []string{"/api/v1"}
	var list struct {
		Groups []struct {
			Versions []struct{ GroupVersion string }
		}
	}
	get(t, c, "/apis", &list)
	for _, g := range list.Groups {
		for _, v := range g.Versions {
			paths = append(paths, "/apis/"+v.GroupVersion)
		}
	}
	return paths
}

func get(t *testing.T, c http.Handler, path string, into any) {
	t.Helper()
	w := apitest.Do(c, "GET", path, "")
	if err := json.Unmarshal(w.Body.Bytes(), into); err != nil || w.Code != 200 {
		t.Fatalf("%s: %d, %v", path, w.Code, err)
	}
}
