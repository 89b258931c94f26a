import { fileURLToPath } from 'node:url';
import { Config } from '@oclif/core/config';
import { beforeAll, describe, expect, it } from 'vitest';
import { COMMANDS, TOPICS } from '../command-table.js';
import { commandHelp, rootHelp, topicHelp } from './help.js';

let config: Config;
beforeAll(async () => {
  const root = fileURLToPath(new URL('../..', import.meta.url));
  const pjson = {
    name: 'cli',
    version: '0.0.0',
    oclif: { bin: 'service', dirname: 'service', topicSeparator: ' ' as const },
  };
  config = await Config.load({ root, pjson });
});

const load = async (id: string) => {
  const module = await COMMANDS[id]?.();
  if (module === undefined) throw new Error(id);
  module.default.id = id;
  return module.default;
};

/** What people and scripts rely on: a change here is a change of the contract. */
describe('help', () => {
  it('of the program', async () => {
    expect(await rootHelp(config, load)).toMatchSnapshot();
  });

  it.each(Object.keys(TOPICS))('of the topic %s', async (topic) => {
    expect(await topicHelp(config, topic, load)).toMatchSnapshot();
  });

  it.each(Object.keys(COMMANDS))('of the command %s', async (id) => {
    expect(commandHelp(config, await load(id))).toMatchSnapshot();
  });

  it.each(Object.keys(COMMANDS))('of %s fits a terminal of 80 columns', async (id) => {
    for (const line of commandHelp(config, await load(id)).split('\n')) expect(line.length).toBeLessThanOrEqual(80);
  });
});
