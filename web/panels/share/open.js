// @ts-check
/**
 * Opens what was shared, once a person has said so. Its parts come in an order in which each finds what it needs: the
 * cluster, what is in it, then where to look.
 *
 * @import { Shared } from "./parts.js"
 */
import { CONTROL_PLANE } from "../../../core/wellknown/wellknown.js";
import { showTheme } from "../../browser/theme.js";
import { ask, planeHere } from "./collect.js";

const lab = () => /** @type {any} */ (globalThis).tabernetesLab;

const SNAPSHOT = CONTROL_PLANE + "/snapshot";

/** How long the lab is waited for, in milliseconds, until it knows another cluster. */
const PATIENCE = 20_000;

/**
 * @param {Shared} shared
 * @returns {Promise<{before: number, settings: any}>} the number of the snapshot of the cluster that was there before,
 *   0: it still is; and the settings that were there before, null: they still are
 * @throws {Error} with the reason; the cluster is then as it was
 */
export async function openShared({ cluster, manifests, settings, request, watches, view, level, place, layout }) {
  let before = 0;
  if (cluster || manifests || settings || watches?.length || level) toThisTab();
  const was = cluster || settings ? (await planeHere()).spec : null;
  if (cluster) {
    const kept = await lab().takeSnapshot(SNAPSHOT);
    before = Number(kept) || 0;
    if (!before) throw new Error(kept);
    try {
      await putCluster(cluster);
    } catch (error) {
      lab().dropSnapshot(before);
      throw error;
    }
    await known();
  }
  if (settings) {
    const headers = { "Content-Type": "application/merge-patch+json" };
    await ask(CONTROL_PLANE, { method: "PATCH", headers, body: JSON.stringify({ spec: settings }) });
  }
  if (was) dispatchEvent(new Event("tabernetes-settings"));
  if (manifests) lab().act("apply", manifests);
  for (const path of watches ?? []) lab().act("watch", path);
  if (layout) lay(layout);
  if (level) {
    lab().levels("open", level);
    lab().closeLeft("share"); // it is in the lesson's place
  }
  if (place) go(place, Boolean(cluster || manifests));
  if (request) lab().act("compose", request.method, request.path, request.headers ?? "", request.body ?? "");
  if (view) lab().act("show", JSON.stringify(view));
  return { before, settings: was };
}

/** Puts settings in force again. @param {any} spec all of them */
export async function undoSettings(spec) {
  toThisTab();
  const { metadata, ...plane } = await planeHere();
  const { resourceVersion, managedFields, ...m } = metadata;
  const headers = { "Content-Type": "application/json" };
  await ask(CONTROL_PLANE, { method: "PUT", headers, body: JSON.stringify({ ...plane, metadata: m, spec }) });
  dispatchEvent(new Event("tabernetes-settings"));
}

/** Restores the cluster that was there before. @param {number} before @returns {Promise<string>} why it could not */
export async function putBack(before) {
  toThisTab();
  return lab().putSnapshot(before);
}

/** Has requests go to the cluster of this tab. */
function toThisTab() {
  const choice = /** @type {HTMLInputElement | null} */ (document.querySelector("#target input[value=tab]"));
  if (window.tabernetes.target !== "tab") choice?.click();
}

/** @param {Uint8Array} bytes of a snapshot */
async function putCluster(bytes) {
  const init = { method: "PUT", body: bytes, headers: { "Content-Type": "application/octet-stream" } };
  await ask(SNAPSHOT, init);
}

/** The cluster's uid, as the revisions stream says it first. */
async function uid() {
  const stop = new AbortController();
  const { body } = await ask(CONTROL_PLANE + "/revisions", { signal: stop.signal });
  const reader = /** @type {NonNullable<typeof body>} */ (body).pipeThrough(new TextDecoderStream()).getReader();
  try {
    for (let text = ""; ; ) {
      const { done, value } = await reader.read();
      text += value ?? "";
      const end = text.indexOf("\n");
      if (end >= 0) return JSON.parse(text.slice(0, end)).state?.cluster;
      if (done) return undefined;
    }
  } finally {
    reader.cancel().catch(() => {});
    stop.abort();
  }
}

/** Waits until the lab knows the cluster that is there now. */
async function known() {
  const now = await uid();
  const late = Date.now() + PATIENCE;
  while (now && window.tabernetes.clusters.get("tab") !== now && Date.now() < late) {
    await new Promise((resolve) => setTimeout(resolve, 30));
  }
}

/** Goes to a place. @param {string} place @param {boolean} withObjects which are what a lesson would begin with */
function go(place, withObjects) {
  if (!place.startsWith("lesson-") || !withObjects) return void (location.hash = place);
  lab().setPlace("#" + place);
  lab().act("lesson", place);
  lab().closeLeft("share"); // it is in the lesson's place
}

/** @param {NonNullable<Shared["layout"]>} layout */
function lay({ panel, presenter, theme }) {
  if (theme !== undefined) showTheme(theme);
  if (panel && document.getElementById("tab-" + panel)) lab().open(panel);
  if (presenter !== undefined) lab().present(presenter);
}
