import type { EngineRecord } from '@authz-service/core/access/api/engine';
import { bundleRevision, digestRecords } from '@authz-service/core/bundle/digest';
import type { Bundle, BundleTenant } from '@authz-service/core/bundle/types';
import { declare } from '@authz-service/core/records/registry';
import { revisionText } from '@authz-service/core/state/revision';

export const INVOICE_ID = '4c6a1f0e-7d1f-4a7e-9a51-0d8f5b8f2a10';
export const POLICY_ID = 'b1de0c3b-3a55-4c0e-8a0c-57d5a2b6c7f1';

/** How the tenant differs from the default one. */
export interface TenantOptions {
  id?: string;
  name?: string;
  revision?: number;
  /** Who may read invoices. */
  readers?: string[];
  /** Properties of invoices, of users and attributes of the context that no log may hold. */
  sensitive?: { invoice: string[]; user: string[]; context: string[] };
  /** More subjects, so that the bundle is large. */
  ballast?: number;
  /** The characters of a property of each of these. */
  heavy?: number;
}

/**
 * A tenant with one invoice, INV-1, that its readers may read; evaluating `write` fails because a number is missing.
 */
export function tenant({
  id = 'tenant-1',
  name = 'acme',
  revision = 1,
  readers = ['alice'],
  sensitive,
  ballast = 0,
  heavy,
}: TenantOptions) {
  const declared = [
    declare('application', { name: 'billing' }),
    declare('resource_type', {
      application: 'billing',
      name: 'invoice',
      actions: ['read', 'write'],
      ...(sensitive && { sensitive: sensitive.invoice }),
    }),
    ...(sensitive ? [declare('subject_type', { name: 'user', sensitive: sensitive.user })] : []),
    ...(sensitive?.context ?? []).map((attribute) =>
      declare('context_attribute', { name: attribute, type: 'any', sensitive: true }),
    ),
    declare('resource', { type: 'billing/invoice', name: 'INV-1', properties: { amount: 120 } }),
    declare('policy', {
      application: 'billing',
      name: 'read',
      effect: 'ALLOW',
      priority: 0,
      resource_type: 'billing/invoice',
      actions: ['read'],
    }),
    declare('policy', {
      application: 'billing',
      name: 'write',
      effect: 'ALLOW',
      priority: 0,
      resource_type: 'billing/invoice',
      actions: ['write'],
      condition: 'context.limit > 100',
    }),
    ...readers.flatMap((reader) => [
      declare('subject', { type: 'user', id: reader }),
      declare('policy_assignment', { policy: 'billing/read', entity_type: 'subject', entity: `user/${reader}` }),
      declare('policy_assignment', { policy: 'billing/write', entity_type: 'subject', entity: `user/${reader}` }),
    ]),
    ...Array.from({ length: ballast }, (_, index) =>
      declare('subject', {
        ...{ type: 'bot', id: `bot-${index}` },
        ...(heavy && { properties: { note: 'x'.repeat(heavy) } }),
      }),
    ),
  ];
  const ids: { [address: string]: string } = {
    'resource/billing/invoice/INV-1': INVOICE_ID,
    'policy/billing/read': POLICY_ID,
  };
  const records = declared.map(({ kind, address, fields }) => ({ kind, id: ids[address] ?? address, fields }));
  return bundleTenant(id, name, revision, records as EngineRecord[]);
}

function bundleTenant(id: string, name: string, revision: number, records: EngineRecord[]): BundleTenant {
  const digest = digestRecords(records);
  return { id, name, revision: revisionText(revision, digest), digest, records };
}

export function bundleOf(...tenants: BundleTenant[]): Bundle {
  return { format: 1, revision: bundleRevision(tenants), unreadable: [], tenants };
}

/** The body of a decision request about INV-1. */
export function asking(subject: string, action = 'read', more: object = {}): string {
  return JSON.stringify({
    subject: { type: 'user', id: subject },
    resource: { type: 'invoice', name: 'INV-1' },
    action: { name: action },
    ...more,
  });
}
