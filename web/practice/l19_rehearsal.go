//go:build !js

package practice

import (
	"fmt"
	"math/rand/v2"
	"strconv"
)

// rehearsal are the generators of lesson 19.
var rehearsal = map[string]Generator{"p19b": p19b}

// p19b draws an object and three of its fields. For each belief about dry-runs it says which of the fields are the same
// when the object is created.
func p19b(r *rand.Rand) Values {
	const (
		given = iota // in the body
		fixed        // follows from it
		drawn        // at random
		taken        // from what is free
	)
	type field struct {
		path string
		kind int
	}
	named := pick(r, true, false)
	name := field{"metadata.name", given}
	meta := `"name": "n"`
	if !named {
		name, meta = field{"metadata.name", drawn}, `"generateName": "n-"`
	}
	uid := field{"metadata.uid", drawn}
	type object struct {
		kind, path, body string
		fields           []field
	}
	port := strconv.Itoa(pick(r, 80, 443, 8080))
	o := pick(r,
		object{"Service", "/api/v1/namespaces/p19b/services", `"spec": {"ports": [{"port": ` + port + `}]}`, []field{
			name, uid, {"spec.clusterIP", taken}, {"spec.ports[0].targetPort", fixed}, {"spec.type", fixed},
			{"spec.ports[0].port", given}}},
		object{"Service", "/api/v1/namespaces/p19b/services", `"spec": {"type": "NodePort", "ports": [{"port": ` + port +
			`}]}`, []field{
			name, uid, {"spec.ports[0].nodePort", taken}, {"spec.clusterIP", taken}, {"spec.sessionAffinity", fixed},
			{"spec.type", given}}},
		object{"Pod", "/api/v1/namespaces/p19b/pods", `"spec": {"containers": [{"name": "a", "image": "nginx"}]}`, []field{
			name, uid, {"spec.restartPolicy", fixed}, {"spec.containers[0].imagePullPolicy", fixed},
			{"spec.containers[0].image", given}}},
		object{"Secret", "/api/v1/namespaces/p19b/secrets", `"stringData": {"k": "` + port + `"}`, []field{
			name, uid, {"type", fixed}, {"data.k", given}}},
	)
	fields := shuffled(r, o.fields...)[:3]
	same := func(holds func(field) bool) outcome {
		var f outcome
		var kept []string
		for _, x := range fields {
			op := "!="
			if holds(x) {
				op, kept = "=", append(kept, "`"+x.path+"`")
			}
			f.conditions = append(f.conditions,
				fmt.Sprintf("real.response.body.%s %s {{rehearsed.response.body.%s}}", x.path, op, x.path))
		}
		switch len(kept) {
		case 0:
			f.text = "None of the three"
		case 1:
			f.text = kept[0] + " alone"
		case 2:
			f.text = kept[0] + " and " + kept[1]
		default:
			f.text = "All three"
		}
		return f
	}
	right := same(func(f field) bool { return f.kind == given || f.kind == fixed })
	choices := writeChoices(3, maxChoices, choice{outcome: right},
		choice{same(func(field) bool { return true }),
			"The server keeps nothing of a dry run, so what is random or allocated differs the next time."},
		choice{same(func(f field) bool { return f.kind == given }),
			"What follows from the body by fixed rules is the same each time, though it is not in the body."},
		choice{same(func(f field) bool { return f.kind != drawn }),
			"Addresses and ports are allocated for real, and a dry run keeps none."},
		choice{same(func(f field) bool { return f.path != "metadata.uid" }),
			"Not only the uid differs: generated names, addresses and ports do, too."},
		choice{same(func(f field) bool { return f.kind == fixed }),
			"What is in the body is the same in both answers."},
		choice{same(func(field) bool { return false }),
			"A dry run's answer is as close to the real one as it can be. What is in the body or follows from it is the same."})
	if choices == "" {
		return nil
	}
	v := Values{"kind": o.kind, "path": o.path, "body": "{\"metadata\": {" + meta + "},\n " + o.body + "}",
		"choices": choices}
	for i, f := range fields {
		v["field"+strconv.Itoa(i+1)] = f.path
	}
	return v
}
