// @ts-check
/**
 * The room that the page is in: a cluster on a server that several people share. It is remembered for as
 * long as the tab's session lasts, its token with it. A link to a room has the token in its fragment,
 * which no server gets; it is taken off the address before anything else can read it.
 *
 * @import { Room, RoomLink } from "./room"
 */

const KEY = "tabernetes.room";

/** An id of a room, as its server chooses it. */
const ID = /^[0-9a-f]{10}$/;

/**
 * The room of a link's fragment; null if that is no link.
 *
 * @param {string} hash of the address, with the #
 * @param {string} origin of the page
 * @returns {RoomLink | null}
 */
export function parseLink(hash, origin) {
  if (hash === "#rooms") return { base: "", token: "" };
  const said = new URLSearchParams(hash.slice(1));
  const room = said.get("room");
  if (room === null) return null;
  const base = ID.test(room) ? new URL(`/rooms/${room}/`, origin).href : room;
  const token = said.get("token") ?? "";
  return { base: isBase(base) ? base : "?", token: /^[\w.~+/-]+=*$/.test(token) ? token : "" };
}

/** @param {unknown} base */
function isBase(base) {
  if (typeof base !== "string" || !/^https?:\/\/[^?#]*\/$/.test(base)) return false;
  try {
    return new URL(base).href === base;
  } catch {
    return false;
  }
}

/**
 * Takes a link to a room off the address, and returns the room.
 *
 * @param {Pick<Location, "hash" | "origin" | "pathname" | "search">} location
 * @param {Pick<History, "replaceState" | "state">} history
 * @returns {RoomLink | null}
 */
export function takeLink(location, history) {
  const link = parseLink(location.hash, location.origin);
  if (link) history.replaceState(history.state, "", location.pathname + location.search);
  return link;
}

/**
 * The fragment of a link to a room, for pages of an origin.
 *
 * @param {string} base of the room
 * @param {string} token
 * @param {string} origin
 */
export function linkTo(base, token, origin) {
  const path = base.startsWith(origin + "/rooms/") ? base.slice(origin.length + "/rooms/".length, -1) : "";
  return `#room=${ID.test(path) ? path : base}&token=${token}`;
}

/** Where the room is remembered. */
export class RoomMemory {
  /** @param {Pick<Storage, "getItem" | "setItem">} storage of which an empty item counts as none */
  constructor(storage) {
    this.storage = storage;
  }

  /** @returns {Room | null} */
  read() {
    try {
      const room = JSON.parse(this.storage.getItem(KEY) || "null");
      return room && isBase(room.base) && typeof room.token === "string" ? room : null;
    } catch {
      return null;
    }
  }

  /** @param {Room | null} room */
  write(room) {
    this.storage.setItem(KEY, room ? JSON.stringify(room) : "");
  }
}

/**
 * A request as it is sent to a room. It has the member's token, unless it names another user.
 *
 * @param {Room} room
 * @param {URL} url of the request, as the page makes it
 * @param {Request} request
 * @param {ArrayBuffer | null} body
 */
export function toRoom(room, url, request, body) {
  const headers = new Headers(request.headers);
  if (!headers.has("authorization")) headers.set("authorization", "Bearer " + room.token);
  const { method, redirect, keepalive, signal } = request;
  // Firefox has a request wait for another of the same URL that may end up in its cache, also a stream of another tab.
  const cache = request.cache === "default" ? "no-store" : request.cache;
  const target = room.base + url.pathname.slice(1) + url.search;
  return new Request(target,
    { method, headers, body, cache, redirect, keepalive, signal, credentials: "omit", referrerPolicy: "no-referrer" });
}
