package storage

import (
	"math"

	"github.com/tabernetes/tabernetes/core/internal/field"
	"github.com/tabernetes/tabernetes/core/internal/field/syntax"
	"github.com/tabernetes/tabernetes/core/internal/kinds/rule"
	"github.com/tabernetes/tabernetes/core/internal/kinds/shape"
	"github.com/tabernetes/tabernetes/core/internal/kinds/strategy"
	"github.com/tabernetes/tabernetes/core/internal/kinds/tree"
	"github.com/tabernetes/tabernetes/core/object"
)

// VolumeAttachment is the strategy of VolumeAttachments.
var VolumeAttachment = strategy.Strategy{
	Default: func(obj map[string]any) {
		if inline := tree.At(obj, "spec.source.inlineVolumeSpec"); inline != nil {
			DefaultVolumeSource(inline)
			tree.RoundUp(inline, "capacity")
		}
	},
	Validate: validateAttachment,
	ValidateUpdate: func(obj, old map[string]any) field.ErrorList {
		errs, spec := validateAttachment(obj), tree.Object(obj, "spec")
		if object.Equal(spec, tree.Object(old, "spec")) {
			return errs
		}
		return append(errs, field.Invalid("spec", shape.VolumeAttachmentSpec.Print(spec), rule.FieldImmutable))
	},
	ValidateStatus: func(obj, _ map[string]any) field.ErrorList { return validateAttachment(obj) },
}

func validateAttachment(obj map[string]any) field.ErrorList {
	spec, at := tree.Object(obj, "spec"), field.Path("spec.source")
	source := tree.Object(spec, "source")
	inline, name := tree.Object(source, "inlineVolumeSpec"), tree.Text(source, "persistentVolumeName")
	errs := validateDriver(tree.Text(spec, "attacher"), "spec.attacher")
	switch named := source["persistentVolumeName"] != nil; {
	case !named && inline == nil:
		errs.Add(field.Required(at, "must specify exactly one of inlineVolumeSpec and persistentVolumeName"))
	case named && inline != nil:
		errs.Add(field.Forbidden(at, "must specify exactly one of inlineVolumeSpec and persistentVolumeName"))
	case named && name == "":
		errs.Add(field.Required(at.Child("persistentVolumeName"), "must specify non empty persistentVolumeName"))
	case inline != nil:
		errs.Add(validateVolumeSpec(inline, at.Child("inlineVolumeSpec"), "", true)...)
	}
	errs.Add(attachmentRules.Check(spec, "spec")...)
	for _, name := range []string{"attachError", "detachError"} {
		at, e := field.Path("status").Child(name), tree.At(obj, "status."+name)
		if len(tree.Text(e, "message")) > 1024 {
			errs.Add(field.TooLong(at.Child("message"), 256<<10))
		}
		errs.Add(attachmentErrorRules.Check(e, at)...)
	}
	return append(errs, attachmentSourceRules.Check(source, at)...)
}

var (
	attachmentRules = rule.Fields{
		{Key: "nodeName", Is: rule.Form(syntax.Subdomain)},
	}
	attachmentErrorRules = rule.Fields{
		{Key: "errorCode", Is: rule.All{rule.IfSet{}, rule.Range{Min: 0, Max: math.MaxInt32}}},
	}
	attachmentSourceRules = rule.Fields{
		{Key: "persistentVolumeName", Is: rule.All{rule.IfSet{}, rule.Form(syntax.Subdomain)}},
	}
)
