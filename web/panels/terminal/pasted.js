// @ts-check

/** A prompt before a command, as documents and other terminals show it. */
const PROMPT = /^\s*(?:\[?[\w.-]+@[^$%#❯]*[$%#❯]|[$%❯]) /;

/**
 * The commands of a text that shows a terminal: without prompts, and without what the commands have printed. A text
 * that begins with a command without a prompt shows nothing that was printed: only prompts are taken off.
 *
 * @param {string} text
 * @param {(text: string) => boolean} open whether a command needs more lines
 */
export function unprompted(text, open) {
  const lines = text.split("\n");
  if (!lines.some((line) => PROMPT.test(line))) return text;
  const shown = PROMPT.test(lines.find((line) => /^\s*[^#\s]/.test(line)) ?? "");
  /** @type {string[]} */
  const commands = [];
  let more = false;
  for (const line of lines) {
    const begins = PROMPT.test(line);
    if (shown && !begins && !more && !/^\s*#/.test(line)) continue;
    const own = begins && (shown || !more) ? line.replace(PROMPT, "") : shown ? line.replace(/^> /, "") : line;
    if (more) commands.push(`${commands.pop()}\n${own}`);
    else commands.push(own);
    more = open(commands.at(-1) ?? "");
  }
  return commands.join("\n");
}
