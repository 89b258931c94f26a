import { readManifest } from '@authz-service/core/manifest/read';
import { expect, it } from 'vitest';
import { TreeClient } from './tree-client.js';

const TEXT = `version: 1
applications:
  billing:
    resource_types: { invoice: { actions: [read] } }
    resources: { INV-1: { type: invoice } }
`;

it.each([
  ['its path', 'billing/invoice', ['INV-1']],
  ['its bare name, as a service does', 'invoice', ['INV-1']],
  ['no part of a name', 'voice', []],
])('lists the resources of a type by %s', async (_, type, expected) => {
  const { manifest, faults } = readManifest([{ path: 'a.yaml', text: TEXT }]);
  if (manifest === undefined) throw new Error(JSON.stringify(faults));
  const found: string[] = [];
  for await (const { name } of new TreeClient('main', manifest, 0).records('resource').list({ type })) found.push(name);
  expect(found).toEqual(expected);
});
