// @ts-check
/** The links by which the page was opened, to a room or to something shared. It is a separate module to run first. */
import { framed } from "../browser/framed.js";
import { takeLink } from "../shim/link/link.js";
import { takeShared } from "../panels/share/take.js";

export const link = framed ? null : takeLink(location, history);
export const shared = takeShared(location, history);
