import { ANY_NAMES, ANY_TEXT, type PartialRequest } from '../conditions/residual/partial-request.js';
import { Residuals } from '../conditions/residual/residuals.js';
import type { Address } from '../records/address.js';
import type { DeclaredRecord } from '../records/registry.js';
import type { OwnedRecord } from './judge-record.js';

type PolicyRecord = Extract<OwnedRecord, { kind: 'policy' }>;

/**
 * Whether a policy may say something about a subject that acts as these principals, by the subject's recorded properties:
 * an ALLOW that cannot hold does not, and a DENY whose condition is false.
 */
export function maySpeakOf(
  policy: PolicyRecord,
  { fields: { type, id, properties = {} } }: DeclaredRecord<'subject'>,
  { acting, application, resourceType }: { acting: ReadonlySet<Address>; application: string; resourceType: string },
): boolean {
  const known: PartialRequest = {
    subject: { type, id, recorded: properties, sent: false },
    action: { name: ANY_TEXT, sent: true },
    resource: { type: resourceType, application, names: ANY_NAMES, recorded: {}, sent: true },
    principals: {
      inGroup: (path) => acting.has(`group/${path}`),
      hasRole: (path) => acting.has(`role/${path}`) || { anyOf: [path] },
    },
    span: { from: 0, until: Number.POSITIVE_INFINITY },
  };
  const { constant } = new Residuals().residualOf(policy.fields, known);
  return policy.fields.effect === 'DENY' ? constant !== 'false' : constant === undefined || constant === 'true';
}
