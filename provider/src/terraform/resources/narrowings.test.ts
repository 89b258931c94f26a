import type { Kind } from '@authz-service/core/records/kinds';
import { declare } from '@authz-service/core/records/registry';
import type { Change } from '@authz-service/core/state/change';
import { describe, expect, it } from 'vitest';
import type { ChangeCommand } from './change-queue.js';
import { fitForBoth, Narrowings } from './narrowings.js';
import { stored } from './service.js';
import { Records } from './snapshot.js';

type Properties = { [name: string]: 'string' | 'number' | 'any' };

const type = (actions: string[], properties?: Properties) => ({ application: 'a', name: 't', actions, properties });
const policy = (name: string, action: string) => ({
  name,
  effect: 'ALLOW',
  resource_type: 'a/t',
  actions: [action],
});

const record = (kind: Kind, fields: object, stack = 'mine') => stored(declare(kind, fields as never), 'id', stack);
const update = (kind: Kind, fields: object): ChangeCommand => {
  const { address } = declare(kind, fields as never);
  return { address, change: { op: 'update', address, fields: fields as Record<string, unknown> } };
};
const actionsOf = (change: Change | undefined) =>
  change?.op === 'update' ? (change.fields.actions as string[]).join(' ') : change?.op;

describe('a type that is right before and after', () => {
  it.each<[what: string, before: Properties | undefined, after: Properties | undefined, both: Properties | undefined]>([
    ['has the properties of both', { x: 'string' }, { y: 'number' }, { x: 'string', y: 'number' }],
    ['leaves open what a property is that changes', { x: 'string' }, { x: 'number' }, { x: 'any' }],
    ['declares none where it declared none before', undefined, { x: 'string' }, undefined],
    ['declares none where it will declare none', { x: 'string' }, undefined, undefined],
  ])('%s', (_what, before, after, both) => {
    expect(fitForBoth(type(['b', 'a'], before), { ...type(['c', 'a'], after), description: 'new' })).toEqual({
      application: 'a',
      name: 't',
      description: 'new',
      actions: ['a', 'b', 'c'],
      ...(both !== undefined && { properties: both }),
    });
  });
});

describe('the parents of a type that is fit for both', () => {
  const one = { type: 'a/folder', property: 'folder' };
  const other = { type: 'a/drive', property: 'drive' };
  it.each([
    ['keep what is taken out', [one, other], [other], [other, one]],
    ['have what is added', undefined, [one], [one]],
    ['keep those of a type that has none any more', [one], undefined, [one]],
    ['name the later type of one property', [one], [{ ...one, type: 'a/drive' }], [{ ...one, type: 'a/drive' }]],
  ])('%s', (_, before, after, both) => {
    expect(fitForBoth({ ...type(['a']), parents: before }, { ...type(['a']), parents: after }).parents).toEqual(both);
  });
});

describe('a type that loses an action', () => {
  const held = (stack = 'mine') =>
    new Records([
      record('resource_type', type(['old'])),
      record('policy', policy('p', 'old')),
      record('policy', policy('q', 'old'), stack),
    ]);
  const narrowed = update('resource_type', type(['new']));
  const changed = (name: string) => update('policy', policy(name, 'new'));
  const make = () => new Narrowings((owner) => owner === 'mine');

  it.each<{ what: string; commands: ChangeCommand[]; sent: (string | undefined)[]; stack?: string }>([
    { what: 'keeps it while others need it', commands: [narrowed], sent: ['new old'] },
    { what: 'keeps it while one does', commands: [narrowed, changed('p')], sent: ['new old', 'new'] },
    {
      what: 'loses it at once where all that mention it change along',
      commands: [changed('q'), narrowed, { address: 'policy/p', change: { op: 'delete', address: 'policy/p' } }],
      sent: ['new', 'new', 'delete'],
    },
    {
      what: 'sends nothing where it loses only',
      commands: [update('resource_type', type([]))],
      sent: [undefined],
    },
    {
      what: 'is left to the service to refuse where another stack needs it',
      commands: [narrowed],
      sent: ['new'],
      stack: 'other',
    },
  ])('$what', ({ commands, sent, stack }) => {
    const { changes, along } = make().compose(commands, held(stack), false);
    expect(changes.map(actionsOf)).toEqual(sent);
    expect(along).toEqual([]);
  });

  it('loses it along with the last change, unless that has been refused', () => {
    const narrowings = make();
    const records = held();
    const send = (commands: ChangeCommand[]) => {
      const { changes, along } = narrowings.compose(commands, records, false);
      const all = [
        ...commands.map((command, index) => ({ ...command, change: changes[index] ?? command.change })),
        ...along,
      ];
      for (const { address, change } of all) {
        const kind = records.get(address)?.kind;
        if (change.op === 'update' && kind !== undefined) records.put(record(kind, change.fields));
      }
      narrowings.done(all);
      return along.map(({ address, change }) => `${address}: ${actionsOf(change)}`);
    };
    expect(send([narrowed])).toEqual([]);
    expect(send([changed('p')])).toEqual([]);
    expect(narrowings.failed('policy/q').map(({ summary, detail }) => `${summary}: ${detail}`)).toEqual([
      '"resource_type/a/t" is not narrowed yet: This apply could not remove everything that it should from the type. "policy/q", which mentions it, has not changed. The next plan shows the change again.',
    ]);
    expect(narrowings.compose([changed('q')], records, true).along).toEqual([]);
    expect(send([changed('q')])).toEqual(['resource_type/a/t: new']);
    expect(narrowings.failed('policy/q')).toEqual([]);
    expect(send([changed('q')])).toEqual([]);
  });
});
