import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { type ConnectionFlags, chooseConnection } from './connection.js';
import { readEnvironment } from './environment.js';
import type { ProfilesFile } from './profiles.js';

let folder: string;
let file: ProfilesFile;

beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'cli-connection-'));
  await writeFile(join(folder, 'key'), 'svc_staging\n');
  file = {
    path: join(folder, 'config.yaml'),
    warnings: [],
    profiles: new Map(
      Object.entries({
        default: { url: 'http://default.example', client_id: 'd', client_secret: 'ds' },
        staging: { url: 'https://staging.example/', api_key_file: 'key' },
        bare: { url: 'http://bare.example' },
        home: { client_id: 'h', client_secret: 'hs' },
      }),
    ),
  };
});
afterAll(() => rm(folder, { recursive: true }));

const CLIENT = { SERVICE_CLIENT_ID: 'e', SERVICE_CLIENT_SECRET: 'es' };
const FROM_ENVIRONMENT = { clientId: 'e', clientSecret: 'es' };
const FROM_DEFAULT = { clientId: 'd', clientSecret: 'ds' };
const LOCALHOST = 'http://127.0.0.1:8080';

const choose = async (flags: ConnectionFlags, variables: Record<string, string>, profiles: ProfilesFile | undefined) =>
  chooseConnection(flags, readEnvironment(variables), async () => profiles);

describe('chooseConnection', () => {
  it.each<[string, ConnectionFlags, Record<string, string>, string, object | undefined]>([
    ['the profile "default" where nothing else is said', {}, {}, 'http://default.example', FROM_DEFAULT],
    ['SERVICE_PROFILE', {}, { SERVICE_PROFILE: 'staging' }, 'https://staging.example', { apiKey: 'svc_staging' }],
    [
      '--profile over SERVICE_PROFILE',
      { profile: 'staging' },
      { SERVICE_PROFILE: 'default' },
      'https://staging.example',
      { apiKey: 'svc_staging' },
    ],
    [
      'credentials in the environment over the default profile, with its address',
      {},
      CLIENT,
      LOCALHOST,
      FROM_ENVIRONMENT,
    ],
    [
      'SERVICE_PROFILE over credentials in the environment, address and all',
      {},
      { ...CLIENT, SERVICE_PROFILE: 'staging' },
      'https://staging.example',
      { apiKey: 'svc_staging' },
    ],
    [
      '--profile over the environment, address and all',
      { profile: 'staging' },
      { ...CLIENT, SERVICE_CLOUD_URL: 'http://x' },
      'https://staging.example',
      { apiKey: 'svc_staging' },
    ],
    ['a client over a key', {}, { ...CLIENT, SERVICE_API_KEY: 'svc_k' }, LOCALHOST, FROM_ENVIRONMENT],
    [
      'a key alone',
      {},
      { SERVICE_API_KEY: 'svc_k', SERVICE_CLOUD_URL: 'http://x:1/' },
      'http://x:1',
      { apiKey: 'svc_k' },
    ],
    [
      '--url over SERVICE_CLOUD_URL',
      { url: 'http://y' },
      { ...CLIENT, SERVICE_CLOUD_URL: 'http://x' },
      'http://y',
      FROM_ENVIRONMENT,
    ],
    [
      "a profile's credentials not to another --url",
      { url: 'http://elsewhere.example' },
      {},
      'http://elsewhere.example',
      undefined,
    ],
    [
      "a profile's credentials not to another SERVICE_CLOUD_URL",
      {},
      { SERVICE_CLOUD_URL: 'http://elsewhere.example' },
      'http://elsewhere.example',
      undefined,
    ],
    [
      "a profile's credentials to its own address, said again",
      { url: 'http://default.example/' },
      {},
      'http://default.example',
      FROM_DEFAULT,
    ],
    [
      '--profile and --url together',
      { profile: 'default', url: 'http://elsewhere.example' },
      {},
      'http://elsewhere.example',
      FROM_DEFAULT,
    ],
    ['a profile without an address', { profile: 'home' }, {}, LOCALHOST, { clientId: 'h', clientSecret: 'hs' }],
    ['a profile without credentials', { profile: 'bare' }, {}, 'http://bare.example', undefined],
    ['an agent here, without credentials', { local: true }, CLIENT, 'http://127.0.0.1:8181', undefined],
  ])('takes %s', async (_, flags, variables, url, credentials) => {
    const connection = await choose(flags, variables, file);
    expect(connection.url).toBe(url);
    expect(connection.credentials).toEqual(credentials);
  });

  it('sends no credentials to a socket', async () => {
    const url = 'unix:///run/service/agent.sock';
    const { credentials, ...chosen } = await choose({ url }, CLIENT, file);
    expect(chosen).toMatchObject({ url, source: 'an agent needs none' });
    expect(credentials).toBeUndefined();
  });

  it('needs no configuration file', async () => {
    expect(await choose({}, {}, undefined)).toMatchObject({ url: LOCALHOST, source: 'none are set' });
  });

  it('names the profiles that could be chosen where none is the default', async () => {
    const profiles = new Map([...file.profiles].filter(([name]) => name !== 'default'));
    const { source, credentials } = await choose({}, {}, { ...file, profiles });
    expect(credentials).toBeUndefined();
    expect(source).toBe('no profile is chosen: --profile takes one of staging, bare, home');
  });

  it('says for whom the credentials are that it does not send', async () => {
    const { source } = await choose({ url: 'http://elsewhere.example' }, {}, file);
    expect(source).toBe('those of the profile "default" are for http://default.example');
  });

  it.each<[string, ConnectionFlags, Record<string, string>, ProfilesFile | undefined, RegExp]>([
    ['a profile that is not there', { profile: 'prod' }, {}, undefined, /There is no profile "prod"/],
    ['half a client', {}, { SERVICE_CLIENT_ID: 'e' }, undefined, /SERVICE_CLIENT_SECRET/],
    ['an address that is none', { url: 'foo' }, {}, undefined, /^--url: "foo" is no URL/],
    ['another scheme', {}, { SERVICE_CLOUD_URL: 'ftp://x' }, undefined, /^SERVICE_CLOUD_URL: "ftp:\/\/x" is no http/],
    ['a password in an address', { url: 'http://u:p@x' }, {}, undefined, /user name or a password/],
  ])('refuses %s', async (_, flags, variables, profiles, message) => {
    await expect(choose(flags, variables, profiles)).rejects.toThrow(message);
  });

  it('names the profiles that there are', async () => {
    await expect(choose({ profile: 'stagin' }, {}, file)).rejects.toThrow(/default, staging, bare, home/);
  });
});

describe('readEnvironment', () => {
  it('takes an empty variable for none, and a line feed at the end for nothing', () => {
    expect(readEnvironment({ SERVICE_API_KEY: '', SERVICE_CLOUD_URL: ' ' })).toMatchObject({
      cloudUrl: LOCALHOST,
      namesUrl: false,
      credentials: undefined,
    });
    expect(readEnvironment({ SERVICE_API_KEY: 'svc_k\n' }).credentials).toEqual({ apiKey: 'svc_k' });
  });

  it('warns of a variable that looks misspelt, and of no other', () => {
    const { warnings } = readEnvironment({ SERVICE_CLOUD_ULR: 'x', SERVICE_SOMETHING_ELSE: 'y', PATH: 'z' });
    expect(warnings).toEqual([
      'The environment variable SERVICE_CLOUD_ULR means nothing here: did you mean SERVICE_CLOUD_URL?',
    ]);
  });
});
