/** The messages between the page and the worker of one of the control plane's programs. */

export type ToProgram =
  | {
      type: "run";
      wasmExec: string;
      module: WebAssembly.Module;
      argv: string[];
      /** Leads to the cluster: wasm/PROTOCOL.md. */
      port: MessagePort;
    }
  /** Has its requests wait, and what is on its way to it; or lets them continue. */
  | { type: "pause"; on: boolean }
  /** Has it get what its watches bring so much later. */
  | { type: "lag"; milliseconds: number }
  /** Breaks its watches, as a network does. */
  | { type: "cut" }
  /** Asks it to give back its Lease, and to end. */
  | { type: "stop" };

export type FromProgram =
  | { type: "printed"; lines: string[] }
  /** Of the kubelets: requests to them go through this port: wasm/PROTOCOL.md. */
  | { type: "listens"; port: MessagePort }
  /** It has ended: why, if that was a failure. */
  | { type: "ended"; text: string };
