// @ts-check

/** A prompt before a command, as documents and other terminals show it. */
const PROMPT = /^\s*(?:\[?[\w.-]+@[^$%#❯]*[$%#❯]|[$%❯]) /;

/**
 * The commands of a text that shows a terminal: without prompts, and without what the commands have printed. A text
 * without a prompt is as it was.
 *
 * @param {string} text
 * @param {(text: string) => boolean} open whether a command needs more lines
 */
export function unprompted(text, open) {
  const lines = text.split("\n");
  if (!lines.some((line) => PROMPT.test(line))) return text;
  /** @type {string[]} */
  const commands = [];
  let more = false;
  for (const line of lines) {
    const begins = PROMPT.test(line);
    if (!begins && !more && !/^\s*#/.test(line)) continue;
    const own = begins ? line.replace(PROMPT, "") : line.replace(/^> /, "");
    if (more) commands.push(`${commands.pop()}\n${own}`);
    else commands.push(own);
    more = open(commands.at(-1) ?? "");
  }
  return commands.join("\n");
}
