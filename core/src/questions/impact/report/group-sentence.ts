import { splitAddress, typeOfResource } from '../../../records/address.js';
import type { ReportedFinding } from './access-report.js';
import type { FindingGroup, GroupLink, RareSubject } from './finding-groups.js';
import { amount, listed, type Phrase, phrase, plural } from './phrase.js';
import { actions, conditions, resources, span, verbOf } from './sentence.js';

/** Types of subjects that are people. */
const PEOPLE: ReadonlySet<string> = new Set(['user', 'person', 'people', 'employee', 'human', 'member', 'staff']);

/**
 * A group of findings as one sentence: "500 people became crm/lead on one crm/account each, 200 in all, and may now read
 * it". `first` is one of its findings.
 */
export function groupSentence(group: FindingGroup, first: ReportedFinding): { who: Phrase; does: Phrase } {
  const { link } = group;
  const [one] = first.resources;
  const alone = first.resources.length === 1 && one?.which === 'named';
  const where: Phrase = alone ? onEach(group, one.type) : resources(first);
  const verb = verbOf(first);
  const rest = phrase(conditions(first), span(first), stackOf(group));
  if (link === undefined || (link.place_type !== undefined && !alone))
    return { who: people(group), does: phrase(verb, actions(first), ' ', where, rest) };
  if (link.place_type === undefined)
    return {
      who: people(group),
      does: phrase(linkVerb(link), ' and', verb, actions(first), ' ', where, rest),
    };
  const it = group.each[1] === 1 ? ' it' : ' these';
  return { who: people(group), does: phrase(linkVerb(link), ' on ', where, ', and', verb, actions(first), it, rest) };
}

/** The stack whose records do it, where other stacks do something else. */
function stackOf({ stack }: FindingGroup): Phrase {
  return stack === undefined ? [] : phrase(', by the stack ', { name: stack });
}

/** `500 people`, `12 subjects (10 user, 2 robot)`. */
function people({ subjects }: FindingGroup): Phrase {
  const types = Object.entries(subjects).sort(([, left], [, right]) => right - left);
  const all = types.reduce((sum, [, count]) => sum + count, 0);
  if (types.every(([type]) => PEOPLE.has(type))) return [all === 1 ? 'one person' : `${amount(all)} people`];
  const [only] = types;
  if (only !== undefined && types.length === 1)
    return phrase(`${plural(all, 'subject')} of the type `, { name: only[0] });
  const each = types.map(([type, count]): Phrase => phrase(`${amount(count)} `, { name: type }));
  return phrase(`${plural(all, 'subject')} (`, listed(each), ')');
}

/** `one crm/account each, 200 in all`. */
function onEach({ resources: all, each: [least, most] }: FindingGroup, type: string): Phrase {
  if (all === most && least === most)
    return phrase(all === 1 ? 'the same ' : `the same ${amount(all)} `, { name: type });
  const number = least === most ? (most === 1 ? 'one' : amount(most)) : `${amount(least)} to ${amount(most)}`;
  return phrase(`${number} `, { name: type }, ` each, ${amount(all)} in all`);
}

function linkVerb({ change, grants }: GroupLink): Phrase {
  const { kind, path } = splitAddress(grants);
  const added = change === 'added';
  if (kind === 'role') return phrase(added ? ' became ' : ' are no longer ', { name: path });
  if (kind === 'group') return phrase(added ? ' were added to ' : ' were removed from ', { name: grants });
  return phrase(added ? ' were given ' : ' no longer have ', { name: grants });
}

/** The kinds of changes that bring a group, where they are not the same for all of it. */
export function groupCause(findings: readonly ReportedFinding[]): Phrase {
  const kinds = new Map<string, Phrase>();
  for (const { address, change } of findings.flatMap(({ causes: [cause = []] }) => cause)) {
    const [what = '', whom, place] = address.split('//');
    const { kind, path } = splitAddress(what);
    if (whom === undefined) {
      if (kind !== 'subject' && kind !== 'resource') kinds.set(address, phrase({ name: address }, ` was ${change}`));
      continue;
    }
    const granted = `${kind.replace(/_(?:assignment|membership)$/, '')}/${path}`;
    const where: Phrase = place === undefined ? [] : [' on ', { name: typeOfResource(place) }];
    const verb = { added: ' was given', changed: ' was given for another time', removed: ' was taken away' }[change];
    kinds.set(JSON.stringify([granted, change, where]), phrase({ name: granted }, verb, where));
  }
  return listed([...kinds.values()], 3);
}

/** Whether all subjects of a group share type, number of resources and past, so that none is rarer than another. */
export function isUniform({ rarest, subjects }: FindingGroup): boolean {
  return rarest.every(({ alike }) => alike === total(subjects));
}

/** Explains which subjects of a group are named, and by what they were chosen. */
export function rarestTitle(group: FindingGroup): string {
  const { rarest, subjects } = group;
  const all = total(subjects);
  const [first] = rarest;
  if (isUniform(group) && first !== undefined) {
    const shown = rarest.length === all ? '' : `; ${rarest.length} of them`;
    return `All ${amount(all)} are of one type, have as many resources each, and ${pastOf(first)}${shown}`;
  }
  if (rarest.length === all) return `All ${amount(all)}, those first whose type, number of resources and past are rare`;
  return `The ${rarest.length} of ${amount(all)} whose type, number of resources and past together are the rarest`;
}

function total(subjects: FindingGroup['subjects']): number {
  return Object.values(subjects).reduce((sum, count) => sum + count, 0);
}

function pastOf({ newcomer }: RareSubject): string {
  return newcomer
    ? 'held no role or policy of this application before'
    : 'held a role or policy of this application before';
}

/** `user/mallory: crm/account/A-1, crm/account/A-2 and 10 more; held a role or policy of …; nobody else like this`. */
export function rareLine(group: FindingGroup, one: RareSubject): Phrase {
  const { subject, resources: count, first, alike } = one;
  const more = count - first.length;
  const names = [...first.map((name): Phrase => [{ name }]), ...(more > 0 ? [[`${amount(more)} more`]] : [])];
  const where = listed(names, names.length);
  if (isUniform(group)) return phrase({ name: subject }, ': ', where);
  const others = alike === 1 ? 'nobody else like this' : `${amount(alike)} like this`;
  return phrase({ name: subject }, ': ', where, `; ${pastOf(one)}; ${others}`);
}
