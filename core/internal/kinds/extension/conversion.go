package extension

import (
	"github.com/tabernetes/tabernetes/core/internal/field"
	"github.com/tabernetes/tabernetes/core/internal/kinds/admission"
	"github.com/tabernetes/tabernetes/core/internal/kinds/rule"
	"github.com/tabernetes/tabernetes/core/internal/kinds/tree"
)

func validateConversion(conversion map[string]any, preserve bool, at field.Path) field.ErrorList {
	if conversion == nil {
		return nil
	}
	var errs field.ErrorList
	strategy, webhook := tree.Text(conversion, "strategy"), tree.Object(conversion, "webhook")
	if preserve && strategy != "None" {
		errs.Add(field.Invalid(at.Child("strategy"), strategy, "must be None if spec.preserveUnknownFields is true"))
	}
	errs.Add(rule.RequireOneOf(conversion, at, "strategy", "None", "Webhook")...)
	client, versions := tree.Object(webhook, "clientConfig"), tree.Texts(webhook, "conversionReviewVersions")
	clientAt, versionsAt := at.Child("webhookClientConfig"), at.Child("conversionReviewVersions")
	if strategy != "Webhook" {
		const not = "should not be set when strategy is not set to Webhook"
		if client != nil {
			errs.Add(field.Forbidden(clientAt, not))
		}
		if len(versions) > 0 {
			errs.Add(field.Forbidden(versionsAt, not))
		}
		return errs
	}
	if client == nil {
		errs.Add(field.Required(clientAt, "required when strategy is set to Webhook"))
	} else {
		errs.Add(admission.ValidateClient(client, clientAt)...)
	}
	if len(versions) == 0 {
		return append(errs, field.Required(versionsAt, ""))
	}
	return append(errs, admission.ValidateReviewVersions(versions, versionsAt)...)
}
