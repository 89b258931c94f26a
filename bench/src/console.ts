/**
 * The console in a real Chromium, at a real cloud on loopback: its first page; searching, opening records and going
 * through lists in a tenant of a million records while decisions are asked for; and plans of drafts in one of 10,000.
 */
import { execFile } from 'node:child_process';
import { mkdirSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as wait } from 'node:timers/promises';
import { promisify } from 'node:util';
import type { DeclaredRecord } from '@authz-service/core/records/registry';
import type { Page } from 'playwright-core';
import { ADMINISTRATOR, BenchCloud, share } from './clouds.js';
import { newPage, openChromium, signedInPage } from './console-browser.js';
import { type Expected, type Painted, timed, timedSinceStart } from './console-page.js';
import { writeTree } from './impact-tree.js';
import { LeanClient } from './lean-client.js';
import { root } from './processes.js';
import { median, random } from './random.js';
import { ServerTimes } from './server-times.js';
import { steadyDecisions } from './steady-decisions.js';
import { declaredTenant, questions, resourceName, roleName, type Size, subjectId, typeName } from './tenant.js';

export interface ConsoleFigures {
  /** Milliseconds until the first page can be used, in a browser that has just started; one a round. */
  firstPage: number[];
  plans: { edit: string; ms: number[] }[];
  /** How many records the large tenant has. */
  records: number;
  activities: Activity[];
  /** Milliseconds until a decision: p50, p99 and the longest, before and during the activities. */
  decisions: { when: string; count: number; p50: number; p99: number; max: number }[];
}

/** Something that a person does again and again. */
export interface Activity {
  what: string;
  painted: Painted[];
  /** Milliseconds that the cloud took for each of the page's requests, by its log. */
  server: number[];
}

const FIRST_PAGES = 7;
const PLANS = 5;
const TREE = { records: 10_000, files: 5 };
const PER_COMMIT = 10_000;
const PER_SECOND = 200;
const QUIET_MS = 10_000;
const NAMES = 25;
const LETTER_MS = 80;
const READ_MS = 300;

export async function measureConsole(records: number): Promise<ConsoleFigures> {
  const folder = mkdtempSync(join(tmpdir(), 'bench-console-'));
  try {
    return { ...(await measureSmall(join(folder, 'small'))), ...(await measureLarge(join(folder, 'large'), records)) };
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}

const OVERVIEW: Expected = {
  there: [
    ['main', 'Changed lately'],
    ['main', 'Your session'],
    ['main li', 'OAuth client'],
  ],
};

/** The first page, and plans of drafts, in a tenant of 10,000 records. */
async function measureSmall(folder: string): Promise<Pick<ConsoleFigures, 'firstPage' | 'plans'>> {
  const tree = join(folder, 'tree');
  mkdirSync(tree, { recursive: true });
  writeTree(tree, TREE);
  const cloud = await BenchCloud.start({ folder });
  try {
    await promisify(execFile)(process.execPath, [join(root, 'cli/bin/service.js'), 'apply', tree, '--yes'], {
      env: {
        ...{ PATH: process.env.PATH ?? '', HOME: folder, SERVICE_CLOUD_URL: cloud.url },
        ...{ SERVICE_CLIENT_ID: ADMINISTRATOR.clientId, SERVICE_CLIENT_SECRET: ADMINISTRATOR.clientSecret },
      },
      maxBuffer: 2 ** 28,
    });
    const browser = await openChromium();
    try {
      const page = await signedInPage(browser, cloud);
      const firstPage = await firstPages(cloud, await page.context().cookies());
      return { firstPage, plans: await measurePlans(page, cloud) };
    } finally {
      await browser.close();
    }
  } finally {
    await cloud.end();
  }
}

/** Each in a browser that has just started, with nothing in its cache. */
async function firstPages(
  cloud: BenchCloud,
  cookies: Awaited<ReturnType<ReturnType<Page['context']>['cookies']>>,
): Promise<number[]> {
  const rounds: number[] = [];
  while (rounds.length < FIRST_PAGES) {
    const browser = await openChromium();
    try {
      const page = await newPage(browser, cookies);
      await page.goto(`${cloud.url}/console/`, { waitUntil: 'commit' });
      rounds.push(await timedSinceStart(page, OVERVIEW));
    } finally {
      await browser.close();
    }
  }
  return rounds;
}

interface Edit {
  edit: string;
  address: string;
  /** Fills the form, otherwise in each round, and returns the button that takes it into the draft. */
  make: (page: Page, round: number) => Promise<string>;
}

const EDITS: Edit[] = [
  {
    edit: 'the condition of a policy',
    address: 'policy/a0/p2',
    make: async (page, round) => {
      await page.getByLabel('condition', { exact: true }).fill(`resource.properties.size < ${50 + round}`);
      return 'Take into the draft';
    },
  },
  {
    edit: 'the actions of a policy',
    address: 'policy/a1/p4',
    make: async (page, round) => {
      await page.getByLabel('actions', { exact: true }).fill(round % 2 === 0 ? 'read\nwrite' : 'read\nerase');
      return 'Take into the draft';
    },
  },
  {
    edit: 'a member of a group, removed',
    address: 'group_membership/g2-5//subject/user/s2-5',
    make: async () => 'Remove the record instead',
  },
];

const PLANNED: Expected = {
  there: [['main', 'What it would do']],
  gone: ['[role="dialog"]', 'main [role="status"]'],
};

/** From the press that takes an edit into the draft until its plan and its access delta are shown. */
async function measurePlans(page: Page, cloud: BenchCloud): Promise<ConsoleFigures['plans']> {
  const policy = await cloud.client().records('policy').get('a0/p2');
  await page.goto(`${cloud.url}/console/change`);
  await page.getByLabel('Stack', { exact: true }).fill(String(policy.managed_by));
  const figures: ConsoleFigures['plans'] = [];
  for (const { edit, address, make } of EDITS) {
    const ms: number[] = [];
    for (let round = 0; round < PLANS; round++) {
      await page.goto(`${cloud.url}/console/change?edit=${address}`);
      await page.getByRole('button', { name: 'Cancel' }).waitFor();
      const button = page.getByRole('button', { name: await make(page, round) });
      ms.push((await timed(page, PLANNED, () => button.click())).shown);
      await page.getByRole('heading', { name: 'Who gains and who loses access' }).waitFor();
      await page.getByRole('button', { name: /^Leave out/ }).click();
    }
    figures.push({ edit, ms });
  }
  return figures;
}

/** The shape of a tenant of about so many records. */
function sizeOf(records: number): Size {
  const part = (of: number) => Math.max(10, Math.round((of * records) / 1_000_000));
  return {
    ...{ subjects: part(150_000), resources: part(150_000), roles: part(10_000), policies: part(195_000) },
    types: part(1000),
  };
}

async function measureLarge(
  folder: string,
  wanted: number,
): Promise<Pick<ConsoleFigures, 'records' | 'activities' | 'decisions'>> {
  mkdirSync(folder, { recursive: true });
  const size = sizeOf(wanted);
  const cloud = await BenchCloud.start({ folder });
  try {
    const records = await fill(cloud, size);
    const { secret } = await cloud
      .client()
      .records('api_key')
      .create({ name: 'bench', scopes: ['decisions'] });
    const browser = await openChromium();
    try {
      const page = await signedInPage(browser, cloud);
      const load = steadyDecisions(cloud.url, {
        ...{ perSecond: PER_SECOND, questions: questions(size, 2000), folder, key: String(secret) },
      });
      await wait(QUIET_MS);
      const begun = Date.now();
      const activities = await doAll(page, cloud.url, size, new ServerTimes(join(folder, 'cloud.log')));
      const samples = await load.end();
      const figures = (when: string, ms: number[]) => ({
        ...{ when, count: ms.length, p50: share(ms, 0.5), p99: share(ms, 0.99), max: share(ms, 1) },
      });
      const at = (from: number, to: number) =>
        samples.flatMap(([sentAt, ms]) => (sentAt >= from && sentAt < to ? [ms] : []));
      const decisions = [
        // What starts is left out.
        figures('before', at(begun - QUIET_MS / 2, begun)),
        figures('meanwhile', at(begun, Number.POSITIVE_INFINITY)),
      ];
      return { records, activities, decisions };
    } finally {
      await browser.close();
    }
  } finally {
    await cloud.end();
  }
}

async function fill(cloud: BenchCloud, size: Size): Promise<number> {
  const client = await LeanClient.of(cloud, ADMINISTRATOR.clientId, ADMINISTRATOR.clientSecret);
  let records = 0;
  let batch: DeclaredRecord[] = [];
  const send = async () => {
    await client.post('/v1/changesets', { changes: batch.map(({ kind, fields }) => ({ op: 'create', kind, fields })) });
    records += batch.length;
    batch = [];
  };
  for (const record of declaredTenant(size)) if (batch.push(record) === PER_COMMIT) await send();
  if (batch.length > 0) await send();
  client.close();
  return records;
}

async function doAll(page: Page, url: string, size: Size, server: ServerTimes): Promise<Activity[]> {
  const draw = random(7);
  const activities: Activity[] = [];
  const doing = async (what: string, act: () => Promise<Painted[]>) => {
    server.next();
    activities.push({ what, painted: await act(), server: server.next() });
  };
  const subject = () => subjectId(draw(size.subjects));
  await doing('search all records, each letter', () => typeAll(page, url, subject));
  await doing('find in a table, each letter', () => findAll(page, url, subject));
  const addresses = () => [
    `subject/user/${subject()}`,
    `resource/app/${typeName(0)}/${resourceName(size.types * draw(Math.floor(size.resources / size.types)))}`,
    `policy/app/policy${draw(size.policies)}`,
    `role/app/${roleName(draw(size.roles))}`,
    `resource_type/app/${typeName(draw(size.types))}`,
  ];
  await doing('open a record', () => openAll(page, url, Array.from({ length: NAMES / 5 }, addresses).flat()));
  await doing('open the record that most others mention', () =>
    openAll(
      page,
      url,
      Array.from({ length: 5 }, () => 'application/app'),
    ),
  );
  for (const kind of ['subject', 'role_assignment'])
    await doing(`next page of the list of ${kind}s`, () => pageThrough(page, url, kind));
  await doing('scroll a list by the wheel', () => scroll(page, url));
  return activities;
}

/** Names that nobody has typed before, letter by letter, in the search over all records. */
async function typeAll(page: Page, url: string, name: () => string): Promise<Painted[]> {
  const painted: Painted[] = [];
  for (let turn = 0; turn < NAMES; turn++) {
    await page.goto(`${url}/console/`);
    await page.getByRole('heading', { name: 'Changed lately' }).waitFor();
    await page.keyboard.press('/');
    await page.getByRole('combobox', { name: 'Search all records' }).waitFor();
    let typed = '';
    for (const letter of name()) {
      typed += letter;
      const expected: Expected = {
        there: [['[role="dialog"] [role="status"]', 'found']],
        answered: `/v1/search?q=${typed}&limit`,
      };
      painted.push(await timed(page, expected, () => page.keyboard.press(letter)));
      await wait(LETTER_MS);
    }
  }
  return painted;
}

async function findAll(page: Page, url: string, name: () => string): Promise<Painted[]> {
  const painted: Painted[] = [];
  for (let turn = 0; turn < NAMES; turn++) {
    await page.goto(`${url}/console/records?kind=subject`);
    await page.locator('main tbody tr').first().waitFor();
    await page.getByRole('searchbox', { name: 'Find' }).focus();
    let typed = '';
    for (const letter of name()) {
      typed += letter;
      const expected: Expected = {
        there: [['main tbody', 'user/']],
        gone: ['[aria-busy="true"]'],
        answered: `/v1/search?q=${typed}&kind`,
      };
      painted.push(await timed(page, expected, () => page.keyboard.press(letter)));
      await wait(LETTER_MS);
    }
  }
  return painted;
}

/** Each from the search over all records, until its fields, its links and its history are shown. */
async function openAll(page: Page, url: string, addresses: string[]): Promise<Painted[]> {
  const painted: Painted[] = [];
  await page.goto(`${url}/console/record?address=application/app`);
  for (const address of addresses) {
    const path = address.slice(address.indexOf('/') + 1);
    if (address === 'application/app') await page.goto(`${url}/console/records?kind=subject`);
    await page.locator('main a').first().waitFor();
    await page.keyboard.press('/');
    await page.getByRole('combobox', { name: 'Search all records' }).fill(path.slice(path.lastIndexOf('/') + 1));
    const option = page.getByRole('option').filter({ hasText: path }).first();
    await option.waitFor();
    await page.waitForFunction(
      () =>
        (globalThis as unknown as { document: Document }).document
          .querySelector('[role="dialog"] [role="status"]')
          ?.textContent?.includes('found') === true,
    );
    const expected: Expected = {
      there: [
        ['h1', path],
        ['#fields', 'Fields'],
        ['#mentioned', 'Mentioned by'],
      ],
      gone: ['main [role="status"]', '[role="dialog"]'],
    };
    painted.push(await timed(page, expected, () => option.click()));
    await wait(READ_MS);
  }
  return painted;
}

async function pageThrough(page: Page, url: string, kind: string): Promise<Painted[]> {
  const painted: Painted[] = [];
  await page.goto(`${url}/console/records?kind=${kind}`);
  const next = page.getByRole('button', { name: 'Next' });
  await next.waitFor();
  for (let number = 2; number < 2 + NAMES * 2; number++) {
    const expected: Expected = {
      there: [
        ['nav[aria-label="Paging"] span', `Page ${number}`],
        ['main tbody tr', ''],
      ],
      gone: ['[aria-busy="true"]', 'main [role="status"]'],
    };
    painted.push(await timed(page, expected, () => next.click()));
    await wait(LETTER_MS);
  }
  return painted;
}

async function scroll(page: Page, url: string): Promise<Painted[]> {
  const painted: Painted[] = [];
  await page.goto(`${url}/console/records?kind=subject`);
  await page.locator('main tbody tr').first().waitFor();
  await page.mouse.move(700, 400);
  for (let turn = 0; turn < NAMES * 4; turn++)
    painted.push(await timed(page, {}, () => page.mouse.wheel(0, turn % 20 < 10 ? 200 : -200)));
  return painted;
}

/** The slowest of these edits, by the median of its rounds. */
export function slowestPlan(plans: ConsoleFigures['plans']): number {
  return Math.max(...plans.map(({ ms }) => median(ms)));
}
