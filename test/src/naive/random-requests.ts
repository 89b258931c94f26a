import type { JsonObject } from '@authz-service/core/json/json';
import type { DecisionRequest } from '@authz-service/core/request';
import fc from 'fast-check';
import { MOSTLY, properties, ROLES, some } from './generate.js';

const context = fc.record(
  {
    a: fc.constantFrom<JsonObject[string]>(1, 2, true, 'x'),
    b: fc.constantFrom<JsonObject[string]>(true, false, 0, 'x'),
    s: fc.constantFrom<JsonObject[string]>('x', 'xyz', 'y'),
    mfa: fc.constantFrom<JsonObject[string]>(true, true, false, 'yes'),
    ip: fc.constantFrom<JsonObject[string]>('10.0.0.1', '10.0.0.1', '11.0.0.1', 'x'),
  },
  { requiredKeys: [] },
);

const asked = fc.oneof(
  fc.constantFrom(
    ...[{ name: '1' }, { name: '2' }, { name: '2' }, { name: '0' }, { name: '0' }],
    ...[{ name: '3' }, { id: '1' }, { id: '3' }],
  ),
  fc.nat(20).map((at) => ({ id: `id-${at}` })),
);

/** Properties by which a request says where the resource lies: mostly the names of recorded ones, or that there is none. */
const place = (...names: JsonObject[string][]) =>
  fc.oneof(
    { weight: 12, arbitrary: fc.constantFrom(...names) },
    { weight: 3, arbitrary: fc.constant<JsonObject[string]>(null) },
    { weight: 1, arbitrary: fc.constantFrom<JsonObject[string]>('9', 3, ['1'], []) },
  );
const lies = fc.oneof(
  { weight: 2, arbitrary: fc.constant({}) },
  {
    weight: 3,
    arbitrary: fc.record({ up: place('1', '2', '0'), by: place('1', '2'), in: place('1') }, { requiredKeys: [] }),
  },
);

/** Requests in the same names, known and unknown. */
export const request: fc.Arbitrary<DecisionRequest> = fc
  .record({
    subject: fc.constantFrom('user/s', 'user/s', ...MOSTLY, 'user/nobody'),
    roles: fc.option(some([...ROLES, ...ROLES, 'p', 'q', 'none', 'a/none'], 2), { nil: undefined, freq: 3 }),
    type: fc.oneof(
      { weight: 16, arbitrary: fc.constantFrom('x', 'a/x') },
      { weight: 4, arbitrary: fc.constantFrom('a/y', 'a/y', 'b/y') },
      { weight: 1, arbitrary: fc.constantFrom('y', 'z') },
    ),
    asked,
    action: fc.constantFrom('read', 'read', 'read', 'read', 'read', 'write', 'other'),
    context: fc.option(context, { nil: undefined, freq: 9 }),
    own: properties,
    stored: properties,
    lies,
  })
  .map(({ subject, roles, type, asked: which, action, context: given, own, stored, lies: where }) => {
    const [kind = '', id = ''] = subject.split('/');
    const said = stored || Object.keys(where).length > 0 ? { ...stored, ...where } : undefined;
    return {
      subject: { type: kind, id, ...(roles && { roles }), ...(own && { properties: own }) },
      resource: { type, ...which, ...(said && { properties: said }) },
      action: { name: action },
      ...(given && { context: given }),
    };
  });
