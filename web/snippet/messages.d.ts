/** What embed.js and the frames of the site tell each other. */

/** How the cluster is. */
export type State =
  | { tabernetes: "loading"; loaded: number }
  | { tabernetes: "ready"; reset: number }
  | { tabernetes: "failed"; reason: string };

/** What a block is written in: requests, or commands of a shell. */
export type Language = "http" | "kubectl";

export type FromFrame =
  /** The frame's script runs, and waits to learn what it is. */
  | { tabernetes: "opened" }
  /** From a snippet: how high it is, in CSS pixels. */
  | { tabernetes: "height"; height: number }
  /** From a snippet: the cluster of the page shall begin again. */
  | { tabernetes: "reset" }
  | State;

export type ToFrame =
  /** It is the frame of the cluster. setup: blocks of requests that each new cluster is sent at first. */
  | { tabernetes: "cluster"; setup: string[] }
  /** To the cluster, with a port: one more client of the API, or of the shell (ToShell, FromShell). */
  | { tabernetes: "connect"; to: "api" | "shell" }
  | { tabernetes: "reset" }
  /** It is the frame of a snippet. */
  | { tabernetes: "snippet"; text: string; theme: string; language: Language }
  /** To a snippet, once with a port that leads to the cluster. */
  | { tabernetes: "state"; state: FromFrame };

/** What a snippet of commands and the page's shell tell each other. run is the snippet's number of a run. */
export type ToShell =
  | { type: "run"; run: number; text: string }
  | { type: "stop"; run: number };

export type FromShell = { run: number } & (
  /** kubectl is being downloaded: bytes, uncompressed. */
  | { type: "loading"; loaded: number; total: number; building: boolean }
  | { type: "started" }
  | { type: "output"; stream: "stdout" | "stderr"; text: string }
  | { type: "ended"; status: number }
  | { type: "failed"; reason: string }
);
