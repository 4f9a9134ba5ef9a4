package policies_test

import "strings"

func deployment(name, replicas, image string) string {
	body := strings.NewReplacer("NAME", name, "REPLICAS", replicas, "IMAGE", image).Replace(deploymentBody)
	return "POST /apis/apps/v1/namespaces/NS/deployments " + body
}

func pod(name, image string) string {
	return "POST /api/v1/namespaces/NS/pods " + strings.NewReplacer("NAME", name, "IMAGE", image).Replace(podBody)
}

// expressionCases are policies with one expression each, for ConfigMaps.
func expressionCases() (cases []policyCase) {
	for i, c := range []struct {
		expression string
		data       []string
	}{
		{`object.data.a == 'x'`, []string{`{"a":"x"}`, `{"a":"y"}`, `{"b":"x"}`}},
		{`!has(object.data.bad)`, []string{`{"a":"x"}`, `{"bad":"y"}`}},
		{`object.data.all(k, k.startsWith('a'))`, []string{`{"a":"x","ab":"y"}`, `{"b":"x"}`}},
		{`object.data.exists(k, object.data[k] == 'x')`, []string{`{"b":"x"}`, `{"b":"y"}`}},
		{`size(object.data) < 3`, []string{`{"a":"1","b":"2"}`, `{"a":"1","b":"2","c":"3"}`}},
		{`int(object.data.n) > 5`, []string{`{"n":"7"}`, `{"n":"3"}`, `{"n":"x"}`}},
		{`object.data.m.matches('^[a-z]+$')`, []string{`{"m":"abc"}`, `{"m":"ABC"}`}},
		{`object.data.s.split(',').size() == 2`, []string{`{"s":"a,b"}`, `{"s":"a"}`}},
		{`quantity(object.data.q).isLessThan(quantity('1Gi'))`, []string{`{"q":"500Mi"}`, `{"q":"2Gi"}`, `{"q":"x"` +
			`}`}},
		{`isIP(object.data.ip) && ip(object.data.ip).family() == 4`, []string{`{"ip":"10.0.0.1"}`, `{"ip":"::1"` +
			`}`, `{"ip":"x"}`}},
		{`cidr('10.0.0.0/8').containsIP(object.data.ip)`, []string{`{"ip":"10.1.2.3"}`, `{"ip":"11.0.0.1"}`, `{"ip` +
			`":"no"}`}},
		{`url(object.data.u).getScheme() == 'https'`, []string{`{"u":"https://a.b/c"}`, `{"u":"http://a.b"}`, `{"u` +
			`":"::"}`}},
		{`semver(object.data.v).compareTo(semver('1.2.3')) >= 0`, []string{`{"v":"1.3.0"}`, `{"v":"1.0.0"}`, `{"v"` +
			`:"1"}`}},
		{`!format.dns1123Label().validate(object.data.l).hasValue()`, []string{`{"l":"good"}`, `{"l":"Not good"}`}},
		{`object.data.?x.orValue('d') == 'd'`, []string{`{"a":"x"}`, `{"x":"e"}`, `{"x":"d"}`}},
		{`request.operation != 'CREATE' || has(object.metadata.labels)`, []string{`{}`}},
		{`request.name == object.metadata.name && request.namespace == object.metadata.namespace`, []string{`{}`}},
		{`request.resource.resource == 'configmaps' && request.kind.kind == 'ConfigMap' && request.kind.group == '` +
			`'`, []string{`{}`}},
		{`request.userInfo.username == 'nobody'`, []string{`{}`}},
		{`'system:masters' in request.userInfo.groups`, []string{`{}`}},
		{`!request.dryRun`, []string{`{}`}},
		{`request.options.kind == 'CreateOptions'`, []string{`{}`}},
		{`namespaceObject.metadata.name == object.metadata.namespace`, []string{`{}`}},
		{`has(namespaceObject.kind) || has(namespaceObject.metadata.managedFields)`, []string{`{}`}},
		{`oldObject == null`, []string{`{}`}},
		{`oldObject.data.a == 'x'`, []string{`{}`}},
		{`authorizer.group('').resource('configmaps').check('create').allowed()`, []string{`{}`}},
		{`!authorizer.path('/healthz').check('get').allowed()`, []string{`{}`}},
		{`authorizer.requestResource.check('delete').allowed()`, []string{`{}`}},
		{`authorizer.serviceAccount('default', 'x').group('').resource('pods').check('get').allowed(` +
			`)`, []string{`{}`}},
		{`dyn(object.data.a) == 1`, []string{`{"a":"x"}`}},
		{`object.data.a + 1 == 'x1'`, []string{`{"a":"x"}`}},
		{`object.nosuch`, []string{`{}`}},
		{`object.data`, []string{`{}`, `{"a":"b"}`}},
		{`['a','b'].exists(x, x in object.data)`, []string{`{"a":"1"}`, `{"c":"1"}`}},
		{`object.data.map(k, object.data[k]).sum() == 0 || true`, []string{`{"a":"1"}`}},
		{`timestamp(object.data.t) < timestamp('2030-01-01T00:00:00Z')`, []string{`{"t":"2026-01-01T00:00:00Z"` +
			`}`, `{"t":"2031-01-01T00:00:00Z"}`, `{"t":"x"}`}},
		{`duration(object.data.d) <= duration('1h')`, []string{`{"d":"5m"}`, `{"d":"2h"}`, `{"d":"x"}`}},
		{`object.data.s.lowerAscii() == 'abc'`, []string{`{"s":"ABC"}`, `{"s":"x"}`}},
		{`object.data.s.find('[0-9]+') == '42'`, []string{`{"s":"a42b"}`, `{"s":"x"}`}},
		{`size(object.metadata.name) < 3 ? true : false`, []string{`{}`}},
		{`string(size(object.data)) + 'x' == '1x'`, []string{`{"a":"1"}`, `{}`}},
		{`type(object.data) == map`, []string{`{"a":"1"}`, `{}`}},
		{`has(object.metadata.uid) && has(object.metadata.creationTimestamp)`, []string{`{}`}},
		{`has(request.object) && request.object == null`, []string{`{}`}},
		{`has(request.userInfo.extra)`, []string{`{}`}},
		{`has(request.subResource)`, []string{`{}`}},
		{`request.uid == ''`, []string{`{}`}},
		{`object.data.a.charAt(0) == 'x'`, []string{`{"a":"x"}`, `{"a":""}`}},
		{`'%s-%d'.format([object.data.a, 3]) == 'x-3'`, []string{`{"a":"x"}`, `{"a":"y"}`}},
		{`sets.contains(['a','b','c'], object.data.l.split(','))`, []string{`{"l":"a,b"}`, `{"l":"a,z"}`}},
		{`object.data.exists_one(k, object.data[k] == '1')`, []string{`{"a":"1","b":"2"}`, `{"a":"1","b":"1"}`}},
		{`cel.bind(d, object.data, d.size() > 0)`, []string{`{"a":"1"}`}},
		{`base64.encode(b'a') == object.data.b`, []string{`{"b":"YQ=="}`}},
		{`[1,2,3].all(i, i < int(object.data.n))`, []string{`{"n":"4"}`, `{"n":"3"}`, `{"n":"99999999999999999999"` +
			`}`}},
		{`1 / int(object.data.n) == 1`, []string{`{"n":"1"}`, `{"n":"0"}`}},
		{`object.data.transformList(k, v, v).size() == 1`, []string{`{"a":"1"}`, `{}`}},
	} {
		name := "e" + string(rune('a'+i/26)) + string(rune('a'+i%26))
		cases = append(cases, policyCase{name: name, spec: checks(c.expression), requests: configMapsWith(c.data...)})
	}
	return cases
}

var validatingCases = []policyCase{
	{name: "message", spec: `{"validations":[{"expression":"false","message":" say what "}]` +
		`}`, requests: configMapsWith(`{}`)},
	{name: "message-expression", spec: `{"validations":[{"expression":"false","message":"m","messageExpression":` +
		`"'no ' + object.metadata.name"}]}`, requests: configMapsWith(`{}`)},
	{name: "message-fails", spec: `{"validations":[{"expression":"false","message":"m","messageExpression":` +
		`"object.data.nosuch"}]}`, requests: configMapsWith(`{}`, `{"nosuch":"there"}`)},
	{name: "message-blank", spec: `{"validations":[{"expression":"false","messageExpression":"object.data.m"}]}`,
		requests: configMapsWith(`{"m":" "}`, `{"m":"a\nb"}`, `{"m":" ok "}`)},
	{name: "reasons", spec: `{"validations":[{"expression":"object.data.r != 'a'","reason":"Forbidden"},` +
		`{"expression":"object.data.r != 'b'","reason":"Invalid"},` +
		`{"expression":"object.data.r != 'c'","reason":"RequestEntityTooLarge"},` +
		`{"expression":"object.data.r != 'd'","reason":"Unauthorized"}]}`,
		requests: configMapsWith(`{"r":"a"}`, `{"r":"b"}`, `{"r":"c"}`, `{"r":"d"}`, `{"r":"e"}`, `{}`)},
	{name: "several", spec: `{"validations":[{"expression":"object.data.a == 'x'"},{"expression":"object.data.b` +
		` == 'x'"}]}`,
		requests: configMapsWith(`{"a":"x","b":"x"}`, `{"a":"x","b":"y"}`, `{"a":"y","b":"y"}`, `{"b":"y"}`)},
	{name: "ignore", spec: `{"failurePolicy":"Ignore","validations":[{"expression":"object.data.a == 'x'"}]}`,
		requests: configMapsWith(`{"a":"x"}`, `{"a":"y"}`, `{}`)},
	{name: "warn", spec: checks("object.data.a == 'x'"), bindings: []string{`{"validationActions":["Warn"]}`},
		requests: configMapsWith(`{"a":"x"}`, `{"a":"y"}`, `{}`)},
	{name: "audit", spec: checks("object.data.a == 'x'"), bindings: []string{`{"validationActions":["Audit"]}`},
		requests: configMapsWith(`{"a":"x"}`, `{"a":"y"}`)},
	{name: "warn-audit", spec: checks("object.data.a == 'x'"), bindings: []string{`{"validationActions":["Warn"` +
		`,"Audit"]}`},
		requests: configMapsWith(`{"a":"x"}`, `{"a":"y"}`)},
	{name: "variables", spec: `{"variables":[{"name":"a","expression":"object.data.a"},{"name":"b","expression":` +
		`"variables.a + 'z'"}],"validations":[{"expression":"variables.b == 'xz'","messageExpression":` +
		`"'got ' + variables.b"}]}`, requests: configMapsWith(`{"a":"x"}`, `{"a":"y"}`, `{}`)},
	{name: "condition", spec: `{"matchConditions":[{"name":"c","expression":"object.data.on == 'yes'"}],` +
		`"validations":[{"expression":"false"}]}`, requests: configMapsWith(`{"on":"yes"}`, `{"on":"no"}`, `{}`)},
	{name: "condition-ignore", spec: `{"failurePolicy":"Ignore","matchConditions":[{"name":"c","expression":` +
		`"object.data.on == 'yes'"}],"validations":[{"expression":"false"}]}`,
		requests: configMapsWith(`{"on":"yes"}`, `{"on":"no"}`, `{}`)},
	{name: "conditions", spec: `{"matchConditions":[{"name":"a","expression":"object.data.a == 'x'"},{"name":"b",` +
		`"expression":"object.data.b == 'x'"}],"validations":[{"expression":"false"}]}`,
		requests: configMapsWith(`{"a":"x","b":"x"}`, `{"a":"y"}`, `{"b":"y"}`, `{}`, `{"a":"x"}`)},
	{name: "condition-variables", spec: `{"variables":[{"name":"v","expression":"object.data.a"}],"matchConditi` +
		`ons":[` +
		`{"name":"a","expression":"variables.v == 'x'"}],"validations":[{"expression":"false"}]}`,
		requests: configMapsWith(`{"a":"x"}`, `{"a":"y"}`)},
	{name: "annotations", spec: `{"auditAnnotations":[{"key":"k","valueExpression":"object.data.a"}]}`,
		requests: configMapsWith(`{"a":"x"}`, `{}`)},
	{name: "annotations-ignore", spec: `{"failurePolicy":"Ignore","auditAnnotations":[{"key":"k","valueExpression":` +
		`"object.data.a"}]}`, requests: configMapsWith(`{"a":"x"}`, `{}`)},
	{name: "annotations-warn", spec: `{"auditAnnotations":[{"key":"k","valueExpression":"object.data.a"}]}`,
		bindings: []string{`{"validationActions":["Warn"]}`}, requests: configMapsWith(`{"a":"x"}`, `{}`)},
	{name: "replicas", spec: `{` + on("apps", "v1", "deployments", `"CREATE","UPDATE"`) +
		`,"validations":[{"expression":"object.spec.replicas <= 5"}]}`,
		requests: []string{deployment("a", "5", "i"), deployment("b", "6", "i"),
			`PATCH /apis/apps/v1/namespaces/NS/deployments/a {"spec":{"replicas":9}}`,
			`PATCH /apis/apps/v1/namespaces/NS/deployments/a {"spec":{"replicas":2}}`,
			`DELETE /apis/apps/v1/namespaces/NS/deployments/a `}},
	{name: "scale", spec: `{` + on("apps", "v1", "deployments/scale", `"UPDATE"`) +
		`,"validations":[{"expression":"object.spec.replicas <= 5","messageExpression":"object.kind + request.subR` +
		`esource` +
		` + request.resource.group + request.kind.group"}]}`,
		requests: []string{deployment("a", "2", "i"),
			`PATCH /apis/apps/v1/namespaces/NS/deployments/a/scale {"spec":{"replicas":9}}`,
			`PATCH /apis/apps/v1/namespaces/NS/deployments/a/scale {"spec":{"replicas":3}}`}},
	{name: "images", spec: `{` + on("", "v1", "pods", `"CREATE"`) + `,"variables":[{"name":"cs","expression":` +
		`"object.spec.containers"}],"validations":[{"expression":"variables.cs.all(c, c.image.startsWith('good/'))` +
		`",` +
		`"messageExpression":"'bad: ' + variables.cs.filter(c, !c.image.startsWith('good/')).map(c, c.name).join('` +
		`, ')"}]}`,
		requests: []string{pod("a", "good/x"), pod("b", "bad/x")}},
	{name: "defaults", spec: `{` + on("", "v1", "pods", `"CREATE"`) + `,"validations":[{"expression":` +
		`"object.spec.restartPolicy == 'Always' && has(object.spec.tolerations) && object.status.phase == 'Pending` +
		`'",` +
		`"messageExpression":"object.spec.restartPolicy + string(has(object.spec.tolerations)) + string(has(object` +
		`.status))"}]}`,
		requests: []string{pod("a", "x")}},
	{name: "no-resources", spec: `{` + on("", "v1", "pods", `"CREATE"`) + `,"validations":[{"expression":` +
		`"object.spec.containers.all(c, has(c.resources.limits))"}]}`, requests: []string{pod("a", "x")}},
	{name: "delete", spec: `{` + on("", "v1", "configmaps", `"DELETE"`) + `,"validations":[{"expression":` +
		`"object == null && oldObject.data.a == 'x'"}]}`, before: []string{
		`/api/v1/namespaces/NS/configmaps {"metadata":{"name":"a"},"data":{"a":"x"}}`,
		`/api/v1/namespaces/NS/configmaps {"metadata":{"name":"b"},"data":{"a":"y"}}`},
		requests: []string{`DELETE /api/v1/namespaces/NS/configmaps/a `, `DELETE /api/v1/namespaces/NS/configmaps/` +
			`b `}},
	{name: "immutable", spec: `{` + on("", "v1", "configmaps", `"UPDATE"`) + `,"validations":[{"expression":` +
		`"object.data.a == oldObject.data.a","reason":"Forbidden"}]}`, before: []string{
		`/api/v1/namespaces/NS/configmaps {"metadata":{"name":"a"},"data":{"a":"x"}}`},
		requests: []string{`PATCH /api/v1/namespaces/NS/configmaps/a {"data":{"b":"y"}}`,
			`PATCH /api/v1/namespaces/NS/configmaps/a {"data":{"a":"y"}}`,
			`PUT /api/v1/namespaces/NS/configmaps/a {"metadata":{"name":"a"},"data":{}}`}},
	{name: "names", spec: `{"matchConstraints":{"resourceRules":[{"apiGroups":[""],"apiVersions":["*"],"resources":` +
		`["configmaps"],"operations":["*"],"resourceNames":["ca"]}]},"validations":[{"expression":"false"}]}`,
		requests: configMapsWith(`{}`, `{}`)},
	{name: "excluded", spec: `{"matchConstraints":{"resourceRules":[{"apiGroups":["*"],"apiVersions":["*"],"res` +
		`ources":` +
		`["*"],"operations":["*"]}],"excludeResourceRules":[{"apiGroups":[""],"apiVersions":["v1"],"resources":["s` +
		`ecrets"],` +
		`"operations":["*"]}]},"validations":[{"expression":"false"}]}`,
		requests: append(configMapsWith(`{}`), `POST /api/v1/namespaces/NS/secrets {"metadata":{"name":"a"}}`)},
	{name: "selected", spec: `{"matchConstraints":{"objectSelector":{"matchLabels":{"on":"yes"}},"resourceRules":[{` +
		`"apiGroups":[""],"apiVersions":["v1"],"resources":["configmaps"],"operations":["*"]}]},"validations":[{` +
		`"expression":"false"}]}`, requests: append(configMapsWith(`{}`), cm+`{"metadata":{"name":"x","labels":{"o`+
		`n":"yes"}}}`)},
	{name: "binding-selects", spec: checks("false"), bindings: []string{`{"validationActions":["Deny"],"matchRe` +
		`sources":{` +
		`"objectSelector":{"matchLabels":{"on":"yes"}}}}`},
		requests: append(configMapsWith(`{}`), cm+`{"metadata":{"name":"x","labels":{"on":"yes"}}}`)},
	{name: "binding-rules", spec: checks("false"), bindings: []string{`{"validationActions":["Deny"],"matchReso` +
		`urces":{` +
		`"resourceRules":[{"apiGroups":[""],"apiVersions":["v1"],"resources":["secrets"],"operations":["*"]}]}}`},
		requests: configMapsWith(`{}`)},
	{name: "generated", spec: `{"validations":[{"expression":"false","messageExpression":"string(has(request.na` +
		`me)) +` +
		` string(has(object.metadata.name))"}]}`, requests: []string{cm + `{"metadata":{"generateName":"g-"}}`}},
	{name: "equivalent", spec: `{` + on("autoscaling", "v1", "horizontalpodautoscalers", `"*"`) + `,"validation` +
		`s":[{` +
		`"expression":"object.spec.targetCPUUtilizationPercentage < 50","messageExpression":"object.apiVersion + '` +
		` ' +` +
		` request.kind.version + request.requestKind.version + request.resource.version + request.requestResource.` +
		`version"}]}`,
		requests: []string{hpa("a", "40"), hpa("b", "60")}},
	{name: "exact", spec: `{"matchConstraints":{"matchPolicy":"Exact","resourceRules":[{"apiGroups":["autoscali` +
		`ng"],` +
		`"apiVersions":["v1"],"resources":["*"],"operations":["*"]}]},"validations":[{"expression":"false"}]}`,
		requests: []string{hpa("a", "40")}},
	{name: "params", spec: `{"paramKind":{"apiVersion":"v1","kind":"ConfigMap"},"validations":[{"expression":` +
		`"object.data.n == params.data.n","messageExpression":"'want ' + params.data.n + params.kind + params.apiV` +
		`ersion"}],` +
		on("", "v1", "secrets", `"*"`) + `}`,
		before:   []string{`/api/v1/namespaces/NS/configmaps {"metadata":{"name":"p"},"data":{"n":"MQ=="}}`},
		bindings: []string{`{"validationActions":["Deny"],"paramRef":{"name":"p","parameterNotFoundAction":"Deny"}}`},
		requests: []string{secret("a", "MQ=="), secret("b", "Mg==")}},
	{name: "params-missing", spec: `{"paramKind":{"apiVersion":"v1","kind":"ConfigMap"},"validations":[{"expres` +
		`sion":` +
		`"params == null"}],` + on("", "v1", "secrets", `"*"`) + `}`,
		bindings: []string{`{"validationActions":["Deny"],"paramRef":{"name":"p","parameterNotFoundAction":"Deny"}}`},
		requests: []string{secret("a", "MQ==")}},
	{name: "params-allowed", spec: `{"paramKind":{"apiVersion":"v1","kind":"ConfigMap"},"validations":[{"expres` +
		`sion":` +
		`"false"}],` + on("", "v1", "secrets", `"*"`) + `}`,
		bindings: []string{`{"validationActions":["Deny"],"paramRef":{"name":"p","parameterNotFoundAction":"Allow"` +
			`}}`},
		requests: []string{secret("a", "MQ==")}},
	{name: "params-none", spec: `{"paramKind":{"apiVersion":"v1","kind":"ConfigMap"},"validations":[{"expression":` +
		`"params != null"}],` + on("", "v1", "secrets", `"*"`) + `}`, requests: []string{secret("a", "MQ==")}},
	{name: "params-selected", spec: `{"paramKind":{"apiVersion":"v1","kind":"ConfigMap"},"validations":[{"expre` +
		`ssion":` +
		`"object.metadata.name != params.metadata.name","messageExpression":"params.metadata.name"}],` +
		on("", "v1", "secrets", `"*"`) + `}`,
		before: []string{`/api/v1/namespaces/NS/configmaps {"metadata":{"name":"p","labels":{"p":"1"}}}`,
			`/api/v1/namespaces/NS/configmaps {"metadata":{"name":"q","labels":{"p":"1"}}}`,
			`/api/v1/namespaces/NS/configmaps {"metadata":{"name":"r"}}`},
		bindings: []string{`{"validationActions":["Deny"],"paramRef":{"selector":{"matchLabels":{"p":"1"}},` +
			`"parameterNotFoundAction":"Deny"}}`},
		requests: []string{secret("p", "MQ=="), secret("q", "MQ=="), secret("r", "MQ==")}},
	{name: "params-unknown", spec: `{"paramKind":{"apiVersion":"example.com/v1","kind":"Nothing"},"validations":[{` +
		`"expression":"false"}]}`,
		bindings: []string{`{"validationActions":["Deny"],"paramRef":{"name":"p","parameterNotFoundAction":"Deny"}}`},
		requests: configMapsWith(`{}`)},
	{name: "params-unknown-ignored", spec: `{"failurePolicy":"Ignore","paramKind":{"apiVersion":"example.com/v1` +
		`","kind":` +
		`"Nothing"},"validations":[{"expression":"false"}]}`,
		bindings: []string{`{"validationActions":["Deny"],"paramRef":{"name":"p","parameterNotFoundAction":"Deny"}}`},
		requests: configMapsWith(`{}`)},
	{name: "params-cluster", spec: `{"paramKind":{"apiVersion":"v1","kind":"Namespace"},"validations":[{"expres` +
		`sion":` +
		`"params.metadata.name == object.metadata.namespace"}]}`,
		bindings: []string{`{"validationActions":["Deny"],"paramRef":{"name":"default","parameterNotFoundAction":"` +
			`Deny"}}`},
		requests: configMapsWith(`{}`)},
	{name: "params-cluster-namespace", spec: `{"paramKind":{"apiVersion":"v1","kind":"Namespace"},"validations":[{` +
		`"expression":"true"}]}`,
		bindings: []string{`{"validationActions":["Deny"],"paramRef":{"name":"default","namespace":"default",` +
			`"parameterNotFoundAction":"Deny"}}`},
		requests: configMapsWith(`{}`)},
	{name: "cost", spec: checks(`range(100000).all(i, range(100).all(j, true))`), requests: configMapsWith(`{}`)},
	{name: "cost-per-call", spec: checks(`'` + strings.Repeat("a", 200) +
		`'.split('').all(a, object.data.l.split(',').all(b, object.data.l.split(',').all(c, c != b + a)))`),
		requests: configMapsWith(`{"l":"`+strings.Repeat("x,", 60)+`"}`, `{"l":"x"}`)},
}

func hpa(name, target string) string {
	return `POST /apis/autoscaling/v2/namespaces/NS/horizontalpodautoscalers {"metadata":{"name":"` + name + `"` +
		`},"spec":{` +
		`"maxReplicas":3,"scaleTargetRef":{"apiVersion":"apps/v1","kind":"Deployment","name":"d"},"metrics":[{"typ` +
		`e":` +
		`"Resource","resource":{"name":"cpu","target":{"type":"Utilization","averageUtilization":` + target + `}}}]}}`
}

func secret(name, n string) string {
	return `POST /api/v1/namespaces/NS/secrets {"metadata":{"name":"` + name + `"},"data":{"n":"` + n + `"}}`
}
