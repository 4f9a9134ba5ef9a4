// Follows the devserver's builds: reloads the page after each, exchanges the
// style sheet when nothing else changed, and shows why a build failed.
(() => {
  const source = new EventSource("/_devserver/reload");
  let lost = false;

  source.addEventListener("open", () => {
    // The server was restarted: so is the page.
    if (lost) location.reload();
  });
  source.addEventListener("error", () => {
    lost = true;
  });
  source.addEventListener("reload", () => location.reload());
  source.addEventListener("styles", () => {
    document.querySelector("#devserver-failure")?.remove();
    for (const old of document.querySelectorAll('link[rel="stylesheet"]')) {
      const link = /** @type {HTMLLinkElement} */ (old.cloneNode());
      const url = new URL(link.href);
      url.searchParams.set("build", String(Date.now()));
      link.href = url.href;
      link.addEventListener("load", () => old.remove());
      old.after(link);
    }
  });
  source.addEventListener("failed", (event) => {
    document.querySelector("#devserver-failure")?.remove();
    const box = document.createElement("pre");
    box.id = "devserver-failure";
    box.role = "alert";
    box.textContent = JSON.parse(/** @type {MessageEvent} */ (event).data);
    Object.assign(box.style, {
      position: "fixed", inset: "auto 0 0 0", maxHeight: "50vh", overflow: "auto", margin: "0", padding: "12px",
      background: "#5c0f16", color: "#fff", font: "12px/1.5 ui-monospace, monospace", zIndex: "2147483647",
      whiteSpace: "pre-wrap",
    });
    document.body.append(box);
  });
})();
