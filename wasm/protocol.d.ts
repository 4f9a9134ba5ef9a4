/** The shapes of PROTOCOL.md. */

/** Lines of "name: value", each ended by "\n". No value holds a line end. */
export type HeaderBlock = string;

/* ---- Go and the JavaScript around it ---- */

/** What Go exports: begins to answer one request into sink, and returns at once. */
export type Serve = (
  method: string,
  url: string,
  headers: HeaderBlock,
  body: Uint8Array | null,
  sink: Sink,
) => void;

/** Takes one reply. Go calls whole; or head, chunk*, end; or, at any time before the end, fail. */
export interface Sink {
  whole(status: number, headers: HeaderBlock, body: Uint8Array<ArrayBuffer>): void;
  head(status: number, headers: HeaderBlock): void;
  chunk(bytes: Uint8Array<ArrayBuffer>): void;
  end(): void;
  fail(message: string): void;
  /** Set by Go before serve returns; not to be called after the end. Grants credit for more bytes. */
  pull?: (bytes: number) => void;
  /** Set by Go before serve returns; not to be called after the end. */
  cancel?: () => void;
}

/** Where a cluster is kept. Any method may return a promise; all of them throw to fail. */
export interface Store {
  read(): Uint8Array | Promise<Uint8Array>;
  append(bytes: Uint8Array): void | Promise<void>;
  replace(bytes: Uint8Array): void | Promise<void>;
  setAside(): string | Promise<string>;
  close(): void | Promise<void>;
}

/** The object tabernetesHost that Go finds in the worker's global scope. */
export interface Host {
  /** The opened storage; null to live in memory only. */
  storage: Store | null;
  /** What a cluster in memory begins with: a copy of what another tab has saved. */
  copy: Uint8Array | null;
  /** Calls an admission webhook: POSTs body, an AdmissionReview, to url. Api.answered takes the answer. */
  webhook(id: number, url: string, body: Uint8Array<ArrayBuffer>): void;
  ready(api: Api): void;
}

/** What Go gives to Host.ready. */
export interface Api {
  serve: Serve;
  /** Answers a call of Host.webhook, once. An error that is not "" says why there is no answer. */
  answered(id: number, status: number, body: Uint8Array | null, error: string): void;
  crash(): void;
  restored: boolean;
  setAside: string;
  problem: string;
}

/* ---- The port of a client: requests out, replies in ---- */

export type ToServer =
  | { type: "request"; id: number; method: string; url: string; headers: HeaderBlock; body: ArrayBuffer | null }
  | { type: "credit"; id: number; bytes: number }
  | { type: "cancel"; id: number };

export type ToClient =
  | { type: "whole"; id: number; status: number; headers: HeaderBlock; body: ArrayBuffer }
  | { type: "head"; id: number; status: number; headers: HeaderBlock }
  | { type: "chunk"; id: number; data: ArrayBuffer }
  | { type: "end"; id: number }
  | { type: "fail"; id: number; message: string };

/* ---- The worker itself: its own messages, not those of a port ---- */

export type ToWorker =
  | { type: "start"; cluster: string; owner: boolean; wasmExec: string; port: MessagePort; store: MessagePort }
  | { type: "module"; module: WebAssembly.Module }
  | { type: "connect"; port: MessagePort }
  | { type: "aside"; id: number; name: string | null }
  | { type: "answered"; id: number; status: number; body: ArrayBuffer | null; error: string }
  | { type: "ping" }
  | { type: "crash" };

export type FromWorker =
  | ({ type: "ready" } & Saved)
  | { type: "crashed"; reason: string }
  | { type: "pong" }
  | { type: "webhook"; id: number; url: string; body: ArrayBuffer }
  | { type: "aside"; id: number; names: string[]; data: ArrayBuffer | null; error: string };

/* ---- The port to the page's store: IndexedDB ---- */

export interface ToStore {
  id: number;
  method: "open" | "read" | "append" | "replace" | "setAside" | "listAside" | "readAside";
  bytes?: Uint8Array;
  name?: string;
}

/** The answer; an error that is not "" is why there is none. */
export interface FromStore {
  id: number;
  value: unknown;
  error: string;
}

/** What is known of the saved cluster once the server runs. */
export interface Saved {
  /** What is written survives the tab. */
  persistent: boolean;
  /** The name under which an unreadable saved state was put away, or "". */
  setAside: string;
  /** What is wrong with the storage, in words, or "". */
  problem: string;
}
