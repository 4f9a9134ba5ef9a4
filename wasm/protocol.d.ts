/** The shapes of PROTOCOL.md. */

/** Lines of "name: value", each ended by "\n". No value holds a line end. */
export type HeaderBlock = string;

/* ---- Go and the JavaScript around it ---- */

/** Begins to answer one request into sink, and returns at once. */
export type Serve = (
  method: string,
  url: string,
  headers: HeaderBlock,
  body: Uint8Array | null,
  sink: Sink,
) => void;

/** Takes one reply: whole; or head, chunk*, end; or, at any time before the end, fail. */
export interface Sink {
  whole(status: number, headers: HeaderBlock, body: Uint8Array<ArrayBuffer>): void;
  head(status: number, headers: HeaderBlock): void;
  chunk(bytes: Uint8Array<ArrayBuffer>): void;
  end(): void;
  fail(message: string): void;
  /** Set before serve returns. Grants credit for more bytes. */
  pull?: (bytes: number) => void;
  /** Set before serve returns. */
  cancel?: () => void;
}

/**
 * Begins to answer the request of a number. The head is "method url\n" and the headers, or the length of that in the
 * buffer of requests; the body is an array, or the length of what follows the head there, which may be 0.
 */
export type GoServe = (id: number, head: string | number, body: Uint8Array | number) => void;

/** What a Sink gets, by the number of its request. */
export interface Replies {
  /** What Go reads requests from. */
  requests: Uint8Array;
  /** What Go writes replies into, before it calls one of these. */
  replies: Uint8Array;
  /** The headers, or their length in the buffer; the body, or the length of what follows them, or is alone, there. */
  whole(id: number, status: number, headers: HeaderBlock | number, body: Uint8Array<ArrayBuffer> | number): void;
  head(id: number, status: number, headers: HeaderBlock | number): void;
  /** The bytes, or their length in the buffer; 0: those of the last chunk. */
  chunk(id: number, bytes: Uint8Array<ArrayBuffer> | number): void;
  end(id: number): void;
  fail(id: number, message: string): void;
}

/** Where a cluster is kept. Any method may return a promise; all of them throw to fail. */
export interface Store {
  /** A piece of the log from the byte at on; empty at its end. Pieces are read in their order, from 0 on. */
  read(at: number): Uint8Array | Promise<Uint8Array>;
  append(bytes: Uint8Array): void | Promise<void>;
  /** Begins to replace the log; write adds what it is to be, and commit or abort ends it. */
  begin(): void | Promise<void>;
  write(bytes: Uint8Array): void | Promise<void>;
  commit(): void | Promise<void>;
  abort(): void | Promise<void>;
  /** The record beside the log, of how far that has come; empty if none exists. */
  head(): Uint8Array | Promise<Uint8Array>;
  saveHead(bytes: Uint8Array): void | Promise<void>;
  /** Keeps a copy of the log under a name, and returns that. */
  setAside(): string | Promise<string>;
  close(): void | Promise<void>;
}

/** The object that Go finds in the global scope: as tabernetesHost, or by the name that is its first argument. */
export interface Host {
  /** Takes what is answered. */
  bridge: Replies;
  /** What the cluster is as a room; absent if it is the page's own. */
  room?: RoomHost;
  /** Loads a file of the site, for a room: the page's cluster uses the global fetch. */
  fetch?(path: string): Promise<Response>;
  /** The opened storage; null to live in memory only. */
  storage: Store | null;
  /** What a cluster in memory begins with: a copy of what another tab has saved. */
  copy: Uint8Array | null;
  /** The cluster is a copy of a room: it takes no writes, and is fed by a room's relay. */
  replica?: boolean;
  /** Calls an admission webhook: POSTs body, an AdmissionReview, to url. Api.answered takes the answer. */
  webhook(id: number, url: string, body: Uint8Array<ArrayBuffer>): void;
  /**
   * Asks the kubelet that the URL names; a signal ends the request, and the reads of its answer. Null: nobody listens
   * there. Absent: never.
   */
  kubelet?(method: string, url: string, headers: HeaderBlock, signal: AbortSignal): Promise<KubeletAnswer | null>;
  /** Shows the cluster's clock to programs that go by it: the fields of ClockState. */
  clock?(offset: number, at: number | null, rate: number, since: number): void;
  /** Resolves once all of them wait: to the cluster's time when the next timer fires, in milliseconds; null: none. */
  settle?(): Promise<number | null>;
  /** Resolves to the evaluator of CEL, which is loaded if it is not there; absent: no evaluator. */
  cel?(): Promise<CelRun>;
  /** What to do if the saved cluster is damaged. */
  onDamage: OnDamage;
  ready(api: GoApi): void;
  /** The saved cluster is damaged, and onDamage is "refuse": the program ends. */
  damaged(reason: string, sound: string): void;
}

/** The answer of a kubelet, of whose body the reader is. */
export interface KubeletAnswer {
  status: number;
  headers: HeaderBlock;
  reader: ReadableStreamDefaultReader<Uint8Array<ArrayBuffer>>;
}

/** Answers a call to the evaluator of CEL, at once; null: it has ended. See core/expression/remote. */
export type CelRun = (message: Uint8Array<ArrayBuffer>) => Uint8Array<ArrayBuffer> | null;

/** How far the evaluator of CEL is loaded, in bytes; a total of 0: it is there, or why it cannot be had. */
export interface CelProgress {
  loaded: number;
  total: number;
  problem: string;
}

/** A room, and what it may take of its host. */
export interface RoomHost {
  /** The first teacher's token, for a new room. */
  token: string;
  /** Lines of follow streams that continue: what is shown and reported is taken from them. */
  live: string;
  /** How much memory the objects and their history may take, in bytes. */
  quota: number;
  /** How much memory Go may have taken before it collects garbage at every turn, in bytes. */
  memory: number;
}

/** Refuse a damaged cluster; or keep a copy of it, and continue with what is sound or with a new one. */
export type OnDamage = "refuse" | "salvage" | "replace";

/** What Go gives to Host.ready: host/bridge.js makes an Api of it. */
export type GoApi = Omit<Api, "serve" | "resume" | "owner" | "teacher"> & {
  serve: GoServe;
  resume: GoServe;
  owner?: GoServe;
  teacher?: GoServe;
  /** Grants a request credit for so many bytes more; or cancels it, if that is negative. */
  control(id: number, bytes: number): void;
};

/** What a host can ask of Go. */
export interface Api {
  serve: Serve;
  /**
   * Begins to answer a GET of one who has shown a bearer token before, of which the host has kept the SHA-256 hash in
   * hexadecimal digits: that is in the place of the method. Nothing that a client sends is to reach it. Only the URL
   * counts besides.
   */
  resume: Serve;
  /** Of a page's own cluster: as serve, for requests of the page's owner, whom no setting keeps out. */
  owner?: Serve;
  /** Of a room: answers with a new token of a teacher, whatever the request is. */
  teacher?: Serve;
  /** Answers a call of Host.webhook, once. An error that is not "" says why there is no answer. */
  answered(id: number, status: number, body: Uint8Array | null, error: string): void;
  crash(): void;
  /** Ends all streams, and makes what was written durable. Nothing can be served any more. */
  close(): void;
  restored: boolean;
  setAside: string;
  problem: string;
}

/* ---- The port of a client: requests out, replies in ---- */

export type ToServer =
  | {
      type: "request";
      id: number;
      method: string;
      url: string;
      headers: HeaderBlock;
      body: ArrayBuffer | null;
      /** It is of the page's owner. */
      owner?: boolean;
    }
  | { type: "credit"; id: number; bytes: number }
  | { type: "cancel"; id: number }
  | FromFollower;

/** Of a program that goes by the cluster's clock: the answer to a ClockMessage that asks. */
export interface FromFollower {
  type: "settled";
  id: 0;
  /** When its next timer fires, by the cluster's clock, in milliseconds since 1970; null: it has none. */
  next: number | null;
  /** Whether a request of it is not answered. */
  busy: boolean;
}

/** What the cluster's clock shows, in milliseconds: core/clock, State. */
export interface ClockState {
  /** How far it is before the host's, at the time of the host's that is since. */
  offset: number;
  /** What it shows while it is paused. */
  at: number | null;
  /** How many seconds of it pass in one of the host's, from then on. */
  rate: number;
  since: number;
}

/** To a program that goes by the cluster's clock. */
export type ClockMessage = ClockState & {
  type: "clock";
  /** Whether it is to say when it waits. */
  ask: boolean;
};

export type ToClient =
  | { type: "whole"; id: number; status: number; headers: HeaderBlock; body: ArrayBuffer }
  | { type: "head"; id: number; status: number; headers: HeaderBlock }
  | { type: "chunk"; id: number; data: ArrayBuffer }
  | { type: "chunks"; id: 0; parts: number[]; data: ArrayBuffer }
  | { type: "end"; id: number }
  | { type: "fail"; id: number; message: string };

/* ---- The worker itself: its own messages, not those of a port ---- */

export type ToWorker =
  | {
      type: "start";
      cluster: string;
      owner: boolean;
      onDamage: OnDamage;
      wasmExec: string;
      port: MessagePort;
      store: MessagePort | null;
      /** The cluster is a copy of a room. */
      replica?: boolean;
    }
  | { type: "module"; module: WebAssembly.Module }
  /** The program is one of the control plane's, which goes by the cluster's clock. */
  | { type: "connect"; port: MessagePort; program?: string }
  | { type: "disconnect"; program: string }
  /** Leads to what stands in for all kubelets, which serves it as a server its clients; null: they have ended. */
  | { type: "kubelets"; port: MessagePort | null }
  | { type: "channel"; name: string; on: boolean }
  | { type: "storage"; id: number; what: "log" | "erase" | "listAside" | "readAside" | "removeAside"; name: string }
  | { type: "answered"; id: number; status: number; body: ArrayBuffer | null; error: string }
  | { type: "ping" }
  | { type: "crash" };

export type FromWorker =
  | ({ type: "ready" } & Saved)
  | { type: "crashed"; reason: string }
  | { type: "damaged"; reason: string; sound: string }
  | { type: "pong" }
  | ({ type: "cel" } & CelProgress)
  | { type: "webhook"; id: number; url: string; body: ArrayBuffer }
  | { type: "storage"; id: number; value: unknown; error: string };

/* ---- The port to the page's store: IndexedDB ---- */

export interface ToStore {
  id: number;
  method:
    | "open" | "read" | "append" | "begin" | "write" | "commit" | "abort"
    | "head" | "saveHead" | "setAside" | "listAside" | "readAside" | "removeAside";
  at?: number;
  bytes?: Uint8Array;
  name?: string;
}

/** The answer; an error that is not "" is why there is no answer. */
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
