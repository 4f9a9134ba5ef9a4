package policies_test

// mutating returns the spec of a mutating policy: of each mutation the first letter is J or A, and the rest its
// expression.
func mutating(rest, reinvocation string, mutations ...string) string {
	list := ""
	for i, m := range mutations {
		if i > 0 {
			list += ","
		}
		if m[0] == 'J' {
			list += `{"patchType":"JSONPatch","jsonPatch":{"expression":"` + m[1:] + `"}}`
		} else {
			list += `{"patchType":"ApplyConfiguration","applyConfiguration":{"expression":"` + m[1:] + `"}}`
		}
	}
	if rest != "" {
		rest += ","
	}
	return `{` + rest + `"reinvocationPolicy":"` + reinvocation + `","mutations":[` + list + `]}`
}

const (
	never   = "Never"
	replace = `J[JSONPatch{op: 'replace', path: '/data/a', value: object.data.a + '!'}]`
)

var mutatingCases = []policyCase{
	{name: "m-label", kind: mutates, spec: mutating("", never,
		`AObject{metadata: Object.metadata{labels: {'added': 'yes'}}}`),
		requests: []string{cm + `{"metadata":{"name":"a","labels":{"own":"1"}}}`, cm + `{"metadata":{"name":"b"}}`}},
	{name: "m-data", kind: mutates, spec: mutating("", never, `AObject{data: {'k': object.metadata.name}}`),
		requests: configMapsWith(`{"a":"x"}`, `{"k":"own"}`)},
	{name: "m-json", kind: mutates, spec: mutating("", never, replace), requests: configMapsWith(`{"a":"x"}`, `{}`)},
	{name: "m-json-escape", kind: mutates, spec: mutating("", never,
		`J[JSONPatch{op: 'add', path: '/metadata/labels', value: {}}, JSONPatch{op: 'add', path: '/metadata/labels`+
			`/' + `+
			`jsonpatch.escapeKey('example.com/x'), value: 'y'}]`), requests: configMapsWith(`{}`)},
	{name: "m-json-test", kind: mutates, spec: mutating("", never,
		`J[JSONPatch{op: 'test', path: '/data/a', value: 'x'}, JSONPatch{op: 'add', path: '/data/b', value: 'y'}]`),
		requests: configMapsWith(`{"a":"x"}`, `{"a":"z"}`)},
	{name: "m-json-remove", kind: mutates, spec: mutating("", never, `J[JSONPatch{op: 'remove', path: '/data/a'}]`),
		requests: configMapsWith(`{"a":"x"}`, `{}`, `{"b":"x"}`)},
	{name: "m-json-move", kind: mutates, spec: mutating("", never, `J[JSONPatch{op: 'move', from: '/data/a', pa`+
		`th: '/data/b'}]`),
		requests: configMapsWith(`{"a":"x"}`, `{"c":"x"}`)},
	{name: "m-json-copy", kind: mutates, spec: mutating("", never, `J[JSONPatch{op: 'copy', from: '/data/a', pa`+
		`th: '/data/b'}]`),
		requests: configMapsWith(`{"a":"x"}`)},
	{name: "m-json-empty", kind: mutates, spec: mutating("", never, `Jhas(object.data) ? [JSONPatch{op: 'add', `+
		`path: `+
		`'/data/z', value: '1'}] : []`), requests: append(configMapsWith(`{"a":"x"}`), cm+`{"metadata":{"name":"n"`+
		`}}`)},
	{name: "m-json-unknown", kind: mutates, spec: mutating("", never,
		`J[JSONPatch{op: 'add', path: '/nosuch', value: 'y'}]`), requests: configMapsWith(`{}`)},
	{name: "m-json-type", kind: mutates, spec: mutating("", never,
		`J[JSONPatch{op: 'add', path: '/data/n', value: 3}]`), requests: configMapsWith(`{"a":"x"}`)},
	{name: "m-json-op", kind: mutates, spec: mutating("", never,
		`J[JSONPatch{op: 'nosuch', path: '/data/n', value: 'x'}]`), requests: configMapsWith(`{"a":"x"}`)},
	{name: "m-fails", kind: mutates, spec: mutating("", never, `AObject{data: {'k': object.data.nosuch}}`),
		requests: configMapsWith(`{}`, `{"nosuch":"x"}`)},
	{name: "m-fails-ignored", kind: mutates, spec: mutating(`"failurePolicy":"Ignore"`, never,
		`AObject{data: {'k': object.data.nosuch}}`, `AObject{data: {'l': 'x'}}`),
		requests: configMapsWith(`{}`, `{"nosuch":"x"}`)},
	{name: "m-two", kind: mutates, spec: mutating("", never, `AObject{data: {'k': 'x'}}`,
		`AObject{data: {'l': object.data.k + 'y'}}`), requests: configMapsWith(`{}`)},
	{name: "m-two-fail", kind: mutates, spec: mutating("", never, `AObject{data: {'k': object.data.p}}`,
		`AObject{data: {'l': object.data.q}}`), requests: configMapsWith(`{}`)},
	{name: "m-variables", kind: mutates, spec: mutating(`"variables":[{"name":"v","expression":"object.metadata`+
		`.name"}]`,
		never, `AObject{data: {'k': variables.v}}`), requests: configMapsWith(`{}`)},
	{name: "m-condition", kind: mutates, spec: mutating(`"matchConditions":[{"name":"c","expression":`+
		`"object.data.on == 'yes'"}]`, never, `AObject{data: {'k': 'x'}}`),
		requests: configMapsWith(`{"on":"yes"}`, `{"on":"no"}`, `{}`)},
	{name: "m-reinvoked", kind: mutates, spec: mutating("", "IfNeeded", replace), requests: configMapsWith(`{"a` +
		`":"x"}`)},
	{name: "m-containers", kind: mutates, spec: mutating(on("", "v1", "pods", `"CREATE"`), never,
		`AObject{spec: Object.spec{initContainers: [Object.spec.initContainers{name: 'added', image: 'i:1', `+
			`restartPolicy: 'Always'}]}}`), requests: []string{pod("a", "x")}},
	{name: "m-env", kind: mutates, spec: mutating(on("", "v1", "pods", `"CREATE"`), never,
		`AObject{spec: Object.spec{containers: object.spec.containers.map(c, Object.spec.containers.item{name: c.n`+
			`ame, `+
			`env: [Object.spec.containers.item.env.item{name: 'E', value: 'v'}]})}}`),
		requests: []string{pod("a", "x")}},
	{name: "m-env-named", kind: mutates, spec: mutating(on("", "v1", "pods", `"CREATE"`), never,
		`AObject{spec: Object.spec{containers: [Object.spec.containers{name: 'c', imagePullPolicy: 'Never'}]}}`),
		requests: []string{pod("a", "x")}},
	{name: "m-wrong-type", kind: mutates, spec: mutating(on("", "v1", "pods", `"CREATE"`), never,
		`AObject{spec: Object.spec{containers: [Object.spec.wrong{name: 'c'}]}}`), requests: []string{pod("a", "x")}},
	{name: "m-atomic", kind: mutates, spec: mutating(on("", "v1", "pods", `"CREATE"`), never,
		`AObject{spec: Object.spec{containers: [Object.spec.containers{name: 'c', args: ['a']}]}}`),
		requests: []string{pod("a", "x")}},
	{name: "m-unknown-field", kind: mutates, spec: mutating("", never, `AObject{nosuch: 'x'`+
		`}`), requests: configMapsWith(`{}`)},
	{name: "m-field-type", kind: mutates, spec: mutating(on("apps", "v1", "deployments", `"CREATE"`), never,
		`AObject{spec: Object.spec{replicas: 'x'}}`), requests: []string{deployment("a", "1", "x")}},
	{name: "m-replicas", kind: mutates, spec: mutating(on("apps", "v1", "deployments", `"CREATE"`), never,
		`AObject{spec: Object.spec{replicas: object.spec.replicas * 2, paused: true}}`),
		requests: []string{deployment("a", "2", "x")}},
	{name: "m-optional", kind: mutates, spec: mutating("", never,
		`AObject{metadata: Object.metadata{?labels: has(object.data.l) ? optional.of({'l': object.data.l}) : optio`+
			`nal.none()}}`),
		requests: configMapsWith(`{"l":"x"}`, `{}`)},
	{name: "m-invalid", kind: mutates, spec: mutating("", never, `AObject{data: {'a b': 'x'}`+
		`}`), requests: configMapsWith(`{}`)},
	{name: "m-namespace", kind: mutates, spec: mutating("", never, `AObject{data: {'ns': namespaceObject.metada`+
		`ta.name, `+
		`'m': string(has(namespaceObject.metadata.managedFields)), 'k': string(has(namespaceObject.kind))}}`),
		requests: configMapsWith(`{}`)},
	{name: "m-generated", kind: mutates, spec: mutating("", never, `AObject{data: {'n': string(has(object.metad`+
		`ata.name)), `+
		`'u': string(has(object.metadata.uid)), 't': string(has(object.metadata.creationTimestamp))}}`),
		requests: []string{cm + `{"metadata":{"generateName":"g-"}}`}},
	{name: "m-params", kind: mutates, spec: mutating(`"paramKind":{"apiVersion":"v1","kind":"ConfigMap"},`+
		on("", "v1", "secrets", `"*"`), never, `AObject{metadata: Object.metadata{labels: {'n': params.data.n}}}`),
		before:   []string{`/api/v1/namespaces/NS/configmaps {"metadata":{"name":"p"},"data":{"n":"one"}}`},
		bindings: []string{`{"paramRef":{"name":"p","parameterNotFoundAction":"Deny"}}`},
		requests: []string{secret("a", "MQ==")}},
	{name: "m-params-missing", kind: mutates, spec: mutating(`"paramKind":{"apiVersion":"v1","kind":"ConfigMap"},`+
		on("", "v1", "secrets", `"*"`), never, `AObject{metadata: Object.metadata{labels: {'n': params.data.n}}}`),
		bindings: []string{`{"paramRef":{"name":"p","parameterNotFoundAction":"Deny"}}`},
		requests: []string{secret("a", "MQ==")}},
	{name: "m-params-unknown", kind: mutates, spec: mutating(`"paramKind":{"apiVersion":"example.com/v1","kind"`+
		`:"Nothing"}`,
		never, `AObject{}`),
		bindings: []string{`{"paramRef":{"name":"p","parameterNotFoundAction":"Deny"}` +
			`}`}, requests: configMapsWith(`{}`)},
	{name: "m-update", kind: mutates, spec: mutating("", never, `AObject{data: {'op': request.operation}}`),
		before: []string{`/api/v1/namespaces/NS/configmaps {"metadata":{"name":"a"},"data":{"n":"one"}}`},
		requests: []string{`PATCH /api/v1/namespaces/NS/configmaps/a {"data":{"n":"two"}}`,
			`PUT /api/v1/namespaces/NS/configmaps/a {"metadata":{"name":"a"}}`, `DELETE /api/v1/namespaces/NS/configm` +
				`aps/a `}},
	{name: "m-equivalent", kind: mutates, spec: mutating(on("autoscaling", "v1", "horizontalpodautoscalers", `"`+
		`*"`), never,
		`AObject{spec: Object.spec{maxReplicas: 7}, metadata: Object.metadata{labels: {'v': object.apiVersion.repl`+
			`ace('/', '.')}}}`),
		requests: []string{hpa("a", "40")}},
	{name: "m-scale", kind: mutates, spec: mutating(on("apps", "v1", "deployments/scale", `"UPDATE"`), never,
		`AObject{spec: Object.spec{replicas: 4}}`),
		requests: []string{deployment("a", "2", "i"),
			`PATCH /apis/apps/v1/namespaces/NS/deployments/a/scale {"spec":{"replicas":9}}`}},
	{name: "m-kind", kind: mutates, spec: mutating("", never, `AObject{kind: 'Secret'`+
		`}`), requests: configMapsWith(`{}`)},
	{name: "m-name", kind: mutates, spec: mutating("", never, `AObject{metadata: Object.metadata{name: 'other'}}`),
		requests: configMapsWith(`{}`)},
	{name: "m-immutable", kind: mutates, spec: mutating("", never, `J[JSONPatch{op: 'add', path: '/immutable', `+
		`value: true}]`),
		requests: configMapsWith(`{}`)},
	{name: "m-authorizer", kind: mutates, spec: mutating("", never,
		`AObject{data: {'ok': string(authorizer.group('').resource('pods').check('get').allowed())}`+
			`}`), requests: configMapsWith(`{}`)},
}
