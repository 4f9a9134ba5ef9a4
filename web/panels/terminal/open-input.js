// @ts-check
/** Whether an input looks as if more lines were to come, before the shell has said so. @param {string} text */
export function looksOpen(text) {
  const heredoc = /<<-?\s*['"]?(\w+)['"]?/.exec(text);
  if (heredoc) return !text.split("\n").some((line) => line.trim() === heredoc[1]);
  const quotes = text.replace(/\\./g, "").replace(/'[^']*'|"[^"]*"/g, "");
  return /['"]|\\$|\|\s*$/.test(quotes);
}
