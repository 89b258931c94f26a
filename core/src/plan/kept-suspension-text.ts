import type { KeptSuspension } from './plan.js';

/** A suspension that a plan leaves: `subject/user/alice stays suspended: Lost a laptop.` */
export function keptSuspensionText({ address, suspended_until: until, suspension_reason }: KeptSuspension): string {
  const end = until === undefined ? '' : ` until ${until}`;
  return `${address} stays suspended${end}${suspension_reason === undefined ? '.' : `: ${suspension_reason}`}`;
}
