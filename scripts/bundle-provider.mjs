/**
 * Bundles the built provider into the one file that Terraform starts: `terraform-provider-service_v<version>.cjs`.
 * Does nothing while the bundle is newer than all that it is made of, and was compiled by this Node.
 */
import { execFileSync } from 'node:child_process';
import { chmodSync, existsSync, readdirSync, readFileSync, renameSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath, pathToFileURL } from 'node:url';

const root = fileURLToPath(new URL('..', import.meta.url));
const SOURCES = [
  'core/dist',
  'sdk/node/dist',
  'provider/dist',
  'package-lock.json',
  'scripts/bundle-provider.mjs',
  'scripts/precompile-provider.mjs',
];

function newest(path) {
  const stat = statSync(path);
  if (!stat.isDirectory()) return /\.(?:js|mjs|json)$/.test(path) ? stat.mtimeMs : 0;
  return Math.max(0, ...readdirSync(path).map((name) => newest(join(path, name))));
}

/** What the bundle ends with: its compiled code fits the Node that compiled it alone. */
const COMPILED_BY = `// Compiled by Node ${process.version}, ${process.platform}-${process.arch}.\n`;

function isCurrent(outfile) {
  if (!existsSync(outfile)) return false;
  const sources = SOURCES.map((path) => newest(join(root, path)));
  return statSync(outfile).mtimeMs >= Math.max(...sources) && readFileSync(outfile, 'utf8').endsWith(COMPILED_BY);
}

/** Zod brings its messages in fifty languages; every byte is parsed at each of Terraform's starts of the provider. */
const withoutLocales = {
  name: 'without-locales',
  setup(build) {
    build.onLoad({ filter: /[\\/]zod[\\/]v4[\\/]locales[\\/]index\.js$/ }, () => ({ contents: '' }));
  },
};

const COMMON = {
  bundle: true,
  write: false,
  platform: 'node',
  target: 'node20.19',
  format: 'cjs',
  minifySyntax: true,
  minifyWhitespace: true,
  legalComments: 'none',
  logLevel: 'warning',
};

/**
 * Terraform starts the provider three or four times a command, and V8 reads every function of a program before the first
 * line runs. So what answers the handshake is the program, and the rest are texts in it, compiled where they are needed:
 * the provider by the first call that asks it something; what judges conditions, a third of it, by the first condition;
 * the schema, for which alone one of the starts is, is bytes.
 */
const inPlaceOf = (modules) => ({
  name: 'in-place-of',
  setup(build) {
    for (const [path, contents] of Object.entries(modules)) {
      const filter = new RegExp(`${path.replaceAll('/', '[\\\\/]').replaceAll('.', '\\.')}$`);
      build.onLoad({ filter }, () => ({ contents }));
    }
  },
});

/** A function that runs the module of this text. */
const functionOf = (text) => `(function (exports, require, module) {${text}\n})`;

/** Code for what the module of this text exports, once it has been run. */
const moduleOf = (run) =>
  `(() => {
    const loaded = { exports: {} };
    ${run}(loaded.exports, require, loaded);
    return loaded.exports;
  })()`;

const conditionsLater = (text) => `
  import { runInThisContext } from 'node:vm';
  let conditions;
  export function checkCondition(...args) {
    conditions ??= ${moduleOf(`runInThisContext(${JSON.stringify(functionOf(text))}, { filename: 'conditions.js' })`)};
    return conditions.checkCondition(...args);
  }`;

/**
 * With the text goes what V8 made of it, which saves a third of the time of loading it. Another build of Node refuses
 * that and compiles the text.
 */
const providerLater = (text) => `
  import { Buffer } from 'node:buffer';
  import { Script } from 'node:vm';
  const script = new Script(${JSON.stringify(text)}, {
    filename: 'provider.js',
    cachedData: Buffer.from(${JSON.stringify(precompiled(text))}, 'base64'),
  });
  const provider = ${moduleOf('script.runInThisContext()')};
  export function serviceHandlers(env, log) {
    if (script.cachedDataRejected) log.log('debug', 'compiled anew: another build of Node made the bundle');
    return provider.serviceHandlers(env, log);
  }`;

/** With this seed of V8's, which is not asked for where the code is used, the same text always gives the same bytes. */
function precompiled(text) {
  const args = ['--random-seed=1', join(root, 'scripts/precompile-provider.mjs')];
  return execFileSync(process.execPath, args, { input: text, maxBuffer: 2 ** 26, encoding: 'latin1' });
}

const schemaReady = (bytes) =>
  `export const prepared = { GetProviderSchema: Buffer.from(${JSON.stringify(bytes.toString('base64'))}, 'base64') };`;

async function schemaOf(folder) {
  const load = (path) => import(pathToFileURL(join(folder, 'plugin', path)).href);
  const [{ serviceHandlers }, { Log }, { METHODS }, { encode }] = await Promise.all(
    ['handlers.js', 'wire/log.js', 'wire/messages.js', 'wire/protobuf.js'].map(load),
  );
  const handlers = serviceHandlers({}, new Log('error'));
  return encode(METHODS.GetProviderSchema.response, await handlers.GetProviderSchema({}));
}

async function bundleProvider() {
  const { version } = JSON.parse(readFileSync(join(root, 'provider/package.json'), 'utf8'));
  const folder = join(root, 'provider/dist');
  const outfile = join(folder, `terraform-provider-service_v${version}.cjs`);
  if (isCurrent(outfile)) return;

  const { build } = await import('esbuild');
  const textOf = async (entry, options) => {
    const made = await build({ ...COMMON, ...options, entryPoints: [join(root, entry)] });
    return made.outputFiles[0].text;
  };
  // What is compiled from a text has no import(), but the program's own require.
  const later = { supported: { 'dynamic-import': false } };
  const conditions = await textOf('core/dist/conditions/check.js', later);
  const provider = await textOf('provider/dist/plugin/handlers.js', {
    ...later,
    plugins: [withoutLocales, inPlaceOf({ '/conditions/check.js': conditionsLater(conditions) })],
  });
  const program = await textOf('provider/dist/plugin/main.js', {
    banner: { js: '#!/usr/bin/env node' },
    footer: { js: COMPILED_BY.trimEnd() },
    plugins: [
      inPlaceOf({
        '/plugin/prepared.js': schemaReady(await schemaOf(folder)),
        '/plugin/handlers.js': providerLater(functionOf(provider)),
      }),
    ],
  });
  const made = `${outfile}.${process.pid}.tmp`;
  writeFileSync(made, program);
  chmodSync(made, 0o755);
  for (const name of readdirSync(folder))
    if (/^terraform-provider-service_v.*\.cjs$/.test(name)) rmSync(join(folder, name));
  renameSync(made, outfile);
}

await bundleProvider();
