package pod

import (
	"fmt"

	"github.com/tabernetes/tabernetes/core/internal/field"
	"github.com/tabernetes/tabernetes/core/internal/field/syntax"
	"github.com/tabernetes/tabernetes/core/internal/kinds/rule"
	"github.com/tabernetes/tabernetes/core/internal/kinds/tree"
	"github.com/tabernetes/tabernetes/core/internal/kinds/valid"
)

// running returns the violations of fields for containers that keep running: lifecycle hooks and
// probes.
func (c *specCheck) running(m map[string]any, at field.Path) field.ErrorList {
	var errs field.ErrorList
	for _, name := range []string{"postStart", "preStop"} {
		if h := tree.Object(tree.Object(m, "lifecycle"), name); h != nil {
			errs.Add(c.handler(h, at.Child("lifecycle", name))...)
		}
	}
	for _, name := range []string{"livenessProbe", "readinessProbe", "startupProbe"} {
		probe, at := tree.Object(m, name), at.Child(name)
		if probe == nil {
			continue
		}
		errs.Add(c.handler(probe, at)...)
		errs.Add(rule.NotNegative(probe, at, "initialDelaySeconds", "timeoutSeconds", "periodSeconds",
			"successThreshold", "failureThreshold")...)
		grace, limited := tree.Int(probe, "terminationGracePeriodSeconds")
		if limited && grace <= 0 {
			errs.Add(field.Invalid(at.Child("terminationGracePeriodSeconds"), grace, "must be greater than 0"))
		}
		if n, _ := tree.Int(probe, "successThreshold"); n != 1 && name != "readinessProbe" {
			errs.Add(field.Invalid(at.Child("successThreshold"), n, "must be 1"))
		}
		if name == "readinessProbe" && limited {
			errs.Add(field.Invalid(at.Child("terminationGracePeriodSeconds"), grace, "must not be set for readinessProbes"))
		}
	}
	return errs
}

// handler returns the violations of the action of a hook or a probe.
func (c *specCheck) handler(h map[string]any, at field.Path) field.ErrorList {
	var errs field.ErrorList
	handlers := 0
	for _, kind := range []string{"exec", "httpGet", "tcpSocket", "grpc", "sleep"} {
		handler, at := tree.Object(h, kind), at.Child(kind)
		if handler == nil {
			continue
		}
		if handlers++; handlers > 1 {
			errs.Add(field.Forbidden(at, "may not specify more than 1 handler type"))
			continue
		}
		switch kind {
		case "exec":
			errs.Add(execRules.Check(handler, at)...)
		case "httpGet":
			errs.Add(rule.RequireTexts(handler, at, "path")...)
			errs.Add(valid.PortNumOrName(handler["port"], at.Child("port"))...)
			if scheme := tree.Text(handler, "scheme"); scheme != "HTTP" && scheme != "HTTPS" {
				errs.Add(field.NotSupported(at.Child("scheme"), scheme, "HTTP", "HTTPS"))
			}
			for _, header := range tree.Objects(handler, "httpHeaders") {
				name := tree.Text(header, "name")
				errs.Add(rule.Invalid(at.Child("httpHeaders"), name, syntax.HeaderName(name))...)
			}
		case "tcpSocket", "grpc":
			errs.Add(valid.PortNumOrName(handler["port"], at.Child("port"))...)
		case "sleep":
			seconds, _ := tree.Int(handler, "seconds")
			grace, ok := tree.Int(c.spec, "terminationGracePeriodSeconds")
			if ok && (seconds < 0 || seconds > grace) {
				errs.Add(field.Invalid(at, seconds, fmt.Sprintf(
					"must be non-negative and less than terminationGracePeriodSeconds (%d)", grace)))
			}
		}
	}
	if handlers == 0 {
		errs.Add(field.Required(at, "must specify a handler type"))
	}
	return errs
}

var execRules = rule.Fields{
	{Key: "command", Is: rule.Required{}},
}
