// @ts-check
/**
 * What the controller of ReplicaSets of kube-controller-manager v1.36.3 wrote beside kube-apiserver v1.36.3 when one
 * Pod was wanted, then three, then one: a test compares it with wasm/controllers/histories/testdata/scale.txt.
 *
 * @type {string[][]}
 */
export const REAL = [
  [
    'pods/web-56b55d7545-* (new): 1',
    '  POST',
    '  metadata.generateName = "web-56b55d7545-"',
    '  metadata.labels.app = "web"',
    '  metadata.labels.pod-template-hash = "56b55d7545"',
    '  metadata.ownerReferences[web-56b55d7545].apiVersion = "apps/v1"',
    '  metadata.ownerReferences[web-56b55d7545].blockOwnerDeletion = true',
    '  metadata.ownerReferences[web-56b55d7545].controller = true',
    '  metadata.ownerReferences[web-56b55d7545].kind = "ReplicaSet"',
    '  metadata.ownerReferences[web-56b55d7545].name = "web-56b55d7545"',
    '  metadata.ownerReferences[web-56b55d7545].uid = "<uid of replicasets/web-56b55d7545>"',
    'replicasets/web-56b55d7545: 1',
    '  PUT status',
    '  status.availableReplicas = 1',
    '  status.fullyLabeledReplicas = 1',
    '  status.observedGeneration = 1',
    '  status.readyReplicas = 1',
    '  status.replicas = 1, was 0',
    '  status.terminatingReplicas = 0',
  ],
  [
    'pods/web-56b55d7545-* (new): 2',
    '  POST',
    '  metadata.generateName = "web-56b55d7545-"',
    '  metadata.labels.app = "web"',
    '  metadata.labels.pod-template-hash = "56b55d7545"',
    '  metadata.ownerReferences[web-56b55d7545].apiVersion = "apps/v1"',
    '  metadata.ownerReferences[web-56b55d7545].blockOwnerDeletion = true',
    '  metadata.ownerReferences[web-56b55d7545].controller = true',
    '  metadata.ownerReferences[web-56b55d7545].kind = "ReplicaSet"',
    '  metadata.ownerReferences[web-56b55d7545].name = "web-56b55d7545"',
    '  metadata.ownerReferences[web-56b55d7545].uid = "<uid of replicasets/web-56b55d7545>"',
    'replicasets/web-56b55d7545: 1',
    '  PUT status',
    '  status.availableReplicas = 3, was 1',
    '  status.fullyLabeledReplicas = 3, was 1',
    '  status.observedGeneration = 2, was 1',
    '  status.readyReplicas = 3, was 1',
    '  status.replicas = 3, was 1',
  ],
  [
    'pods/web-56b55d7545-*: 2',
    '  DELETE',
    'replicasets/web-56b55d7545: 1',
    '  PUT status',
    '  status.availableReplicas = 1, was 3',
    '  status.fullyLabeledReplicas = 1, was 3',
    '  status.observedGeneration = 3, was 2',
    '  status.readyReplicas = 1, was 3',
    '  status.replicas = 1, was 3',
  ],
];
