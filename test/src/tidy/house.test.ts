import { readdirSync, readFileSync } from 'node:fs';
import { dirname, join, relative } from 'node:path';
import { fileURLToPath } from 'node:url';
import { describe, expect, it } from 'vitest';

const root = fileURLToPath(new URL('../../..', import.meta.url));

/**
 * Which workspaces each one may import; see docs/architecture.md. The SDK imports none, for it is installed alone. The CLI
 * reaches cloud and agent by `import()` only, reads the decision point's contract, and stands in for one in tests.
 */
const MAY_IMPORT: Record<string, string[]> = {
  core: ['core'],
  pdp: ['core', 'pdp'],
  sdk: ['sdk'],
  cloud: ['core', 'pdp', 'cloud'],
  embedded: ['core', 'pdp', 'sdk', 'embedded'],
  agent: ['core', 'pdp', 'embedded', 'agent'],
  provider: ['core', 'sdk', 'provider'],
  console: ['sdk', 'console'],
  cli: ['core', 'sdk', 'embedded', 'provider', 'cli'],
};

/** The few modules of core, small and without dependencies, that the console may have in its pages. */
const FOR_CONSOLE: ReadonlySet<string> = new Set([
  '@authz-service/core/questions/filter/filter-text',
  '@authz-service/core/records/entity-text',
  '@authz-service/core/records/suspension',
  '@authz-service/core/origin/provenance-text',
]);

/** Node's own modules that reach outside the process, which core must not know. */
const OUTSIDE = ['fs', 'fs/promises', 'http', 'https', 'http2', 'net', 'child_process', 'os', 'dns'];

function sources(folder: string): string[] {
  return readdirSync(join(root, folder), { withFileTypes: true, recursive: true })
    .filter((entry) => entry.isFile() && /\.(tsx?|mjs|js)$/.test(entry.name))
    .map((entry) => relative(root, join(entry.parentPath, entry.name)))
    .filter((file) => !/(^|\/)(node_modules|dist|generated)\//.test(file))
    .sort();
}

interface Import {
  name: string;
  dynamic: boolean;
}

function imports(file: string): Import[] {
  const text = readFileSync(join(root, file), 'utf8');
  const fixed = [
    ...text.matchAll(/^\s*(?:import|export)\b[^;'"]*?\bfrom\s+['"]([^'"]+)['"]|^\s*import\s+['"]([^'"]+)['"]/gm),
  ];
  const dynamic = [...text.matchAll(/\bimport\(\s*['"]([^'"]+)['"]\s*\)/g)];
  return [
    ...fixed.map((match) => ({ name: match[1] ?? match[2] ?? '', dynamic: false })),
    ...dynamic.map((match) => ({ name: match[1] ?? '', dynamic: true })),
  ];
}

/** The folder of a source; a file at the top of a package stands for itself. */
function roomOf(file: string): string {
  const folder = dirname(file);
  return folder.endsWith('/src') ? file.replace(/\.(js|tsx)$/, '.ts') : folder;
}

const workspaces = Object.keys(MAY_IMPORT);

describe('the house', () => {
  it('has sources in every workspace, so that the rules below look at something', () => {
    for (const workspace of workspaces) expect(sources(workspace).length, workspace).toBeGreaterThan(0);
  });

  it.each(workspaces)('%s imports only what stands below it', (workspace) => {
    const wrong = sources(workspace).flatMap((file) =>
      imports(file)
        .filter(({ name, dynamic }) => {
          const target = /^@authz-service\/([^/]+)/.exec(name)?.[1];
          if (target === undefined || MAY_IMPORT[workspace]?.includes(target)) return false;
          if (workspace === 'cli' && name.startsWith('@authz-service/pdp/contract/')) return false;
          if (workspace === 'console' && FOR_CONSOLE.has(name)) return false;
          if (file.startsWith('cli/testing/') && target === 'pdp') return false;
          return !(workspace === 'cli' && dynamic && (target === 'cloud' || target === 'agent'));
        })
        .map(({ name }) => `${file} imports ${name}`),
    );
    expect(wrong).toEqual([]);
  });

  it('exports of the SDK what applications and other workspaces import, and nothing else', () => {
    const { exports } = JSON.parse(readFileSync(join(root, 'sdk/node/package.json'), 'utf8')) as { exports: object };
    const users = workspaces.filter((workspace) => workspace !== 'sdk').concat('examples', 'test', 'scripts');
    const texts = [...users.flatMap(sources), 'sdk/node/README.md'].map((file) =>
      readFileSync(join(root, file), 'utf8'),
    );
    const imported = texts.flatMap((text) => [
      ...text.matchAll(/'@authz-service\/sdk(\/[\w/-]+)?'|`@authz-service\/sdk(\/[\w/-]+)`/g),
    ]);
    const names = new Set(imported.map(([, name, documented]) => `.${name ?? documented ?? ''}`));
    // The README names these without their package.
    expect([...names, './fastify', './nest'].sort().filter((name, at, all) => name !== all[at - 1])).toEqual(
      Object.keys(exports).sort(),
    );
  });

  it('reaches no other workspace by a relative path', () => {
    const wrong = workspaces.flatMap((workspace) =>
      sources(workspace).flatMap((file) =>
        imports(file)
          .filter(({ name }) => name.startsWith('.') && !join(file, '..', name).startsWith(workspace))
          .map(({ name }) => `${file} imports ${name}`),
      ),
    );
    expect(wrong).toEqual([]);
  });

  it.each(workspaces)('%s has no two folders that import each other, by whatever way round', (workspace) => {
    const edges = new Map<string, Set<string>>();
    for (const file of sources(workspace).filter((source) => /\/src\//.test(source) && !source.endsWith('.test.ts'))) {
      for (const { name } of imports(file).filter((one) => one.name.startsWith('.'))) {
        const [from, to] = [roomOf(file), roomOf(join(file, '..', name))];
        if (from !== to) edges.set(from, (edges.get(from) ?? new Set()).add(to));
      }
    }
    const reached = (from: string): Set<string> => {
      const found = new Set<string>();
      const open = [from];
      for (let next = open.pop(); next !== undefined; next = open.pop())
        for (const to of edges.get(next) ?? []) {
          if (found.has(to)) continue;
          found.add(to);
          open.push(to);
        }
      return found;
    };
    // Single files beside each other, at the top of a package, may form a pair.
    const circles = [...edges.keys()].filter((room) => !/\.\w+$/.test(room) && reached(room).has(room));
    expect(circles).toEqual([]);
  });

  it.each([
    ['conditions', ['access', 'questions', 'state', 'manifest', 'plan', 'patch', 'bundle']],
    ['access', ['questions', 'manifest', 'plan', 'patch', 'bundle']],
    ['records', ['conditions', 'access', 'questions', 'state', 'manifest', 'plan', 'patch', 'bundle']],
  ])('keeps %s of core below what asks it', (room, above) => {
    const wrong = sources('core')
      .filter((file) => file.startsWith(`core/src/${room}/`) && !file.endsWith('.test.ts'))
      .flatMap((file) =>
        imports(file)
          .filter(({ name }) => name.startsWith('.') && above.includes(join(file, '..', name).split('/')[2] ?? ''))
          .map(({ name }) => `${file} imports ${name}`),
      );
    expect(wrong).toEqual([]);
  });

  it('opens no module of a closed room of core that nobody asks for', () => {
    const { exports } = JSON.parse(readFileSync(join(root, 'core/package.json'), 'utf8')) as { exports: object };
    const doors = Object.keys(exports).filter((door) => !door.includes('*'));
    const asked = new Set(
      [...workspaces.filter((workspace) => workspace !== 'core'), 'test', 'bench'].flatMap((folder) =>
        sources(folder).flatMap((file) => imports(file).map(({ name }) => name)),
      ),
    );
    expect(doors.filter((door) => !asked.has(door.replace('.', '@authz-service/core')))).toEqual([]);
  });

  it('has one meaning for each exported type of core', () => {
    const homes = new Map<string, string[]>();
    for (const file of sources('core').filter((source) => /\/src\//.test(source) && !source.endsWith('.test.ts')))
      for (const [, name = ''] of readFileSync(join(root, file), 'utf8').matchAll(
        /^export (?:abstract )?(?:class|interface|type) (\w+)/gm,
      ))
        homes.set(name, [...(homes.get(name) ?? []), file]);
    expect([...homes].filter(([, files]) => files.length > 1)).toEqual([]);
  });

  it('begins each docstring, and each description in a schema, with a noun or a verb', () => {
    const wrong = [...workspaces, 'test', 'bench', 'scripts']
      .flatMap((folder) => sources(folder))
      .filter((file) => !file.includes('/generated/'))
      .flatMap((file) =>
        [
          ...readFileSync(join(root, file), 'utf8').matchAll(
            /(?:\/\*\*\s+(?:\* )?|\.meta\(\{[^{}]*?\bdescription:\s*['"`])((?:What|Where|Of|So|That) [^\n]*)/g,
          ),
        ].map(([, text]) => `${file}: ${text}`),
      );
    expect(wrong).toEqual([]);
  });

  it('keeps core free of file system, network and clock', () => {
    const wrong = sources('core')
      .filter((file) => !file.endsWith('.test.ts'))
      .flatMap((file) => {
        const text = readFileSync(join(root, file), 'utf8');
        const outside = imports(file).filter(({ name }) => OUTSIDE.includes(name.replace(/^node:/, '')));
        const clock = /\bDate\.now\(\)|\bnew Date\(\)|\bperformance\.now\(\)|\bprocess\.env\b/.test(text);
        return [
          ...outside.map(({ name }) => `${file} imports ${name}`),
          ...(clock ? [`${file} reads clock or environment`] : []),
        ];
      });
    expect(wrong).toEqual([]);
  });

  it('keeps HTTP, sockets and files in the transport, sinks and traces of the decision point', () => {
    const wrong = sources('pdp')
      .filter((file) => !/^pdp\/src\/(transport|sinks|tracing)\//.test(file))
      .flatMap((file) => imports(file).map(({ name }) => ({ file, name })))
      .filter(
        ({ file, name }) =>
          OUTSIDE.includes(name.replace(/^node:/, '')) ||
          (file.includes('/contract/') && /transport|endpoints/.test(name)),
      );
    expect(wrong).toEqual([]);
  });

  it('lets only the store and main of the cloud name the database', () => {
    const wrong = sources('cloud')
      .filter(
        (file) =>
          !file.startsWith('cloud/src/store/') && !file.startsWith('cloud/testing/') && !file.endsWith('.test.ts'),
      )
      .filter((file) => imports(file).some(({ name }) => name === 'knex' || name === 'sqlite3'));
    expect(wrong).toEqual([]);
  });

  it('leaves no work for later in the sources, and no test switched off for good', () => {
    const marks = [...workspaces, 'test', 'examples']
      .flatMap(sources)
      .filter((file) => !file.startsWith('test/src/tidy/'))
      .filter((file) =>
        /\b(TODO|FIXME|XXX)\b|\b(it|test|describe)\.(only|todo)\b/.test(readFileSync(join(root, file), 'utf8')),
      );
    expect(marks).toEqual([]);
  });

  it('names no absolute path of a developer machine', () => {
    const wrong = [...workspaces, 'test', 'examples', 'scripts', 'docs']
      .flatMap(sources)
      .filter((file) => !file.startsWith('test/src/tidy/'))
      .filter((file) => /['"`]\/(work|home|root)\//.test(readFileSync(join(root, file), 'utf8')));
    expect(wrong).toEqual([]);
  });
});
