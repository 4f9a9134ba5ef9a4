// @ts-check
/** The link to a room by which the page was opened. It is a module of its own so that it runs first. */
import { takeLink } from "../room/link/link.js";

export const link = takeLink(location, history);
