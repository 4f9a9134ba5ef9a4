/** What embed.js and the frames of the site tell each other. */

/** How the cluster is. */
export type State =
  | { tabernetes: "loading"; loaded: number }
  | { tabernetes: "ready"; reset: number }
  | { tabernetes: "failed"; reason: string };

export type FromFrame =
  /** The frame's script runs, and waits to be told what it is. */
  | { tabernetes: "opened" }
  /** From a snippet: how high it is, in CSS pixels. */
  | { tabernetes: "height"; height: number }
  /** From a snippet: the cluster of the page shall begin again. */
  | { tabernetes: "reset" }
  | State;

export type ToFrame =
  /** It is the frame of the cluster. setup: blocks of requests that each new cluster is sent at first. */
  | { tabernetes: "cluster"; setup: string[] }
  /** To the cluster, with a port: one more client. */
  | { tabernetes: "connect" }
  | { tabernetes: "reset" }
  /** It is the frame of a snippet. */
  | { tabernetes: "snippet"; text: string; theme: string }
  /** To a snippet, once with a port that leads to the cluster. */
  | { tabernetes: "state"; state: FromFrame };
