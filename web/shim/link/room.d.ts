/** The room that the page is in, as it is remembered and as links name it. */

/** A cluster that several people share. */
export interface Room {
  /** The URL that the API's paths are relative to; it ends with a slash. */
  base: string;
  /** A member's token, or that of an invitation, which lets somebody join. */
  token: string;
  /** The member's name; "" while the token is an invitation's. */
  name: string;
  /** The member shows teachers how far its lessons are. */
  share?: boolean;
  /** The member shows its view to the others. */
  shows?: boolean;
  /** The member's link back was copied, or it came by it. */
  copied?: boolean;
  /** The invitations that this tab has made: their tokens are shown once. */
  links?: { name: string; role: string; token: string; created: string }[];
}

/** What a link names; without a base it asks for the dialog that opens a room, and "?" is no room's. */
export type RoomLink = Pick<Room, "base" | "token">;
