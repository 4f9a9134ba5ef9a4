// @ts-check
// What a cluster that was recorded says about itself: status.recording of its ControlPlane, which the recorder wrote
// (devserver/internal/record). The texts may be those of a stranger, so they are shown as text only.
import { CONTROL_PLANE } from "../../core/wellknown/wellknown.js";

/** @typedef {{kind?: unknown, text?: unknown, from?: unknown, to?: unknown}} Note */

/** @param {unknown} value */
const text = (value) => (typeof value === "string" ? value.slice(0, 2000) : "");

/** @param {Note} note */
function revisions({ from, to }) {
  if (typeof from === "number" && typeof to === "number") return from === to ? `revision ${to}` : `${from} to ${to}`;
  if (typeof from === "number") return `from ${from}`;
  return typeof to === "number" ? `up to ${to}` : "";
}

/**
 * What is said of a recording: a sentence, and its notes.
 *
 * @param {any} recording
 * @returns {{about: string, notes: {at: string, text: string}[]}}
 */
export function describe(recording) {
  const { context, version, began, cutOff, notes } = recording ?? {};
  const of = [text(context), text(version) && `Kubernetes ${text(version)}`].filter(Boolean).join(", ");
  const when = text(began).slice(0, 16).replace("T", " ");
  const all = /** @type {Note[]} */ (Array.isArray(notes) ? notes : []).slice(0, 500)
    .map((note) => ({ at: revisions(note ?? {}), text: text(note?.text) }));
  if (text(cutOff)) all.push({ at: "", text: `The end of the file is cut off: ${text(cutOff)}.` });
  const last = Array.isArray(notes) ? notes.at(-1) : null;
  if (last?.kind !== "ended")
    all.push({ at: "", text: "The recorder was not ended: the last changes of some types may be missing." });
  return {
    about: `This cluster was recorded${of && ` from ${of}`}${when && `, beginning at ${when} UTC`}. ` +
      "Its revisions and objects are those of that cluster. Its clock is paused and the controllers are off, so that " +
      "nothing changes what was recorded. Behind it come the objects that every cluster has and that were not " +
      "recorded, and what you write, which reaches no other cluster.",
    notes: all,
  };
}

/** Shows what the present cluster says of a recording; nothing of a cluster that was not recorded. */
export async function showRecording() {
  const place = /** @type {HTMLElement} */ (document.getElementById("recording"));
  const recording = await window.tabernetes
    .fetch(CONTROL_PLANE, { tabernetes: { origin: "lever", quiet: true, owner: true } })
    .then(async (response) => (response.ok ? (await response.json()).status?.recording : null))
    .catch(() => null); // without a server there is nothing to say
  place.hidden = !recording;
  if (!recording) return;
  const { about, notes } = describe(recording);
  const said = document.createElement("p");
  said.textContent = about;
  const list = document.createElement("ul");
  list.className = "recording-notes";
  list.setAttribute("aria-label", "What the recording says of itself");
  for (const note of notes) {
    const item = document.createElement("li");
    if (note.at) {
      const at = document.createElement("code");
      at.textContent = note.at;
      item.append(at, " ");
    }
    item.append(note.text);
    list.append(item);
  }
  place.replaceChildren(said, list);
}
