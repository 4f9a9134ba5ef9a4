// @ts-check
// A request as an http block, as lessons have them: the lab itself copies curl and fetch.

/** What every client sends by itself. */
const OWN = /^(user-agent|content-length|accept-encoding|host|connection|origin|referer|kubectl-.*)$/i;

/** @param {import("./explain/request.js").Asked} r */
export function httpBlock(r) {
  const headers = r.headers.filter(([name, value]) => !OWN.test(name) && !(/^accept$/i.test(name) && value === "*/*"));
  const lines = [`${r.method} ${r.url}`, ...headers.map(([name, value]) => `${capitals(name)}: ${value}`)];
  return lines.join("\n") + (r.body ? `\n\n${r.body}` : "") + "\n";
}

/** @param {string} name */
const capitals = (name) => name.replace(/(^|-)[a-z]/g, (s) => s.toUpperCase());
