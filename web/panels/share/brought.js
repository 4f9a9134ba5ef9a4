// @ts-check
/** Shows which settings have come with what was opened, and takes them back at one press. */
import { planeHere } from "./collect.js";
import { keepsOut } from "./keepsout.js";
import { undoSettings } from "./open.js";
import { changes } from "./settings.js";

/** What is said of settings that keep the page's own requests out. @param {any} spec */
export const keptOut = ({ authentication }) => "With these settings the cluster refuses " +
  (authentication.withoutCredentials === "Unauthorized" ? "requests without credentials"
    : "requests without credentials, but for what roles allow the anonymous user") +
  "; those of this page’s console, lessons and terminal have none. Its levers work all the same, and so does " +
  "undoing the settings.";

/** @param {string} tag @param {string} text */
function element(tag, text) {
  const made = document.createElement(tag);
  made.textContent = text;
  return made;
}

/**
 * Shows the settings of this tab's cluster, as far as they were others before; nothing if they are the same.
 *
 * @param {Element} place what they are shown behind, in the place of those that were shown before
 * @param {any} before the settings that were there
 */
export async function showBrought(place, before) {
  hideBrought(place);
  const { spec } = await planeHere();
  const lines = changes(spec, before);
  if (!lines.length) return;
  const box = element("div", "");
  box.className = "brought";
  box.setAttribute("role", "group");
  box.setAttribute("aria-label", "Settings that came with it");
  const list = element("ul", "");
  list.append(...lines.map((line) => element("li", line)));
  const undo = /** @type {HTMLButtonElement} */ (element("button", "Undo these settings"));
  undo.type = "button";
  undo.className = "button";
  const result = element("p", "");
  result.setAttribute("role", "status");
  result.tabIndex = -1;
  undo.addEventListener("click", async () => {
    undo.disabled = true;
    try {
      await undoSettings(before);
      box.replaceChildren(result);
      result.textContent = "The settings are as they were before.";
    } catch (/** @type {any} */ error) {
      result.textContent = `They could not be undone: ${error.message}`;
      undo.disabled = false;
    }
    result.focus();
  });
  box.append(element("p", "Settings came with it, which are in force now:"), list);
  if (keepsOut(spec)) box.append(element("p", keptOut(spec)));
  box.append(undo, result);
  place.after(box);
}

/** @param {Element} place */
export function hideBrought(place) {
  const next = place.nextElementSibling;
  if (next?.classList.contains("brought")) next.remove();
}
