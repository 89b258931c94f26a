/**
 * Bundles a built program into one CommonJS script, as a single executable needs it: its threads and the JSON files that it
 * reads are texts within it. It has all commands but those of the cloud, whose database is a native module.
 */
import { readFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { build } from 'esbuild';
import { packagesIn } from './licences.mjs';

const root = fileURLToPath(new URL('..', import.meta.url));
const json = (path) => JSON.parse(readFileSync(join(root, path), 'utf8'));

/** Makes what is not in the program fail as Node does where a package is not installed, which Node would also warn of. */
const BANNER = `
const PROGRAM_URL = require('node:url').pathToFileURL(__filename).href;
{
  const { isBuiltin } = require('node:module');
  const requireBuiltin = require;
  require = (name) => {
    if (isBuiltin(name)) return requireBuiltin(name);
    const [lacking] = /^(?:@[^/]+[/])?[^/]*/.exec(name);
    throw Object.assign(new Error(\`Cannot find package '\${lacking}'\`), { code: 'ERR_MODULE_NOT_FOUND' });
  };
}`;

const OPTIONS = {
  bundle: true,
  write: false,
  metafile: true,
  absWorkingDir: root,
  platform: 'node',
  target: 'node20.19',
  format: 'cjs',
  minifySyntax: true,
  minifyWhitespace: true,
  legalComments: 'none',
  logLevel: 'warning',
  // A single executable has no loader of modules.
  supported: { 'dynamic-import': false },
  define: { 'import.meta.url': 'PROGRAM_URL' },
  banner: { js: BANNER },
  external: ['@authz-service/cloud'],
};

/** Puts threads, and JSON files that are read by `createRequire`, into the bundle. */
const included = (packages) => ({
  name: 'included',
  setup({ onLoad, onResolve, initialOptions }) {
    onLoad({ filter: /\/dist\/.*\.js$/ }, ({ path }) => {
      const text = readFileSync(path, 'utf8');
      if (!/\bcreateRequire\(|new Worker\(/.test(text)) return undefined;
      const threads = [];
      const contents = text
        .replace(/^\s*const require = createRequire\(import\.meta\.url\);$/gm, '')
        .replaceAll('createRequire(import.meta.url)(', 'require(')
        .replace(/new Worker\(new URL\('([^']+)', import\.meta\.url\)(?:, \{)?/g, (call, thread) => {
          threads.push(thread);
          const options = call.endsWith('{') ? '' : ' }';
          return `new Worker(thread${threads.length}, { eval: true,${options}`;
        });
      if (/\bcreateRequire\(import|new URL\(/.test(contents)) throw new Error(`${path} finds files in a new way.`);
      const imports = threads.map((thread, at) => `import thread${at + 1} from 'thread:${thread}';\n`);
      return { contents: imports.join('') + contents };
    });
    onResolve({ filter: /^thread:/ }, ({ path, importer }) => ({
      path: join(dirname(importer), path.slice('thread:'.length)),
      namespace: 'thread',
    }));
    // A thread starts no other, but may share a module with what starts it.
    onLoad({ filter: /./, namespace: 'thread' }, async ({ path }) => ({
      contents: initialOptions.entryPoints?.[0].endsWith('-thread.js')
        ? ''
        : await bundled({ entryPoints: [path] }, packages),
      loader: 'text',
    }));
  },
});

/** Gives oclif the hooks of a plugin, which it would otherwise look for by the path of their module. */
const HOOKS = {
  name: 'hooks',
  setup({ onLoad }) {
    onLoad({ filter: /\/@oclif\/core\/lib\/module-loader\.js$/ }, () => ({
      contents: `
const { basename } = require('node:path');
exports.loadWithData = async (plugin, filePath) => ({ filePath, module: plugin.hookModules[basename(filePath)] });`,
    }));
  },
};

/** Bundles, and adds the folder of each package that is in the bundle. */
async function bundled(entry, packages) {
  const plugins = [included(packages), HOOKS];
  const { outputFiles, metafile } = await build({ ...OPTIONS, ...entry, plugins });
  for (const folder of packagesIn(metafile)) packages.add(folder);
  return outputFiles[0].text;
}

/** The command line: oclif is given its plugins and their commands, which it would otherwise look for in folders. */
function cliEntry() {
  const entries = (from, of) =>
    Object.entries(from)
      .map(([key, value]) => `${JSON.stringify(key)}: ${of(value)},`)
      .join('\n');
  const plugin = (folder) => {
    const { name, version, dependencies, oclif } = json(join(folder, 'package.json'));
    const { commands } = json(join(folder, 'oclif.manifest.json'));
    const hooks = entries(oclif.hooks ?? {}, (target) => `require('./${join(folder, target)}.js')`);
    const loads = entries(commands, ({ relativePath }) => `() => import('./${join(folder, ...relativePath)}')`);
    return `plugin(${JSON.stringify({ name, version, dependencies, oclif })}, ${JSON.stringify(commands)}, {${loads}}, {${hooks}})`;
  };
  return `
import { dirname } from 'node:path';
import { run } from './cli/dist/main.js';

const root = dirname(process.execPath);
function plugin(pjson, commands, loads, hookModules) {
  const made = {
    ...{ name: pjson.name, alias: pjson.name, version: pjson.version, type: 'core', valid: true, hasManifest: true },
    ...{ root, pjson, moduleType: 'commonjs', options: { root }, commandIDs: Object.keys(commands), hookModules },
    topics: Object.entries(pjson.oclif.topics ?? {}).map(([name, topic]) => ({ name, ...topic })),
    hooks: Object.fromEntries(Object.keys(hookModules).map((target) => [target, [{ target, identifier: 'default' }]])),
  };
  made.commands = Object.values(commands).map((command) => ({
    ...command,
    pluginType: 'core',
    load: async () => Object.assign((await loads[command.id]()).default, { id: command.id, plugin: made }),
  }));
  return made;
}
const plugins = [${['cli', 'node_modules/@oclif/plugin-help'].map(plugin).join(', ')}];
run(process.argv.slice(2), { root, pjson: plugins[0].pjson, plugins: new Map(plugins.map((one) => [one.name, one])) });
`;
}

/** The programs, and what each is bundled from. */
const ENTRIES = {
  servicectl: () => ({ stdin: { contents: cliEntry(), resolveDir: root, sourcefile: 'servicectl.js' } }),
  'service-agent': () => ({ entryPoints: [join(root, 'agent/dist/main.js')] }),
  'terraform-provider-service': () => ({ entryPoints: [join(root, 'provider/dist/terraform/main.js')] }),
};

export const PROGRAMS = Object.keys(ENTRIES);

/** The program in one file, and the folders of the packages that it contains. */
export async function programInOneFile(name) {
  const packages = new Set();
  return { text: await bundled(ENTRIES[name](), packages), packages: [...packages].sort() };
}
