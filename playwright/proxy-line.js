// How the proxy talks with its page: requests go in, reports of their answers come out.

/**
 * @typedef {{id: number, cancel: true}
 *   | {id: number, method: string, url: string, headers: [string, string][], body: string | null}} Question
 * @typedef {{id: number, kind: "head", status: number, headers: [string, string][]}
 *   | {id: number, kind: "chunk", data: string}
 *   | {id: number, kind: "end"} | {id: number, kind: "fail", error: string}} Report
 * @typedef {{send(question: Question): void, close(): Promise<void>}} Line
 */

/**
 * A line to a page of Playwright, which calls the proxy.
 *
 * @param {import("playwright-core").Page} page
 * @param {boolean} quiet
 * @param {(report: Report) => void} hear
 * @returns {Promise<Line>}
 */
export async function pushLine(page, quiet, hear) {
  const name = `tabernetesProxy${process.pid}_${Date.now()}`;
  await page.exposeBinding(name, (_source, report) => hear(report));
  const handle = await page.evaluateHandle(`(${answering})(window["${name}"], ${quiet})`);
  return {
    send: (question) => {
      handle.evaluate((answer, q) => void answer(q), question).catch(
        (error) => hear({ id: question.id, kind: "fail", error: String(error) }));
    },
    close: () => handle.dispose().catch(() => {}), // the page may be gone
  };
}

/** How long the page waits for something to report before it is asked again, in milliseconds. */
const TURN = 15;

/**
 * A line to a tab whose driver only asks: what it is asked brings the questions and takes the reports.
 *
 * @param {import("./engines/driver").Tab} tab
 * @param {boolean} quiet
 * @param {(report: Report) => void} hear
 * @returns {Promise<Line>}
 */
export async function pollLine(tab, quiet, hear) {
  /** @type {Question[]} */
  let questions = [];
  const open = new Set();
  let closed = false;
  let wake = () => {};
  // A function of which the source is made here, since drivers take functions only.
  const install = new Function(
    `window.proxy = { out: [] };
    window.proxy.answer = (${answering})((report) => window.proxy.out.push(report), ${quiet})`);
  await tab.evaluate(/** @type {any} */ (install));
  const turn = async (questions, wait) => {
    const { proxy } = window;
    for (const q of questions) proxy.answer(q);
    const until = performance.now() + wait;
    while (proxy.out.length === 0 && performance.now() < until) await new Promise((r) => setTimeout(r, 1));
    return proxy.out.splice(0);
  };
  const talk = async () => {
    while (!closed) {
      if (questions.length === 0 && open.size === 0) await new Promise((resolve) => (wake = () => resolve(undefined)));
      if (closed) return;
      const asked = questions;
      questions = [];
      for (const report of await tab.evaluate(turn, asked, TURN)) {
        if (report.kind === "end" || report.kind === "fail") open.delete(report.id);
        hear(report);
      }
    }
  };
  const talking = talk().catch((error) => {
    for (const id of open) hear({ id, kind: "fail", error: String(error) });
  });
  return {
    send(question) {
      questions.push(question);
      if (!("cancel" in question)) open.add(question.id);
      wake();
    },
    async close() {
      closed = true;
      wake();
      await talking;
    },
  };
}

/**
 * Runs in the page, and must not use anything from outside.
 *
 * @param {(report: Report) => unknown} say
 * @param {boolean} quiet
 */
function answering(say, quiet) {
  const open = new Map();
  const base64 = (bytes) => {
    let text = "";
    for (let i = 0; i < bytes.length; i += 0x8000) text += String.fromCharCode(...bytes.subarray(i, i + 0x8000));
    return btoa(text);
  };
  return async ({ id, cancel, method, url, headers, body }) => {
    if (cancel) return open.get(id)?.abort();
    const abort = new AbortController();
    open.set(id, abort);
    try {
      const init = { method, headers, signal: abort.signal, redirect: "manual", tabernetes: { quiet } };
      if (body !== null) init.body = Uint8Array.from(atob(body), (c) => c.charCodeAt(0));
      const response = await window.fetch(location.origin + url, init);
      await say({ id, kind: "head", status: response.status, headers: [...response.headers] });
      if (response.body) {
        const reader = response.body.getReader();
        for (;;) {
          const { done, value } = await reader.read();
          if (done) break;
          await say({ id, kind: "chunk", data: base64(value) });
        }
      }
      await say({ id, kind: "end" });
    } catch (error) {
      await say({ id, kind: "fail", error: String(error) });
    } finally {
      open.delete(id);
    }
  };
}
