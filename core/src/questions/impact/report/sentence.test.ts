import { describe, expect, it } from 'vitest';
import { finding } from '../../../../testing/findings.js';
import type { CauseRecord, Finding } from '../api/finding.js';
import { plain } from './render-access-text.js';
import { causePhrase, sentence } from './sentence.js';

const group = (subjects: number, of: number, directly: number): Partial<Finding> => ({
  subjects: {
    principals: [{ principal: 'group/finance', subjects, of, directly }],
    recorded: subjects,
    unrecorded: [],
  },
});
const resources = (members: Partial<Finding['resources'][number]>): Partial<Finding> => ({
  resources: [{ type: 'billing/invoice', which: 'all', recorded: 1340, ...members }],
});
const everyone = (principal: string, subjects: number, of: number, unrecorded: string[]): Partial<Finding> => ({
  subjects: { principals: [{ principal, subjects, of, directly: subjects }], recorded: subjects, unrecorded },
});

describe('sentence', () => {
  it.each<[string, Partial<Finding>, string]>([
    ['one subject and one resource', {}, 'user/bob may now read billing/invoice/INV-1'],
    [
      'a group, all of a type, and a condition',
      { ...group(27, 27, 3), ...resources({}), actions: ['approve'], condition: 'resource.properties.amount < 10000' },
      'All 27 members of group/finance (3 directly) may now approve any billing/invoice (1,340 recorded, and others), if its amount is below 10,000 (resource.properties.amount < 10000)',
    ],
    ['a part of a group', group(2, 9, 2), '2 of the 9 members of group/finance may now read billing/invoice/INV-1'],
    ['a group of one', group(1, 1, 1), 'The only member of group/finance may now read billing/invoice/INV-1'],
    ['a group of two', group(2, 2, 2), 'Both members of group/finance may now read billing/invoice/INV-1'],
    ['an empty group', group(0, 0, 0), 'Members of group/finance (nobody yet) may now read billing/invoice/INV-1'],
    [
      'everyone of a type',
      everyone('everyone/user', 40, 40, ['user']),
      'Everyone of the type user (40 recorded, and any without a record) may now read billing/invoice/INV-1',
    ],
    [
      'everyone at all',
      everyone('everyone/*', 40, 40, ['user', '*']),
      'Everyone (40 recorded, and any without a record) may now read billing/invoice/INV-1',
    ],
    [
      'all recorded subjects, but of those without a record only some',
      everyone('everyone', 40, 40, ['user']),
      'All 40 recorded subjects and any user that has no record may now read billing/invoice/INV-1',
    ],
    [
      'some of all recorded subjects',
      everyone('everyone', 38, 40, []),
      '38 of the 40 recorded subjects may now read billing/invoice/INV-1',
    ],
    [
      'some of everyone',
      everyone('everyone/user', 12, 40, []),
      '12 of 40 recorded of the type user may now read billing/invoice/INV-1',
    ],
    [
      'nobody recorded',
      { subjects: { principals: [], recorded: 0, unrecorded: ['user', '*'] } },
      'Any user that has no record and subjects of any other type may now read billing/invoice/INV-1',
    ],
    [
      'a role that requests name',
      { subjects: { principals: [], recorded: 0, unrecorded: ['user'], named_role: 'role/auditor' } },
      'Anybody whom a request names as role/auditor may now read billing/invoice/INV-1',
    ],
    [
      'a role that requests may name, for subjects of some types',
      {
        subjects: {
          ...{ principals: [], recorded: 0, unrecorded: [] },
          ...{ named_role: 'role/auditor', named_types: ['robot', 'user'] },
        },
      },
      'Any robot or user whom a request names as role/auditor may now read billing/invoice/INV-1',
    ],
    [
      'a role that requests may name, for subjects of all types but some',
      {
        subjects: {
          ...{ principals: [], recorded: 0, unrecorded: [] },
          ...{ named_role: 'role/auditor', named_types_except: ['robot'] },
        },
      },
      'Anybody whom a request names as role/auditor, but nobody of the type robot, may now read billing/invoice/INV-1',
    ],
    [
      'two recorded resources and those without a record',
      {
        resources: [
          { type: 'a/b', which: 'named', names: ['a/b/1', 'a/b/2'], recorded: 2 },
          { type: 'a/b', which: 'unrecorded', recorded: 0 },
        ],
      },
      'user/bob may now read a/b/1, a/b/2 and any a/b that has no record',
    ],
    [
      'several actions',
      { actions: ['approve', 'pay', 'read'] },
      'user/bob may now approve, pay and read billing/invoice/INV-1',
    ],
    ['any action', { actions: ['*'] }, 'user/bob may now do anything with billing/invoice/INV-1'],
    [
      'any action but some',
      { actions: ['*'], actions_except: ['pay'] },
      'user/bob may now do anything but pay with billing/invoice/INV-1',
    ],
    ['all recorded', resources({ which: 'recorded' }), 'user/bob may now read all 1,340 recorded billing/invoice'],
    [
      'none recorded',
      resources({ which: 'unrecorded' }),
      'user/bob may now read any billing/invoice that has no record',
    ],
    [
      'none recorded that lie nowhere',
      resources({ which: 'nowhere' }),
      'user/bob may now read any billing/invoice that has no record and lies below nothing',
    ],
    [
      'one whose record goes, but for some places',
      resources({ which: 'named', names: ['docs/file/note'], not_below: ['docs/folder/hr'], recorded: 1 }),
      'user/bob may now read docs/file/note (not where the request says that it lies below docs/folder/hr)',
    ],
    [
      'one whose record goes, where nobody says where it lies',
      resources({ which: 'unsaid', names: ['docs/file/note'], recorded: 1 }),
      'user/bob may now read docs/file/note where the request does not say where it lies',
    ],
    [
      'below a resource',
      resources({ below: 'docs/folder/hr', recorded: 0 }),
      'user/bob may now read any billing/invoice below docs/folder/hr',
    ],
    [
      'below several at once',
      resources({ which: 'unrecorded', below: 'docs/folder/hr', and_below: ['docs/folder/tax'], recorded: 0 }),
      'user/bob may now read any billing/invoice below docs/folder/hr and docs/folder/tax that has no record',
    ],
    [
      'below others besides',
      resources({ which: 'unrecorded', below: 'docs/folder/hr', among_others: true, recorded: 0 }),
      'user/bob may now read any billing/invoice below docs/folder/hr and others that has no record',
    ],
    [
      'below one, where nobody says what else',
      resources({ which: 'unsaid', below: 'docs/folder/hr', recorded: 0 }),
      'user/bob may now read any billing/invoice below docs/folder/hr that has no record and of which nobody says where else it lies',
    ],
    [
      'all but those below some',
      resources({ not_below: ['docs/folder/hr', 'docs/folder/tax'] }),
      'user/bob may now read any billing/invoice (1,340 recorded, and others) (not those below docs/folder/hr and docs/folder/tax)',
    ],
    [
      'many by name',
      resources({ which: 'named', names: ['a/b/1', 'a/b/2', 'a/b/3', 'a/b/4'], recorded: 90 }),
      'user/bob may now read a/b/1, a/b/2, a/b/3 and 87 more',
    ],
    ['lost', { change: 'lost' }, 'user/bob may no longer read billing/invoice/INV-1'],
    [
      'lost but for some cases',
      { change: 'lost', condition: 'context.mfa' },
      'user/bob may now read billing/invoice/INV-1 only with a second factor (context.mfa)',
    ],
    [
      'lost but for fewer cases than there were',
      { change: 'lost', condition: 'context.mfa && context.a < 5', condition_before: 'context.a < 5' },
      "user/bob may now read billing/invoice/INV-1 in fewer cases only: with a second factor (context.mfa); as before only if the request's a is below 5 (context.a < 5)",
    ],
    [
      'widened',
      { change: 'widened', condition: 'context.a < 9', condition_before: 'context.a < 5' },
      "user/bob may now read billing/invoice/INV-1 in more cases: if the request's a is below 9 (context.a < 9) (without this change: if the request's a is below 5 (context.a < 5))",
    ],
    [
      'what of a condition stays',
      { change: 'widened', condition: 'context.a < 9 && (x || y)', condition_before: 'context.a < 5 && (x || y)' },
      "user/bob may now read billing/invoice/INV-1 in more cases: if the request's a is below 9 (context.a < 9) (without this change: if the request's a is below 5 (context.a < 5)); as before only if (x || y)",
    ],
    [
      'what of a condition goes',
      { change: 'widened', condition: 'context.mfa', condition_before: 'context.mfa && context.office' },
      "user/bob may now read billing/invoice/INV-1 in more cases: with a second factor (context.mfa) (without this change: only if the request's office is true (context.office), too)",
    ],
    [
      'what comes to a condition',
      { change: 'narrowed', condition: 'context.mfa && context.office', condition_before: 'context.mfa' },
      "user/bob may now read billing/invoice/INV-1 in fewer cases only: if the request's office is true (context.office); as before only with a second factor (context.mfa)",
    ],
    [
      'lost in the cases that there were',
      { change: 'lost', condition_before: 'context.mfa' },
      'user/bob may no longer read billing/invoice/INV-1 (without this change: with a second factor (context.mfa))',
    ],
    [
      'widened to all',
      { change: 'widened', condition_before: 'context.mfa' },
      'user/bob may now read billing/invoice/INV-1 in any case (without this change: with a second factor (context.mfa))',
    ],
    [
      'narrowed',
      { change: 'narrowed', condition: 'context.mfa', condition_before: 'has(context.mfa)' },
      "user/bob may now read billing/invoice/INV-1 in fewer cases only: with a second factor (context.mfa) (without this change: if the request's mfa is given (has(context.mfa)))",
    ],
    [
      'what cannot be said',
      { change: 'unknown', condition: 'f(1)', condition_before: 'g(1)' },
      'user/bob may now read billing/invoice/INV-1, perhaps in more cases: if f(1) (without this change: if g(1))',
    ],
    [
      'a span of time',
      { from: '2027-02-01T00:00:00Z', until: '2030-01-01T12:30:05Z' },
      'user/bob may read billing/invoice/INV-1, from 2027-02-01 00:00 UTC until 2030-01-01 12:30:05 UTC',
    ],
    [
      'a beginning',
      { change: 'lost', condition_before: 'context.mfa', from: '2027-02-01T00:00:00Z' },
      'user/bob may no longer read billing/invoice/INV-1 (without this change: with a second factor (context.mfa)), from 2027-02-01 00:00 UTC on',
    ],
    [
      'an end',
      { until: '2030-01-01T00:00:00Z' },
      'user/bob may now read billing/invoice/INV-1, until 2030-01-01 00:00 UTC',
    ],
  ])('says %s', (_, members, expected) => {
    const { who, does } = sentence(finding(members));
    expect(plain(who) + plain(does)).toBe(expected);
  });
});

describe('causePhrase', () => {
  it.each<[CauseRecord['address'], CauseRecord['change'], string]>([
    ['role_assignment/billing/clerk//group/finance', 'added', 'group/finance was given role/billing/clerk'],
    [
      'role_assignment/docs/viewer//subject/user/bob//docs/page/a',
      'removed',
      'user/bob no longer has role/docs/viewer on docs/page/a',
    ],
    ['policy_assignment/billing/read//everyone/user', 'added', 'everyone/user was given policy/billing/read'],
    ['group_membership/finance//subject/user/bob', 'removed', 'user/bob was removed from group/finance'],
    [
      'group_membership/finance//subject/user/bob',
      'changed',
      'the time in which user/bob has group/finance was changed',
    ],
    ['resource/billing/invoice/INV-1', 'changed', 'resource/billing/invoice/INV-1 was changed'],
  ])('says of %s, %s', (address, change, expected) => {
    expect(plain(causePhrase([{ address, change }]))).toBe(expected);
  });

  it.each<[CauseRecord, string]>([
    [
      { address: 'policy_assignment/p//group/finance', change: 'removed', removed_with: 'policy/p' },
      'group/finance no longer has policy/p, which was removed',
    ],
    [
      { address: 'group_membership/finance//subject/user/bob', change: 'removed', removed_with: 'group/finance' },
      'user/bob is no longer in group/finance, which was removed',
    ],
  ])('says of %o that what was given is no longer there', (cause, expected) => {
    expect(plain(causePhrase([cause]))).toBe(expected);
  });

  it('names records with their places, and counts many', () => {
    const cause = (address: string) => ({ address, change: 'added' as const });
    expect(plain(causePhrase([{ ...cause('role/a'), file: 'x.yaml', line: 3 }, cause('role/b')]))).toBe(
      'role/a was added (x.yaml:3) and role/b was added',
    );
    const many = ['a', 'b', 'c', 'd', 'e'].map((name) => cause(`role/${name}`));
    expect(plain(causePhrase(many))).toBe('role/a was added, role/b was added, role/c was added and others');
  });
});
