// Package openapi describes the served resource types as OpenAPI v3 documents,
// one for each group version, made from the schema table; and all of them as one
// document of OpenAPI v2, in JSON and in protobuf. They carry what clients decide
// by: the operations with their group-version-kinds and parameters (kubectl looks
// for fieldValidation there before it leaves validation to the server), and the
// types with their patch keys and list types. Descriptions are not part of the table
// and so not of the documents, until Describe adds them.
//
// A document costs the size of its types each time it is made; callers keep it.
package openapi
