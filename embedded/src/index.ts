export { type EmbeddedEvents, EmbeddedPdp } from './embedded-pdp.js';
export type { LocalDecideOptions } from './local-decision-point.js';
export type { Logger } from './log.js';
export type { EmbeddedOptions } from './options.js';
export type { StatusReport } from './status.js';
