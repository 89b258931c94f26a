import { describe, expect, it } from 'vitest';
import { declare, type StoredRecord } from '../records/registry.js';
import { plan } from './diff.js';
import { planOfStaged } from './plan-of-staged.js';
import { renderMarkdown } from './render-markdown.js';
import { renderText } from './render-text.js';
import { parsePlan } from './saved.js';

const type = (sensitive?: string[]) =>
  declare('resource_type', { application: 'pay', name: 'invoice', actions: ['read'], ...(sensitive && { sensitive }) });
const users = declare('subject_type', { name: 'user', sensitive: ['email'] });
const invoice = (iban: unknown, amount = 1) =>
  declare('resource', { type: 'pay/invoice', name: 'i', properties: { iban, amount } as never });
const alice = (email: string) => declare('subject', { type: 'user', id: 'alice', properties: { email, team: 'red' } });
const application = declare('application', { name: 'pay' });

const stored = (records: ReturnType<typeof declare>[]) =>
  records.map((record) => ({ ...record, id: record.address, managed_by: 'default' })) as unknown as StoredRecord[];
const planOf = (before: ReturnType<typeof declare>[], after: ReturnType<typeof declare>[]) =>
  plan(
    { records: after, moves: [], stack: 'default' },
    { tenant: 'acme', revision: '1.0123456789abcdef', records: stored(before) },
  );

describe('a plan with sensitive properties', () => {
  const base = [application, type(['iban']), users];
  it.each([
    ['creates', base, [...base, invoice('DE00'), alice('hunter2@x')]],
    ['changes', [...base, invoice('DE00'), alice('hunter2@x')], [...base, invoice('DE00', 2), alice('hunter2@y')]],
    ['changes within', [...base, invoice({ of: 'DE00' })], [...base, invoice({ of: 'DE00hunter2' }, 2)]],
    ['deletes', [...base, invoice('DE00'), alice('hunter2@x')], base],
    ['deletes with their type', [...base, invoice('DE00')], [application]],
    ['takes the word from', [...base, invoice('DE00')], [application, type(), users, invoice('DE01', 2)]],
  ])('that it %s shows none of their values to people, and keeps them to be applied', (_, before, after) => {
    const found = planOf(before, after);
    const shown = renderText(found) + renderMarkdown(found);
    expect(shown).not.toMatch(/DE0|hunter2/);
    expect(shown).toContain('amount');
    expect(parsePlan(JSON.stringify(found)).plan).toEqual(found);
  });

  it.each([
    ['changes', [declare('resource', { type: 'pay/bill', name: 'i', properties: { iban: 'DE01' } })]],
    ['deletes', []],
  ])('masks what it %s below a type that is renamed, and no longer says the word', (_, kept) => {
    const bill = declare('resource_type', { application: 'pay', name: 'bill', actions: ['read'] });
    const before = stored([...base, invoice('DE00')]);
    const found = plan(
      {
        records: [application, bill, users, ...kept],
        moves: [{ from: 'resource_type/pay/invoice', to: bill.address }],
        stack: 'default',
      },
      { tenant: 'acme', revision: '1.0123456789abcdef', records: before },
    );
    const shown = renderText(found) + renderMarkdown(found);
    expect(shown).toContain('(sensitive)');
    expect(shown).not.toMatch(/DE0/);
  });

  it('masks what a draft changes below a type that it renames', () => {
    const [before, moved] = [
      type(['iban']),
      declare('resource_type', { application: 'pay', name: 'bill', actions: [] }),
    ];
    const bill = declare('resource', { type: 'pay/bill', name: 'i', properties: { iban: 'DE01' } });
    const [was, is] = [stored([before, invoice('DE00')]), stored([moved, bill])];
    const put = is.map((record, index) => ({ record, previous: was[index] as StoredRecord }));
    const held = { tenant: 'acme', stack: 'default', revision: '1', records: was };
    const shown = renderText(planOfStaged({ put, remove: [], created: [] }, held));
    expect(shown).toContain('(sensitive)');
    expect(shown).not.toMatch(/DE0/);
  });

  it('still says that one of them changes', () => {
    const text = renderText(planOf([...base, invoice('DE00')], [...base, invoice('DE01')]));
    expect(text).toMatch(/properties\.iban +"\(sensitive\)" → "\(sensitive\)"/);
  });

  it('shows what is not sensitive', () => {
    expect(renderText(planOf(base, [...base, alice('hunter2@x')]))).toContain('"team":"red"');
  });
});
