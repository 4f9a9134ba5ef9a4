// @ts-check
/**
 * Reads blocks of HTTP requests as lessons have them: web/lesson/format/http.go says what may be in them, and both
 * are tested with testdata/requests.json. Of references, {{name.response.body.a.b[0]["c"]}} is known, not selections
 * of lists.
 */

/**
 * @typedef {object} Request as written: target, header values and body may hold {{references}}
 * @property {string} name "" if it has none
 * @property {string} method
 * @property {string} target
 * @property {[string, string][]} headers
 * @property {string} body
 * @property {number} repeat how often it is sent, with {{$index}} counting from 1
 * @property {string} source
 */

const METHODS = ["GET", "HEAD", "POST", "PUT", "PATCH", "DELETE", "OPTIONS"];
const NAME = /^[A-Za-z][\w-]*$/;
const MAX_REPEAT = 5000;

/** What follows the marks of a comment; null for other lines. @param {string} line */
const comment = (line) => /^(?:\/\/|#+)\s*(.*)$/.exec(line)?.[1] ?? null;

/**
 * @param {string} text
 * @returns {Request[]} empty without one
 * @throws {Error} of a request that is not understood
 */
export function parse(text) {
  /** @type {string[][]} */
  const parts = [[]];
  for (const line of text.replaceAll("\r\n", "\n").split("\n")) {
    if (line.startsWith("###")) parts.push([]);
    parts[parts.length - 1].push(line);
  }
  return parts.map(parseOne).filter((request) => request !== null);
}

/** @param {string[]} lines @returns {Request | null} */
function parseOne(lines) {
  const request = { name: "", method: "GET", target: "", headers: /** @type {[string, string][]} */ ([]), body: "",
    repeat: 1, source: lines.slice(lines[0] === "###" ? 1 : 0).join("\n").trim() };
  let i = 0;
  for (; i < lines.length; i++) {
    const line = lines[i].trim();
    if (!line) continue;
    const note = comment(line);
    if (note === null) break;
    directive(request, line, note);
  }
  if (i === lines.length) {
    if (request.name || request.repeat !== 1) throw new Error(`"${request.name}" has no request line`);
    return null;
  }
  let head = lines[i++].trim();
  while (i < lines.length && /^[ \t]+[?&]/.test(lines[i])) head += lines[i++].trim();
  requestLine(request, head);
  for (; i < lines.length && lines[i].trim(); i++) {
    const line = lines[i].trim();
    if (comment(line) !== null) continue;
    const header = /^([^\s:]+):(.*)$/.exec(line);
    if (!header) throw new Error(`"${line}" is not a header line; a body needs an empty line before it`);
    request.headers.push([header[1], header[2].trim()]);
  }
  request.body = lines.slice(i + 1).join("\n").trim();
  const indexed = [request.target, request.body].some((text) => /\{\{\s*\$index\s*\}\}/.test(text));
  if (request.repeat === 1 && indexed) {
    throw new Error("{{$index}} in a request that is not repeated: put # @repeat N above it");
  }
  if (request.repeat > 1 && isWatch(request.target)) throw new Error("a watch cannot be repeated");
  return request;
}

/** @param {Request} request @param {string} line @param {string} note */
function directive(request, line, note) {
  const [word, ...rest] = note.split(" ");
  const value = rest.join(" ").trim();
  if (word === "@name") {
    if (!NAME.test(value)) {
      throw new Error(`@name "${value}": a name starts with a letter and has letters, digits, - and _`);
    }
    request.name = value;
  } else if (word === "@repeat") {
    request.repeat = /^\d+$/.test(value) ? Number(value) : 0;
    if (request.repeat < 2 || request.repeat > MAX_REPEAT) {
      throw new Error(`@repeat "${value}": a number from 2 to ${MAX_REPEAT} is needed`);
    }
  } else if (word.startsWith("@")) throw new Error(`unknown directive ${word}: there are @name and @repeat`);
  else if (line.startsWith("###") && NAME.test(note)) request.name = note;
}

/** @param {Request} request @param {string} line */
function requestLine(request, line) {
  const words = line.match(/(?:\{\{.*?\}\}|\S)+/g) ?? [];
  if (words.length > 1 && words[words.length - 1].startsWith("HTTP/")) words.pop();
  if (words.length > 2) throw new Error(`"${line}" is not a request line: METHOD /path?query`);
  request.target = words[words.length - 1];
  if (words.length === 2) request.method = words[0];
  if (!METHODS.includes(request.method)) throw new Error(`unknown method "${request.method}"`);
  if (!/^\/(?!\/)/.test(request.target)) {
    throw new Error(`target "${request.target}": a path that starts with / is needed`);
  }
}

/** Whether a target asks for a stream of events. @param {string} target */
export function isWatch(target) {
  const [, query = ""] = target.split(/\?(.*)/s);
  return ["1", "t", "T", "true", "TRUE", "True"].includes(new URLSearchParams(query).get("watch") ?? "");
}

/**
 * Fills references in.
 *
 * @param {Request} request
 * @param {number} index which one of those that are repeated
 * @param {(name: string) => unknown} answer the exchange of that name: {response: {status, headers, body, events}}
 */
export function resolve(request, index, answer) {
  const number = String(index).padStart(String(request.repeat).length, "0");
  /** @param {string} text @param {(value: string) => string} [write] */
  const fill = (text, write = (value) => value) =>
    text.replaceAll(/\{\{(.*?)\}\}/gs, (_, inner) =>
      inner.trim() === "$index" ? number : write(valueOf(inner.trim(), answer)));
  const headers = request.headers.map(([name, value]) => /** @type {[string, string]} */ ([name, fill(value)]));
  const body = fill(request.body);
  if (body && !headers.some(([name]) => name.toLowerCase() === "content-type")) {
    headers.push(["Content-Type", "application/json"]);
  }
  return { method: request.method, target: fill(request.target, encodeURIComponent), headers, body };
}

/** @param {string} reference @param {(name: string) => unknown} answer */
function valueOf(reference, answer) {
  const [, name, path] = /^([A-Za-z][\w-]*)\.(.*)$/.exec(reference) ?? [];
  if (!name) throw new Error(`{{${reference}}} is not of the form {{name.response.body.field}} or {{$index}}`);
  let value = answer(name);
  if (!value) throw new Error(`{{${reference}}}: run "${name}" first`);
  for (const [step, key, quoted, at] of `.${path}`.matchAll(/\.([^.[\]]+)|\[("(?:[^"\\]|\\.)*")\]|\[(-?\d+)\]|./g)) {
    if (key === "$") continue;
    const next = key ?? (quoted ? JSON.parse(quoted) : undefined);
    if (at !== undefined) value = Array.isArray(value) ? value.at(Number(at)) : undefined;
    else if (next === undefined) throw new Error(`{{${reference}}}: ${step} is not known in snippets`);
    else value = /** @type {any} */ (value)?.[next];
  }
  if (value === undefined || value === null) throw new Error(`{{${reference}}}: the answer has no such value`);
  return typeof value === "object" ? JSON.stringify(value) : String(value);
}
