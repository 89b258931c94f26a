import { describe, expect, it } from 'vitest';
import { accessFromEnvironment } from './environment.js';

const CLIENT = { SERVICE_CLIENT_ID: 'id', SERVICE_CLIENT_SECRET: 'secret' };

describe('the environment', () => {
  it.each([
    ['a client', CLIENT, { url: 'http://127.0.0.1:8080', credentials: { clientId: 'id', clientSecret: 'secret' } }],
    ['a key', { SERVICE_API_KEY: 'svc_x' }, { url: 'http://127.0.0.1:8080', credentials: { apiKey: 'svc_x' } }],
    ['a client before a key', { ...CLIENT, SERVICE_API_KEY: 'svc_x' }, { credentials: { clientId: 'id' } }],
    ['an address', { ...CLIENT, SERVICE_CLOUD_URL: 'https://cloud.example' }, { url: 'https://cloud.example' }],
    ['an empty address', { ...CLIENT, SERVICE_CLOUD_URL: '' }, { url: 'http://127.0.0.1:8080' }],
    [
      'a line feed at the end',
      { ...CLIENT, SERVICE_CLIENT_SECRET: 'secret\n' },
      { credentials: { clientSecret: 'secret' } },
    ],
  ])('gives %s', (_name, environment, access) => {
    expect(accessFromEnvironment(environment)).toMatchObject(access);
  });

  it.each([
    ['everything', {}, /set SERVICE_CLIENT_ID and SERVICE_CLIENT_SECRET/],
    ['the secret', { SERVICE_CLIENT_ID: 'id' }, /SERVICE_CLIENT_ID is set but SERVICE_CLIENT_SECRET is not/],
    ['the id', { SERVICE_CLIENT_SECRET: 'secret' }, /SERVICE_CLIENT_SECRET is set but SERVICE_CLIENT_ID is not/],
    ['a secret that is empty', { ...CLIENT, SERVICE_CLIENT_SECRET: ' ' }, /SERVICE_CLIENT_SECRET is not/],
  ])('without %s: the message names it', (_name, environment, detail) => {
    const read = () => accessFromEnvironment(environment);
    expect(read).toThrow(expect.objectContaining({ code: 'invalid_config', detail: expect.stringMatching(detail) }));
  });
});
