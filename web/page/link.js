// @ts-check
/** The links by which the page was opened, to a room or to something shared. It is a module of its own to run first. */
import { framed } from "../browser/framed.js";
import { takeLink } from "../room/link/link.js";
import { takeShared } from "../share/take.js";

export const link = framed ? null : takeLink(location, history);
export const shared = takeShared(location, history);
