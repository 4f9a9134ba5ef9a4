// @ts-check
/**
 * The address follows what one looks at: the revision that is travelled to, and the object or revision that is
 * chosen, as in #lesson-paging-2&at=31&see=pods/default/web. What comes before them, the place, belongs to the course,
 * to scenes and to rooms. So back, forward, bookmarks and a reload lead to what was seen.
 *
 * @typedef {{revision?: number, selected?: string}} View as in web/room
 */

/** How long a view lasts before it counts as a place to come back to, in milliseconds. */
const SETTLED = 1500;

/** How long changes are waited for, in milliseconds: browsers allow few of them in a row. */
const PAUSE = 250;

/**
 * Divides a fragment, with its #, into the place and the view. A revision that is not a number is left out.
 *
 * @param {string} hash
 * @returns {{place: string, view: View}}
 */
export function divide(hash) {
  /** @type {View} */
  const view = {};
  const rest = [];
  for (const part of hash.replace(/^#/, "").split("&")) {
    const [name, value] = [part.slice(0, 3), part.slice(3)];
    if (name === "at=" && /^[1-9]\d{0,14}$/.test(value)) view.revision = Number(value);
    else if (part.startsWith("see=")) view.selected = decoded(part.slice(4));
    else if (part && name !== "at=") rest.push(part);
  }
  return { place: rest.join("&"), view };
}

/** @param {string} text */
function decoded(text) {
  try {
    return decodeURIComponent(text).slice(0, 600);
  } catch {
    return "";
  }
}

/**
 * The fragment of a place and a view, with its #; empty if there is neither.
 *
 * @param {string} place
 * @param {View} view
 */
export function fragment(place, { revision, selected }) {
  // A revision that is travelled to is chosen as well.
  if (selected === `rev-${revision}`) selected = "";
  const parts = [place, revision ? `at=${revision}` : "", selected ? `see=${encodeURIComponent(selected)}` : ""];
  const text = parts.filter(Boolean).join("&").replace(/%2F/g, "/").replace(/%3A/g, ":");
  return text && "#" + text;
}

/** What kind of view it is. @param {View} view */
const kind = ({ revision, selected }) => `${Boolean(revision)} ${selected ?? ""}`;

/**
 * Keeps the address and the view the same. Returns changed, to be called when the view may be another one, and
 * setPlace.
 *
 * @param {Pick<Window, "location" | "history" | "addEventListener" | "setTimeout">} window
 * @param {() => View | null} look what is looked at; null: a cluster that an address cannot name
 * @param {(view: View) => void} show
 * @param {() => number} now in milliseconds
 */
export function followView({ location, history, addEventListener, setTimeout }, look, show, now) {
  let since = -Infinity;
  let due = false;
  /** @param {string} hash @param {"pushState" | "replaceState"} how */
  const write = (hash, how) => {
    try {
      history[how]({ view: true }, "", hash || location.pathname + location.search);
    } catch {
      // too often: the next one tries again
    }
  };
  const update = () => {
    due = false;
    const view = look();
    if (!view) return;
    const { place, view: before } = divide(location.hash);
    const hash = fragment(place, view);
    if (hash === fragment(place, before)) return;
    // Where one only passes by, as a playhead that is dragged does, is no place to come back to.
    write(hash, kind(view) !== kind(before) || now() - since > SETTLED ? "pushState" : "replaceState");
    since = now();
  };
  const { view } = divide(location.hash);
  write(location.hash, "replaceState");
  if (view.revision || view.selected) show(view);
  addEventListener("popstate", (event) => {
    const { place, view } = divide(location.hash);
    if (!event.state && !view.revision && !view.selected) {
      // A link to a place: it leaves the view as it is.
      return write(fragment(place, look() ?? {}), "replaceState");
    }
    if (!event.state) write(location.hash, "replaceState");
    if (fragment("", view) !== fragment("", look() ?? {})) show(view);
  });
  return {
    changed() {
      if (due) return;
      due = true;
      setTimeout(update, PAUSE);
    },
    /** Changes the place without going there. @param {string} hash */
    setPlace(hash) {
      write(fragment(divide(hash).place, divide(location.hash).view), "replaceState");
    },
  };
}
