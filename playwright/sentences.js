// What the terminal says where kubectl cannot do its work.

/** Commands that need what is not here, and what their sentences speak of. */
export const SENTENCES = [
  ["kubectl exec web -- ls", /No node runs pods/], ["kubectl logs web", /No node runs pods/],
  ["kubectl port-forward pod/web 8080:80", /No node runs pods/], ["kubectl cp a web:/b", /No node runs pods/],
  ["kubectl attach web", /No node runs pods/], ["kubectl debug -it web --image=busybox", /No node runs pods/],
  ["kubectl proxy", /cannot listen/], ["kubectl top pods", /metrics-server/], ["kubectl top nodes", /metrics-server/],
  ["kubectl plugin list", /none can be installed/], ["kubectl nosuch", /unknown command/],
  ["kubectl config view", /kind: Config/], ["kubectl cluster-info dump", /./],
  ["kubectl rollout status deployment/site --timeout=1s", /Nothing reconciles/],
  ["kubectl wait --for=condition=Available deployment/site --timeout=1s", /controller/],
  ["kubectl expose deployment site --port=80", /./],
  ["kubectl autoscale deployment site --min=1 --max=2 --cpu=80%", /./],
  ["kubectl scale deployment site --replicas=3", /./], ["helm list", /helm is not here/], ["docker ps", /./],
  ["vim", /name a file/], ["ssh host", /./], ["sudo kubectl get pods", /./], ["kubectl drain n1", /not found/],
  ["kubectl get nodes", /./],
];
