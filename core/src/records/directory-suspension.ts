import type { Fields } from './registry.js';
import type { Suspension } from './suspension.js';

/** A sentence of a directory in the reason of a suspension, alone or behind that of somebody else. */
const SAID = /(?:^| )(By directory\/[^\n]{1,300}: (?:not active|removed)\.)$/;
const REASON_MAX = 1024;
/** A reason for a suspension by somebody else who gave none. */
const NO_REASON = 'Suspended.';

/** The reason that a directory gives for a suspension; `owner` is who owns its records: `directory/okta`. */
export function directoryReason(owner: string, why: 'not active' | 'removed'): string {
  return `By ${owner}: ${why}.`;
}

/** The sentence of a directory that suspends a subject beside somebody else; undefined where none does. */
export function besidesOf({ suspension_reason: reason = '' }: Suspension): string | undefined {
  const [, said] = SAID.exec(reason) ?? [];
  return said === reason ? undefined : said;
}

/** The suspension by somebody else, without what a directory says besides. */
export function withoutBesides(suspension: Suspension): Suspension {
  const said = besidesOf(suspension);
  if (said === undefined) return suspension;
  return { ...suspension, suspension_reason: suspension.suspension_reason?.slice(0, -said.length - 1) };
}

/** A suspension by somebody else and by a directory: it ends when neither suspends any more. */
export function withBesides(suspension: Suspension, said: string): Suspension {
  const { suspension_reason: reason = NO_REASON } = withoutBesides(suspension);
  return { suspended: true, suspension_reason: `${reason.slice(0, REASON_MAX - said.length - 1)} ${said}` };
}

/** The fields of a directory's subject after somebody else has written them: what the directory suspends stays so. */
export function keptByDirectory(present: Fields<'subject'>, fields: Fields<'subject'>): Fields<'subject'> {
  const said = besidesOf(present);
  if (said === undefined) return fields;
  const { suspended, suspended_until, suspension_reason, ...rest } = fields;
  if (!suspended && suspended_until === undefined) return { ...rest, suspended: true, suspension_reason: said };
  return { ...rest, ...withBesides(suspension_reason === undefined ? {} : { suspension_reason }, said) };
}
