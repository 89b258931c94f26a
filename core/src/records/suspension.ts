import type { Fields } from './registry.js';

export type Suspension = Pick<Fields<'subject'>, 'suspended' | 'suspended_until' | 'suspension_reason'>;

/** The fields of a subject that say whether it is suspended, and nothing else of it. */
export function suspensionOf({ suspended, suspended_until, suspension_reason }: Suspension): Suspension {
  return {
    ...(suspended !== undefined && { suspended }),
    ...(suspended_until !== undefined && { suspended_until }),
    ...(suspension_reason !== undefined && { suspension_reason }),
  };
}

/** Whether a subject is suspended at a moment, in milliseconds since the epoch (docs/semantics.md 2.6). */
export function isSuspendedAt({ suspended, suspended_until: until }: Suspension, now: number): boolean {
  return suspended === true || (until !== undefined && !(Date.parse(until) <= now));
}

/** Whether a declaration says whether the subject is suspended. */
export function saysSuspension({ suspended, suspended_until }: Suspension): boolean {
  return suspended !== undefined || suspended_until !== undefined;
}

/** The fields as they are stored: a subject that is not suspended says nothing of it. */
export function withoutFalse(fields: Fields<'subject'>): Fields<'subject'> {
  const { suspended, ...rest } = fields;
  return suspended === false ? rest : fields;
}

/**
 * The fields that a declared subject shall have: a suspension that the declaration says nothing of stays as it is. See
 * docs/yaml.md, Suspended subjects.
 */
export function keptSuspension(declared: Fields<'subject'>, present: Suspension | undefined): Fields<'subject'> {
  if (present === undefined || saysSuspension(declared)) return withoutFalse(declared);
  return { ...declared, ...suspensionOf(present) };
}
