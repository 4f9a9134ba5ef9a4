package device

import (
	"fmt"
	"slices"

	"github.com/tabernetes/tabernetes/core/internal/field"
	"github.com/tabernetes/tabernetes/core/internal/kinds/strategy"
	"github.com/tabernetes/tabernetes/core/internal/kinds/tree"
	"github.com/tabernetes/tabernetes/core/object"
)

// mayChangeStatus returns the violations of a claim's status in which the user has changed what takes another right
// than that to the status: who has the devices, and what a driver says of its devices
// (DRAResourceClaimGranularStatusAuthorization).
func mayChangeStatus(c *strategy.Context, obj, old map[string]any) field.ErrorList {
	if c.Rights == nil {
		return nil
	}
	var errs field.ErrorList
	verb, now, was := c.Rights.Verb, tree.Object(obj, "status"), tree.Object(old, "status")
	if !object.Equal(now["allocation"], was["allocation"]) || !object.Equal(now["reservedFor"], was["reservedFor"]) {
		if why := c.Rights.Refusal(verb, "binding", "", ""); why != "" {
			errs.Add(field.Forbidden("status.allocation", fmt.Sprintf("changing status.allocation or status.reservedFor "+
				"requires resource=\"resourceclaims/binding\", verb=%q permission: %s", verb, why)))
		}
	}
	allocation := tree.Object(now, "allocation")
	if allocation == nil {
		return errs // no device has a status
	}
	verbs := []string{"arbitrary-node:" + verb}
	if node := c.Rights.Node; node != "" && node == nodeOf(allocation) {
		verbs = slices.Insert(verbs, 0, "associated-node:"+verb)
	}
	for _, driver := range changedDrivers(now, was) {
		first := ""
		for _, verb := range verbs {
			why := c.Rights.Refusal(verb, "driver", object.Namespace(obj), driver)
			if why == "" {
				first = ""
				break
			}
			if first == "" {
				first = why
			}
		}
		if first != "" {
			errs.Add(field.Forbidden("status.devices", fmt.Sprintf(
				"changing status.devices requires resource=\"resourceclaims/driver\", verb=\"%s\" permission: %s", verbs, first)))
		}
	}
	return errs
}

// changedDrivers returns the sorted names of the drivers with a device whose status was added, changed or removed.
func changedDrivers(now, was map[string]any) []string {
	before := map[field.Raw]map[string]any{}
	for _, device := range tree.Objects(was, "devices") {
		before[deviceID(device)] = device
	}
	drivers := map[string]any{}
	for _, device := range tree.Objects(now, "devices") {
		id := deviceID(device)
		if had, ok := before[id]; !ok || !object.Equal(had, device) {
			drivers[tree.Text(device, "driver")] = nil
		}
		delete(before, id)
	}
	for _, device := range before {
		drivers[tree.Text(device, "driver")] = nil
	}
	return tree.SortedKeys(drivers)
}

// nodeOf returns the name of the node to which an allocation is bound by nothing but that name; else it is empty.
func nodeOf(allocation map[string]any) string {
	terms := tree.Objects(tree.Object(allocation, "nodeSelector"), "nodeSelectorTerms")
	if len(terms) != 1 || len(tree.List(terms[0], "matchExpressions")) > 0 {
		return ""
	}
	fields := tree.Objects(terms[0], "matchFields")
	if len(fields) != 1 || tree.Text(fields[0], "key") != "metadata.name" || tree.Text(fields[0], "operator") != "In" {
		return ""
	}
	if names := tree.Texts(fields[0], "values"); len(names) == 1 {
		return names[0]
	}
	return ""
}
