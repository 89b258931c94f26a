import { execFile } from 'node:child_process';
import { copyFileSync, existsSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { afterAll, describe, expect, it } from 'vitest';
import { hasPostgres, PostgresServer } from '../../../cloud/testing/postgres-server.js';
import { goEnv } from './go-env.js';
import { guardsRoutes } from './guarded-routes/guards-routes.js';
import { installed } from './installed.js';

const run = promisify(execFile);
const root = fileURLToPath(new URL('../../..', import.meta.url));
const examples = join(root, 'examples/guarded-routes');
const example = join(examples, 'net-http');
/** PostgreSQL's driver as Debian packages it, since nothing may be fetched. */
const driver = '/usr/share/gocode/src/github.com/lib/pq';
const folder = mkdtempSync(join(tmpdir(), 'go-example-'));
afterAll(() => rmSync(folder, { recursive: true, force: true }));

function isThere(path: string): boolean {
  if (existsSync(path)) return true;
  process.stderr.write(
    '\n*** SKIPPED: the list in Go, because its database driver is not installed. CI skips none of it. ***\n\n',
  );
  return false;
}

/** Files in the README of the SDK, each named in the line before its block. */
function documented(): Map<string, string> {
  const text = readFileSync(join(root, 'sdk/go/README.md'), 'utf8');
  return new Map(
    [...text.matchAll(/`(\w+\.go)`[^`]*(?:`[^`\n]*`[^`]*)?\n\n```go\n(.*?)```/gs)].map((m) => [m[1] ?? '', m[2] ?? '']),
  );
}

describe.runIf(installed('go', 'version', 'the example and the README of the Go SDK'))('a Go application', () => {
  describe('with guarded routes', () => {
    guardsRoutes(async () => {
      const program = join(folder, 'net-http');
      await run('go', ['build', '-o', program, '.'], { cwd: example, env: goEnv });
      return { command: program, args: [], cwd: folder };
    });
  });

  describe.runIf(isThere(driver) && hasPostgres)('with a list', () => {
    let postgres: PostgresServer | undefined;
    afterAll(() => postgres?.stop());
    guardsRoutes(
      async () => {
        postgres = await PostgresServer.start();
        const [cwd, program] = [join(examples, 'net-http-list'), join(folder, 'net-http-list')];
        const modules = join(folder, 'list.mod');
        copyFileSync(join(cwd, 'go.mod'), modules);
        await run('go', ['mod', 'edit', `-replace=github.com/lib/pq=${driver}`, modules]);
        await run('go', ['build', `-modfile=${modules}`, '-o', program, '.'], { cwd, env: goEnv });
        const url = `${postgres.url('postgres')}?sslmode=disable`;
        return { command: program, args: [], cwd: folder, env: { DATABASE_URL: url } };
      },
      { lists: true },
    );
  });

  it('is what the README says', () => {
    const files = documented();
    expect([...files.keys()]).toEqual(['ask.go', 'main.go', 'main_test.go']);
    expect(files.get('main.go')).toBe(readFileSync(join(example, 'main.go'), 'utf8'));
    const blocks = readFileSync(join(root, 'sdk/go/README.md'), 'utf8').match(/^```go$/gm);
    expect(blocks).toHaveLength(files.size);
  });

  it('compiles from the code blocks of the README, and passes their test', async () => {
    for (const [name, text] of documented()) writeFileSync(join(folder, name), text);
    writeFileSync(
      join(folder, 'go.mod'),
      readFileSync(join(example, 'go.mod'), 'utf8').replace('../../../sdk/go', join(root, 'sdk/go')),
    );
    expect((await run('gofmt', ['-l', '.'], { cwd: folder })).stdout).toBe('');
    const { stdout } = await run('go', ['test', '-v', '.'], { cwd: folder, env: goEnv });
    expect(stdout).toContain('--- PASS');
  });
});
