package valid

import (
	"github.com/tabernetes/tabernetes/core/field/syntax"
	"github.com/tabernetes/tabernetes/core/kinds/rule"
)

var Named = rule.Fields{
	{Key: "name", Is: rule.All{rule.IfNotEmpty{}, rule.Form(syntax.Label)}},
}

var Keyed = rule.Fields{
	{Key: "key", Is: rule.Form(syntax.LabelKey)},
}
