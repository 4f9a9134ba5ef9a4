/** A Kubernetes API server, v1.36, for tests and pages: it runs in a thread of Node, or in a worker of a browser. */

export interface ClusterOptions {
  /**
   * What the cluster begins with: a snapshot of another one, as levers.snapshot, the lab ("Levers: save to a file") and
   * the devserver give it. What was saved under persistence is replaced.
   */
  snapshot?: Uint8Array;
  /** Makes uids, generated names, addresses and the like repeatable: a whole number from 0 to 2^53-1. */
  seed?: number;
  /** "paused": time passes only by levers.advance. */
  clock?: "running" | "paused";
  /**
   * Where the cluster is kept: in Node a directory, in a browser a name. Without it the cluster is in memory. One
   * process, or page, has it at a time.
   */
  persistence?: string;
}

/** Starts a cluster, and resolves when it answers. Each has its own thread or worker. */
export function createCluster(options?: ClusterOptions): Promise<Cluster>;

export interface Cluster {
  /** The origin of its URLs, for what wants absolute ones. Nothing is sent there. */
  readonly url: string;
  /**
   * The standard's fetch, answered by the cluster: fetch("/api/v1/pods?watch=1"). Other paths than those of an API
   * server are refused.
   */
  readonly fetch: typeof globalThis.fetch;
  readonly levers: Levers;
  /**
   * The admission webhooks, by their URLs: what a webhook configuration names by clientConfig.url, or by a service:
   * https://NAME.NAMESPACE.svc/PATH. A function gets an AdmissionReview, and returns one, or its response.
   */
  readonly webhooks: Map<string, (review: any) => unknown>;
  /** A cluster in memory with everything that this one has, its history too. */
  fork(): Promise<Cluster>;
  /** In Node: a server on loopback whose requests are answered by the cluster, for clients that speak HTTP alone. */
  listen(): Promise<{ readonly url: string; close(): Promise<void> }>;
  /** Ends the cluster, and what it listens with. What is open fails. */
  close(): Promise<void>;
}

/** What no real cluster lets its clients do: requests to its ControlPlane. They reject with a StatusError. */
export interface Levers {
  /** Moves the clock, and with it all that waits. */
  advance(seconds: number): Promise<void>;
  /** Forgets history: all but the present, or what is older than a revision, or what one of the two remembers. */
  compact(options?: { revision?: number; forgets?: "etcd" | "caches" }): Promise<void>;
  /** Ends every open watch. */
  disconnect(): Promise<void>;
  /** Removes namespaces with all that is in them, as from etcd. */
  purge(...namespaces: string[]): Promise<void>;
  /** Begins a new cluster in its place. */
  reset(seed?: number): Promise<void>;
  /** Starts an API server again, with empty watch caches. */
  restart(options?: { server?: number }): Promise<void>;
  /** Any act, by its name. */
  act(name: string, body?: object): Promise<void>;
  /** The ControlPlane: settings in its spec, the cluster's state in its status. */
  get(): Promise<any>;
  /** Changes settings, by a merge patch of the spec. */
  set(spec: object): Promise<any>;
  /** The whole cluster with its history, now or as it was at a revision. */
  snapshot(options?: { revision?: number }): Promise<Uint8Array>;
  /** Puts a snapshot in the place of the cluster. Nothing is changed if it cannot be read. */
  restore(snapshot: Uint8Array): Promise<void>;
}

/** An answer that says what was wrong with a request. */
export class StatusError extends Error {
  readonly code: number;
}
