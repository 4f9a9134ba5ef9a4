import type { Room, RoomLink } from "./link/room";

/** What the page's script puts at window.tabernetes. */
export interface Tabernetes {
  /**
   * The page's fetch, installed as window.fetch too. Requests of this origin to paths that API_PATH in core/wellknown
   * matches are answered by the cluster in this tab; all others go to the network. A request made before the cluster
   * is ready waits for it.
   */
  fetch(input: RequestInfo | URL, init?: TabernetesInit): Promise<Response>;

  /** The browser's own fetch. */
  readonly networkFetch: typeof fetch;

  /**
   * Reports the API traffic of this page. Requests made before are replayed first,
   * as far back as a bounded memory reaches. Events come in order, in separate
   * tasks, soon after they happen. Returns what ends the reports.
   */
  onTap(listener: (event: TapEvent) => void): () => void;

  /** What servers call this page: the revisions stream says of a commit "request": "PAGE.ID", with the tap's id. */
  readonly page: string;

  /** Forgets the requests to a place that are over: they do not come back after a reload. */
  forget(place: string): void;
  /** The clusters that places had when the lab last heard of them, by their uids; also from before a reload. */
  readonly clusters: Map<string, string>;

  /** Ends a reported request, of any client, as its own AbortSignal would. False when it is over. */
  abort(id: number): boolean;
  /** Breaks the connection of a reported request, as a network does: for its page it failed. False when it is over. */
  cut(id: number): boolean;

  readonly state: State;
  /** All that is known now, as onState reports it. */
  readonly status: Status;
  /** Reports the status now, and whenever it changes. Returns what ends the reports. */
  onState(listener: (status: Status) => void): () => void;
  /** Resolves when the cluster is ready for the first time. */
  readonly ready: Promise<void>;

  /**
   * Starts the cluster again from its saved state. Open requests fail. Resolves when it is ready, and rejects if it
   * crashes or the saved state is damaged; "salvage" opens what is sound of that, and "replace" begins a new one.
   */
  restart(onDamage?: "refuse" | "salvage" | "replace"): Promise<void>;

  /**
   * Where API requests go: to the cluster in this tab, to that of the server this page came from, to the
   * room that the page is in, or to the cluster of a scene.
   */
  readonly target: Target;
  /** Names the cluster that this is: another one for each room and each scene. */
  readonly place: string;
  /** Remembered for as long as the tab's session lasts, but for a scene. */
  setTarget(target: Target): void;

  /**
   * Begins a cluster in memory for a scene, in the place of the one before, and points API requests at it. It resolves
   * when requests go there. Any other target ends it. If nobody has asked for the scene, requests of people and of
   * other scripts go to the tab's cluster all the same.
   */
  openScene(byItself: boolean, programs?: string): Promise<void>;

  /** The room that the page is in, or null. */
  readonly room: Room | null;
  /** Remembered for as long as the tab's session lasts; null forgets it, its token too. */
  setRoom(room: Room | null): void;
  /**
   * Reports the link to a room by which the page was opened, and any that is opened in it later: once, since
   * it is taken off the address.
   */
  onRoomLink(listener: (link: RoomLink) => void): void;
  /** A link to the room for somebody with another token, to the page as it was opened. */
  roomLink(token: string): string;

  /**
   * The webhooks of this page, of admission and of conversion, by their URLs: what a webhook
   * configuration, or spec.conversion of a CustomResourceDefinition, names by clientConfig.url, or by a
   * service: https://NAME.NAMESPACE.svc/PATH. The cluster in this tab calls them; all other URLs are
   * hosts that it does not know.
   */
  readonly webhooks: Map<string, Webhook>;

  /** The names of the tabs that share the cluster in the browser, by what servers call their pages. */
  readonly tabs: Map<string, string>;
  /** Works on a copy of the saved cluster, in memory, rather than share it with the tab that has it; or shares it. */
  setAlone(on: boolean): Promise<void>;

  /** For tests: makes the cluster's process die as a bug would. */
  crash(): void;

  /** Whether the cluster's server runs in this tab. */
  readonly leads: boolean;

  /** A further connection to the cluster, past the tap, for a program in a worker: null unless its server runs here. */
  connect(program?: string): MessagePort | null;
  /** A program that was connected by its name, and so has the cluster's clock, has ended. */
  disconnect(program: string): void;

  /** Where the cluster, if its server runs here, asks kubelets: wasm/PROTOCOL.md. Null: none can be reached. */
  setKubelets(port: MessagePort | null): void;

  /** The compiled program of the cluster. */
  readonly module: Promise<WebAssembly.Module>;

  /** The names of saved states that could not be read and were set aside. */
  setAsides(): Promise<string[]>;
  /** One of them, to be offered as a download. */
  setAsideFile(name: string): Promise<Blob>;
  removeSetAside(name: string): Promise<void>;
  /** What is saved, sound or not, whether or not the cluster runs: the file that the lever snapshot gives. */
  savedLog(): Promise<Blob>;
  /** Forgets the saved cluster without loading it, and begins a new one. */
  erase(): Promise<void>;
  /** Tells the page what somebody else has found out. */
  note(change: Partial<Pick<Status, "evictable" | "trouble">>): void;
}

/**
 * Answers an AdmissionReview or a ConversionReview: with another one, or with the list of the
 * converted objects, or with its response alone, whose uid may then be left out, or with a Response,
 * to answer as HTTP does. A function that throws is a call that failed.
 */
export type Webhook = (review: any) => unknown;

export type State = "loading" | "ready" | "crashed" | "damaged";
export type Target = "tab" | "devserver" | "room" | "scene";

export type Origin = "page" | "console" | "lesson" | "sample" | "setup" | "lever" | "terminal";

export interface TabernetesInit extends RequestInit {
  tabernetes?: {
    /** Who asks; "page" by default. */
    origin?: Origin;
    /** Not reported to the tap. */
    quiet?: boolean;
    /** Where it goes, if not to the page's target. */
    target?: Target;
    /**
     * The page asks for itself, as the person who has it: a cluster of the page answers as to its administrator,
     * whatever its settings say. It counts for the ControlPlane and what is below it, and for no other cluster.
     */
    owner?: boolean;
    /** The path / is the API's, too, which lists its paths there: over the network it is the page's. */
    root?: boolean;
    /** Set by fetch, before it returns: the id of this request's tap events. */
    id?: number;
  };
}

export interface Status {
  state: State;
  /** What is being waited for while loading. */
  phase: "download" | "start" | "";
  /** Bytes of the program that have arrived, uncompressed. */
  loaded: number;
  /** How many there will be; 0 when that is not known. */
  total: number;
  /** What is written survives the tab. */
  persistent: boolean;
  /**
   * How far the evaluator of CEL expressions is loaded, which the first rule or policy needs: bytes, uncompressed. A
   * total of 0: nothing is being loaded. problem is why it could not be had, or "".
   */
  cel: { loaded: number; total: number; problem: string };
  /** The name under which an unreadable saved state was put away, or "". */
  setAside: string;
  /** What is wrong with the storage, in words, or "". */
  problem: string;
  /**
   * The browser has not promised to keep what is saved: it may delete it when storage is short, and
   * Safari does after seven days without a visit.
   */
  evictable: boolean;
  /** Another tab holds the saved cluster: this one works on a copy in memory. */
  secondTab: boolean;
  /** What this tab is called among those that share the cluster; "" if it cannot share. */
  tab: string;
  /** How many tabs share the cluster. */
  tabs: number;
  /** Why writes cannot be kept at present, or "". */
  trouble: string;
  /** Why the cluster crashed, or what is damaged, or "". */
  reason: string;
  /** What is sound of a damaged cluster; "" for one that is not damaged, and that another release has saved. */
  sound: string;
}

export interface TapEvent {
  type: "request" | "head" | "chunk" | "end" | "fail";
  /** Ties the events of a request together; counts up from 1 in the order of requests. */
  id: number;
  /** In milliseconds since 1970, with a fraction. */
  time: number;
  /** request: */
  method?: string;
  /** request: path and query */
  url?: string;
  /** request, head: names and values */
  headers?: [string, string][];
  /** request: as text */
  body?: string;
  /** request: the body, if it was given as bytes */
  sent?: Uint8Array;
  /** request: */
  origin?: Origin;
  /** request: the cluster that it goes to, as in Tabernetes.place */
  place?: string;
  /** head: */
  status?: number;
  /**
   * head: where the answer came from, as the header Tabernetes-Source says it (see core/source); "" if the server did
   * not tell. The shim asks for it; it is among the headers only if the page's request asked too.
   */
  source?: string;
  /** chunk: a part of the body, which nobody may change. An answer that was not streamed has one at most. */
  bytes?: Uint8Array;
  /** chunk: the same as text, decoded when first asked for; a character may be cut in two. */
  text?: string;
  /** fail: */
  error?: string;
  /** fail: the page did not want it any longer */
  aborted?: boolean;
}

declare global {
  interface Window {
    tabernetes: Tabernetes;
    /** Holds API requests until the page's script takes it away. */
    tabernetesHeld?: import("./held.js").HeldFetch;
  }
}
