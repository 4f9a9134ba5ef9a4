// What is measured in the page: functions that run in it, and that need nothing from outside of them.

/** The time of a get of 2 KB as the median, in milliseconds. */
export async function gets(quiet) {
  const path = "/api/v1/namespaces/default/configmaps";
  await fetch(path, { method: "POST", headers: { "Content-Type": "application/json" },
    body: JSON.stringify({ metadata: { name: "two-kilobytes" }, data: { k: "x".repeat(1750) } }) });
  const one = async () => (await fetch(path + "/two-kilobytes", { tabernetes: { quiet } })).json();
  for (let i = 0; i < 200; i++) await one();
  // Ten at a time, one after another, since a page's clock is coarse.
  const times = [];
  for (let i = 0; i < 100; i++) {
    const begin = performance.now();
    for (let j = 0; j < 10; j++) await one();
    times.push((performance.now() - begin) / 10);
  }
  return times.sort((a, b) => a - b)[times.length >> 1];
}

/** The time of one get, which one of 100 exceeds. */
export async function slowGets() {
  const times = [];
  for (let i = 0; i < 2000; i++) {
    const begin = performance.now();
    const got = await fetch("/api/v1/namespaces/default/configmaps/two-kilobytes", { tabernetes: { quiet: true } });
    await got.json();
    times.push(performance.now() - begin);
  }
  return times.sort((a, b) => a - b)[times.length * 0.99];
}

/** How many creates a second, by 100 who each ask when their last one is answered. */
export async function createsTogether() {
  const each = 5;
  const begin = performance.now();
  await Promise.all(Array.from({ length: 100 }, async () => {
    for (let i = 0; i < each; i++) {
      const body = JSON.stringify({ metadata: { generateName: "bench-" } });
      const r = await fetch("/api/v1/namespaces/default/configmaps",
        { method: "POST", headers: { "Content-Type": "application/json" }, body, tabernetes: { quiet: true } });
      await r.text();
    }
  }));
  return ((100 * each) / (performance.now() - begin)) * 1000;
}

/** How many creates a second, each asked for when the one before is answered. */
export async function creates(quiet) {
  const path = "/api/v1/namespaces/default/configmaps";
  const many = 100;
  const begin = performance.now();
  for (let i = 0; i < many; i++) {
    const body = JSON.stringify({ metadata: { generateName: "bench-" } });
    const r = await fetch(path,
      { method: "POST", headers: { "Content-Type": "application/json" }, body, tabernetes: { quiet } });
    await r.text();
  }
  return (many / (performance.now() - begin)) * 1000;
}

/** How many writes and flushes a second the worker of the name "bare" makes: see bench.js. */
export async function bare() {
  const workerURL = () => new URL("worker.js", document.querySelector('script[type="module"]').src);
  const worker = (window.bareWorker ??= new Worker(workerURL(), { name: "bare" }));
  const one = () =>
    new Promise((resolve) => {
      worker.onmessage = resolve;
      worker.postMessage("write");
    });
  await one();
  const many = 100;
  const begin = performance.now();
  for (let i = 0; i < many; i++) await one();
  return (many / (performance.now() - begin)) * 1000;
}

/** Many writers, one watch that the lab draws: how much is received and drawn in a second. */
export async function events() {
  const path = "/api/v1/namespaces/default/configmaps";
  const many = 3000;
  const watch = await fetch(path + "?watch=1&labelSelector=bench%3Devents");
  const reader = watch.body.pipeThrough(new TextDecoderStream()).getReader();
  const begin = performance.now();
  const read = (async () => {
    for (let n = 0; n < many; ) {
      const { value, done } = await reader.read();
      if (done) throw new Error("the watch ended early");
      for (let i = -1; (i = value.indexOf("\n", i + 1)) >= 0; ) n++;
    }
    return performance.now() - begin;
  })();
  const writer = async (n) => {
    for (let i = 0; i < n; i++) {
      await fetch(path, { method: "POST", headers: { "Content-Type": "application/json" },
        body: JSON.stringify({ metadata: { generateName: "event-", labels: { bench: "events" } } }),
          tabernetes: { quiet: true } });
    }
  };
  await Promise.all(Array.from({ length: 30 }, () => writer(many / 30)));
  const out = { streamed: (many / (await read)) * 1000 };
  const { metadata } = await (await fetch(path + "?limit=1", { tabernetes: { quiet: true } })).json();
  // The stage shows the newest revision, and says of the lane how many events it has.
  const drawn = () =>
    document.querySelector(".st-big")?.textContent === metadata.resourceVersion &&
    [...document.querySelectorAll(".st-plot[id^=st-plot-w]")].some(
      (lane) => new RegExp(`(?<!\\d)${many} events`).test(lane.getAttribute("aria-label")));
  while (!drawn()) {
    if (performance.now() - begin > 60000) throw new Error("not all was drawn in a minute");
    await new Promise((r) => requestAnimationFrame(r));
  }
  // A commit on the ruler and an event in the lane for each.
  out.drawn = ((2 * many) / (performance.now() - begin)) * 1000;
  await reader.cancel();
  return out;
}
