package pod

import (
	"fmt"

	"github.com/tabernetes/tabernetes/core/internal/field"
	"github.com/tabernetes/tabernetes/core/internal/field/syntax"
	"github.com/tabernetes/tabernetes/core/internal/kinds/rule"
	"github.com/tabernetes/tabernetes/core/internal/kinds/storage"
	"github.com/tabernetes/tabernetes/core/internal/kinds/tree"
)

// validateVolumes returns the violations of the volumes and stores those that containers may mount.
func (c *specCheck) validateVolumes(at field.Path) field.ErrorList {
	var errs field.ErrorList
	volumes := tree.Objects(c.spec, "volumes")
	c.volumes = make(map[string]map[string]any, len(volumes))
	ephemeral := map[string]bool{} // the claims that will be created
	for _, v := range volumes {
		if v["ephemeral"] != nil {
			ephemeral[c.name+"-"+tree.Text(v, "name")] = true
		}
	}
	for i, v := range volumes {
		at, name := at.Index(i), tree.Text(v, "name")
		wrong := c.volume(v, at)
		if name == "" {
			wrong.Add(field.Required(at.Child("name"), ""))
		} else {
			wrong.Add(rule.Invalid(at.Child("name"), name, syntax.Label(name))...)
		}
		if c.volumes[name] != nil {
			wrong.Add(field.Duplicate(at.Child("name"), name))
		}
		if len(wrong) == 0 {
			c.volumes[name] = v
		}
		errs.Add(wrong...)
		claim := tree.Text(tree.Object(v, "persistentVolumeClaim"), "claimName")
		if claim != "" && c.name != "" && ephemeral[claim] {
			errs.Add(field.Invalid(at.Child("persistentVolumeClaim", "claimName"), claim,
				"must not reference a PVC that gets created for an ephemeral volume"))
		}
	}
	return errs
}

func (c *specCheck) volume(v map[string]any, at field.Path) field.ErrorList {
	var errs field.ErrorList
	some := false
	for _, source := range storage.VolumeSources {
		s, ok := v[source].(map[string]any)
		if !ok {
			continue
		}
		if some {
			if other := storage.SecondSources[source]; other != "" {
				source = other
			}
			errs.Add(field.Forbidden(at.Child(source), "may not specify more than 1 volume type"))
			continue
		}
		some = true
		errs.Add(storage.ValidateSource(source, s, at)...)
		name := tree.Text(v, "name")
		switch source {
		case "image":
			if c.pod {
				errs = append(rule.RequireTexts(s, at.Child(source), "reference"), errs...)
			}
		case "ephemeral":
			if c.name != "" && name != "" {
				claim := c.name + "-" + name
				for _, wrong := range syntax.Subdomain(claim) {
					errs.Add(field.Invalid(at.Child("name"), name, fmt.Sprintf("PVC name %q: %v", claim, wrong)))
				}
			}
		case "iscsi":
			if text := storage.PortalTooLong(s, name); text != "" {
				errs.Add(field.Invalid(at.Child("name"), name, text))
			}
		}
	}
	if !some {
		errs.Add(field.Required(at, "must specify a volume type"))
	}
	return errs
}
