// @ts-check
/** What leaves the bench: links, files, and requests for the clipboard. */
import { download } from "../browser/download.js";
import { cameTo } from "../npm/manifests.js";
import { button, count, h } from "./dom.js";
import { toTable } from "./model.js";
import { CHAT_LENGTH, LINK_LENGTH, linkOf } from "./share.js";
import { $, at, say, state } from "./state.js";

/** Whether it is the copy that pages of others may frame. */
export const inOthers = /\/embed\/[^/]*$/.test(location.pathname);

/** Tries what was not tried since it was written. @type {() => Promise<void>} */
let fresh;
/** Opens the text of a file. @type {(text: string, name: string) => void} */
let opened;

/** @param {typeof fresh} tryRest @param {typeof opened} open */
export function startSharing(tryRest, open) {
  fresh = tryRest;
  opened = open;
}

/** The table of what is on the bench, with what was answered. */
const table = () => toTable(state.bench, ({ then }, i) => {
  const outcome = state.outcomes[i];
  const { trial, answer, evaluation, problems = [] } = outcome ?? {};
  if (evaluation) {
    const { value, error } = cameTo({ evaluation, problems });
    return error ? { error } : { value };
  }
  if (!trial) return then ?? { allowed: true };
  if (trial.code >= 400) return { refused: { message: String(answer?.message ?? ""), code: trial.code,
    reason: answer?.reason } };
  const audit = Object.fromEntries(Object.entries(trial.annotations).filter(([key]) => !key.includes("k8s.io/")));
  return { allowed: true, ...(trial.warnings.length && { warnings: trial.warnings }),
    ...(Object.keys(audit).length && { audit }) };
});

/** The same without what was answered: a link says what was expected, if anything was. */
const shortTable = () => toTable(state.bench, ({ then }) => then);

/** The address is a link to what is on the bench. */
export async function keepInAddress() {
  const link = await linkOf(shortTable());
  if (link.length <= LINK_LENGTH) history.replaceState(null, "", link);
  else if (location.hash) history.replaceState(null, "", location.pathname + location.search);
}

$("share").addEventListener("toggle", async (event) => {
  if (/** @type {ToggleEvent} */ (event).newState !== "open") return;
  const { origin, pathname } = inOthers ? new URL("../bench.html", location.href) : location;
  const link = origin + pathname + await linkOf(shortTable());
  const fits = link.length <= LINK_LENGTH;
  const length = count(link.length, "character");
  const field = h("textarea.field", { readOnly: true, rows: 3, value: fits ? link : "", "aria-label": "Link" });
  const file = h("input", { type: "file", accept: ".yaml,.yml", hidden: true, onchange: async () => {
    const [picked] = file.files ?? [];
    file.value = "";
    if (picked && picked.size < 1 << 20) opened(await picked.text(), picked.name);
  } });
  $("share").replaceChildren(h("h2", null, "Share"), field,
    h("p.soft", null, !fits ? `The link would have ${length}: too long. Save the file.`
      : `${length}.${link.length > CHAT_LENGTH ? " Messengers cut links of more than 2,000." : ""} It has everything ` +
        "on the bench; nothing is sent to a server."),
    h("div.acts", null, fits ? button("Copy the link", () => copy(link)) : null,
      button("Save as tests", async () => {
        await fresh(); // the file has what is answered now
        download(new Blob([table()], { type: "application/yaml" }), "bench.test.yaml");
      }),
      button("Open a file", () => file.click()), file),
    h("p.soft", null, "The file is a table for ", h("code", null, "tabernetes test"),
      ", with what was answered here."));
  field.select();
});

$("curl").addEventListener("click", () => {
  const { outcome } = at(state.chosen);
  if (!outcome?.init) return;
  const { method, headers, body } = outcome.init;
  const quote = (/** @type {string} */ text) => `'${text.replaceAll("'", "'\\''")}'`;
  const lines = [`curl -X ${method} "$SERVER"${quote(outcome.path ?? "")}`,
    ...Object.entries(headers).flatMap(([name, value]) => [value].flat().map((v) => `-H ${quote(`${name}: ${v}`)}`)),
    ...(body ? [`--data-binary ${quote(body)}`] : [])];
  copy(lines.join(" \\\n  "));
});

/** @param {string} text */
function copy(text) {
  navigator.clipboard.writeText(text).then(() => say("It is on the clipboard."),
    () => say("The browser does not allow it."));
}
