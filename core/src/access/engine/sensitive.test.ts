import { describe, expect, it } from 'vitest';
import type { Kind } from '../../records/kinds.js';
import { definitionOf } from '../../records/registry.js';
import type { DecisionRequest } from '../../request.js';
import type { EngineRecord } from '../api/engine.js';
import { ApplicationSlice } from '../slice/application-slice.js';
import { compileEngine } from './compile-engine.js';

const record = (kind: Kind, fields: object) =>
  ({ kind, id: JSON.stringify(fields), fields: definitionOf(kind).schema.parse(fields) }) as unknown as EngineRecord;

const application = record('application', { name: 'pay' });
const invoice = (sensitive?: string[]) =>
  record('resource_type', { application: 'pay', name: 'invoice', actions: ['read'], sensitive });
const user = (sensitive?: string[]) => record('subject_type', { name: 'user', sensitive });
const ip = (sensitive?: boolean) => record('context_attribute', { name: 'ip', type: 'string', sensitive });

const request = (type = 'invoice'): DecisionRequest => ({
  subject: { type: 'user', id: 'u' },
  resource: { type, id: '1' },
  action: { name: 'read' },
});

describe('what is sensitive in a request', () => {
  const records = [application, invoice(['iban', 'a.b']), user(['email']), ip(true)];
  const all = ['context.ip', 'subject.properties.email', 'resource.properties'];

  it('is what the schemas say; of a name that is no path, all', () => {
    expect(compileEngine(records).sensitiveIn(request())).toEqual(all);
    expect(compileEngine([application, invoice(), user(), ip()]).sensitiveIn(request())).toEqual([]);
  });

  it('is every property of a resource whose type nobody knows, if any type has a sensitive one', () => {
    const [typed, untyped] = [compileEngine(records), compileEngine([application, invoice(), user(['email'])])];
    expect(typed.sensitiveIn(request('none'))).toContain('resource.properties');
    expect(untyped.sensitiveIn(request('none'))).toEqual(['subject.properties.email']);
  });

  it('follows changes, also those that make a schema one that bundles hold', () => {
    const engine = compileEngine([application, invoice(), user(['email'])]);
    engine.apply([{ before: invoice(), after: invoice(['iban']) }, { before: user(['email']) }, { after: ip(true) }]);
    expect(engine.sensitiveIn(request())).toEqual(['context.ip', 'resource.properties.iban']);
    engine.apply([{ before: invoice(['iban']), after: invoice() }, { before: ip(true) }, { after: user(['name']) }]);
    expect(engine.sensitiveIn(request())).toEqual(['subject.properties.name']);
  });

  it('is known in the slice of another application, too', () => {
    const [other, note] = [
      record('application', { name: 'docs' }),
      record('resource_type', { application: 'docs', name: 'note', actions: ['read'] }),
    ];
    const steps = ApplicationSlice.of(['docs'], [...records, other, note]);
    let step = steps.next();
    while (!step.done) step = steps.next();
    const slice = step.value;
    const held = [...records, other, note].flatMap((one) => slice.recordOf(one) ?? []);
    const engine = compileEngine(held, new Set(['docs']));
    expect(engine.sensitiveIn(request('pay/invoice'))).toContain('resource.properties');
    expect(engine.sensitiveIn(request('note'))).toEqual(['context.ip', 'subject.properties.email']);
  });
});
