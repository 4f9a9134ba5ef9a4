/** The messages between the kernel, in the page, and an instance of the binary, in a worker. */

export type ToInstance =
  /** Starts the binary, which waits for its command. */
  | { type: "prepare"; module: WebAssembly.Module }
  | {
      type: "start";
      argv: string[];
      /** K=V */
      env: string[];
      dir: string;
      pid: number;
      /** Takes its requests: wasm/PROTOCOL.md. */
      port: MessagePort;
    }
  /** Answers a system call; an error is a code such as ENOENT. */
  | { type: "answer"; id: number; error: string | null; result: any }
  /** Calls a function of globalThis.shell. */
  | { type: "ask"; id: number; name: string; args: any[] };

export type FromInstance =
  | { type: "call"; id: number; call: string; args: any[] }
  /** The shell can be asked: the names of its programs. */
  | { type: "ready"; names: string[] }
  /** Answers what was asked; an error that is not "" is why there is no result. */
  | { type: "said"; id: number; result: any; error: string }
  /** A sentence for the person, beside the output: what is waited for, what is missing here. */
  | { type: "note"; text: string; running: boolean }
  /** The program has ended; said is what Go's runtime printed, of a panic. */
  | { type: "exit"; status: number; said: string }
  /** The instance broke. */
  | { type: "died"; text: string };
