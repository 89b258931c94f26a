import { readdirSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { describe, expect, it } from 'vitest';
import type { ServiceCommand } from './service-command.js';

const folder = fileURLToPath(new URL('commands', import.meta.url));
const files = readdirSync(folder, { recursive: true, encoding: 'utf8' }).filter((file) => file.endsWith('.ts'));

describe('every command', () => {
  it.each(files)(
    '%s has a summary, an example, no argument from standard input and no secret as a flag',
    async (file) => {
      const module = (await import(join(folder, file))) as { default: typeof ServiceCommand };
      const { summary, examples, args, flags } = module.default;
      expect(summary).toMatch(/\.$/);
      expect(examples.length).toBeGreaterThan(0);
      for (const argument of Object.values(args)) expect(argument.ignoreStdin).toBe(true);
      expect(Object.keys(flags ?? {}).filter((name) => /secret|password|token|api-key/.test(name))).toEqual([]);
    },
  );
});
