// @ts-check
import { framed } from "../browser/framed.js";
import { WORDS } from "./words.js";

/** Writes on the document's root how this visit begins, for the styles and for the page's script, which comes later. */
export function markVisit() {
  const root = document.documentElement;
  try {
    // A first visit, to which no link led: the page shows what it begins with.
    const first = !framed && !location.search && !location.hash && localStorage.getItem("tabernetes/visited") === null;
    if (first) root.dataset.first = root.dataset.intro = "";
    if (localStorage.getItem(WORDS) === "off") root.dataset.words = "off";
  } catch {
    // Where nothing is stored each visit would be the first.
  }
}
