// @ts-check
// The body's editor: a textarea with a coloured copy of its text behind it.
// The textarea does the editing (undo, selection, input methods and screen
// readers work as everywhere); this file adds colours, line numbers, matching
// brackets and indentation. A minimal CodeMirror 6 with JSON and YAML measured
// 94 kB in brotli, more than the whole page may weigh; this is about 2 kB.

/** @type {Record<string, string>} */
const escapes = { "&": "&amp;", "<": "&lt;", ">": "&gt;" };
/** @param {string} s */
const esc = (s) => s.replace(/[&<>]/g, (c) => escapes[c]);
/** @param {string} cls @param {string} s */
const span = (cls, s) => (s ? (cls ? `<span class="${cls}">${esc(s)}</span>` : esc(s)) : "");

const jsonToken = /("(?:[^"\\\n]|\\.)*"?)(\s*:)?|(-?\d[\d.eE+-]*)|\b(true|false|null)\b|([{}[\],:]+)/g;

/** @param {string} line */
function jsonLine(line) {
  let out = "";
  let at = 0;
  for (const m of line.matchAll(jsonToken)) {
    out += span("", line.slice(at, m.index));
    if (m[1] !== undefined) out += span(m[2] === undefined ? "s" : "k", m[1]) + span("p", m[2] ?? "");
    else out += span(m[3] !== undefined ? "n" : m[4] !== undefined ? "l" : "p", m[0]);
    at = m.index + m[0].length;
  }
  return out + span("", line.slice(at));
}

const yamlScalar = /^(?:(-?\d[\d.eE+_-]*)|(true|false|null|~)|("(?:[^"\\]|\\.)*"?|'(?:[^']|'')*'?))$/;

/** @param {string} text */
function yamlValue(text) {
  const [, lead, body, tail, comment] = /^(\s*)(.*?)(\s*)((?:\s#|^#).*)?$/s.exec(text) ?? [];
  if (body === undefined) return span("", text);
  let shown;
  if (/^[[{]/.test(body)) shown = flow(body);
  else if (/^[|>][+-]?\d?$/.test(body) || /^[&*!]/.test(body)) shown = span("p", body);
  else {
    const m = yamlScalar.exec(body);
    shown = span(m?.[1] ? "n" : m?.[2] ? "l" : "s", body);
  }
  return span("", lead) + shown + span("", tail) + span("c", comment ?? "");
}

const flowToken = /("(?:[^"\\]|\\.)*"?|'(?:[^']|'')*'?|[^\s{}[\],:"'][^{}[\],:]*)(\s*:(?=\s|$))?|([{}[\],:]+)/g;

/** @param {string} text */
function flow(text) {
  let out = "";
  let at = 0;
  for (const m of text.matchAll(flowToken)) {
    out += span("", text.slice(at, m.index));
    if (m[1] === undefined) out += span("p", m[0]);
    else {
      const word = m[1].trim();
      const s = yamlScalar.exec(word);
      out += span(m[2] ? "k" : s?.[1] ? "n" : s?.[2] ? "l" : "s", m[1]) + span("p", m[2] ?? "");
    }
    at = m.index + m[0].length;
  }
  return out + span("", text.slice(at));
}

const yamlKey = /^((?:\s*-\s+)*\s*)("[^"]*"|'[^']*'|[^\s#"'{}[\]&*!|>%@`-][^#]*?|-[^\s#][^#]*?)(:)(\s|$)/;

/** Colours YAML line by line; block scalars end where the indentation does. @param {string[]} lines */
function yaml(lines) {
  let block = -1;
  return lines.map((line) => {
    const indent = leading(line).length;
    if (block >= 0 && (indent > block || line.trim() === "")) return span("s", line);
    block = -1;
    if (/^\s*#/.test(line)) return span("c", line);
    if (/^(---|\.\.\.)(\s|$)/.test(line)) return span("p", line);
    const m = yamlKey.exec(line);
    let rest = line;
    let out = "";
    if (m) {
      out = span("p", m[1]) + span("k", m[2]) + span("p", m[3]);
      rest = line.slice(m[1].length + m[2].length + 1);
    } else {
      const dash = /^(?:\s*-(?:\s+|$))+/.exec(line);
      if (dash) {
        out = span("p", dash[0]);
        rest = line.slice(dash[0].length);
      }
    }
    if (/^\s*[|>][+-]?\d?\s*$/.test(rest)) block = m ? line.length - line.replace(/^[\s-]*/, "").length : indent;
    return out + yamlValue(rest);
  });
}

/** The white space that a line begins with. @param {string} line */
const leading = (line) => line.slice(0, line.length - line.trimStart().length);

/** Whether a body is JSON rather than YAML. @param {string} text */
const isJSON = (text) => /^\s*[{[]/.test(text);

const scriptWords = "async await break case catch class const continue default delete do else export false finally " +
  "for function if in instanceof let new null of return switch this throw true try typeof undefined while yield";
const scriptToken = new RegExp([
  /(\/\/.*|\/\*[^]*?(?:\*\/|$))/, // comments
  /("(?:[^"\\\n]|\\.)*"?|'(?:[^'\\\n]|\\.)*'?|`(?:[^`\\]|\\[^])*`?)/, // texts
  /\b(\d[\w.]*)/,
].map((r) => r.source).join("|") + `|\\b(${scriptWords.replaceAll(" ", "|")})\\b`, "g");

/** Colours JavaScript; comments and texts may go over several lines. @param {string} text */
function script(text) {
  let out = "";
  let at = 0;
  /** @param {string} cls @param {string} part */
  const add = (cls, part) => (out += part.split("\n").map((line) => span(cls, line)).join("\n"));
  for (const m of text.matchAll(scriptToken)) {
    add("", text.slice(at, m.index));
    add(m[1] !== undefined ? "c" : m[2] !== undefined ? "s" : m[3] !== undefined ? "n" : "k", m[0]);
    at = m.index + m[0].length;
  }
  add("", text.slice(at));
  return out.split("\n");
}

/**
 * The text as HTML, a line each.
 *
 * @param {string} text
 * @param {string} [language] "javascript", or else JSON or YAML
 */
export function highlight(text, language) {
  if (language === "javascript") return script(text);
  const lines = text.split("\n");
  return isJSON(text) ? lines.map(jsonLine) : yaml(lines);
}

/** @type {Record<string, string>} */
const pairs = { "{": "}", "[": "]", "}": "{", "]": "[" };

/**
 * The place of the bracket that belongs to the one at i, or -1. Strings are passed over.
 *
 * @param {string} text
 * @param {number} i
 */
export function partner(text, i) {
  if (!pairs[text[i]]) return -1;
  // One pass from the start knows what is inside of a string.
  /** @type {number[]} */
  const stack = [];
  let quote = "";
  for (let k = 0; k < text.length; k++) {
    const c = text[k];
    if (quote) {
      if (c === "\\" && quote === '"') k++;
      else if (c === quote || c === "\n") quote = "";
    } else if (c === '"') quote = c;
    else if (c === "{" || c === "[") stack.push(k);
    else if (c === "}" || c === "]") {
      const from = stack.pop();
      if (from === undefined || pairs[text[from]] !== c) continue;
      if (from === i) return k;
      if (k === i) return from;
    }
  }
  return -1;
}

/** More than this is not coloured: typing must stay quick. */
const maxColoured = 200_000;

/** Makes an editor of a textarea. @param {HTMLTextAreaElement} area */
export function mount(area) {
  const { language } = area.dataset;
  const box = /** @type {HTMLElement} */ (area.parentElement);
  const gutter = document.createElement("pre");
  gutter.className = "gutter";
  gutter.setAttribute("aria-hidden", "true");
  const back = document.createElement("pre");
  back.className = "colours";
  back.setAttribute("aria-hidden", "true");
  box.prepend(gutter, back);
  box.classList.add("is-live");

  /** What is drawn, a line each. @type {string[]} */
  let drawn = [];
  let booked = false;
  const later = () => {
    if (booked) return;
    booked = true;
    requestAnimationFrame(draw);
  };

  function draw() {
    booked = false;
    const text = area.value;
    const lines = text.length > maxColoured ? text.split("\n").map(esc) : highlight(text, language);
    // Only the lines that differ are written.
    let head = 0;
    while (head < lines.length && head < drawn.length && lines[head] === drawn[head]) head++;
    let tail = 0;
    const most = Math.min(lines.length, drawn.length) - head;
    while (tail < most && lines.at(-1 - tail) === drawn.at(-1 - tail)) tail++;
    const rows = back.children;
    for (let i = drawn.length - tail - 1; i >= head; i--) rows[i].remove();
    const made = document.createDocumentFragment();
    for (let i = head; i < lines.length - tail; i++) {
      const row = document.createElement("div");
      row.innerHTML = lines[i] || "\u200b";
      made.append(row);
    }
    back.insertBefore(made, rows[head] ?? null);
    if (lines.length !== drawn.length || !gutter.textContent) {
      gutter.textContent = lines.map((_, i) => i + 1).join("\n");
    }
    drawn = lines;
    brackets();
    scroll();
  }

  function brackets() {
    for (const old of back.querySelectorAll(".bracket")) old.remove();
    if (document.activeElement !== area || area.selectionStart !== area.selectionEnd) return;
    if (area.value.length > maxColoured) return;
    const text = area.value;
    for (const at of [area.selectionStart - 1, area.selectionStart]) {
      const other = at >= 0 ? partner(text, at) : -1;
      if (other < 0) continue;
      for (const p of [at, other]) {
        const before = text.slice(0, p);
        const row = back.children[before.split("\n").length - 1];
        const mark = document.createElement("span");
        mark.className = "bracket";
        mark.textContent = " ".repeat(p - (before.lastIndexOf("\n") + 1));
        const hit = document.createElement("b");
        hit.textContent = text[p];
        mark.append(hit);
        row?.prepend(mark);
      }
      return;
    }
  }

  function scroll() {
    back.scrollTop = gutter.scrollTop = area.scrollTop;
    back.scrollLeft = area.scrollLeft;
  }

  /** Types text in place of the selection, so that undo knows it. @param {string} text */
  function type(text, from = area.selectionStart, to = area.selectionEnd) {
    area.setSelectionRange(from, to);
    if (!document.execCommand("insertText", false, text)) area.setRangeText(text, from, to, "end");
  }

  /** @param {number} at */
  const lineStart = (at) => area.value.lastIndexOf("\n", at - 1) + 1;

  /** @param {boolean} out */
  function indent(out) {
    const { value, selectionStart: a, selectionEnd: b } = area;
    if (!out && a === b) {
      type(" ".repeat(2 - ((a - lineStart(a)) % 2)));
      return;
    }
    const from = lineStart(a);
    const old = value.slice(from, b);
    const text = out ? old.replace(/^ {1,2}/gm, "") : old.replace(/^(?=.)/gm, "  ");
    if (text === old) return;
    type(text, from, b);
    if (a === b) {
      const at = Math.max(from, b - (old.length - text.length));
      area.setSelectionRange(at, at);
    } else area.setSelectionRange(from, from + text.length);
  }

  function newline() {
    const { value, selectionStart: a, selectionEnd: b } = area;
    const before = value.slice(lineStart(a), a);
    let lead = leading(before);
    const opens = /[{[]\s*$/.test(before);
    if (!isJSON(value) && !language) {
      // A YAML list continues under its dash; a key without a value opens a level.
      const dash = /^(\s*)((?:-\s+)+)/.exec(before);
      if (dash) lead = dash[1] + " ".repeat(dash[2].length);
      if (/:\s*[|>]?[+-]?\s*$/.test(before)) lead += "  ";
    }
    if (opens && /^\s*[}\]]/.test(value.slice(b))) {
      type("\n" + lead + "  \n" + lead);
      const at = a + lead.length + 3;
      area.setSelectionRange(at, at);
    } else type("\n" + lead + (opens ? "  " : ""));
  }

  // A line that something is said of: it is shown, with the cursor in it.
  area.addEventListener("line", (ev) => {
    const line = /** @type {CustomEvent<number>} */ (ev).detail;
    for (const old of back.querySelectorAll(".is-wrong")) old.classList.remove("is-wrong");
    const row = /** @type {HTMLElement | undefined} */ (back.children[line - 1]);
    if (!row) return;
    row.classList.add("is-wrong");
    const at = area.value.split("\n").slice(0, line - 1).join("\n").length + (line > 1 ? 1 : 0);
    area.focus();
    area.setSelectionRange(at, at);
    area.scrollTop = row.offsetTop - area.clientHeight / 3;
  });

  // Escape, then Tab leaves the editor; Tab alone indents.
  let leaving = false;
  area.addEventListener("keydown", (ev) => {
    if (ev.isComposing || ev.ctrlKey || ev.metaKey || ev.altKey) return;
    if (ev.key === "Escape") leaving = true;
    else if (ev.key === "Tab" || ev.code === "Tab") {
      // WebKitGTK has no name for Tab with Shift.
      if (leaving) return;
      ev.preventDefault();
      indent(ev.shiftKey);
    } else {
      if (ev.key !== "Shift") leaving = false;
      if (ev.key === "Enter") {
        ev.preventDefault();
        newline();
      } else if ((ev.key === "}" || ev.key === "]") &&
        /^\s+$/.test(area.value.slice(lineStart(area.selectionStart), area.selectionStart))) {
        ev.preventDefault();
        const from = lineStart(area.selectionStart);
        const lead = area.value.slice(from, area.selectionStart).replace(/ {1,2}$/, "");
        type(lead + ev.key, from, area.selectionEnd);
      }
    }
  });
  area.addEventListener("focus", () => (leaving = false));
  area.addEventListener("input", later);
  area.addEventListener("scroll", scroll, { passive: true });
  document.addEventListener("selectionchange", () => document.activeElement === area && brackets());
  area.addEventListener("blur", brackets);
  new ResizeObserver(scroll).observe(area);
  draw();
}
