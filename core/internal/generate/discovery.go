package main

import (
	"bytes"
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/tabernetes/tabernetes/core/schema"
)

// group is a group as /apis lists it, with the versions served by default.
type group struct {
	name     string
	versions []*groupVersion
	off      []string // versions that exist but are off by default
}

type groupVersion struct {
	group, version string
	resources      []*resource
}

type resource struct {
	apiResource
	subresources []apiResource
}

// apiResource is an entry of an APIResourceList document.
type apiResource struct {
	Name, SingularName, Group, Version, Kind string
	Namespaced                               bool
	Verbs, ShortNames, Categories            []string
	StorageVersionHash                       string
}

// readDiscovery reads the groups in /apis order, without the versions that are off by default.
func readDiscovery(dir string) ([]*group, error) {
	var list struct {
		Groups []struct {
			Name     string
			Versions []struct{ Version string }
		}
	}
	if err := readJSON(filepath.Join(dir, "apis.json"), &list); err != nil {
		return nil, err
	}
	core := &group{versions: []*groupVersion{{version: "v1"}}}
	if err := core.versions[0].read(filepath.Join(dir, "api__v1.json")); err != nil {
		return nil, err
	}
	groups := []*group{core}
	for _, g := range list.Groups {
		out := &group{name: g.Name}
		for _, v := range g.Versions {
			if strings.Contains(v.Version, "alpha") || strings.Contains(v.Version, "beta") {
				out.off = append(out.off, v.Version)
				continue
			}
			gv := &groupVersion{group: g.Name, version: v.Version}
			if err := gv.read(filepath.Join(dir, "apis__"+g.Name+"__"+v.Version+".json")); err != nil {
				return nil, err
			}
			out.versions = append(out.versions, gv)
		}
		if len(out.versions) > 0 {
			groups = append(groups, out)
		}
	}
	return groups, nil
}

func (gv *groupVersion) read(path string) error {
	var list struct{ Resources []apiResource }
	if err := readJSON(path, &list); err != nil {
		return err
	}
	for _, r := range list.Resources {
		parent, _, isSub := strings.Cut(r.Name, "/")
		if !isSub {
			gv.resources = append(gv.resources, &resource{apiResource: r})
			continue
		}
		i := slices.IndexFunc(gv.resources, func(p *resource) bool { return p.Name == parent })
		if i < 0 {
			return fmt.Errorf("%s: subresource %s comes before its resource", path, r.Name)
		}
		if r.Group == gv.group && r.Version == gv.version {
			return fmt.Errorf("%s: %s names its own group version, which core/schema takes as left out", path, r.Name)
		}
		gv.resources[i].subresources = append(gv.resources[i].subresources, r)
	}
	return nil
}

// writeResources writes one block per group version: the resources, each followed by its
// subresources, indented. See core/schema for the reader.
func writeResources(groups []*group) ([]byte, error) {
	var b bytes.Buffer
	for _, g := range groups {
		for _, gv := range g.versions {
			fmt.Fprintf(&b, "= %s %s\n", orDash(gv.group), gv.version)
			for _, r := range gv.resources {
				verbs, err := verbLetters(r.Verbs)
				if err != nil {
					return nil, err
				}
				scope := "c"
				if r.Namespaced {
					scope = "n"
				}
				fmt.Fprintf(&b, "%s %s %s %s %s", r.Name, r.SingularName, r.Kind, scope, verbs)
				if len(r.ShortNames) > 0 {
					fmt.Fprintf(&b, " short=%s", strings.Join(r.ShortNames, ","))
				}
				if len(r.Categories) > 0 {
					fmt.Fprintf(&b, " in=%s", strings.Join(r.Categories, ","))
				}
				switch storage, err := storageVersion(groups, gv, r); {
				case err != nil:
					return nil, err
				case storage != "":
					fmt.Fprintf(&b, " stored=%s", storage)
				}
				b.WriteByte('\n')
				for _, s := range r.subresources {
					verbs, err := verbLetters(s.Verbs)
					if err != nil {
						return nil, err
					}
					kind := s.Kind
					if s.Version != "" {
						kind = s.Group + "/" + s.Version + "/" + s.Kind
					}
					fmt.Fprintf(&b, " %s %s %s\n", s.Name[len(r.Name)+1:], kind, verbs)
				}
			}
		}
	}
	return b.Bytes(), nil
}

// storageVersion returns the group version whose hash discovery shows for r: "" for r's own, "-"
// for no hash.
func storageVersion(groups []*group, gv *groupVersion, r *resource) (string, error) {
	if r.StorageVersionHash == "" {
		return "-", nil
	}
	if schema.StorageVersionHash(gv.group, gv.version, r.Kind) == r.StorageVersionHash {
		return "", nil
	}
	for _, g := range groups {
		versions := append([]string{"v1beta1"}, g.off...) // the stored version may no longer be served
		for _, other := range g.versions {
			versions = append(versions, other.version)
		}
		for _, v := range versions {
			if schema.StorageVersionHash(g.name, v, r.Kind) == r.StorageVersionHash {
				return g.name + "/" + v, nil
			}
		}
	}
	return "", fmt.Errorf("%s %s: no version has the storage hash %s", gv.group, r.Name, r.StorageVersionHash)
}

var letters = map[string]byte{
	"create": 'c', "delete": 'd', "deletecollection": 'D', "get": 'g',
	"list": 'l', "patch": 'p', "update": 'u', "watch": 'w',
}

// verbLetters writes verbs as letters; discovery sorts them, and so does the reader.
func verbLetters(verbs []string) (string, error) {
	if !slices.IsSorted(verbs) {
		return "", fmt.Errorf("verbs are not sorted: %v", verbs)
	}
	var out []byte
	for _, v := range verbs {
		l, ok := letters[v]
		if !ok {
			return "", fmt.Errorf("unknown verb %q", v)
		}
		out = append(out, l)
	}
	return string(out), nil
}

func orDash(s string) string {
	if s == "" {
		return "-"
	}
	return s
}

func readJSON(path string, into any) error {
	data, err := os.ReadFile(path)
	if err != nil {
		return err
	}
	if err := json.Unmarshal(data, into); err != nil {
		return fmt.Errorf("%s: %w", path, err)
	}
	return nil
}
