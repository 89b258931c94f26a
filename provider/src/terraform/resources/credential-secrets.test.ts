import { describe, expect, it } from 'vitest';
import { UNKNOWN, type Values } from '../framework/value.js';
import { credentialSecrets } from './credential-secrets.js';

const key = credentialSecrets('api_key') ?? expect.fail();
const client = credentialSecrets('oauth_client') ?? expect.fail();
const KEY = `svc_${'k'.repeat(32)}`;
const chosen = (version: number): Values => ({ secret_wo: KEY, secret_wo_version: version });
const none: Values = { secret_wo: null, secret_wo_version: null };

describe('the secret of a credential', () => {
  it.each<[string, Values | null, Values, Values, string | undefined]>([
    ['is made for a new one', null, none, { secret: UNKNOWN }, undefined],
    ['is the chosen one of a new one', null, chosen(1), { secret: null }, KEY],
    [
      'is not known while it is not known whether one is chosen',
      null,
      { ...chosen(1), secret_wo: UNKNOWN },
      { secret: UNKNOWN },
      undefined,
    ],
    [
      'may stay or be replaced while that is not known',
      { secret: 'made', secret_wo_version: null },
      { secret_wo: UNKNOWN, secret_wo_version: UNKNOWN },
      { secret: UNKNOWN },
      undefined,
    ],
    [
      'stays out of the state whichever is chosen',
      { secret: null, secret_wo_version: 1 },
      { secret_wo: UNKNOWN, secret_wo_version: UNKNOWN },
      {},
      undefined,
    ],
    ['stays with the same version', { secret: null, secret_wo_version: 1 }, chosen(1), {}, undefined],
    ['is sent with another version', { secret: null, secret_wo_version: 1 }, chosen(2), { secret: null }, KEY],
    ['is replaced by a chosen one', { secret: 'made', secret_wo_version: null }, chosen(1), { secret: null }, KEY],
    ['stays when it is no longer given', { secret: null, secret_wo_version: 1 }, none, {}, undefined],
  ])('%s', (_name, prior, config, planned, sent) => {
    expect(key.plan(prior, config)).toEqual(planned);
    expect(key.chosen(prior, planned, config)).toBe(sent);
  });

  it('is none of a client that names a person', () => {
    const person = { issuer: 'https://id.example.com', subject: '1' };
    expect(client.plan(null, { ...none, person })).toEqual({ client_id: UNKNOWN, client_secret: null });
    expect(client.plan(null, { ...none, person: null })).toEqual({ client_id: UNKNOWN, client_secret: UNKNOWN });
    expect(client.judge({ ...chosen(1), person })).toMatchObject([{ summary: 'Invalid secret_wo' }]);
  });

  it('is kept where it is shown, and is null where it was lost or chosen', () => {
    const shown = { address: 'api_key/k', id: 'i', secret: 'made' };
    expect(key.made({ secret: UNKNOWN }, { id: 'i', secret: shown })).toEqual({ secret: 'made' });
    expect(key.made({ secret: UNKNOWN }, { id: 'i', secret: { ...shown, secret: null } })).toEqual({ secret: null });
    expect(key.made({ secret: null }, { id: 'i' })).toEqual({ secret: null });
    expect(
      client.made(
        { client_secret: UNKNOWN },
        { id: 'i', secret: { address: 'a', id: 'i', client_id: 'i', client_secret: 's' } },
      ),
    ).toEqual({ client_id: 'i', client_secret: 's' });
  });

  it('is nothing that other kinds have', () => {
    expect(credentialSecrets('role')).toBeUndefined();
  });
});
