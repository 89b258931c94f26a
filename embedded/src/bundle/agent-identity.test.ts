import { expect, it } from 'vitest';
import { reportOf } from './agent-identity.js';
import type { BundleState } from './bundle-state.js';

it('says which revision of which epoch is served', () => {
  const revision = '42.9f86d081884c7d65';
  const served = { tenant: { id: 't', name: 'acme' }, revision, epoch: { number: 7, id: '00000001' } };
  const report = (more: object) => reportOf('a', { served: { ...served, ...more } } as unknown as BundleState);
  expect(report({})).toMatchObject({ tenant: 't', revision: `${revision}.7-00000001` });
  expect(report({ epoch: undefined })).toMatchObject({ revision });
});
