package policies_test

// A policyCase is a policy with its bindings, what there is before, and requests in the case's own namespace, NS. The
// answers are in testdata/answers.json.
type policyCase struct {
	name string
	// spec is that of the policy: matchConstraints are for all writes of ConfigMaps if it has none.
	spec string
	kind caseKind
	// bindings are the specs of the bindings, without the policy's name; without any one that denies.
	bindings []string
	// before is created before the policy, and must succeed: path and body.
	before []string
	// requests are method, path and body.
	requests []string
}

// A caseKind says what a case is about.
type caseKind string

const (
	validates caseKind = ""
	mutates   caseKind = "mutating"
	webhook   caseKind = "webhook"
)

const cm = "POST /api/v1/namespaces/NS/configmaps "

// configMapsWith returns creations of ConfigMaps with data.
func configMapsWith(data ...string) (requests []string) {
	for i, d := range data {
		requests = append(requests, cm+`{"metadata":{"name":"c`+string(rune('a'+i))+`"},"data":`+d+`}`)
	}
	return requests
}

// on returns matchConstraints for operations on a resource.
func on(group, version, resource, operations string) string {
	return `"matchConstraints":{"resourceRules":[{"apiGroups":["` + group + `"],"apiVersions":["` + version +
		`"],"resources":["` + resource + `"],"operations":[` + operations + `]}]}`
}

// checks returns the spec of a policy with one expression.
func checks(expression string) string { return `{"validations":[{"expression":"` + expression + `"}]}` }

const (
	deploymentBody = `{"metadata":{"name":"NAME","labels":{"app":"a"}},"spec":{"replicas":REPLICAS,"selector":` +
		`{"matchLabels":{"app":"a"}},"template":{"metadata":{"labels":{"app":"a"}},"spec":{"containers":[` +
		`{"name":"c","image":"IMAGE"}]}}}}`
	podBody = `{"metadata":{"name":"NAME","labels":{"app":"a"}},"spec":{"containers":[{"name":"c","image":"IMAGE"}]}}`
)
