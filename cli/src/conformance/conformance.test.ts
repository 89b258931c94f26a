import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { FixturePoint, type Tamper } from '../../testing/fixture-point.js';
import { style } from '../output/terminal.js';
import { LEVELS, type Level } from './check.js';
import { DecisionPoint } from './decision-point.js';
import { renderReport } from './render.js';
import { type ConformanceReport, runConformance } from './run.js';

const ALL = Object.keys(LEVELS) as Level[];

let fixture: FixturePoint;
beforeEach(async () => {
  fixture = new FixturePoint();
  await fixture.start();
});
afterEach(() => fixture.close());

const run = (levels = ALL, url = fixture.url, authorization?: string) =>
  runConformance(new DecisionPoint(url, authorization, new AbortController().signal), levels);

const sections = async () => {
  const { checks } = await run();
  return checks.filter((check) => !check.passed).map(({ section }) => section);
};

describe('a decision point that holds the fixture', () => {
  it('conforms at every level', async () => {
    const report = await run();
    expect(report.checks.filter((check) => !check.passed)).toEqual([]);
    expect(report).toMatchObject({ url: fixture.url, failed: 0, passed: report.checks.length });
    expect(report.levels).toEqual(ALL.map((level) => ({ level, conforms: true })));
    expect(report.passed).toBeGreaterThan(60);
  });

  it('is sent the credential', async () => {
    await run(['basic-core'], fixture.url, 'Bearer svc_x');
    const posts = fixture.received.filter(({ path }) => path.startsWith('/access/'));
    expect(new Set(posts.map(({ headers }) => headers.authorization))).toEqual(new Set(['Bearer svc_x']));
  });

  it('is checked at the levels asked for, and those that they build on', async () => {
    const { levels, checks } = await run(['search-properties']);
    expect(levels.map(({ level }) => level)).toEqual(['search-core', 'search-properties']);
    expect(new Set(checks.map(({ level }) => level))).toEqual(new Set(['search-core', 'search-properties']));
  });
});

type Body = Record<string, unknown> & { results: unknown[]; evaluations: { decision: boolean }[]; decision: boolean };
const altered =
  (path: RegExp, alter: (body: Body, asked: Body) => unknown): Tamper =>
  (answer, asked) => {
    if (!path.test(asked.path) || answer.status !== 200) return;
    const body = answer.body as Body;
    answer.body = alter(body, asked.body as Body) ?? body;
  };

/** Every third answer is empty or reversed. */
function changing(path: RegExp): Tamper {
  let count = 0;
  return altered(path, (body) => {
    count += 1;
    if (count % 3 > 0) return body;
    return body.results
      ? { results: [] }
      : { evaluations: body.evaluations?.map(({ decision }) => ({ decision: !decision })) };
  });
}

const jwtPart = (value: object): string => Buffer.from(JSON.stringify(value)).toString('base64url');

describe('the checks notice', () => {
  it.each<[fault: string, tamper: Tamper, section: string]>([
    ['that everything is allowed', altered(/evaluation$/, (body) => ({ ...body, decision: true })), '2.2.2'],
    ['that nothing is allowed', altered(/evaluation$/, (body) => ({ ...body, decision: false })), '2.2.1'],
    ['decisions in words', altered(/evaluation$/, (body) => ({ ...body, decision: `${body.decision}` })), '2.2.1'],
    ['a context that is no object', altered(/evaluation$/, (body) => ({ ...body, context: 'x' })), '2.2.1'],
    ['a list for an answer', altered(/evaluation$/, (body) => [body]), '2.2.1'],
    [
      'refusals of unknown members',
      (answer, { body }) => {
        if (typeof body === 'object' && body !== null && 'more' in body) answer.status = 400;
      },
      '2.2.9',
    ],
    [
      'half a body taken',
      (answer, { path, body }) => {
        if (path.endsWith('subject') && body === undefined)
          Object.assign(answer, { status: 200, body: { results: [] } });
      },
      '2.4.4',
    ],
    [
      'that faults are answered',
      (answer) => {
        if (answer.status === 400) Object.assign(answer, { status: 200, body: { decision: false } });
      },
      '2.4.1',
    ],
    [
      'another status for another content type',
      (answer, { headers }) => {
        if (headers['content-type'] === 'text/plain') answer.status = 415;
      },
      '2.4.3',
    ],
    ...(['evaluations$', 'subject$', 'resource$', 'action$'] as const).map((path): [string, Tamper, string] => [
      `refusals of unknown members at ${path}`,
      (answer, asked) => {
        if (new RegExp(path).test(asked.path) && Object.hasOwn(Object(asked.body), 'later')) answer.status = 400;
      },
      '5',
    ]),
    ['answers that change', changing(/resource$/), '2.6'],
    ['decisions that change', changing(/evaluations$/), '2.6'],
    ['another content type', (answer) => Object.assign(answer.headers, { 'content-type': 'text/json' }), '2.2.1'],
    ['lost request ids', (answer) => Object.assign(answer.headers, { 'x-request-id': 'other' }), '2.5.1'],
    [
      'batches out of order',
      altered(/evaluations$/, (body) => ({ ...body, evaluations: body.evaluations?.toReversed() })),
      '3.2.2',
    ],
    [
      'batches cut short',
      altered(/evaluations$/, (body) => ({ ...body, evaluations: body.evaluations?.slice(0, 1) })),
      '3.2.1',
    ],
    [
      'batches where single answers belong',
      altered(/evaluations$/, (body) => (body.evaluations ? body : { evaluations: [body] })),
      '3.4.3',
    ],
    ['results left out', altered(/subject$/, (body) => ({ ...body, results: body.results.slice(1) })), '4.2.1'],
    [
      'results of another type',
      altered(/resource$/, (body) => ({ ...body, results: [...body.results, { type: 'x', id: 'y' }] })),
      '4.3.1',
    ],
    [
      'results without names',
      altered(/action$/, (body) => ({ ...body, results: body.results.map(() => ({})) })),
      '4.4.1',
    ],
    [
      'an id that is not ignored',
      altered(/subject$/, (body, asked) => ({
        ...body,
        results: (asked.subject as { id?: string }).id === undefined ? body.results : body.results.slice(0, 1),
      })),
      '4.2.3',
    ],
    [
      'pages without a token',
      altered(/subject$/, ({ results, page }, asked) => (asked.page && !page ? { results } : { results, page: {} })),
      '4.5',
    ],
    [
      'results for what nobody knows',
      altered(/search/, (body, asked) =>
        JSON.stringify(asked).includes('spaceship') ? { results: [{ type: 'a', id: 'b', name: 'c' }] } : body,
      ),
      '4.6.2',
    ],
    [
      'another identifier',
      altered(/configuration$/, (body) => ({ ...body, policy_decision_point: 'https://other.example' })),
      '6.3',
    ],
    [
      'endpoints that are no URLs',
      altered(/configuration$/, (body) => ({ ...body, search_action_endpoint: '/search' })),
      '6.5',
    ],
    [
      'endpoints in the open',
      altered(/configuration$/, (body) => ({ ...body, access_evaluation_endpoint: 'http://pdp.example.com/e' })),
      '6.5',
    ],
    [
      'signed metadata without an issuer',
      altered(/configuration$/, (body) => ({ ...body, signed_metadata: 'e30.e30.x' })),
      '6.5',
    ],
    [
      'signed metadata that nobody signed',
      altered(/configuration$/, (body) => ({
        ...body,
        signed_metadata: `${jwtPart({ alg: 'none' })}.${jwtPart({ iss: 'x' })}.`,
      })),
      '6.5',
    ],
    ['capabilities that are no list', altered(/configuration$/, (body) => ({ ...body, capabilities: 'all' })), '6.5'],
  ])('%s', async (_, tamper, section) => {
    fixture.tamper = tamper;
    expect(await sections()).toContain(section);
  });

  it('that there is no metadata, and ask at the default paths all the same', async () => {
    fixture.tamper = (answer, { path }) => {
      if (path.startsWith('/.well-known/')) Object.assign(answer, { status: 404, body: {} });
    };
    const { levels } = await run();
    expect(levels.filter(({ conforms }) => !conforms)).toEqual([{ level: 'discovery', conforms: false }]);
  });

  it('that a level below does not conform', async () => {
    fixture.tamper = altered(/search\/subject$/, (body) => ({ ...body, results: [] }));
    const { levels } = await run(['search-properties', 'basic-core']);
    expect(levels).toEqual([
      { level: 'basic-core', conforms: true },
      { level: 'search-core', conforms: false },
      { level: 'search-properties', conforms: false },
    ]);
  });

  it('that nobody answers', async () => {
    const { url } = fixture;
    await fixture.close();
    const { passed, checks } = await run(['basic-core'], url);
    expect(passed).toBe(0);
    expect(checks[0]?.detail).toMatch(/could not be asked \(ECONNREFUSED\)/);
    await fixture.start();
  });
});

describe('endpoints', () => {
  const asked = () => new Set(fixture.received.map(({ path }) => path));

  it('are those of the metadata', async () => {
    fixture.tamper = altered(/configuration$/, (body) => ({
      ...body,
      access_evaluation_endpoint: `${fixture.url}/mine`,
    }));
    await run(['basic-core']);
    expect(asked()).toEqual(new Set(['/.well-known/authzen-configuration', '/mine']));
  });

  it('of another host are not asked, which would be sent the credential', async () => {
    fixture.tamper = altered(/configuration$/, (body) => ({
      ...body,
      access_evaluation_endpoint: 'http://other.invalid/access/v1/evaluation',
    }));
    const { levels } = await run(['basic-core'], fixture.url, 'Bearer secret');
    expect(levels).toEqual([{ level: 'basic-core', conforms: true }]);
  });

  it('of a base with a path are below it, and the metadata beside it', () => {
    const point = new DecisionPoint('https://pdp.example.com/acme', undefined, new AbortController().signal);
    expect(point.metadataUrl).toBe('https://pdp.example.com/.well-known/authzen-configuration/acme');
  });
});

describe('the report', () => {
  it('shows each check, the reasons of failures, and what it comes to', async () => {
    fixture.tamper = altered(/configuration$/, (body) => ({
      ...body,
      policy_decision_point: 'https://other.example\u001b[2J',
    }));
    const text = renderReport(await run(['discovery']), style(false), Number.POSITIVE_INFINITY);
    expect(text.replaceAll(fixture.url, 'URL')).toMatchInlineSnapshot(`
      "RESULT  LEVEL      SECTION  CHECK
      pass    discovery  6.2      the metadata is there, as JSON
      FAIL    discovery  6.3      it names the decision point by the address it was asked under
      FAIL    discovery  6.5      what it names are URLs
      pass    discovery  6.5      capabilities, if any, are a list of texts
      pass    discovery  6.5      signed metadata, if any, is signed and names its issuer

      ✗ 6.3 it names the decision point by the address it was asked under
          expected "policy_decision_point" to be URL, got https://other.example\\u001b[2J
      ✗ 6.5 what it names are URLs
          expected "policy_decision_point" to be an https URL, got https://other.example\\u001b[2J

      ✗ discovery  does not conform

      URL: 3 checks passed, 2 failed"
    `);
  });

  it('says where the records of the scenario are, when they seem to be missing', async () => {
    const said = (report: ConformanceReport) => renderReport(report, style(false), Number.POSITIVE_INFINITY);
    expect(said(await run(['basic-core']))).not.toContain('hint:');
    fixture.tamper = altered(/evaluation$/, (body) => ({ ...body, decision: false }));
    expect(said(await run(['basic-core']))).toMatch(
      /hint: Nobody may read record-1 .*examples\/authzen-fixture declares\.$/,
    );
  });
});
