import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { chmod } from 'node:fs/promises';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { below, billing } from './cli/tenant.js';
import { finished, PROGRAM, Workbench } from './cli/workbench.js';

let bench: Workbench;
beforeAll(async () => {
  bench = await Workbench.create();
  await bench.write(below('tree', billing()));
});
afterAll(() => bench.close());

/** A port on which nobody listens. */
const NOWHERE = 'http://127.0.0.1:9';
const KEYED = { SERVICE_API_KEY: 'svc_hunter2', SERVICE_CLOUD_URL: NOWHERE };

describe('a wrong call exits with 1, says why on stderr, and prints nothing', () => {
  it.each<[string, string[], RegExp]>([
    ['an unknown command', ['pln'], /There is no command "pln"\. Did you mean "plan"\?/],
    [
      'an unknown second word',
      ['keys', 'mak'],
      /There is no command "keys mak"\. Known here: create, delete, list\.\nhint: "servicectl keys --help"/,
    ],
    ['a flag before the command', ['--json=x', 'plan'], /comes before the command/],
    [
      'an unknown flag',
      ['plan', '--detailed-exit-code'],
      /no flag --detailed-exit-code: did you mean --detailed-exitcode\?/,
    ],
    ['a flag without its value', ['plan', '--out'], /--out lacks its value/],
    ['one argument too many', ['plan', 'a', 'b'], /"b" is one argument too many/],
    ['a missing argument', ['keys', 'create', '--scope', 'bundle'], /NAME is missing/],
    ['a missing flag', ['keys', 'create', 'x'], /--scope is missing/],
    [
      'a value that is none of those',
      ['keys', 'create', 'x', '--scope', 'all'],
      /--scope: "all" is not known here: write one of decisions/,
    ],
    ['a number that is none', ['audit', '--limit', 'x'], /--limit: "x" is not a whole number/],
    ['a number out of range', ['audit', '--limit', '0'], /--limit: 0 is too small, the least is 1/],
    ['flags that exclude each other', ['authorize', '--local', '--url', NOWHERE], /cannot also be provided/],
    ['a flag given twice', ['plan', '--out', 'a', '--out', 'b'], /can only be specified once/],
    ['a kind that is none', ['get', 'polices'], /Did you mean "policies"\?/],
    ['a subject without a type', ['authorize', '-s', 'alice', '-a', 'x', '-r', 'a:b'], /write it like "user:alice"/],
    ['no question', ['authorize'], /needs --subject and --action and --resource/],
    [
      'a question beside a batch',
      ['authorize', '--batch', 'x', '-s', 'user:a'],
      /--subject cannot be used with --batch/,
    ],
    ['a batch that is not there', ['authorize', '--batch', 'none'], /"none": there is no such file/],
    ['a folder that is not there', ['validate', 'none'], /none cannot be read/],
    ['an address that is none', ['whoami', '--url', 'foo'], /"foo" is no URL/],
    ['nobody listening', ['whoami', '--url', NOWHERE], /hint: Check --url or SERVICE_CLOUD_URL/],
    ['a profile that is not there', ['whoami', '--profile', 'prod'], /There is no profile "prod"/],
    ['a shell nobody knows', ['completion', 'tcsh'], /write one of bash, zsh, fish/],
  ])('%s', async (_, args, message) => {
    const { code, stdout, stderr } = await bench.run(args, { env: KEYED });
    expect({ code, stdout }).toEqual({ code: 1, stdout: '' });
    expect(stderr).toMatch(/^error: /);
    expect(stderr).toMatch(message);
    expect(stderr, 'no stack').not.toMatch(/\n\s+at /);
    expect(stderr).not.toContain('hunter2');
  });

  it.each<[string, string[], object]>([
    ['a wrong flag', ['plan', '--jsn'], { code: 'usage' }],
    ['an unknown command', ['pln'], { code: 'usage' }],
    ['a folder that is not there', ['plan', 'none'], { code: 'invalid_config' }],
    ['nobody listening', ['whoami'], { code: 'network' }],
    ['apply without --yes', ['apply', 'tree'], { code: 'usage' }],
  ])('%s, as JSON on stdout', async (_, args, expected) => {
    const { code, stdout, stderr } = await bench.run([...args, '--json'], { env: KEYED });
    expect({ code, stderr }).toEqual({ code: 1, stderr: '' });
    expect(JSON.parse(stdout)).toEqual({
      error: expect.objectContaining({
        ...expected,
        title: expect.any(String),
        detail: expect.any(String),
        errors: expect.any(Array),
      }),
    });
  });

  it('without credentials it says where they come from, before anybody is asked', async () => {
    const { code, stderr } = await bench.run(['plan', 'tree']);
    expect(code).toBe(1);
    expect(stderr).toContain('There are no credentials for http://127.0.0.1:8080 (none are set).');
    expect(stderr).toContain('SERVICE_CLIENT_ID and SERVICE_CLIENT_SECRET');
  });

  it('the cause of what nobody foresaw is shown with SERVICE_DEBUG alone', async () => {
    const { stderr } = await bench.run(['pln'], { env: { SERVICE_DEBUG: '1' } });
    expect(stderr).toMatch(/\n\s+at /);
  });
});

describe('what is asked of the program itself', () => {
  it.each([
    [['--version'], /^servicectl \d+\.\d+\.\d+( \([0-9a-f]{12}\))? \S+ node-v\S+\n$/],
    [['--help'], /^Authorization from records in Git/],
    [[], /^Authorization from records in Git/],
    [['keys'], /^Create, list and delete API keys\./],
    [['help', 'plan'], /^Show what apply would change/],
    [['plan', '-h'], /^Show what apply would change/],
    [['schema'], /^\{\n {2}"\$schema"/],
    [['completion', 'bash'], /complete -F _service service servicectl\n$/],
  ])('service %j', async (args, stdout) => {
    expect(await bench.run(args)).toEqual({ code: 0, stdout: expect.stringMatching(stdout), stderr: '' });
  });

  it('does not care in which mode Node runs, nor for colour that is forced on a pipe', async () => {
    for (const NODE_ENV of ['development', 'test', 'production']) {
      const env = { NODE_ENV, FORCE_COLOR: '1', CLICOLOR_FORCE: '1' };
      const { code, stdout, stderr } = await bench.run(['validate', 'tree'], { env });
      expect({ code, stderr }).toEqual({ code: 0, stderr: '' });
      expect(stdout).toBe('✓ 15 records in 3 files: valid\n');
    }
  });

  it('takes nothing from a pipe for an argument', async () => {
    const { stdout } = await bench.run(['validate'], { cwd: 'tree', input: 'nonsense\n' });
    expect(stdout).toContain('valid');
  });

  it('minds no reader that goes away', async () => {
    const child = spawn(process.execPath, [PROGRAM, 'schema'], {
      env: bench.environment({}),
      stdio: ['ignore', 'pipe', 'pipe'],
    });
    child.stdout.destroy();
    expect(await finished(child)).toMatchObject({ code: 0, stderr: '' });
  });

  it('prints long JSON whole into a slow pipe', async () => {
    const child = spawn(process.execPath, [PROGRAM, 'schema', '--json'], {
      env: bench.environment({}),
      stdio: ['ignore', 'pipe', 'pipe'],
    });
    await once(child.stdout, 'readable');
    const { stdout } = await finished(child);
    expect(JSON.parse(stdout)).toMatchObject({ type: 'object' });
  });
});

describe('profiles', () => {
  const PROFILES = `profiles:
  default: { url: "${NOWHERE}", client_id: ci, client_secret: hunter2 }
  staging: { url: "http://127.0.0.1:10", api_key_file: key }
`;

  it('are listed without secrets, with a warning where others can read them', async () => {
    await bench.write({ '.service/config.yaml': PROFILES, '.service/key': 'svc_hunter2\n' });
    await chmod(bench.path('.service/config.yaml'), 0o644);
    const { stdout, stderr } = await bench.run(['profiles', 'list']);
    expect(stdout).toBe(`NAME     URL                  CREDENTIAL    CLIENT ID
default  http://127.0.0.1:9   OAuth client  ci
staging  http://127.0.0.1:10  API key
`);
    expect(stderr).toMatch(/^warning: Others on this machine can read/);
    await chmod(bench.path('.service/config.yaml'), 0o600);
    expect((await bench.run(['profiles', 'list'])).stderr).toBe('2 profiles\n');
  });

  it.each<[string, string[], Record<string, string>, string]>([
    ['default', ['whoami'], {}, '127.0.0.1:9'],
    ['by variable', ['whoami'], { SERVICE_PROFILE: 'staging' }, '127.0.0.1:10'],
    ['by flag', ['whoami', '--profile', 'staging'], { SERVICE_PROFILE: 'default' }, '127.0.0.1:10'],
  ])('are chosen: %s', async (_, args, env, host) => {
    await bench.write({ '.service/config.yaml': PROFILES, '.service/key': 'svc_hunter2\n' });
    const { stderr } = await bench.run(args, { env });
    expect(stderr).toContain(host);
    expect(stderr).not.toContain('hunter2');
  });

  it('are never sent elsewhere', async () => {
    await bench.write({ '.service/config.yaml': PROFILES });
    const { stderr } = await bench.run(['whoami', '--url', 'http://127.0.0.1:11']);
    expect(stderr).toContain(`those of the profile "default" are for ${NOWHERE}`);
  });

  it('with faults are refused at their places', async () => {
    await bench.write({ '.service/config.yaml': 'profiles:\n  default: { clientid: x }\n' });
    const { code, stderr } = await bench.run(['whoami']);
    expect(code).toBe(1);
    expect(stderr).toMatch(/config\.yaml:2:14: unknown key "clientid": did you mean "client_id"\?/);
  });
});

describe('only commands that run the cloud load it and its native module', () => {
  const dataUrl = (text: string) => `data:text/javascript,${encodeURIComponent(text)}`;
  const refusing = dataUrl(`export async function resolve(specifier, context, next) {
    if (/^(sqlite3$|@authz-service\\/cloud)/.test(specifier)) throw new Error('absent: ' + specifier);
    return next(specifier, context);
  }`);
  const register = dataUrl(`import { register } from 'node:module'; register(${JSON.stringify(refusing)});`);
  const env = { NODE_OPTIONS: `--import=${register}`, SERVICE_DEBUG: '1' };

  it.each([[['--version']], [['--help']], [['schema']], [['completion', 'bash']], [['validate', 'tree']]])(
    'service %j works without them',
    async (args) => {
      expect(await bench.run(args, { env })).toMatchObject({ code: 0, stderr: '' });
    },
  );

  it('servicectl cloud start does not', async () => {
    const { code, stderr } = await bench.run(['cloud', 'start', '--listen-addr', '127.0.0.1:0'], { env });
    expect({ code, stderr }).toEqual({ code: 1, stderr: expect.stringContaining('absent: @authz-service/cloud') });
  });
});
