import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { compileEngine } from '@authz-service/core/access/engine/compile-engine';
import { readManifest } from '@authz-service/core/manifest/read';
import { runMutants } from '@authz-service/core/questions/policy-tests/mutation/run-mutants';
import { answerTests, prepareTests, readTestedRecords } from '@authz-service/core/questions/policy-tests/run-tests';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { stringify } from 'yaml';
import { InputError, readOrganizations } from './organization.js';
import { tenantTree } from './tenant.js';

const NOW = Date.parse('2027-03-01T12:00:00Z');

const INPUT: Record<string, string> = {
  'README.md': 'not read',
  'guild/org.yaml': `
name: guild
default_repository_permission: read
admins: [Root]
members: [Ada, "0042", 0x1F]
teams:
  compilers:
    description: Those who build compilers
    members: [Grace]
    repos: { cobol: maintain }
    teams:
      parsers:
        previously: [scanners, lexers]
        maintainers: [Dennis]
        repos: { yacc.js: write }
`,
  'guild/more/teams.yaml': `
teams:
  triagers: { members: [ada], repos: { cobol: triage } }
`,
  'closed/org.yaml': `
name: closed
default_repository_permission: none
members: [ada]
`,
};

const folder = mkdtempSync(join(tmpdir(), 'github-org-'));
afterAll(() => rmSync(folder, { recursive: true, force: true }));

function write(root: string, files: Record<string, string>): void {
  for (const [name, text] of Object.entries(files)) {
    mkdirSync(dirname(join(root, name)), { recursive: true });
    writeFileSync(join(root, name), text);
  }
}

describe('GitHub organizations as a tenant', () => {
  let decide: (login: string, action: string, repository: string) => boolean;
  let addresses: string[];
  let moves: unknown;

  beforeAll(() => {
    write(join(folder, 'in'), INPUT);
    const files = tenantTree(readOrganizations(join(folder, 'in')));
    const result = readManifest(files.map(({ path, content }) => ({ path, text: stringify(content) })));
    expect(result.faults).toEqual([]);
    const records = result.manifest?.records ?? [];
    addresses = records.map((record) => record.address);
    moves = result.manifest?.moves;
    const engine = compileEngine(records.map((record) => ({ ...record, id: record.address })));
    decide = (login, action, repository) => {
      const [organization, name] = repository.split('/');
      return engine.decide(
        {
          subject: { type: 'user', id: login },
          action: { name: action },
          resource: { type: `${organization}/repository`, name },
        },
        0,
      ).decision;
    };
  });

  it.each([
    ['an admin holds admin everywhere', 'root', 'admin', 'guild/yacc.js', true],
    ['a member holds the default permission', 'ada', 'read', 'guild/yacc.js', true],
    ['a login of digits stays text', '0042', 'read', 'guild/cobol', true],
    ['so does one that is not quoted', '0x1f', 'read', 'guild/cobol', true],
    ['and no more than that', 'ada', 'triage', 'guild/yacc.js', false],
    ['also on a repository that no team mentions', 'ada', 'read', 'guild/handbook', true],
    ['"none" gives members nothing', 'ada', 'read', 'closed/anything', false],
    ["a team's permission implies the weaker ones", 'grace', 'read', 'guild/cobol', true],
    ['up to its own', 'grace', 'maintain', 'guild/cobol', true],
    ['but not beyond', 'grace', 'admin', 'guild/cobol', false],
    ['a nested team inherits', 'dennis', 'maintain', 'guild/cobol', true],
    ['the outer team does not', 'grace', 'write', 'guild/yacc.js', false],
    ['teams of other files count', 'ada', 'triage', 'guild/cobol', true],
    ['who is only in a team holds no default permission', 'grace', 'read', 'guild/yacc.js', false],
    ['strangers hold nothing', 'eve', 'read', 'guild/cobol', false],
  ])('%s: %s %s %s → %s', (_rule, login, action, repository, expected) => {
    expect(decide(login, action, repository)).toBe(expected);
  });

  it('declares everything once', () => {
    expect(new Set(addresses).size).toBe(addresses.length);
    expect(addresses).toContain('subject/user/dennis');
    expect(addresses).toContain('group_membership/guild:compilers//group/guild:parsers');
    expect(addresses).toContain('role_assignment/guild/maintain//group/guild:compilers//guild/repository/cobol');
  });

  it('keeps the records of renamed teams', () => {
    expect(moves).toEqual([{ from: 'group/guild:lexers', to: 'group/guild:parsers' }]);
  });

  it.each([
    ['no organization', {}, /holds an org\.yaml/],
    [
      'a permission that GitHub has not',
      { 'o/org.yaml': 'teams: { t: { repos: { r: push } } }' },
      /o\/org\.yaml: .*repos\/r/,
    ],
    ['broken YAML', { 'o/org.yaml': 'admins: [a\nmembers: b' }, /o\/org\.yaml:\d+:\d+: /],
    [
      'a team declared twice',
      { 'o/org.yaml': 'teams: { t: {} }', 'o/x/teams.yaml': 'teams: { t: {} }' },
      /x\/teams\.yaml: the team "t" is declared twice/,
    ],
  ])('refuses %s, naming the place', (name, files, message) => {
    const root = join(folder, name);
    mkdirSync(root);
    write(root, files);
    expect(() => readOrganizations(root)).toThrow(InputError);
    expect(() => readOrganizations(root)).toThrow(message);
  });

  it('refuses a folder that is not there', () => {
    const root = join(folder, 'nowhere');
    expect(() => readOrganizations(root)).toThrow(`${root}: there is no such folder`);
  });
});

describe('the tests of the tenant', () => {
  it('pass on the organizations of the example, and notice every mutant that makes a known difference', () => {
    const folder = new URL('..', import.meta.url).pathname;
    const records = tenantTree(readOrganizations(join(folder, 'organizations'))).map(({ path, content }) => ({
      path,
      text: stringify(content),
    }));
    const tests = [{ path: 'access.test.yaml', text: readFileSync(join(folder, 'access.test.yaml'), 'utf8') }];
    const prepared = prepareTests(readTestedRecords(records, NOW), tests, { now: NOW });
    const { faults, results } = answerTests(prepared, NOW);
    expect([faults, results.filter(({ passed }) => !passed)]).toEqual([[], []]);
    expect(results.length).toBeGreaterThan(0);
    const survivors = runMutants(prepared, NOW).filter(({ status }) => status === 'survived');
    expect(survivors.map(({ address, detail }) => `${address} ${detail}`)).toEqual([]);
  });
});
