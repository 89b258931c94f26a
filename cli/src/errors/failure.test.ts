import { readFile } from 'node:fs/promises';
import { PROBLEMS, type ProblemCode, ProblemError } from '@authz-service/core/problem';
import { describe, expect, it } from 'vitest';
import { style } from '../output/terminal.js';
import { failureOf, renderFailure } from './failure.js';
import { Declined, UsageError } from './usage-error.js';

const PLAIN = style(false);
const plan = { id: 'plan', flags: ['json', 'out', 'detailed-exitcode'], args: ['dir', 'stack'] };

describe('failureOf', () => {
  it.each(Object.keys(PROBLEMS) as ProblemCode[])('keeps code, title, detail and items of %s', (code) => {
    const items = [{ pointer: '/a', detail: 'is wrong' }];
    const failure = failureOf(new ProblemError(code, 'Detail.', items, { requestId: 'r1' }), plan);
    expect(failure).toMatchObject({ code, title: PROBLEMS[code], detail: 'Detail.', errors: items, request_id: 'r1' });
  });

  it.each([
    [['url', 'local'], true],
    [['url'], false],
  ])('speaks of an agent where the flags %j let one be asked: %s', (flags, expected) => {
    const { hint } = failureOf(new ProblemError('network', 'Detail.'), { id: 'x', flags });
    expect(hint?.includes('--local')).toBe(expected);
  });

  it.each([
    [['local'], true],
    [[], false],
  ])(
    'takes no replica that is cut off for an agent that waits: with the flags %j the hint names an agent: %s',
    (flags, expected) => {
      const { hint } = failureOf(new ProblemError('not_ready', 'Detail.'), { id: 'agents', flags });
      expect(hint?.includes('agent') ?? false).toBe(expected);
    },
  );

  it('speaks only of the agent where only an agent is asked', () => {
    const { hint } = failureOf(new ProblemError('network', 'Detail.'), { id: 'agent status', flags: ['url'] });
    expect(hint).toBe('Check --url and that the agent runs ("servicectl agent start").');
  });

  it.each<[string, unknown, object]>([
    [
      'a wrong command line names its help',
      new UsageError('No.'),
      { code: 'usage', hint: '"servicectl plan --help" shows how to call it.' },
    ],
    [
      'a no is no fault of the command line',
      new Declined('Not applied.'),
      { code: 'declined', detail: 'Not applied.' },
    ],
    [
      'what nobody foresaw stays unsaid',
      new TypeError('secret=hunter2'),
      { code: 'internal', detail: 'The command failed unexpectedly.' },
    ],
    [
      'a package of the project that is not installed is named',
      Object.assign(new Error("Cannot find package '@authz-service/cloud' imported from /x/start.js"), {
        code: 'ERR_MODULE_NOT_FOUND',
      }),
      {
        code: 'invalid_config',
        detail: 'This command needs the package "@authz-service/cloud", which is not installed.',
        hint: expect.stringMatching(
          /^Use the CLI from npm, with it beside: npm install @authz-service\/cloud@\d+\.\d+\.\d+ @authz-service\/cli@/,
        ),
      },
    ],
    ['what is no error at all', 'hunter2', { code: 'internal', detail: 'The command failed unexpectedly.' }],
  ])('%s', (_, error, expected) => {
    expect(failureOf(error, plan)).toMatchObject(expected);
  });

  it('says in words what the system said of a file', async () => {
    const error = await readFile('no/such/file').catch((fault: unknown) => fault);
    expect(failureOf(error, plan)).toMatchObject({
      code: 'io',
      detail: '"no/such/file": there is no such file or folder.',
    });
  });
});

/** The shape of what oclif's parser throws: its classes are not exported. */
const parseError = (message: string, more: object = {}) =>
  Object.assign(new Error(message), { oclif: { exit: 2 }, ...more });

describe('what the parser says', () => {
  it.each<[string, Error, string]>([
    [
      'of an unknown flag, with the one that was meant',
      parseError('Nonexistent flag: --jsn\nSee more help with --help', { flags: ['--jsn'] }),
      'There is no flag --jsn: did you mean --json?',
    ],
    ['of a flag cut short', parseError('', { flags: ['--js'] }), 'There is no flag --js: did you mean --json?'],
    [
      'of an argument written as a flag',
      parseError('', { flags: ['--stack=x'] }),
      '--stack is an argument here, not a flag: write "servicectl plan DIR STACK".',
    ],
    ['of a flag unlike any', parseError('', { flags: ['--xyzzyx=1'] }), 'There is no flag --xyzzyx.'],
    ['of one argument too many', parseError('', { args: ['b'] }), '"b" is one argument too many.'],
    ['of a missing argument', parseError('', { args: [{ name: 'name' }] }), 'NAME is missing.'],
    [
      'of a missing flag',
      parseError(
        'The following error occurred:\n  \u001B[2mMissing required flag scope\u001B[22m\nSee more help with --help',
      ),
      '--scope is missing.',
    ],
    [
      'of a wrong value',
      parseError('Parsing --limit \n\tExpected an integer but received: x\nSee more help with --help'),
      '--limit: "x" is not a whole number.',
    ],
    [
      'of a number that is too small',
      parseError(
        'Parsing --limit \n\tExpected an integer greater than or equal to 1 but received: 0\nSee more help with --help',
      ),
      '--limit: 0 is too small, the least is 1.',
    ],
    [
      'of a slip in a choice',
      parseError('Expected --scope=bundel to be one of: decisions, bundle\nSee more help with --help'),
      '--scope: "bundel" is not known here: did you mean "bundle"? Write one of decisions, bundle.',
    ],
    [
      'of an argument that is no choice',
      parseError('Expected powershell to be one of: bash, zsh\nSee more help with --help'),
      '"powershell" is not known here: write one of bash, zsh.',
    ],
  ])('%s', (_, error, detail) => {
    expect(failureOf(error, plan)).toMatchObject({ code: 'usage', detail });
  });
});

describe('renderFailure', () => {
  const render = (error: unknown) => renderFailure(failureOf(error, plan), PLAIN);

  it('shows detail, items with their places, and the remedy', () => {
    const items = [
      { pointer: '', detail: 'no such role', address: 'role/x', file: 'a.yaml', line: 3, column: 7 },
      { pointer: '/b', detail: 'is not known', address: 'role/y' },
      { pointer: '/c', detail: 'is missing' },
      { pointer: '', detail: 'nowhere' },
    ];
    expect(render(new ProblemError('forbidden', 'Detail.', items))).toBe(`error: Detail.
  a.yaml:3:7: no such role
  role/y: is not known
  /c: is missing
  nowhere
hint: Run "servicectl whoami" to see the scopes of this credential.`);
  });

  it('does not say twice what the detail has said', () => {
    const items = [
      { pointer: '', detail: 'It is gone.' },
      { pointer: '', detail: 'removed', address: 'role/x' },
    ];
    expect(render(new ProblemError('conflict', 'role/x: It is gone.', items))).toBe('error: role/x: It is gone.');
  });

  it('says each fault of a record of which the detail says but one', () => {
    const place = { pointer: '', address: 'role/x', file: 'a.yaml', line: 3, column: 7 };
    const items = [
      { ...place, detail: 'One rule forbids role/x.' },
      { ...place, detail: 'Another one does, too.' },
    ];
    const detail = 'One rule forbids role/x. (and 1 more fault)';
    expect(
      render(new ProblemError('access_rule_violated', detail, items))
        .split('\n')
        .slice(1),
    ).toEqual(['  a.yaml:3:7: role/x', '  a.yaml:3:7: Another one does, too.']);
  });

  it('says where that is of which the detail has said what is wrong', () => {
    const place = { file: 'a.yaml', line: 3, column: 7 };
    const items = [{ pointer: '', detail: 'belongs to the stack "hr"', address: 'role/x', ...place }];
    expect(render(new ProblemError('not_owner', '"role/x" belongs to the stack "hr".', items))).toBe(
      'error: "role/x" belongs to the stack "hr".\n  a.yaml:3:7: role/x',
    );
  });

  it('counts what there is no room for', () => {
    const items = Array.from({ length: 60 }, (_, index) => ({ pointer: `/${index}`, detail: 'is wrong' }));
    const lines = render(new ProblemError('invalid_records', 'Many.', items)).split('\n');
    expect(lines).toHaveLength(52);
    expect(lines.at(-1)).toBe('  … and 10 more; --json shows every one');
  });

  it('names the request that a service has logged the cause of', () => {
    expect(render(new ProblemError('internal', 'Sorry.', [], { requestId: 'r1' }))).toContain('r1');
  });

  it('lets no text of a service paint the terminal', () => {
    expect(render(new ProblemError('internal', 'a\u001B[2J'))).toBe('error: a\\u001b[2J');
  });
});
