/**
 * A provider of notes kept as files, which knows nothing of the product: it drives the plugin's protocol and framework
 * with every form of attribute there is. `FIXTURE_DIR` names the folder of the notes; with `FIXTURE_NOISE` it writes to
 * standard output.
 */
import { randomUUID } from 'node:crypto';
import { existsSync, mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout } from 'node:timers/promises';
import { refuse } from '@authz-service/provider/terraform/framework/diagnostics';
import type {
  DataSource,
  EphemeralResource,
  Provider,
  Resource,
} from '@authz-service/provider/terraform/framework/provider';
import type { Attributes } from '@authz-service/provider/terraform/framework/schema';
import { providerHandlers } from '@authz-service/provider/terraform/framework/server';
import { isList, isObject, UNKNOWN, type Value, type Values } from '@authz-service/provider/terraform/framework/value';
import { Log, levelFrom } from '@authz-service/provider/terraform/protocol/log';
import { serve } from '@authz-service/provider/terraform/protocol/serve';

interface Folder {
  path: string;
  waitMs: number;
}

const text = (description: string, more: object = {}) => ({ type: 'string' as const, description, ...more });

const noteAttributes: Attributes = {
  id: text('Made by the provider.', { computed: true, stable: true }),
  key: text('The natural key.', { required: true, replace: true }),
  title: text('Optional.', { optional: true }),
  word: text('Means the same in any case.', {
    optional: true,
    same: (left: Value, right: Value) => String(left).toLowerCase() === String(right).toLowerCase(),
  }),
  priority: { type: 'number', description: 'Has a default.', default: 0 },
  amount: { type: 'number', description: 'Any number.', optional: true },
  done: { type: 'bool', description: 'A boolean.', optional: true },
  tags: { type: { set: 'string' }, description: 'Order means nothing.', optional: true },
  steps: { type: { list: 'string' }, description: 'In order.', optional: true },
  labels: { type: { map: 'string' }, description: 'By name.', optional: true },
  author: {
    nested: 'single',
    description: 'Nested.',
    optional: true,
    attributes: { name: text('Their name.', { required: true }), mail: text('Their address.', { optional: true }) },
  },
  parts: {
    nested: 'list',
    description: 'Nested list.',
    optional: true,
    attributes: {
      text: text('What it says.', { required: true }),
      form: text('Has a default.', { default: 'plain' }),
      stamp: text('Made for each.', { computed: true }),
    },
  },
  covers: {
    nested: 'set',
    description: 'Nested set.',
    optional: true,
    attributes: {
      what: text('What.', { required: true }),
      how: { type: { set: 'string' }, description: 'How.', required: true },
    },
  },
  version: { type: 'number', description: 'Counts changes.', computed: true },
  secret: text('Made by the provider.', { computed: true, stable: true, sensitive: true }),
  password_wo: text('Kept in no state.', { optional: true, writeOnly: true }),
  password_wo_version: { type: 'number', description: 'Raise it to send the password again.', optional: true },
};

const fileOf = (folder: Folder, key: string) => join(folder.path, `${encodeURIComponent(key)}.json`);

function load(folder: Folder, key: string): Record<string, Value> | null {
  const file = fileOf(folder, key);
  return existsSync(file) ? (JSON.parse(readFileSync(file, 'utf8'), revive) as Record<string, Value>) : null;
}

/** JSON has no bigint; the notes keep such numbers as text with an "n". */
const exact = (_key: string, value: unknown) => (typeof value === 'bigint' ? `${value}n` : value);
const revive = (key: string, value: unknown) =>
  key === 'amount' && typeof value === 'string' ? BigInt(value.slice(0, -1)) : value;

function save(folder: Folder, planned: Values, config: Values, before: Values | null): Values {
  const parts = isList(planned.parts)
    ? planned.parts.map((part) => (isObject(part) && part.stamp === UNKNOWN ? { ...part, stamp: 'stamped' } : part))
    : (planned.parts ?? null);
  const note: Values = {
    ...planned,
    id: before?.id ?? randomUUID(),
    version: Number(before?.version ?? 0) + 1,
    secret: before?.secret ?? `secret-${randomUUID()}`,
    parts,
  };
  mkdirSync(folder.path, { recursive: true });
  const password = config.password_wo ?? (before === null ? null : load(folder, String(before.key))?.password);
  writeFileSync(fileOf(folder, String(planned.key)), JSON.stringify({ ...note, password }, exact));
  return note;
}

async function wait(folder: Folder, signal: AbortSignal): Promise<void> {
  if (folder.waitMs === 0) return;
  await setTimeout(folder.waitMs, undefined, { signal }).catch(() => {
    throw refuse('Interrupted', 'Nothing was changed.');
  });
}

const note: Resource<Folder> = {
  schema: { version: 1, description: 'A note.', attributes: noteAttributes },
  validate: (config) =>
    isList(config.parts)
      ? config.parts.flatMap((part, index) =>
          isObject(part) && part.text === 'bad'
            ? [
                {
                  severity: 'error',
                  summary: 'Bad part',
                  detail: 'A part must not be "bad".',
                  path: ['parts', index, 'text'],
                },
              ]
            : [],
        )
      : [],
  async create(folder, planned, config, { signal }) {
    await wait(folder, signal);
    if (load(folder, String(planned.key)) !== null) {
      throw refuse('Exists already', `The note "${String(planned.key)}" exists already: import it.`, ['key']);
    }
    return save(folder, planned, config, null);
  },
  async read(folder, state) {
    const found = load(folder, String(state.key));
    if (found === null) return null;
    const { password: _, ...present } = found;
    return { ...present, word: typeof present.word === 'string' ? present.word.toUpperCase() : null };
  },
  update: async (folder, prior, planned, config) => save(folder, planned, config, prior),
  delete: async (folder, prior) => rmSync(fileOf(folder, String(prior.key))),
  async import(folder, id) {
    const found = load(folder, id);
    if (found === null) throw refuse('No such note', `There is no note "${id}".`);
    const { password: _, ...present } = found;
    return { ...present, password_wo: null };
  },
};

const noteSource: DataSource<Folder> = {
  schema: {
    version: 0,
    description: 'Reads a note.',
    attributes: { key: text('The key.', { required: true }), title: text('Its title.', { computed: true }) },
  },
  async read(folder, { key = null }) {
    const found = load(folder, String(key));
    if (found === null) throw refuse('No such note', `There is no note "${String(key)}".`, ['key']);
    return { key, title: found.title ?? null };
  },
};

const token: EphemeralResource<Folder> = {
  schema: {
    version: 0,
    description: 'A token for one run.',
    attributes: {
      length: { type: 'number', description: 'How long.', required: true },
      value: text('It.', { computed: true, sensitive: true }),
    },
  },
  open: async (_folder, { length = null }) => ({ length, value: 't'.repeat(Number(length)) }),
};

const fixture: Provider<Folder> = {
  schema: {
    version: 0,
    description: 'Notes in a folder.',
    attributes: { wait_ms: { type: 'number', description: 'How long a creation takes.', optional: true } },
  },
  async configure(config) {
    const path = process.env.FIXTURE_DIR;
    if (path === undefined) throw refuse('No folder', 'Set FIXTURE_DIR.');
    return { path, waitMs: Number(config.wait_ms ?? 0) };
  },
  resources: { fixture_note: note },
  dataSources: { fixture_note: noteSource },
  ephemeralResources: { fixture_token: token },
};

const log = new Log(levelFrom(process.env));
serve({
  env: process.env,
  log,
  load: async () => {
    // One long line on standard output would block Terraform, were it not redirected.
    if (process.env.FIXTURE_NOISE === '1') console.log('x'.repeat(1 << 20));
    return providerHandlers(fixture, log);
  },
});
