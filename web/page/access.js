// @ts-check
/**
 * Says that the cluster of this tab refuses the page's own requests, which carry no credentials, and lets them in
 * again at one press. What asks and what is pressed comes from the person at the page, whom no setting keeps out.
 *
 * @import { Tabernetes, TapEvent } from "../shim/tabernetes"
 * @import { Banners } from "../shim/banner.js"
 */
import { CONTROL_PLANE } from "../../core/wellknown/wellknown.js";
import { keepsOut } from "../panels/share/keepsout.js";

const NOTE = { origin: /** @type {const} */ ("lever"), quiet: true, owner: true, target: /** @type {const} */ ("tab") };

const LET_IN = JSON.stringify({ spec: { authentication: { withoutCredentials: "Admin" } } });

/**
 * @param {Pick<Tabernetes, "fetch" | "onTap" | "onState">} tabernetes
 * @param {Pick<Banners, "set">} banners
 * @param {EventTarget} page where the page says that the cluster or its settings are others
 */
export function watchAccess(tabernetes, banners, page) {
  let asking = false;
  let again = false;

  async function check() {
    if (asking) return void (again = true);
    asking = true;
    again = false;
    try {
      const response = await tabernetes.fetch(CONTROL_PLANE, { tabernetes: { ...NOTE } });
      const { spec } = response.ok ? await response.json() : { spec: null };
      if (spec) banners.set("access", keepsOut(spec) ? notice(spec) : null);
    } catch {
      // without a server there is nothing to say
    }
    asking = false;
    if (again) check();
  }

  async function letIn() {
    const headers = { "Content-Type": "application/merge-patch+json" };
    await tabernetes.fetch(CONTROL_PLANE, { method: "PATCH", headers, body: LET_IN, tabernetes: { ...NOTE } })
      .catch(() => {}); // the notice stays
    await check();
  }

  /** @param {any} spec @returns {import("../shim/banner.js").Notice} */
  function notice({ authorization, authentication }) {
    const refused = authentication.withoutCredentials === "Unauthorized";
    return {
      kind: "notice",
      text: "The cluster in this tab " + (refused ? "refuses requests without credentials"
        : "lets requests without credentials do only what roles allow the anonymous user") +
        ", and this page’s requests have none.",
      detail: `Its settings say so: authentication.withoutCredentials is ${authentication.withoutCredentials}, ` +
        `authorization.mode is ${authorization?.mode}. The levers work all the same.`,
      actions: [{ label: "Let this page in", run: letIn }],
    };
  }

  /** Requests whose answer may change it, by their ids. @type {Set<number>} */
  const writes = new Set();
  tabernetes.onTap(({ type, id, method, url, status }) => {
    if (type === "request" && method !== "GET" && url?.startsWith(CONTROL_PLANE)) writes.add(id);
    else if (type === "end" ? writes.delete(id) : status === 401 || status === 403) check();
    else if (type === "fail") writes.delete(id);
  });
  for (const name of ["tabernetes-moved", "tabernetes-settings"]) page.addEventListener(name, check);
  let ready = false;
  tabernetes.onState(({ state }) => {
    const now = state === "ready";
    if (now && !ready) check();
    ready = now;
  });
}
