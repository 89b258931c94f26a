import type { EngineRecord } from '@authz-service/core/access/api/engine';
import { compileEngine } from '@authz-service/core/access/engine/compile-engine';
import { compileCondition } from '@authz-service/core/conditions/evaluate/compile';
import type { Json } from '@authz-service/core/json/json';
import { ResidualConditions } from '@authz-service/core/questions/possible/residual-conditions';
import { address } from '@authz-service/core/records/address';
import type { Fields } from '@authz-service/core/records/registry';
import type { DecisionRequest } from '@authz-service/core/request';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { contextsFor } from './contexts.js';
import { fieldsOf, isAllowed } from './enumerate-pairs.js';
import { askWithout } from './evaluate.js';
import { tenantReading } from './generate.js';

/** On every side of what conditions compare `n` with; undefined is not sent. */
const VALUES: readonly (Json | undefined)[] = [undefined, 0, 1, 1.5, 2, 3, 'x', null];
/** A property that conditions read of a resource that nobody recorded. */
const UNRECORDED = 'unrecorded';

/** Requests with each value that is not recorded and each context, by the naive evaluator. */
function* asked(records: readonly EngineRecord[], request: DecisionRequest, now: number) {
  const { subject, resource } = request;
  const stored = {
    subject: fieldsOf('subject', records).get(`${subject.type}/${subject.id}`)?.properties ?? {},
    resource: fieldsOf('resource', records).get(`${resource.type}/${resource.name}`)?.properties ?? {},
  };
  const plain = askWithout(records, request, now);
  const texts = 'error' in plain ? '' : plain.policies.map(({ condition = '' }) => condition).join();
  const valuesFor = (of: 'subject' | 'resource') =>
    Object.hasOwn(stored[of], 'n') || !texts.includes(`${of}.properties.n`) ? [undefined] : VALUES;
  for (const own of valuesFor('subject'))
    for (const its of valuesFor('resource')) {
      const sent: DecisionRequest = {
        ...request,
        subject: { ...subject, ...(own !== undefined && { properties: { n: own } }) },
        resource: { ...resource, ...(its !== undefined && { properties: { n: its } }) },
      };
      const question = askWithout(records, sent, now);
      if ('error' in question) throw new Error(`a question about records is refused: ${question.error}`);
      for (const context of contextsFor(question.policies)) {
        const answer = question.answer(context);
        yield { request: { ...sent, context }, allowed: isAllowed(answer), open: 'error' in answer };
      }
    }
}

const ABOUT_N = [
  undefined,
  'resource.properties.n > 1',
  'subject.properties.n == resource.properties.n',
  'has(resource.properties.n) && context.a >= resource.properties.n',
  '!(subject.properties.n < 2)',
];

/** A tenant of whose policies many read a property that may be open. */
const tenants = fc
  .tuple(
    fc.constantFrom(['a', 'b'] as const, ['a', 's'] as const, ['a', 'mfa'] as const).chain(tenantReading),
    fc.array(fc.constantFrom(...ABOUT_N), { minLength: 1, maxLength: 4 }),
  )
  .map(([records, conditions]) =>
    records.map((record, index) => {
      const condition = conditions[index % conditions.length];
      if (record.kind !== 'policy' || condition === undefined) return record;
      return { ...record, fields: { ...record.fields, condition } } as EngineRecord;
    }),
  );

const questions = fc.record({
  subject: fc.constantFrom('user/s', 'user/t', 'service/s', 'user/nobody'),
  resource: fc.constantFrom('a/x/1', 'a/x/2', 'a/y/1', 'b/y/2', 'a/x/0', `a/x/${UNRECORDED}`, `b/y/${UNRECORDED}`),
  action: fc.constantFrom('read', 'write'),
  now: fc.constantFrom(0, 999, 1000, 1500, 2000),
});

describe('the condition that remains of a request', () => {
  it('is there if and only if requests are answered differently, and tells which are allowed', () => {
    const seen = { depends: 0, allow: 0, deny: 0, sent: 0, unrecorded: 0 };
    fc.assert(
      fc.property(tenants, fc.array(questions, { minLength: 4, maxLength: 8 }), (records, all) => {
        const engine = compileEngine(records);
        const policies = [...fieldsOf('policy', records)].map(
          ([path, fields]) => [address('policy', path), fields] as [string, Fields<'policy'>],
        );
        const conditions = new ResidualConditions(engine, new Map(policies));
        const types = fieldsOf('resource_type', records);
        for (const { subject, resource, action, now } of all) {
          const [type = '', id = ''] = subject.split('/');
          const [application, name, which = ''] = resource.split('/');
          if (!types.has(`${application}/${name}`)) continue;
          const request: DecisionRequest = {
            subject: { type, id },
            resource: { type: `${application}/${name}`, name: which },
            action: { name: action },
          };
          const answers = [...asked(records, request, now)];
          const allowed = answers.filter((one) => one.allowed).length;
          const depends = allowed > 0 && allowed < answers.length;
          const condition = conditions.of(request, now);
          expect(condition !== undefined, `${JSON.stringify({ request, now })} gives ${condition}`).toBe(depends);
          seen[depends ? 'depends' : allowed > 0 ? 'allow' : 'deny']++;
          if (condition === undefined) continue;
          if (/(?:subject|resource)\.properties\.n/.test(condition)) seen.sent++;
          if (which === UNRECORDED) seen.unrecorded++;
          const compiled = compileCondition(condition);
          for (const one of answers.slice(0, 100)) {
            // The text does not say what fails, since that is a matter of wrong types.
            if (one.open) continue;
            const outcome = compiled.evaluate(engine.inspect(one.request, now).scope());
            if (typeof outcome === 'boolean')
              expect(outcome, `${condition} for ${JSON.stringify(one.request)}`).toBe(one.allowed);
          }
        }
      }),
      { numRuns: 100 },
    );
    for (const [kind, count] of Object.entries(seen)) expect(count, kind).toBeGreaterThan(2);
  });
});
