// @ts-check
/**
 * Hands a file to the person, as a download.
 *
 * @param {Blob} file
 * @param {string} name
 */
export function download(file, name) {
  const link = document.createElement("a");
  link.href = URL.createObjectURL(file);
  link.download = name;
  link.click();
  setTimeout(() => URL.revokeObjectURL(link.href), 60_000);
}
