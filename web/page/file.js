// @ts-check
// The whole cluster to a file and back: requests to the control plane's snapshot,
// as curl would make them. A browser may delete what it keeps; a file stays.
import { CONTROL_PLANE } from "../../core/wellknown/wellknown.js";
import { bytesOf } from "../browser/bounded.js";
import { download } from "../browser/download.js";
import { lateScript } from "../browser/late.js";
import { messageOf } from "../browser/status.js";
import { isShareFile } from "../panels/share/take.js";
import { showRecording } from "./recording.js";

const SNAPSHOT = CONTROL_PLANE + "/snapshot";

/** Its requests are the levers', and those of the person at the page. */
const lever = { origin: /** @type {const} */ ("lever"), owner: true };

const say = (/** @type {string} */ text, bad = false) => {
  const place = /** @type {HTMLElement} */ (document.getElementById("cluster-file-result"));
  place.textContent = text;
  place.classList.toggle("error", bad);
};

/** Answers of the API server say what was wrong with a request. @param {Response} response */
async function checked(response) {
  if (response.ok) return response;
  throw new Error(`${response.status}: ${messageOf(await response.text())}`);
}

/** Lists the copies that were kept of damaged clusters, each to be downloaded or removed. */
export async function showKeptCopies() {
  const place = /** @type {HTMLElement} */ (document.getElementById("kept-copies"));
  const names = await window.tabernetes.setAsides().catch(() => /** @type {string[]} */ ([]));
  place.hidden = names.length === 0;
  place.querySelector("ul")?.replaceChildren(
    ...names.map((name) => {
      const item = document.createElement("li");
      /** @param {string} label @param {() => Promise<void>} run */
      const button = (label, run) => {
        const made = document.createElement("button");
        made.type = "button";
        made.className = "button";
        made.textContent = label;
        made.setAttribute("aria-label", `${label} ${name}`);
        made.addEventListener("click", () => run().catch((error) => say(`${name}: ${error.message}`, true)));
        return made;
      };
      const text = document.createElement("code");
      text.textContent = name;
      item.append(
        text,
        " ",
        button("Download", async () => download(await window.tabernetes.setAsideFile(name), name)),
        " ",
        button("Remove", async () => {
          if (!confirm(`Remove ${name}? This cannot be undone, unless you have downloaded it.`)) return;
          await window.tabernetes.removeSetAside(name);
          await showKeptCopies();
        }),
      );
      return item;
    }),
  );
}

/** Offers the cluster as a download. */
export async function saveCluster() {
  try {
    const response = await checked(await window.tabernetes.fetch(SNAPSHOT, { tabernetes: lever }));
    const file = await response.blob();
    const name = `cluster-${new Date().toISOString().slice(0, 10)}.tabernetes`;
    download(file, name);
    say(`${name}: ${Math.ceil(file.size / 1000).toLocaleString("en-US")} kB`);
  } catch (/** @type {any} */ error) {
    say(`The cluster could not be saved. ${error.message}`, true);
  }
}

/** The settings of this tab's cluster; null where requests go to another one. */
async function settings() {
  if (window.tabernetes.target !== "tab") return null;
  const note = { ...lever, quiet: true };
  return (await (await checked(await window.tabernetes.fetch(CONTROL_PLANE, { tabernetes: note }))).json()).spec;
}

/** Shows which settings have come with a file, if they are others. @param {any} before */
async function brought(before) {
  const now = before && (await settings());
  dispatchEvent(new Event("tabernetes-settings"));
  if (JSON.stringify(now) === JSON.stringify(before)) return;
  const { showBrought } = await lateScript("share.js");
  await showBrought(document.getElementById("cluster-file-result"), before);
}

/** Replaces the cluster by that of a file. @param {File} file */
export async function openCluster(file) {
  try {
    const body = await bytesOf(file);
    if (isShareFile(body)) {
      return void (await lateScript("share.js")).openFile(file);
    }
    const before = await settings();
    await checked(
      await window.tabernetes.fetch(SNAPSHOT, {
        method: "PUT",
        body,
        headers: { "Content-Type": "application/octet-stream" },
        tabernetes: lever,
      }),
    );
    say(`${file.name} is the cluster now.`);
    await showRecording();
    await brought(before);
  } catch (/** @type {any} */ error) {
    say(`${file.name} could not be opened, and nothing was changed. ${error.message}`, true);
  }
}
