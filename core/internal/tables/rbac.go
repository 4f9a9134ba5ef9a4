package tables

import (
	"strings"

	"github.com/tabernetes/tabernetes/core/object"
)

// rbac are the kinds of rbac.authorization.k8s.io that have columns.
var rbac = []kind{
	{"rbac.authorization.k8s.io", "ClusterRoleBinding", "Name|Role|Age|Users*|Groups*|ServiceAccounts*", bindingCells},
	{"rbac.authorization.k8s.io", "RoleBinding", "Name|Role|Age|Users*|Groups*|ServiceAccounts*", bindingCells},
}

func bindingCells(v view) []any {
	subjects := map[string][]string{}
	for subject := range v.each("subjects") {
		kind, name := object.GetString(subject, "kind"), object.GetString(subject, "name")
		if kind == "ServiceAccount" {
			name = object.GetString(subject, "namespace") + "/" + name
		}
		subjects[kind] = append(subjects[kind], name)
	}
	cells := []any{v.name(), v.text("roleRef", "kind") + "/" + v.text("roleRef", "name"), v.age()}
	for _, kind := range []string{"User", "Group", "ServiceAccount"} {
		cells = append(cells, strings.Join(subjects[kind], ", "))
	}
	return cells
}
