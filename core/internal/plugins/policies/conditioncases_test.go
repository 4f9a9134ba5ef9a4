package policies_test

// conditionCases are webhooks that cannot be called, for all writes of ConfigMaps: a request that reaches one is
// refused with 500. The spec is the list of their match conditions.
func conditionCases() (cases []policyCase) {
	for i, c := range []struct {
		conditions []string
		data       []string
	}{
		{[]string{`true`}, []string{`{}`}},
		{[]string{`false`}, []string{`{}`}},
		{[]string{`object.data.a == 'x'`}, []string{`{"a":"x"}`, `{"a":"y"}`, `{}`}},
		{[]string{`object.data.a == 'x'`, `object.data.b == 'x'`}, []string{`{"a":"x","b":"x"}`, `{"a":"x","b":"y"}`,
			`{"a":"y"}`, `{"b":"y"}`, `{"b":"x"}`, `{}`}},
		{[]string{`object.data.a == 'x'`, `object.data.a == 'x'`}, []string{`{}`}},
		{[]string{`request.operation == 'UPDATE'`}, []string{`{}`}},
		{[]string{`request.userInfo.username != 'admin'`}, []string{`{}`}},
		{[]string{`!('system:masters' in request.userInfo.groups)`}, []string{`{}`}},
		{[]string{`authorizer.group('').resource('configmaps').check('breakglass').allowed()`}, []string{`{}`}},
		{[]string{`!authorizer.requestResource.check('create').allowed()`}, []string{`{}`}},
		{[]string{`request.resource.group != 'rbac.authorization.k8s.io'`}, []string{`{}`}},
		{[]string{`oldObject == null`}, []string{`{}`}},
		{[]string{`object.metadata.name.startsWith('c')`, `!has(object.metadata.labels)`}, []string{`{}`}},
		{[]string{`has(request.options.dryRun) || request.dryRun`}, []string{`{}`}},
		{[]string{`quantity(object.data.q).isGreaterThan(quantity('1'))`}, []string{`{"q":"2"}`, `{"q":"1"}`, `{"q` +
			`":"x"}`}},
		{[]string{`object.data.?a.orValue('x') == 'x'`}, []string{`{}`, `{"a":"y"}`}},
		{[]string{`1`}, []string{`{}`}},
		{[]string{`nosuch == 1`}, []string{`{}`}},
		{[]string{`namespaceObject == null`}, []string{`{}`}},
		{[]string{`variables.a == 1`}, []string{`{}`}},
		{[]string{`params == null`}, []string{`{}`}},
		{[]string{`object.data +`}, []string{`{}`}},
		{[]string{`'a'.matches('[')`}, []string{`{}`}},
	} {
		list := "["
		for j, text := range c.conditions {
			if j > 0 {
				list += ","
			}
			list += `{"name":"c` + string(rune('a'+j)) + `","expression":"` + text + `"}`
		}
		cases = append(cases, policyCase{
			name: "w" + string(rune('a'+i)), kind: webhook, spec: list + "]", requests: configMapsWith(c.data...),
		})
	}
	return cases
}
