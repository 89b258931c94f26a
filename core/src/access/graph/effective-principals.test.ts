import { describe, expect, it } from 'vitest';
import { ActionSet } from '../grants/action-set.js';
import { withGrant } from '../grants/grants.js';
import type { LinkPeriod } from '../grants/period.js';
import { Policy, Rule } from '../grants/rule.js';
import { ResourceType } from '../grants/target.js';
import { AccessPath } from './access-path.js';
import { EffectivePrincipalsMemo, type GrantsAndPaths } from './effective-principals.js';
import { Principal } from './principal.js';

const type = new ResourceType('app/doc', 'app', 'doc');
const rule = new Rule(new Policy('policy/p', 'id', false, 0, null), type, new ActionSet(['read']), null);

function principal(kind: Principal['kind'], name: string, granted = true): Principal {
  const made = new Principal(kind, kind === 'subject' ? 'user' : '', name);
  if (granted && kind !== 'subject') made.grants = rule;
  return made;
}

function join(member: Principal, group: Principal, period: LinkPeriod = null): void {
  member.groups = [...(member.groups ?? []), { to: group, period }];
}

function hold(holder: Principal, role: Principal, period: LinkPeriod = null): void {
  holder.roles = [...(holder.roles ?? []), { to: role, period }];
}

function pathsOf(principals: GrantsAndPaths): AccessPath[] {
  return principals.filter((one) => one instanceof AccessPath);
}

const from = (start: number, end = Number.POSITIVE_INFINITY) => ({ start, end });
const until = (end: number) => ({ start: Number.NEGATIVE_INFINITY, end });

function shownPeriod(period: LinkPeriod): string {
  if (period === null) return '';
  const bounds = { from: period.start, until: period.end };
  return Object.entries(bounds)
    .flatMap(([word, at]) => (Number.isFinite(at) ? [`${word} ${at}`] : []))
    .join(' ');
}

/** `PRINCIPAL by GROUP from START until END`; what counts always has neither bound. */
function shown(memo: EffectivePrincipalsMemo, subject: Principal): string[] {
  return pathsOf(memo.of(subject).always)
    .map(({ principal: { address }, group, period }) => `${address} by ${group?.name} ${shownPeriod(period)}`.trim())
    .sort();
}

describe('the effective principals of a subject', () => {
  it('goes up through nested groups, even where they form a cycle', () => {
    const [u, f, g, h] = [principal('subject', 'u'), ...['f', 'g', 'h'].map((name) => principal('group', name))] as [
      Principal,
      Principal,
      Principal,
      Principal,
    ];
    join(u, f);
    join(f, g);
    join(g, h);
    join(h, f);
    expect(shown(new EffectivePrincipalsMemo(), u)).toEqual(['group/f by f', 'group/g by g', 'group/h by h']);
  });

  it('lasts as long as the longest-lived path, whose shortest link ends it', () => {
    const [u, f, g, r] = [
      principal('subject', 'u'),
      principal('group', 'f', false),
      principal('group', 'g', false),
      principal('role', 'r'),
    ] as const;
    join(u, f, until(10));
    join(u, g, until(30));
    join(f, g, until(50));
    hold(g, r, until(20));
    expect(shown(new EffectivePrincipalsMemo(), u)).toEqual(['role/r by g until 20']);
  });

  it('keeps a role of its own beside one through a group only while that could matter', () => {
    const effective = (own: LinkPeriod, held: LinkPeriod) => {
      const [u, g, r] = [principal('subject', 'u'), principal('group', 'g', false), principal('role', 'r')] as const;
      hold(u, r, own);
      join(u, g);
      hold(g, r, held);
      return shown(new EffectivePrincipalsMemo(), u);
    };
    expect(effective(null, null)).toEqual(['role/r by undefined']);
    expect(effective(until(20), until(10))).toEqual(['role/r by undefined until 20']);
    expect(effective(until(10), until(20))).toEqual(['role/r by g until 20', 'role/r by undefined until 10']);
    expect(effective(until(20), from(10))).toEqual(['role/r by g from 10', 'role/r by undefined until 20']);
    expect(effective(from(0, 20), from(5, 10))).toEqual(['role/r by undefined from 0 until 20']);
  });

  it('keeps of several ways those whose periods lie in no other', () => {
    const ways = (...periods: LinkPeriod[]) => {
      const [u, r] = [principal('subject', 'u'), principal('role', 'r')];
      const top = principal('group', 'top');
      for (const [at, period] of periods.entries()) {
        const group = principal('group', `g${at}`, false);
        join(u, group, period);
        join(group, top);
        hold(group, r);
      }
      return shown(new EffectivePrincipalsMemo(), u);
    };
    const both = (...periods: string[]) => [
      ...periods.map((period) => `group/top by top ${period.slice(3)}`.trim()),
      ...periods.map((period) => `role/r by ${period}`.trim()),
    ];
    expect(ways(from(0, 10), from(5, 20))).toEqual(both('g0 from 0 until 10', 'g1 from 5 until 20'));
    expect(ways(from(5, 6), from(0, 10), from(0, 9))).toEqual(both('g1 from 0 until 10'));
    expect(ways(from(0, 10), from(20, 30), until(5))).toEqual(
      both('g0 from 0 until 10', 'g1 from 20 until 30', 'g2 until 5'),
    );
    expect(ways(from(0, 10), null)).toEqual(both('g1'));
    expect(ways(from(0, 10), from(0, 10))).toEqual(both('g0 from 0 until 10'));
  });

  it('leaves out what is led to by links that never count at one time', () => {
    const [u, g, h, r] = [
      principal('subject', 'u'),
      principal('group', 'g'),
      principal('group', 'h'),
      principal('role', 'r'),
    ];
    join(u, g, until(10));
    join(g, h, from(10));
    hold(g, r, from(10));
    expect(shown(new EffectivePrincipalsMemo(), u)).toEqual(['group/g by g until 10']);
  });

  it('names the group with the smaller name where two hold the role', () => {
    const [u, f, g, r] = [
      principal('subject', 'u'),
      principal('group', 'f', false),
      principal('group', 'g', false),
      principal('role', 'r'),
    ] as const;
    join(u, g);
    join(u, f);
    hold(g, r);
    hold(f, r);
    expect(shown(new EffectivePrincipalsMemo(), u)).toEqual(['role/r by f']);
  });

  it('is found by target where there is much of it', () => {
    const u = principal('subject', 'u');
    for (let at = 0; at < 100; at++) join(u, principal('group', `g${at}`));
    const effective = new EffectivePrincipalsMemo().of(u);
    expect(effective.always).toEqual([]);
    expect(pathsOf(effective.for(type))).toHaveLength(100);
    expect(effective.for(new ResourceType('app/other', 'app', 'other'))).toEqual([]);
  });

  it('keeps those with very many targets to be asked whatever the target', () => {
    const u = principal('subject', 'u');
    const wide = principal('group', 'wide', false);
    for (let at = 0; at < 100; at++) {
      const other = new ResourceType(`app/t${at}`, 'app', `t${at}`);
      wide.grants = withGrant(wide.grants, new Rule(rule.policy, other, rule.actions, null));
    }
    for (let at = 0; at < 30; at++) join(u, principal('group', `g${at}`));
    join(u, wide);
    const effective = new EffectivePrincipalsMemo().of(u);
    expect(pathsOf(effective.always).map((one) => one.principal)).toEqual([wide]);
    expect(pathsOf(effective.for(type))).toHaveLength(30);
  });

  it('is shared by the members of one group, and kept apart otherwise', () => {
    const memo = new EffectivePrincipalsMemo();
    const [g, h] = [principal('group', 'g'), principal('group', 'h')];
    const [u, v, w] = ['u', 'v', 'w'].map((name) => principal('subject', name)) as [Principal, Principal, Principal];
    join(u, g);
    join(v, g);
    join(w, g, until(10));
    join(g, h);
    expect(memo.of(u)).toBe(memo.of(v));
    expect(shown(memo, u)).toEqual(['group/g by g', 'group/h by h']);
    expect(shown(memo, w)).toEqual(['group/g by g until 10', 'group/h by h until 10']);
  });

  it('is remembered within bounds', () => {
    const memo = new EffectivePrincipalsMemo(20);
    const subjects = Array.from({ length: 30 }, (_, at) => principal('subject', `u${at}`));
    for (const subject of subjects) {
      join(subject, principal('group', 'f'));
      join(subject, principal('group', 'g'));
    }
    const before = subjects.map((subject) => shown(memo, subject));
    expect(subjects.filter((subject) => subject.effective !== null).length).toBeLessThan(10);
    expect(subjects.map((subject) => shown(memo, subject))).toEqual(before);
  });
});
