//go:build !js

package practice

import (
	"fmt"
	"math/rand/v2"
	"slices"
	"strings"
)

// dishes are the fields of the menu that managers share, in the order of the texts.
var dishes = []string{"soup", "bread"}

// A menu is the data of an object that several managers apply: the values, and the owners of each field.
type menu struct {
	values map[string]string
	owners map[string][]string
}

func (m menu) clone() menu {
	out := menu{map[string]string{}, map[string][]string{}}
	for k, v := range m.values {
		out.values[k], out.owners[k] = v, slices.Clone(m.owners[k])
	}
	return out
}

// apply returns the menu after an apply, or reports a conflict.
func (m menu) apply(manager string, want map[string]string, force bool) (after menu, conflict bool) {
	after = m.clone()
	for field, value := range want {
		others := slices.DeleteFunc(slices.Clone(m.owners[field]), func(o string) bool { return o == manager })
		switch {
		case m.values[field] == value:
			if !slices.Contains(after.owners[field], manager) {
				after.owners[field] = append(after.owners[field], manager)
			}
		case len(others) > 0 && !force:
			return m, true
		default:
			after.values[field], after.owners[field] = value, []string{manager}
		}
	}
	for field, owners := range m.owners {
		if _, ok := want[field]; ok || !slices.Contains(owners, manager) {
			continue
		}
		after.owners[field] = slices.DeleteFunc(slices.Clone(owners), func(o string) bool { return o == manager })
		if len(after.owners[field]) == 0 {
			delete(after.values, field)
			delete(after.owners, field)
		}
	}
	return after, false
}

// menuBody returns the menu's data as JSON.
func menuBody(want map[string]string) string {
	var out []string
	for _, f := range append(slices.Clone(dishes), "cake", "tea") {
		if v, ok := want[f]; ok {
			out = append(out, fmt.Sprintf("%q: %q", f, v))
		}
	}
	return "{" + strings.Join(out, ", ") + "}"
}

// menuApply returns an apply request; parameters come after its manager in the query.
func menuApply(namespace, name, manager, parameters string, want map[string]string) string {
	if name != "" {
		name = "# @name " + name + "\n"
	}
	return fmt.Sprintf(`%sPATCH /api/v1/namespaces/%s/configmaps/menu?fieldManager=%s%s
Content-Type: application/apply-patch+yaml

{"apiVersion": "v1", "kind": "ConfigMap", "metadata": {"name": "menu"}, "data": %s}`, name, namespace, manager,
		parameters, menuBody(want))
}

// dishValues are what may be drawn for a field.
var dishValues = map[string][]string{"soup": {"leek", "pea", "fish"}, "bread": {"rye", "oat", "corn"}}

// drawDishes draws a menu of one or two dishes.
func drawDishes(r *rand.Rand) map[string]string {
	out := map[string]string{}
	for _, f := range dishes {
		if r.IntN(3) > 0 {
			out[f] = pick(r, dishValues[f]...)
		}
	}
	return out
}

// menuOfTwo draws a menu that two managers have applied, and an apply. For each belief about apply it says what is
// answered, and what is on the menu afterwards.
func menuOfTwo(r *rand.Rand) Values {
	first, second := drawDishes(r), drawDishes(r)
	if len(first) == 0 || len(second) == 0 {
		return nil
	}
	start, _ := menu{map[string]string{}, map[string][]string{}}.apply("baker", first, false)
	start, conflict := start.apply("cook", second, false)
	if conflict {
		return nil
	}
	manager, force, want := pick(r, "baker", "cook", "waiter"), r.IntN(3) == 0, drawDishes(r)
	if len(want) == 0 {
		return nil
	}
	then := func(status int, values map[string]string) outcome {
		f := outcome{"", []string{fmt.Sprintf("answer.response.status = %d", status)}}
		var there []string
		for _, d := range dishes {
			if v, ok := values[d]; ok {
				there = append(there, fmt.Sprintf("`%s: %s`", d, v))
				f.conditions = append(f.conditions, fmt.Sprintf("after.response.body.data.%s = %s", d, v))
			} else {
				f.conditions = append(f.conditions, fmt.Sprintf("after.response.body.data.%s is absent", d))
			}
		}
		if len(there) == 0 {
			there = []string{"nothing of the two"}
		}
		f.text = fmt.Sprintf("%d; on the menu: %s", status, strings.Join(there, ", "))
		return f
	}
	after, conflict := start.apply(manager, want, force)
	right := then(200, after.values)
	if conflict {
		right = then(409, start.values)
	}
	merged, polite, owned, cleared := start.clone(), start.clone(), false, map[string]string{}
	for f, v := range want {
		merged.values[f], cleared[f] = v, v
		others := slices.DeleteFunc(slices.Clone(start.owners[f]), func(o string) bool { return o == manager })
		if len(others) == 0 {
			polite.values[f] = v
		}
		owned = owned || len(others) > 0
	}
	left := map[string]string{}
	for f, v := range start.values {
		if _, ok := want[f]; ok || !slices.Contains(start.owners[f], manager) {
			left[f] = v
		}
	}
	for f, v := range want {
		left[f] = v
	}
	wrong := []choice{
		{then(200, left), "A field is not taken from an owner who wants another value, and it is removed only when its " +
			"last " +
			"owner leaves it out."},
		{then(200, merged.values), "A manager gives up what it has applied before and now leaves out. And without force " +
			"it takes nothing from others."},
		{then(200, polite.values), "A value is never left out silently: " +
			"either all of the apply is carried out, or none of it."},
		{then(200, cleared), "An apply is not a PUT: what others own stays."},
	}
	if owned {
		wrong = append(wrong, choice{then(409, start.values),
			"With the same value there is no conflict, and force settles one if there is."})
	}
	if force {
		wrong = append(wrong, choice{then(409, start.values), "force settles conflicts: the fields change their owner."})
	}
	choices := writeChoices(3, maxChoices, choice{outcome: right}, wrong...)
	if choices == "" {
		return nil
	}
	parameters, said := "", "without force"
	if force {
		parameters, said = "&force=true", "with `force=true`"
	}
	return Values{"first": menuBody(first), "second": menuBody(second), "manager": manager, "want": menuBody(want),
		"force": said,
		"setup": menuApply("menu-of-two", "", "baker", "", first) + "\n\n###\n" +
			menuApply("menu-of-two", "", "cook", "", second),
		"apply": menuApply("menu-of-two", "answer", manager, parameters, want), "choices": choices}
}
