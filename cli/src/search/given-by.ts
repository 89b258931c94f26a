import { provenanceText } from '@authz-service/core/origin/provenance-text';
import type { Address } from '@authz-service/core/records/address';
import { EVERY_TYPE, EVERYONE } from '@authz-service/core/records/everyone';
import { addressOf } from '@authz-service/core/records/registry';
import type { DecisionResponse } from '@authz-service/pdp/contract/decision-response';
import type { ServiceClient } from '@authz-service/sdk/client';
import type { DecisionQuestion, FoundEntity } from '@authz-service/sdk/question';
import type { AuditEntry } from '@authz-service/sdk/wire';
import { moment, printable } from '../output/text.js';
import { shownEntity } from './search-flags.js';

/** A link on the way to a permission, and the change that last said something of it, if the history still has it. */
export interface GivenLink extends Partial<Pick<AuditEntry, 'revision' | 'at' | 'source'>> {
  address: Address;
  /** The name of the credential, or the person, that made the change. */
  by?: string;
}

/** The deciding policy for a subject, and the links through which the subject has it. */
export interface Given extends FoundEntity {
  why?: { policy: string; through: Address[]; links: GivenLink[] };
}

/** Finds who gave subjects what they may do: the links on the way to the deciding policy, with their latest changes. */
export async function givenBy(
  client: Pick<ServiceClient, 'decide' | 'audit'>,
  subjects: readonly FoundEntity[],
  question: Omit<DecisionQuestion, 'subject'>,
  { own, signal }: { own: object; signal: AbortSignal },
): Promise<Given[]> {
  const known = new Map<Address, Promise<GivenLink>>();
  const changeOf = (address: Address): Promise<GivenLink> => {
    const found = known.get(address) ?? latestChange(client, address, signal);
    known.set(address, found);
    return found;
  };
  const given: Given[] = [];
  for (const { type, id } of subjects) {
    const asked = { ...question, subject: { type, id, ...own }, options: { explain: true } } as DecisionQuestion;
    const context = (await client.decide(asked, { signal })).context as DecisionResponse['context'];
    const deciding = context.explanation?.candidates.find(
      ({ policy_id: id, outcome }) => outcome === 'applies' && id === context.policy_id,
    );
    if (deciding === undefined) {
      given.push({ type, id });
      continue;
    }
    const { policy, through, place } = deciding;
    const links = await Promise.all(linksOf(through, policy, place).map(changeOf));
    given.push({ type, id, why: { policy, through, links } });
  }
  return given;
}

async function latestChange(
  client: Pick<ServiceClient, 'audit'>,
  record: Address,
  signal: AbortSignal,
): Promise<GivenLink> {
  for await (const { revision, at, credential, source } of client.audit({ limit: 1, filter: { record }, signal }))
    return { address: record, revision, at, by: credential.name, ...(source && { source }) };
  return { address: record };
}

/** The addresses of the links between each principal and the next, and of that to the policy. */
function linksOf(through: readonly Address[], policy: Address, place: Address | undefined): Address[] {
  return [...through.slice(1), policy].flatMap((to, index) => {
    const [entity_type, entity] = endOf(through[index] ?? '');
    const [kind, path] = endOf(to);
    const fields = { entity_type, entity, [kind]: path };
    if (kind === 'group') return [addressOf('group_membership', fields)];
    if (kind === 'policy') return [addressOf('policy_assignment', fields)];
    // Nothing makes somebody one of everyone, and what a role includes is given by no link.
    if (kind === EVERYONE || entity_type === 'role') return [];
    const on = place === undefined ? {} : { resource: endOf(place)[1] };
    return [addressOf('role_assignment', { ...fields, ...on })];
  });
}

function endOf(address: Address): [kind: string, path: string] {
  if (address === EVERYONE) return [EVERYONE, EVERY_TYPE];
  const slash = address.indexOf('/');
  return [address.slice(0, slash), address.slice(slash + 1)];
}

/** Lines for people: each subject, and below it the links with those who gave them. */
export function renderGiven(given: readonly Given[]): string {
  return given
    .flatMap(({ why, ...subject }) => [
      shownEntity('subject', subject),
      ...(why === undefined ? [] : [`  by ${printable(why.policy)}`, ...why.links.flatMap(linkLines)]),
    ])
    .join('\n');
}

function linkLines({ address, revision, at, by, source }: GivenLink): string[] {
  const head = `  ${printable(address)}`;
  if (revision === undefined || at === undefined) return [head, '    given before the history begins'];
  const words = source === undefined ? '' : provenanceText(source);
  const whom = words === '' ? `by the credential ${by}` : `by ${words}`;
  return [head, `    given ${printable(whom)}, ${moment(at)} (revision ${revision})`];
}
