import type { JsonObject } from '@authz-service/core/json/json';
import type { Fields } from '@authz-service/core/records/registry';

type Given = JsonObject[string] | undefined;

const at = (ms: number) => new Date(ms).toISOString();

/**
 * For each member that the conditions and modifiers of random tenants read, values on every side of everything that they
 * compare it with; undefined leaves it out. None of them compares two members with each other, so that a policy gives no
 * other outcomes than with these.
 */
export const CONTEXT_VALUES = {
  a: [undefined, 0, 1, 1.5, 2, 3, true, false, 'w', 'x', null],
  b: [undefined, true, false, 0, 1, 'x'],
  s: [undefined, 'w', 'x', 'xx', 'xy', 'xyz', 'y', 1],
  mfa: [undefined, true, false, 'yes'],
  ip: [undefined, '10.0.0.1', '10.0.0.2', '10.1.0.1', '11.0.0.1', 'x'],
  time: [undefined, at(0), at(500), at(501), at(1000), at(1001), at(1499), at(1500), at(2000), 'x'],
} satisfies Record<string, readonly Given[]>;

export type ContextMember = keyof typeof CONTEXT_VALUES;
export const CONTEXT_MEMBERS = Object.keys(CONTEXT_VALUES) as readonly ContextMember[];

const READS: Readonly<Record<ContextMember, RegExp>> = {
  a: /context\.a\b/,
  b: /context\.b\b/,
  s: /context\.s\b/,
  mfa: /context\.mfa\b/,
  ip: /context\.ip\b/,
  time: /\bsince\(/,
};

/** The members of the context that these policies read. */
export function membersOf(policies: Iterable<Guarded>): ContextMember[] {
  const read = new Set<ContextMember>();
  for (const { condition = '', modifiers, unless } of policies) {
    for (const member of CONTEXT_MEMBERS) if (READS[member].test(condition)) read.add(member);
    for (const part of Object.keys({ ...modifiers, ...unless }))
      read.add(part === 'mfa_required' ? 'mfa' : part === 'ip_ranges' ? 'ip' : 'time');
  }
  return [...read].sort();
}

type Guarded = Pick<Fields<'policy'>, 'condition' | 'modifiers' | 'unless'>;

const known = new Map<string, readonly JsonObject[]>();

/** All contexts that make a difference to these policies. */
export function contextsFor(policies: Iterable<Guarded>): readonly JsonObject[] {
  const members = membersOf(policies);
  const key = members.join();
  const contexts = known.get(key) ?? combinationsOf(members);
  known.set(key, contexts);
  return contexts;
}

function combinationsOf(members: readonly ContextMember[]): readonly JsonObject[] {
  let contexts: JsonObject[] = [{}];
  for (const member of members)
    contexts = contexts.flatMap((one) =>
      CONTEXT_VALUES[member].map((value: Given) => (value === undefined ? one : { ...one, [member]: value })),
    );
  return contexts;
}
