/** The messages between the judge and the learner's code. See README.md. */

/** What can be cloned and is sent as it is. */
export type Header = [name: string, value: string];

export type ToGuest =
  /** Import this code: another time after a restart. Answered by ready or broken. */
  | { type: "load"; code: string; seed: string; entrance: Entrance }
  /** Call reflect. */
  | { type: "begin"; path: string }
  /** Call reconcile: the n-th call. */
  | { type: "reconcile"; n: number; task: Known }
  /** The answer to the fetch of that id begins. */
  | { type: "head"; id: number; status: number; headers: Header[] }
  | { type: "chunk"; id: number; bytes: Uint8Array<ArrayBuffer> }
  | { type: "end"; id: number }
  /** There is no answer, or it broke off. */
  | { type: "fail"; id: number; message: string }
  /** The sleep of that id is over. */
  | { type: "wake"; id: number }
  /** Abort the signal. */
  | { type: "abort" }
  /** Say idle when there is nothing left to do before time passes. now is the cluster's time in milliseconds. */
  | { type: "turn"; n: number; now: number };

export type FromGuest =
  | { type: "ready" }
  /** The code cannot be imported, or lacks the function. The message begins with the line, if it is known. */
  | { type: "broken"; message: string }
  | { type: "fetch"; id: number; method: string; url: string; headers: Header[]; body?: string }
  /** The client does not want the answer any longer. */
  | { type: "cancel"; id: number }
  | { type: "sleep"; id: number; seconds: number }
  | ({ type: "store" } & StoreCall)
  /** The code has called console.log. */
  | { type: "print"; text: string }
  /** reflect or reconcile has returned, or thrown. */
  | { type: "settled"; error: Thrown | null }
  | { type: "idle"; n: number };

export type StoreCall =
  | { call: "replace"; objects: unknown; version: unknown }
  | { call: "put" | "remove"; object: unknown; version: unknown }
  | { call: "progress"; version: unknown };

export interface Thrown {
  name: string;
  message: string;
  /** Where it was thrown, as the engine says it. */
  stack: string;
  /** The line of the code, from 1; 0: not known. */
  line: number;
}

export interface Store {
  /** The collection is these objects, as of version. */
  replace(objects: object[], version: string): void;
  /** The collection has this object, new or changed, as of version. */
  put(object: object, version: string): void;
  /** The collection has lost this object, as of version. */
  remove(object: object, version: string): void;
  /** Nothing has changed up to version. */
  progress(version: string): void;
}

/** What reflect is called with. */
export interface Task {
  path: string;
  fetch: (input: string | URL | Request, init?: RequestInit) => Promise<Response>;
  store: Store;
  sleep: (seconds: number) => Promise<void>;
  signal: AbortSignal;
}

/** What the code exports: level 7 calls reconcile, the others reflect. */
export type Entrance = "reflect" | "reconcile";

/** What the caches of a controller have. */
export interface Known {
  namespace: string;
  name: string;
  replicaSet: any;
  /** All of the namespace, with any controller or without one. */
  pods: any[];
  /** Those of the last events that the caches have got. */
  versions: { replicasets: string; pods: string };
}

/** What reconcile is called with. */
export interface Reconciliation extends Known {
  fetch: (input: string | URL | Request, init?: RequestInit) => Promise<Response>;
  sleep: (seconds: number) => Promise<void>;
}

export type Reconcile = (r: Reconciliation) => Promise<void>;

export type Reflect = (task: Task) => Promise<void>;

/** The judge's end of the line to the learner's code. */
export interface Client {
  /** Set by the judge: takes what the code says. */
  onmessage: (m: FromGuest) => void;
  post(m: ToGuest): void;
  /**
   * Resolves when the code has done all that it can without time passing; rejects with a Silent error if it gives no
   * sign of life.
   */
  idle(now: number): Promise<void>;
  /** Has the code imported again, without what it has kept. What it had begun is dropped. */
  restart(): Promise<void>;
  close(): void;
}
