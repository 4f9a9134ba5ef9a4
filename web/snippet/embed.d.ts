/**
 * The elements that embed.js defines. With it in a project, TypeScript knows them in document.createElement,
 * querySelector and (by TabernetesElements) in JSX.
 */

/**
 * A block of HTTP requests, or of kubectl's commands, that can be run:
 * <tabernetes-snippet><pre>GET /api/v1/namespaces</pre></tabernetes-snippet>.
 * Its text is what is there without JavaScript. All snippets of a page share one cluster, in memory.
 */
export interface TabernetesSnippet extends HTMLElement {
  /** Opens the frame and runs the first request, as the button does. */
  open(): void;
}

/** The whole lab in a frame, in memory only. What is in it is shown until it is opened. */
export interface TabernetesLab extends HTMLElement {
  /** Opens the lab, as the button does. */
  open(): void;
}

/** The bench in a frame, in memory only: policies, rules and roles, and requests that are tried. */
export interface TabernetesBench extends HTMLElement {
  /** Opens the bench, as the button does. */
  open(): void;
}

export interface TabernetesSnippetAttributes {
  /** What its text is: HTTP requests (without it), or commands of a shell that has kubectl. */
  language?: "http" | "kubectl";
  /** Its name, for screen readers. Without it: the first request, or the first line of the commands. */
  label?: string;
  theme?: "light" | "dark";
  /** Its requests are sent to every new cluster before any other; it has no button. */
  setup?: boolean | "";
}

export interface TabernetesLabAttributes {
  label?: string;
  /** A link of the lab, such as "scene=gone" or "share=…": what its address has after "#". */
  link?: string;
  /** In CSS pixels; 720 without it. */
  height?: number | string;
}

export interface TabernetesBenchAttributes {
  label?: string;
  /**
   * "example=NAME" or "bench=…", as its address has after "#". Without it, the text in its <pre> is a table of tests.
   */
  link?: string;
  /** In CSS pixels; 720 without it. */
  height?: number | string;
}

export interface TabernetesElements {
  "tabernetes-snippet": TabernetesSnippetAttributes;
  "tabernetes-lab": TabernetesLabAttributes;
  "tabernetes-bench": TabernetesBenchAttributes;
}

declare global {
  interface HTMLElementTagNameMap {
    "tabernetes-snippet": TabernetesSnippet;
    "tabernetes-lab": TabernetesLab;
    "tabernetes-bench": TabernetesBench;
  }
}
