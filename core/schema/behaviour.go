package schema

// NameRule is the rule for the metadata.name of a resource.
type NameRule uint8

// The rules for names.
const (
	DNSSubdomain NameRule = iota // RFC 1123 subdomain of at most 253 characters
	DNSLabel                     // RFC 1123 label of at most 63 characters
	PathSegment                  // any text that is safe as one segment of a path
	IPName                       // an IP address in canonical form
	AnyName                      // any name that is not empty
)

// Behaviour is what the server does with a resource beyond what discovery shows.
type Behaviour struct {
	// Virtual resources are answered but not stored: reviews, bindings, component statuses.
	Virtual bool
	// CreateOnUpdate: PUT of an absent object creates it.
	CreateOnUpdate bool
	// UnconditionalUpdate: PUT without a resourceVersion is accepted.
	UnconditionalUpdate bool
	// ReturnsDeleted: DELETE answers with the object instead of a Status.
	ReturnsDeleted bool
	// HasGeneration: the server sets metadata.generation: 1 at first, and one more with each change of
	// the spec. Without it the generation that a client sends is stored.
	HasGeneration bool
	// HasStatus: the resource's own path does not change status, only /status does.
	HasStatus bool
	// KeepsInitialStatus: a status in the body of a create is stored.
	KeepsInitialStatus bool
	// OrphanByDefault: without a propagation policy a delete orphans the dependents.
	OrphanByDefault bool
	// Graceful: deletion has a grace period.
	Graceful bool
	// Uncached: the resource has no watch cache; all reads go to the store.
	Uncached bool
	// AnyFinalizer: a finalizer's name need not have a domain.
	AnyFinalizer bool
	// MetaLast: the kind does not check the metadata of a new object; it is checked, as that of any
	// object, once nothing else is wrong.
	MetaLast bool
	// AnyPrefix: violations of a generateName are only reported for the generated name.
	AnyPrefix bool
	// Meta and StatusMeta are the kind's own checks of the metadata of a changed object, and of one
	// with a changed status, in addition to those of all kinds. A strategy may say their order (Updates).
	Meta, StatusMeta MetaChecks
	// StatusTableless: the status subresource has no Table.
	StatusTableless bool
	// Deprecated is the warning in every answer; empty if the resource is not deprecated.
	Deprecated string
	// NameRule is the rule for metadata.name.
	NameRule NameRule
}

// MetaChecks are the checks that a kind's own validation makes of a changed object's metadata. Each
// repeated check reports the same causes again.
type MetaChecks struct {
	// NotCompared: it is not compared with the old object's.
	NotCompared bool
	// AsNew is how often it is checked as that of a new object.
	AsNew int
	// Keeps: labels, annotations, finalizers and owners are copied from the old object. KeepsAll: all
	// of it is.
	Keeps, KeepsAll bool
}

// deprecations are the deprecated resources.
var deprecations = map[string]string{
	"componentstatuses": "v1 ComponentStatus is deprecated in v1.19+",
	"endpoints":         "v1 Endpoints is deprecated in v1.33+; use discovery.k8s.io/v1 EndpointSlice",
}

// flags are the fields of Behaviour in the table below.
type flags uint32

const (
	virtual       flags = 1 << iota
	creates             // CreateOnUpdate
	unconditional       // UnconditionalUpdate
	returns             // ReturnsDeleted
	generation          // HasGeneration
	orphans             // OrphanByDefault
	graceful
	keepsStatus // KeepsInitialStatus
	uncached
	anyFinalizer
	anyPrefix
	metaLast
	notCompared       // Meta.NotCompared
	asNew             // Meta.AsNew
	statusNotCompared // StatusMeta.NotCompared
	statusAsNew       // StatusMeta.AsNew
	statusKeeps       // StatusMeta.Keeps
	statusKeepsAll    // StatusMeta.KeepsAll
	statusTableless
)

// behaviours apply to a resource in all its versions; HasStatus follows from the subresource. They
// are those of each resource's registry strategy. Where generation is not the plain counter
// (CSIDriver starts with what the client sets, PriorityClass never changes it) the kind's strategy says so.
var behaviours = [...]struct {
	group, plural string
	flags         flags
	names         NameRule
	prefix        string // below /registry/, when it is not the plural
}{
	{"", "bindings", virtual, AnyName, ""},
	{"", "componentstatuses", virtual, AnyName, ""},
	{"", "configmaps", unconditional, DNSSubdomain, ""},
	{"", "endpoints", creates | unconditional | asNew, DNSSubdomain, "services/endpoints"},
	{"", "events", creates | unconditional | uncached | notCompared | anyFinalizer | metaLast, PathSegment, ""},
	{"", "limitranges", creates | unconditional | asNew | notCompared, DNSSubdomain, ""},
	{"", "namespaces", unconditional | returns | asNew, DNSLabel, ""},
	{"", "nodes", unconditional | keepsStatus, DNSSubdomain, "minions"},
	{"", "persistentvolumeclaims", unconditional | returns | asNew, DNSSubdomain, ""},
	{"", "persistentvolumes", unconditional | returns, DNSSubdomain, ""},
	{"", "pods", unconditional | returns | generation | graceful | asNew, DNSSubdomain, ""},
	{"", "podtemplates", unconditional | returns | generation, DNSSubdomain, ""},
	{"", "replicationcontrollers", unconditional | generation | orphans | anyPrefix, DNSSubdomain, "controllers"},
	{"", "resourcequotas", unconditional | returns, DNSSubdomain, ""},
	{"", "secrets", unconditional, DNSSubdomain, ""},
	{"", "serviceaccounts", unconditional | returns | asNew, DNSSubdomain, ""},
	{"", "services", creates | unconditional | returns, DNSLabel, "services/specs"},

	{"apiregistration.k8s.io", "apiservices", asNew | anyFinalizer | statusKeeps | statusTableless, PathSegment,
		"apiregistration.k8s.io/apiservices"},

	{"apps", "controllerrevisions", unconditional | asNew, DNSSubdomain, ""},
	{"apps", "daemonsets", unconditional | generation, DNSSubdomain, ""},
	{"apps", "deployments", unconditional | generation, DNSSubdomain, ""},
	{"apps", "replicasets", unconditional | generation, DNSSubdomain, ""},
	{"apps", "statefulsets", unconditional | generation, DNSLabel, ""},

	{"events.k8s.io", "events", creates | unconditional | uncached, DNSSubdomain, ""},

	{"authentication.k8s.io", "selfsubjectreviews", virtual, AnyName, ""},
	{"authentication.k8s.io", "tokenreviews", virtual, AnyName, ""},

	{"authorization.k8s.io", "localsubjectaccessreviews", virtual, AnyName, ""},
	{"authorization.k8s.io", "selfsubjectaccessreviews", virtual, AnyName, ""},
	{"authorization.k8s.io", "selfsubjectrulesreviews", virtual, AnyName, ""},
	{"authorization.k8s.io", "subjectaccessreviews", virtual, AnyName, ""},

	{"autoscaling", "horizontalpodautoscalers", unconditional, DNSSubdomain, ""},

	{"batch", "cronjobs", unconditional | generation | statusNotCompared, DNSSubdomain, ""},
	{"batch", "jobs", unconditional | generation | orphans, DNSSubdomain, ""},

	{"certificates.k8s.io", "certificatesigningrequests", unconditional | asNew | statusAsNew | statusNotCompared,
		AnyName, ""},

	{"networking.k8s.io", "ingressclasses", unconditional | generation, DNSSubdomain, ""},
	{"networking.k8s.io", "ingresses", unconditional | generation | asNew, DNSSubdomain, "ingress"},
	{"networking.k8s.io", "ipaddresses", unconditional, IPName, ""},
	{"networking.k8s.io", "networkpolicies", unconditional | generation, DNSSubdomain, ""},
	{"networking.k8s.io", "servicecidrs", unconditional | statusKeeps, DNSSubdomain, ""},

	{"policy", "poddisruptionbudgets", generation | notCompared | anyFinalizer | metaLast | statusNotCompared,
		PathSegment, ""},

	{"rbac.authorization.k8s.io", "clusterrolebindings", creates | unconditional, PathSegment, ""},
	{"rbac.authorization.k8s.io", "clusterroles", creates | unconditional, PathSegment, ""},
	{"rbac.authorization.k8s.io", "rolebindings", creates | unconditional, PathSegment, ""},
	{"rbac.authorization.k8s.io", "roles", creates | unconditional, PathSegment, ""},

	{"storage.k8s.io", "csidrivers", returns, DNSSubdomain, ""},
	{"storage.k8s.io", "csinodes", returns | asNew | notCompared, DNSSubdomain, ""},
	{"storage.k8s.io", "csistoragecapacities", 0, DNSSubdomain, ""},
	{"storage.k8s.io", "storageclasses", unconditional | returns, DNSSubdomain, ""},
	{"storage.k8s.io", "volumeattachments", returns | asNew | notCompared | statusNotCompared | statusAsNew | statusKeeps,
		DNSSubdomain, ""},
	{"storage.k8s.io", "volumeattributesclasses", unconditional | returns, DNSSubdomain, ""},

	{"admissionregistration.k8s.io", "mutatingadmissionpolicies",
		generation | asNew | notCompared | anyFinalizer | statusNotCompared | statusKeeps, DNSSubdomain, ""},
	{"admissionregistration.k8s.io", "mutatingadmissionpolicybindings", generation | asNew | notCompared | anyFinalizer,
		DNSSubdomain, ""},
	{"admissionregistration.k8s.io", "mutatingwebhookconfigurations", generation | asNew | notCompared | anyFinalizer,
		DNSSubdomain, ""},
	{"admissionregistration.k8s.io", "validatingadmissionpolicies",
		generation | asNew | notCompared | anyFinalizer | statusNotCompared | statusKeeps, DNSSubdomain, ""},
	{"admissionregistration.k8s.io", "validatingadmissionpolicybindings", generation | asNew | notCompared | anyFinalizer,
		DNSSubdomain, ""},
	{"admissionregistration.k8s.io", "validatingwebhookconfigurations", generation | asNew | notCompared | anyFinalizer,
		DNSSubdomain, ""},

	{"apiextensions.k8s.io", "customresourcedefinitions", generation | anyFinalizer | statusTableless, DNSSubdomain,
		"apiextensions.k8s.io/customresourcedefinitions"},

	{"scheduling.k8s.io", "priorityclasses", unconditional | generation, DNSSubdomain, ""},

	{"coordination.k8s.io", "leases", creates | anyFinalizer, DNSSubdomain, ""},

	{"node.k8s.io", "runtimeclasses", creates | anyFinalizer, DNSSubdomain, ""},

	{"discovery.k8s.io", "endpointslices", unconditional | generation | asNew | notCompared, DNSSubdomain, ""},

	{"resource.k8s.io", "deviceclasses", unconditional | returns | generation | asNew | anyPrefix, DNSSubdomain, ""},
	{"resource.k8s.io", "resourceclaims", unconditional | returns | asNew | statusKeeps | statusTableless,
		DNSSubdomain, ""},
	{"resource.k8s.io", "resourceclaimtemplates", unconditional | returns, DNSSubdomain, ""},
	{"resource.k8s.io", "resourceslices", unconditional | returns | generation, DNSSubdomain, ""},

	{"flowcontrol.apiserver.k8s.io", "flowschemas", unconditional | generation | asNew | notCompared | statusKeepsAll,
		DNSSubdomain, ""},
	{"flowcontrol.apiserver.k8s.io", "prioritylevelconfigurations",
		unconditional | generation | asNew | notCompared | statusKeepsAll, DNSSubdomain, ""},
}

// setBehaviour sets the fields of r from the table.
func setBehaviour(r *Resource) {
	for i := range behaviours {
		b := &behaviours[i]
		if b.group != r.Group || b.plural != r.Plural {
			continue
		}
		r.Behaviour = Behaviour{
			Virtual:             b.flags&virtual != 0,
			CreateOnUpdate:      b.flags&creates != 0,
			UnconditionalUpdate: b.flags&unconditional != 0,
			ReturnsDeleted:      b.flags&returns != 0,
			HasGeneration:       b.flags&generation != 0,
			HasStatus:           r.Subresource("status") != nil,
			KeepsInitialStatus:  b.flags&keepsStatus != 0,
			Uncached:            b.flags&uncached != 0,
			OrphanByDefault:     b.flags&orphans != 0,
			Graceful:            b.flags&graceful != 0,
			AnyFinalizer:        b.flags&anyFinalizer != 0,
			AnyPrefix:           b.flags&anyPrefix != 0,
			MetaLast:            b.flags&metaLast != 0,
			Meta:                MetaChecks{NotCompared: b.flags&notCompared != 0, AsNew: b.flags.count(asNew)},
			StatusMeta: MetaChecks{
				NotCompared: b.flags&statusNotCompared != 0, AsNew: b.flags.count(statusAsNew),
				Keeps: b.flags&statusKeeps != 0, KeepsAll: b.flags&statusKeepsAll != 0,
			},
			StatusTableless: b.flags&statusTableless != 0,
			Deprecated:      deprecations[r.GroupResource()],
			NameRule:        b.names,
		}
		switch {
		case r.Virtual:
		case b.prefix != "":
			r.StoragePrefix = "/registry/" + b.prefix
		default:
			r.StoragePrefix = "/registry/" + r.Plural
		}
		return
	}
	panic("schema: nothing is known about " + r.GroupResource())
}

func (f flags) count(flag flags) int {
	if f&flag != 0 {
		return 1
	}
	return 0
}
