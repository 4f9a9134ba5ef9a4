// @ts-check
/**
 * The requests of a command as lists with a heading: status, verb, path, why below it, a chip.
 *
 * @import { Host } from "./panel.js"
 * @import { Chip } from "./explain/chips.js"
 * @import { Line, Explained } from "./explain/explain.js"
 */
import { h } from "./dom.js";

/** How many requests of a command are listed. */
const MOST = 200;

/**
 * @param {HTMLElement} el gets the lists
 * @param {(Explained & {name: string})[]} parts of the processes that have made requests
 * @param {Host} host
 */
export function requestList(el, parts, host) {
  let left = MOST;
  parts.forEach((part, i) => {
    const rows = part.rows.slice(0, left);
    left -= rows.length;
    let box = /** @type {HTMLElement | undefined} */ (el.children[i]);
    if (!box) {
      const id = `${el.id}-${i}`;
      box = h("div", {}, h("h3", { id, class: parts.length > 1 ? "" : "visually-hidden" }, `requests of ${part.name}`),
        h("ol", { class: "plain", "aria-labelledby": id }), h("p", { class: "term-cut", hidden: true }));
      el.append(box);
    }
    if (parts.length > 1) box.firstElementChild?.classList.remove("visually-hidden");
    const list = /** @type {HTMLElement} */ (box.children[1]);
    rows.forEach((row, n) => {
      const item = /** @type {HTMLElement | undefined} */ (list.children[n]);
      const key = JSON.stringify(row);
      if (item?.dataset.is === key) return;
      const made = line(row, host);
      made.dataset.is = key;
      const focused = item?.contains(document.activeElement);
      if (item?.classList.contains("is-picked")) made.classList.add("is-picked");
      if (item) item.replaceWith(made);
      else list.append(made);
      if (focused) /** @type {HTMLElement | null} */ (made.querySelector("button"))?.focus();
    });
    const more = part.rows.length - rows.length;
    const note = /** @type {HTMLElement} */ (box.children[2]);
    note.hidden = more === 0;
    if (more > 0) note.textContent = `${more.toLocaleString("en")} more: the console lists all requests.`;
  });
}

/** @param {Line} row @param {Host} host */
function line(row, host) {
  const words = [
    h("span", { class: `term-code${/^[45]|failed/.test(row.status) ? " error" : ""}` }, row.status),
    h("b", { class: "term-method" }, row.method),
    h("span", { class: "term-path" }, h("span", { class: "mono", title: row.url }, row.short),
      h("span", { class: "term-why" }, row.why)),
  ];
  const chip = row.chip && h("button", { type: "button", tabindex: "-1" });
  if (chip && row.chip) chipButton(chip, row.chip);
  if (row.id === 0) {
    return h("li", { class: "term-request is-earlier" }, h("div", { class: "term-pick" }, ...words), chip);
  }
  const pick = h("button", {
    type: "button", class: "term-pick", tabindex: "-1", "data-action": "history-pick", "data-id": row.id,
    onclick: () => picked(item),
  }, ...words);
  const copy = (/** @type {string} */ as) => h("button", {
    type: "button", class: "link", tabindex: "-1", onclick: () => host.copy(row.id, as),
  }, as);
  const item = h("li", { class: "term-request", "data-ref": `req-${row.id}` }, pick, chip,
    h("span", { class: "term-copy", role: "group", "aria-label": "The same as" },
      h("span", { class: "soft", "aria-hidden": "true" }, "the same as "), copy("fetch"), " · ", copy("curl"), " · ",
      copy("http block")));
  return item;
}

/** Shows what can be done with one request. @param {Element} item */
function picked(item) {
  const others = item.closest(".term-out")?.querySelectorAll(".is-picked") ?? [];
  for (const other of others) other.classList.remove("is-picked");
  item.classList.add("is-picked");
}

/** Makes a button what a chip says. @param {HTMLButtonElement} button @param {Chip} chip */
export function chipButton(button, chip) {
  button.className = `chip is-${chip.kind === "wrote" ? "write" : "read"}`;
  if (button.textContent !== chip.text) button.textContent = chip.text;
  button.disabled = chip.revision === 0;
  if (chip.revision > 0) {
    Object.assign(button.dataset, { action: "link", link: "revision", target: String(chip.revision) });
    button.dataset.ref = `rev-${chip.revision}`;
  } else for (const name of ["action", "link", "target", "ref"]) delete button.dataset[name];
}
