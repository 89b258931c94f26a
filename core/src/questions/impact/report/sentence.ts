import { splitAddress } from '../../../records/address.js';
import { EVERY_TYPE, everyoneType } from '../../../records/everyone.js';
import type {
  CauseRecord,
  Finding,
  FindingChange,
  FindingPrincipal,
  FindingResources,
  FindingSubjects,
} from '../api/finding.js';
import { conditionWords } from './condition-words.js';
import { compareConjuncts } from './conjuncts.js';
import { amount, listed, named, type Phrase, phrase, plural } from './phrase.js';

/** Words for findings, before their sentences. */
export const LABELS: { readonly [C in FindingChange]: string } = {
  gained: 'New',
  lost: 'Gone',
  widened: 'Wider',
  narrowed: 'Narrower',
  changed: 'Different',
  unknown: 'Unclear',
};

/** Names of resources in a sentence. */
const NAMES_MAX = 3;

const VERBS: { readonly [C in FindingChange]: string } = {
  gained: ' may now ',
  lost: ' may no longer ',
  widened: ' may now ',
  narrowed: ' may now ',
  changed: ' may now ',
  unknown: ' may now ',
};

/** How the cases compare where access depends on the request. */
const CASES: { readonly [C in FindingChange]: string } = {
  gained: '',
  lost: '',
  widened: ' in more cases',
  narrowed: ' in fewer cases only',
  changed: ' in other cases',
  unknown: ', perhaps in more cases',
};

/**
 * A finding for somebody who did not write the change: "All 27 members of group/finance may now approve any
 * billing/invoice, recorded (1,340) or not, if resource.properties.amount < 10000".
 */
export function sentence(finding: Finding): { who: Phrase; does: Phrase } {
  const does = phrase(verbOf(finding), actions(finding), ' ', resources(finding), conditions(finding), span(finding));
  return { who: subjects(finding.subjects), does };
}

/** The word before the sentence of a finding: what is lost but for some cases is not gone. */
export function labelOf(finding: Finding): string {
  return LABELS[staysIf(finding) === undefined ? finding.change : 'narrowed'];
}

/** ` may now `, ` may no longer `. */
export function verbOf(finding: Finding): string {
  const verb = staysIf(finding) === undefined ? VERBS[finding.change] : ' may now ';
  // What begins later is not there now.
  return finding.from === null ? verb : verb.replace(' now ', ' ');
}

function subjects({ principals, unrecorded, named_role: role, ...named }: FindingSubjects): Phrase {
  const whom: Phrase = role === undefined ? [] : [' whom a request names as ', { name: role }];
  if (role !== undefined && principals.length === 0) {
    const { named_types: types, named_types_except: except = [] } = named;
    const who =
      types === undefined
        ? ['Anybody']
        : phrase(
            'Any ',
            listed(
              types.map((name): Phrase => [{ name }]),
              5,
              'or',
            ),
          );
    const others = except.map((name): Phrase => [{ name }]);
    const but = except.length === 0 ? [] : phrase(', but nobody of the type ', listed(others, 5, 'or'), ',');
    return phrase(who, whom, but);
  }
  const everyone = new Set(principals.flatMap(({ principal }) => everyoneType(principal) ?? []));
  const strangers =
    everyone.has(EVERY_TYPE) && unrecorded.includes(EVERY_TYPE) ? [] : unrecorded.filter((type) => !everyone.has(type));
  const all = [
    ...principals.map((one) => principalPhrase(one, unrecorded)),
    ...strangers.map(
      (type): Phrase =>
        type === EVERY_TYPE ? ['subjects of any other type'] : ['any ', { name: type }, ' that has no record'],
    ),
  ];
  const [first = '', ...rest] = listed(all);
  const start = typeof first === 'string' ? first.charAt(0).toUpperCase() + first.slice(1) : first;
  return phrase([start], rest, whom);
}

function principalPhrase(
  { principal, subjects, of, directly }: FindingPrincipal,
  unrecorded: readonly string[],
): Phrase {
  const type = everyoneType(principal);
  const recorded = `${subjects === of ? '' : `${amount(subjects)} of `}${amount(of)} recorded`;
  if (type === EVERY_TYPE) {
    if (unrecorded.includes(EVERY_TYPE)) return [`everyone (${recorded}, and any without a record)`];
    return [`${subjects === of ? 'all' : `${amount(subjects)} of the`} ${amount(of)} recorded subjects`];
  }
  if (type !== undefined) {
    const strangers = unrecorded.includes(type) ? ', and any without a record' : '';
    if (subjects === of || strangers !== '')
      return phrase('everyone of the type ', { name: type }, ` (${recorded}${strangers})`);
    return phrase(`${recorded} of the type `, { name: type });
  }
  if (principal.startsWith('subject/')) return [{ name: splitAddress(principal).path }];
  if (of === 0) return phrase('members of ', { name: principal }, ' (nobody yet)');
  const group = principal.startsWith('group/') ? 'member' : 'holder';
  const whole = ['', `the only ${group} of `, `both ${group}s of `][of] ?? `all ${amount(of)} ${group}s of `;
  const who = subjects === of ? whole : `${amount(subjects)} of the ${amount(of)} ${group}s of `;
  return phrase(who, { name: principal }, directly === subjects ? '' : ` (${amount(directly)} directly)`);
}

export function actions({ actions: all, actions_except: except = [] }: Finding): Phrase {
  if (!all.includes('*')) return named(all);
  return phrase('do anything', except.length === 0 ? '' : phrase(' but ', named(except)), ' with');
}

export function resources({ resources: all }: Finding): Phrase {
  // A few that are named stand in one list with the others.
  const alone = ({ which, below, among_others, not_below = [], recorded, names = [] }: FindingResources) =>
    which === 'named' && !below && !among_others && not_below.length === 0 && recorded === names.length;
  const flat = all.flatMap((of) =>
    alone(of) ? (of.names ?? []).map((name): Phrase => [{ name }]) : [resourcePhrase(of)],
  );
  return listed(all.length > 1 && flat.length <= NAMES_MAX + 1 ? flat : all.map(resourcePhrase), NAMES_MAX);
}

const UNLESS_PLACED = ' (not where the request says that it lies below ';

function resourcePhrase(of: FindingResources): Phrase {
  const {
    type,
    which,
    below,
    and_below: more = [],
    not_below: except = [],
    among_others: among,
    names = [],
    recorded,
  } = of;
  const places = below === undefined ? [] : [below, ...more].map((name): Phrase => [{ name }]);
  if (among) places.push([places.length === 0 ? 'one or several others' : 'others']);
  const where = phrase(
    places.length === 0 ? '' : phrase(' below ', listed(places)),
    except.length === 0
      ? ''
      : phrase(which === 'named' ? UNLESS_PLACED : ' (not those below ', named(except, NAMES_MAX), ')'),
  );
  switch (which) {
    case 'all':
      return phrase('any ', { name: type }, recorded === 0 ? '' : ` (${amount(recorded)} recorded, and others)`, where);
    case 'recorded':
      return recorded === 1
        ? phrase('the only recorded ', { name: type }, where)
        : phrase(`all ${amount(recorded)} recorded `, { name: type }, where);
    case 'unrecorded':
      if (names.length > 0)
        return phrase(listedNames(names, names.length), ' where the request says that it lies', where);
      return phrase('any ', { name: type }, where, ' that has no record');
    case 'nowhere':
      if (names.length > 0)
        return phrase(listedNames(names, names.length), ' where the request says that it lies below nothing');
      return phrase('any ', { name: type }, ' that has no record and lies below nothing');
    case 'unsaid':
      if (names.length > 0)
        return phrase(listedNames(names, recorded), ' where the request does not say where it lies');
      if (below !== undefined)
        return phrase('any ', { name: type }, where, ' that has no record and of which nobody says where else it lies');
      return phrase('any ', { name: type }, ' that has no record and of which nobody says where it lies');
    case 'named':
      return phrase(listedNames(names, recorded), where);
  }
}

function listedNames(names: readonly string[], all: number): Phrase {
  const shown = names.slice(0, NAMES_MAX);
  const rest = all - shown.length;
  return listed([...shown.map((name): Phrase => [{ name }]), ...(rest > 0 ? [[`${amount(rest)} more`]] : [])]);
}

/** The condition under which what a finding calls lost stays possible. */
function staysIf({ change, condition }: Finding): string | undefined {
  return change === 'lost' ? (condition ?? undefined) : undefined;
}

export function conditions(finding: Finding): Phrase {
  const { change, condition, condition_before: before } = finding;
  const stays = staysIf(finding);
  if (stays !== undefined && before === undefined) return phrase(' only ', conditionWords(stays));
  const cases = CASES[stays === undefined ? change : 'narrowed'];
  const start = `${cases}${cases === '' ? ', ' : ': '}`;
  if (before === undefined) return condition === null ? [cases] : phrase(start, conditionWords(condition));
  const earlier = phrase(' (without this change: ', conditionWords(before), ')');
  if (condition === null) {
    return phrase(change === 'gained' || change === 'widened' ? ' in any case' : cases, earlier);
  }
  const { shared, after: now, before: was } = compareConjuncts(condition, before);
  if (shared === undefined) return phrase(start, conditionWords(condition), earlier);
  if (now === undefined && was !== undefined)
    return phrase(start, conditionWords(shared), ' (without this change: only ', conditionWords(was), ', too)');
  const differs =
    now &&
    phrase(conditionWords(now), was === undefined ? '' : phrase(' (without this change: ', conditionWords(was), ')'));
  return phrase(start, differs === undefined ? '' : phrase(differs, '; as before only '), conditionWords(shared));
}

export function span({ from, until }: Finding): string {
  const begins = from === null ? '' : `, from ${instant(from)}`;
  if (until === null) return begins === '' ? '' : `${begins} on`;
  return `${begins}${begins === '' ? ',' : ''} until ${instant(until)}`;
}

/** `2030-01-31 10:00 UTC`; seconds only where there are any. */
export function instant(time: string): string {
  const [, day, minute, seconds] = /^(\S+)T(\d\d:\d\d):(\S+)Z$/.exec(new Date(time).toISOString()) ?? [];
  const rest = seconds === '00.000' ? '' : `:${seconds?.replace('.000', '')}`;
  return `${day} ${minute}${rest} UTC`;
}

/** The records of one cause: "policy/billing/approve was changed (billing.yaml:12)". */
export function causePhrase(cause: readonly CauseRecord[], most = 3): Phrase {
  const told = cause.map((record) => {
    const { file, line } = record;
    const place: Phrase = file === undefined ? [] : [' (', { name: `${file}:${line}` }, ')'];
    return phrase(LINKS[splitAddress(record.address).kind]?.(record) ?? plainCause(record), place);
  });
  // Of many subjects not the cause of each was looked for, so that there may be more than these.
  return listed(told.length > most + 1 ? [...told.slice(0, most), ['others']] : told);
}

function plainCause({ address, change }: CauseRecord): Phrase {
  return [{ name: address }, ` was ${change}`];
}

/** Links in the words of what they do, since their addresses are long. */
const LINKS: { readonly [kind: string]: (record: CauseRecord) => Phrase } = {
  role_assignment: given('role', 'was given', 'no longer has'),
  policy_assignment: given('policy', 'was given', 'no longer has'),
  group_membership: given('group', 'was added to', 'was removed from', 'is no longer in'),
};

/** `gone` says that what was given is no longer there. */
function given(kind: string, added: string, removed: string, gone = removed): (record: CauseRecord) => Phrase {
  return ({ address, change, removed_with }) => {
    const [what, whom = '', place] = splitAddress(address).path.split('//');
    const where: Phrase = place === undefined ? [] : [' on ', { name: place }];
    const granted = { name: `${kind}/${what}` };
    // Subjects are named as in findings.
    const holder = { name: whom === `everyone/${EVERY_TYPE}` ? 'everyone' : whom.replace(/^subject\//, '') };
    if (change === 'changed') return phrase('the time in which ', holder, ' has ', granted, where, ' was changed');
    if (removed_with !== undefined) return phrase(holder, ` ${gone} `, granted, where, ', which was removed');
    return phrase(holder, ` ${change === 'added' ? added : removed} `, granted, where);
  };
}

/** How many recorded triples a finding is about, in words; empty for none. */
export function permissions({ triples, exact }: Pick<Finding, 'triples' | 'exact'>): string {
  if (triples === 0) return '';
  return `${exact ? '' : 'at most '}${plural(triples, 'permission')}`;
}
