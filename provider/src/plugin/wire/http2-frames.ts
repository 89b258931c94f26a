/** Types and flags of frames (RFC 9113 section 6), and the measures that hold until other ones are agreed on. */
export const FRAME = {
  data: 0,
  headers: 1,
  reset: 3,
  settings: 4,
  pushPromise: 5,
  ping: 6,
  goAway: 7,
  windowUpdate: 8,
  continuation: 9,
} as const;
export const FLAG = { ack: 0x1, endStream: 0x1, endHeaders: 0x4 } as const;

/** Octets before a frame's payload. */
export const FRAME_HEAD = 9;
/** The largest payload. */
export const FRAME_BYTES_MAX = 16_384;
/** How much data the other end takes, for the connection and for each stream. */
export const DEFAULT_WINDOW_BYTES = 65_535;
