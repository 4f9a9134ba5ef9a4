/** The messages between the page and the worker of one of the control plane's programs. */

export type ToProgram =
  | {
      type: "run";
      module: WebAssembly.Module;
      argv: string[];
      /** What it is called, if there are several of that name. */
      label: string;
      /** Leads to the cluster: wasm/PROTOCOL.md. */
      port: MessagePort;
    }
  /** Has its requests wait, and what is on its way to it; or lets them continue. */
  | { type: "pause"; on: boolean }
  /** Has it stop before its next write of a resource, also its code and its time: it is paused then. */
  | { type: "stop-before"; resource: string }
  /** Has it get what its watches of a resource bring so much later; "": of all. */
  | { type: "lag"; milliseconds: number; resource: string }
  /** Asks what it knows of its work. A level is how much it logs from then on: klog's -v. */
  | { type: "ask"; level: number | null }
  /** Breaks its watches, as a network does. */
  | { type: "cut" }
  /** Asks it to give back its Lease, and to end. */
  | { type: "stop" };

export type FromProgram =
  | { type: "printed"; lines: string[] }
  /** It has stopped before a write. */
  | { type: "stopped" }
  /** What it knows of its work, as JSON: wasm/controllers/inside, State. */
  | { type: "inside"; text: string }
  /** Of the kubelets: requests to them go through this port: wasm/PROTOCOL.md. */
  | { type: "listens"; port: MessagePort }
  /** It has ended: why, if that was a failure. */
  | { type: "ended"; text: string };
