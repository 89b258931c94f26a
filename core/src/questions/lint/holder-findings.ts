import { append } from '../../collections/append.js';
import { type Address, address } from '../../records/address.js';
import { assigneeOf } from '../../records/everyone.js';
import { type DeclaredRecord, referencesOf } from '../../records/registry.js';
import type { LintFinding } from './lint-finding.js';

type Role = DeclaredRecord<'role'>;

/** Policies, roles and groups that nobody has, and links that have ended. */
export function holderFindings(records: readonly DeclaredRecord[], now: number): LintFinding[] {
  const roles = new Map(records.flatMap((record) => (record.kind === 'role' ? [[record.address, record]] : [])));
  /** Policies and roles by whom they are given to, and members by group, while they count or will. */
  const given = new Map<Address, Address[]>();
  const members = new Map<Address, Address[]>();
  const assigned = new Set<Address>();
  const mentioned = new Set<Address>();
  const findings: LintFinding[] = [];
  for (const record of records) {
    const { kind, address: own, fields } = record;
    if (kind !== 'policy_assignment' && kind !== 'role_assignment' && kind !== 'group_membership') {
      for (const { target } of kind === 'role' ? [] : referencesOf(kind, fields)) mentioned.add(target);
      continue;
    }
    const { expires_at } = fields;
    if (expires_at !== undefined && Date.parse(expires_at) <= now) {
      const detail = `ended at ${expires_at} and no longer counts: take it out, or name a moment to come.`;
      findings.push({ rule: 'expired-link', certainty: 'proven', address: own, pointer: '/expires_at', detail });
      continue;
    }
    if (kind === 'group_membership') append(members, address('group', fields.group), assigneeOf(fields));
    else if (kind === 'policy_assignment') {
      assigned.add(address('policy', fields.policy));
      append(given, assigneeOf(fields), address('policy', fields.policy));
    } else append(members, address('role', fields.role), assigneeOf(fields));
  }
  for (const role of roles.values())
    for (const included of role.fields.includes ?? []) append(members, address('role', included), role.address);

  for (const record of records) {
    if (record.kind === 'policy' && !assigned.has(record.address)) findings.push(unassigned(record));
    else if (record.kind === 'group' && !hasSubjects(record.address)) {
      const detail = 'has no subjects, directly or through other groups: add members, or remove the group.';
      findings.push({ rule: 'empty-group', certainty: 'proven', address: record.address, detail });
    } else if (record.kind === 'role') findings.push(...ofRole(record));
  }
  return findings;

  function ofRole(role: Role): LintFinding[] {
    const { address: own, fields } = role;
    if (!givesAnything(own) && !mentioned.has(own)) {
      const certainty = isShared(fields) ? 'suspected' : 'proven';
      const detail = 'has no policies, and no condition asks for it: assign policies to it, or remove it.';
      return [{ rule: 'unused-role', certainty, address: own, detail }];
    }
    if (hasHolders(own)) return [];
    const named = fields.from_requests !== false;
    const certainty = named || isShared(fields) ? 'suspected' : 'proven';
    const rest = named ? ', unless requests name it: say so in a comment, or assign it.' : ': assign it, or remove it.';
    return [{ rule: 'holderless-role', certainty, address: own, detail: `is held by nobody${rest}` }];
  }

  function hasSubjects(group: Address): boolean {
    return reached(group).some((one) => one.startsWith('subject/'));
  }

  function hasHolders(role: Address): boolean {
    return reached(role).some((one) => /^(?:subject|everyone)\//.test(one));
  }

  /** All that are in a group or hold a role, through others as well. */
  function reached(from: Address): Address[] {
    const found = new Set([from]);
    for (const one of found) for (const member of members.get(one) ?? []) found.add(member);
    return [...found];
  }

  function givesAnything(role: Address): boolean {
    const found = new Set([role]);
    for (const one of found) {
      if (given.has(one) || (one !== role && mentioned.has(one))) return true;
      for (const included of roles.get(one)?.fields.includes ?? []) found.add(address('role', included));
    }
    // What includes it is of other records; what it includes may be declared elsewhere.
    return [...found].some((one) => !roles.has(one));
  }
}

function unassigned({ address: own, fields }: DeclaredRecord<'policy'>): LintFinding {
  const certainty = isShared(fields) ? 'suspected' : 'proven';
  const detail = 'is assigned to nobody: assign it, or remove it.';
  return { rule: 'unassigned-policy', certainty, address: own, detail };
}

/** Others may use what is shared with them. */
function isShared({ shared_with = [] }: { shared_with?: readonly string[] | undefined }): boolean {
  return shared_with.length > 0;
}
