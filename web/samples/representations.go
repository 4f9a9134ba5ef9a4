package samples

// A Representation is a form in which an API server shows objects.
type Representation struct {
	Name   string // what people call it
	Accept string // the header that asks for it
}

// Representations are those that every server knows. The first one is what is
// answered if nothing is asked for.
var Representations = []Representation{
	{"JSON", ""},
	{"Table", "application/json;as=Table;v=v1;g=meta.k8s.io"},
	{"metadata", "application/json;as=PartialObjectMetadata;v=v1;g=meta.k8s.io"},
	{"metadata list", "application/json;as=PartialObjectMetadataList;v=v1;g=meta.k8s.io"},
	{"YAML", "application/yaml"},
	{"protobuf", "application/vnd.kubernetes.protobuf"},
}
