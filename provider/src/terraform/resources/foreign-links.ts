import { grantedBy } from '@authz-service/core/limits/foreign-link';
import type { Context } from '../framework/provider.js';
import type { Values } from '../framework/value.js';
import type { Service } from './service.js';

/** More than these are counted. */
const NAMED_MAX = 20;

/** The resource that owns all grants of a record, by the record's kind. */
const SETS: { readonly [kind: string]: string } = {
  role: 'service_role_holders',
  policy: 'service_policy_assignees',
  group: 'service_group_members',
};

/** Names in the plan what other stacks grant of a record of this stack, which no resource of this configuration says. */
export async function warnOfForeignLinks(
  service: Service,
  { address, managed_by: owner }: Values,
  context: Context,
): Promise<void> {
  const set = SETS[String(address).split('/')[0] ?? ''];
  if (set === undefined || owner !== service.stack) return;
  const mentions = (await service.mentions(context.signal)).get(String(address)) ?? [];
  const links = mentions
    .map(({ by }) => by)
    .filter((by) => by.managed_by !== service.stack && grantedBy(by) === address)
    .sort((left, right) => (left.address < right.address ? -1 : 1));
  if (links.length === 0) return;
  const lines = links.slice(0, NAMED_MAX).map((by) => `  ! ${by.address}, which belongs to "${by.managed_by}"`);
  if (links.length > NAMED_MAX) lines.push(`  … and ${links.length - NAMED_MAX} more`);
  const detail = `This configuration does not say so:\n${lines.join('\n')}\nThey are left alone, unless a ${set} of this configuration owns all of them: it removes what it does not list.`;
  context.report({ severity: 'warning', summary: `"${String(address)}" is granted by other stacks`, detail });
}
