// @ts-check
// What is pointed at, or has the focus, in a body that is shown byte by byte lights
// up with all that lies in it: data-span names its bytes, as "from-to".

/** @type {Element[]} */
let lit = [];

/** @param {Event} ev */
function light(ev) {
  for (const el of lit) el.classList.remove("is-lit");
  lit = [];
  const at = ev.target instanceof Element ? ev.target.closest("[data-span]") : null;
  if (!at) return;
  const [from, to] = ends(at);
  lit = [...(at.parentElement?.children ?? [])].filter((el) => ends(el)[0] >= from && ends(el)[1] <= to);
  for (const el of lit) el.classList.add("is-lit");
}

/** @param {Element} el */
const ends = (el) => (el.getAttribute("data-span") ?? "").split("-").map(Number);

for (const type of ["pointerover", "focusin"]) document.addEventListener(type, light);
