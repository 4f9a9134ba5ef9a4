package nodes

// CRD is the CustomResourceDefinition by which people can give Stages, for clusters that have not kwok's. It says
// nothing of their fields: what is wrong with a Stage is said in an Event about it.
const CRD = `apiVersion: apiextensions.k8s.io/v1
kind: CustomResourceDefinition
metadata:
  name: stages.kwok.x-k8s.io
spec:
  group: kwok.x-k8s.io
  scope: Cluster
  names: {kind: Stage, listKind: StageList, plural: stages, singular: stage}
  versions:
  - name: v1alpha1
    served: true
    storage: true
    schema:
      openAPIV3Schema: {type: object, x-kubernetes-preserve-unknown-fields: true}
`
