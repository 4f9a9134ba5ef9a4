package pod

import (
	"github.com/tabernetes/tabernetes/core/internal/field"
	"github.com/tabernetes/tabernetes/core/internal/kinds/enum"
	"github.com/tabernetes/tabernetes/core/internal/kinds/rule"
	"github.com/tabernetes/tabernetes/core/internal/kinds/tree"
	"github.com/tabernetes/tabernetes/core/internal/kinds/valid"
)

// mounts returns the violations of a container's volume mounts.
func (c *specCheck) mounts(container map[string]any, at field.Path) field.ErrorList {
	var errs field.ErrorList
	paths := map[string]bool{}
	whole := at
	devices := tree.Objects(container, "volumeDevices")
	devicesNamed, devicesPlaced := tree.TextSet(devices, "name"), tree.TextSet(devices, "devicePath")
	for i, m := range tree.Objects(container, "volumeMounts") {
		at, name, path := at.Index(i), tree.Text(m, "name"), tree.Text(m, "mountPath")
		errs.Add(rule.RequireTexts(m, at, "name")...)
		if c.volumes[name] == nil {
			errs.Add(field.NotFound(at.Child("name"), name))
		}
		errs.Add(rule.RequireTexts(m, at, "mountPath")...)
		if paths[path] {
			errs.Add(field.Invalid(at.Child("mountPath"), path, "must be unique"))
		}
		paths[path] = true
		if devicesNamed[name] {
			errs.Add(field.Invalid(at.Child("name"), name, "must not already exist in volumeDevices"))
		}
		if devicesPlaced[path] {
			errs.Add(field.Invalid(at.Child("mountPath"), path, "must not already exist as a path in volumeDevices"))
		}
		errs.Add(subPathRules.Check(m, whole)...)
		if tree.Text(m, "subPath") != "" && tree.Text(m, "subPathExpr") != "" {
			errs.Add(field.Invalid(at.Child("subPathExpr"), tree.Text(m, "subPathExpr"),
				"subPathExpr and subPath are mutually exclusive"))
		}
		errs.Add(mountRules.Check(m, whole)...)
		propagation := tree.Text(m, "mountPropagation")
		if propagation == "Bidirectional" && !tree.Bool(tree.Object(container, "securityContext"), "privileged") {
			errs.Add(field.Forbidden(whole.Child("mountPropagation"),
				"Bidirectional mount propagation is available only to privileged containers"))
		}
		errs.Add(recursiveRules.Check(m, whole)...)
		if r := tree.Text(m, "recursiveReadOnly"); r == "Enabled" || r == "IfPossible" {
			if !tree.Bool(m, "readOnly") {
				errs.Add(field.Forbidden(whole.Child("recursiveReadOnly"), "may only be specified when readOnly is true"))
			}
			if m["mountPropagation"] != nil && propagation != "None" {
				errs.Add(field.Forbidden(whole.Child("recursiveReadOnly"),
					"may only be specified when mountPropagation is None or not specified"))
			}
		}
	}
	return errs
}

// The rules of a mount. They are three since the real server checks other things between them.
var (
	subPathRules = rule.Fields{
		{Key: "subPath", Is: rule.All{rule.IfNotEmpty{}, rule.Form(valid.RelativePath)}},
	}
	mountRules = rule.Fields{
		{Key: "subPathExpr", Is: rule.All{rule.IfNotEmpty{}, rule.Form(valid.RelativePath)}},
		{Key: "mountPropagation", Is: rule.All{
			rule.IfSet{}, rule.Enum(enum.MountPropagationMode),
		}},
	}
	recursiveRules = rule.Fields{
		{Key: "recursiveReadOnly", Is: rule.All{rule.IfSet{}, rule.OneOf{"Disabled", "Enabled", "IfPossible"}}},
	}
)

// devices returns the violations of a container's block devices.
func (c *specCheck) devices(container map[string]any, at field.Path) field.ErrorList {
	var errs field.ErrorList
	names, paths := map[string]bool{}, map[string]bool{}
	mounts := tree.Objects(container, "volumeMounts")
	mounted, taken := tree.TextSet(mounts, "name"), tree.TextSet(mounts, "mountPath")
	for i, m := range tree.Objects(container, "volumeDevices") {
		name, path := tree.Text(m, "name"), tree.Text(m, "devicePath")
		named, placed := at.Index(i).Child("name"), at.Index(i).Child("devicePath")
		add := func(wrong bool, at field.Path, value, text string) {
			if wrong {
				errs.Add(field.Invalid(at, value, text))
			}
		}
		volume := c.volumes[name]
		errs.Add(rule.RequireTexts(m, at.Index(i), "name")...)
		add(names[name], named, name, "must be unique")
		if volume == nil {
			errs.Add(field.NotFound(named, name))
		} else {
			add(volume["persistentVolumeClaim"] == nil && volume["ephemeral"] == nil, named, name,
				"can only use volume source type of PersistentVolumeClaim or Ephemeral for block mode")
		}
		errs.Add(rule.RequireTexts(m, at.Index(i), "devicePath")...)
		add(paths[path], placed, path, "must be unique")
		outside := valid.NoBacksteps(path) != nil
		add(outside, placed, path, "can not contain backsteps ('..')")
		paths[path] = paths[path] || !outside
		add(mounted[name], named, name, "must not already exist in volumeMounts")
		add(taken[path], placed, path, "must not already exist as a path in volumeMounts")
		names[name] = name != ""
	}
	return errs
}
