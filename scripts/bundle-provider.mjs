/**
 * Bundles the built provider into the one file that Terraform starts: `terraform-provider-service_v<version>.cjs`.
 * Does nothing while the bundle is newer than all that it is made of, and was compiled by this Node.
 */
import { execFileSync } from 'node:child_process';
import { chmodSync, existsSync, readdirSync, readFileSync, renameSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath, pathToFileURL } from 'node:url';
import { brotliCompressSync } from 'node:zlib';

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

const COMMON = {
  bundle: true,
  write: false,
  platform: 'node',
  target: 'node20.19',
  format: 'cjs',
  // What is compiled from a text has no import(), and a program's own costs more than a require.
  supported: { 'dynamic-import': false },
  minifySyntax: true,
  minifyWhitespace: true,
  legalComments: 'none',
  logLevel: 'warning',
};

/**
 * Terraform starts the provider three or four times a command, and V8 reads all of a program before its first line runs.
 * So what answers the handshake is the program, and the rest stand in comments after it, which V8 passes over: the
 * provider, compiled for the first call that asks it something; what judges conditions, a third of it, for the first
 * condition; the schema, for which alone one of the starts is.
 */
const inComment = (name, text) => {
  if (text.includes(END_IN_COMMENT)) throw new Error(`${name} contains ${END_IN_COMMENT}: choose another sign`);
  return `function ${name}(){/*${text.replaceAll('*/', END_IN_COMMENT)}*/}\n`;
};

/** Stands for the sign that ends a comment. */
const END_IN_COMMENT = '*~/';

/** Code for what stands in a comment: functions give their own text. */
const fromComment = (name) =>
  `${name}.toString().slice(${`function ${name}(){/*`.length}, -3).replaceAll('${END_IN_COMMENT}', '*/')`;

const inPlaceOf = (modules) => ({
  name: 'in-place-of',
  setup(build) {
    for (const [path, contents] of Object.entries(modules)) {
      const filter = new RegExp(`${path.replaceAll('/', '[\\\\/]').replaceAll('.', '\\.')}$`);
      build.onLoad({ filter }, () => ({ contents }));
    }
  },
});

/** A function that runs the module of this text; `conditions` gives the text of the one that judges conditions. */
const functionOf = (text) => `(function (exports, require, module, conditions) {${text}\n})`;

/** Code for what the module exports that `run`, code for the function, runs. */
const moduleOf = (run) =>
  `(() => {
    const loaded = { exports: {} };
    ${run}(loaded.exports, require, loaded, conditions);
    return loaded.exports;
  })()`;

const conditionsLater = `
  import { runInThisContext } from 'node:vm';
  let judge;
  export function checkCondition(...args) {
    judge ??= ${moduleOf(`runInThisContext(conditions(), { filename: 'conditions.js' })`)};
    return judge.checkCondition(...args);
  }`;

/**
 * With the text goes what V8 made of it, which saves a third of the time of loading it. Another build of Node refuses
 * that and compiles the text.
 */
const providerLater = `
  import { Buffer } from 'node:buffer';
  import { Script } from 'node:vm';
  const conditions = () =>
    require('node:zlib').brotliDecompressSync(Buffer.from(${fromComment('conditionsText')}, 'base64')).toString();
  const script = new Script(${fromComment('providerText')}, {
    filename: 'provider.js',
    cachedData: Buffer.from(${fromComment('providerCompiled')}, 'base64'),
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

const schemaReady = `
  import { Buffer } from 'node:buffer';
  export const prepared = { GetProviderSchema: () => Buffer.from(${fromComment('schemaMessage')}, 'base64') };`;

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
  const textOf = async (entry, options = {}) => {
    const made = await build({ ...COMMON, ...options, entryPoints: [join(root, entry)] });
    return made.outputFiles[0].text;
  };
  const conditions = functionOf(await textOf('core/dist/conditions/check.js'));
  const provider = functionOf(
    await textOf('provider/dist/plugin/handlers.js', {
      plugins: [inPlaceOf({ '/conditions/check.js': conditionsLater })],
    }),
  );
  const comments = {
    schemaMessage: (await schemaOf(folder)).toString('base64'),
    providerText: provider,
    providerCompiled: precompiled(provider),
    conditionsText: brotliCompressSync(conditions).toString('base64'),
  };
  const program = await textOf('provider/dist/plugin/main.js', {
    banner: { js: '#!/usr/bin/env node' },
    footer: {
      js: Object.entries(comments)
        .map(([name, text]) => inComment(name, text))
        .concat(COMPILED_BY.trimEnd())
        .join(''),
    },
    plugins: [inPlaceOf({ '/plugin/prepared.js': schemaReady, '/plugin/handlers.js': providerLater })],
  });
  const made = `${outfile}.${process.pid}.tmp`;
  writeFileSync(made, program);
  chmodSync(made, 0o755);
  for (const name of readdirSync(folder))
    if (/^terraform-provider-service_v.*\.cjs$/.test(name)) rmSync(join(folder, name));
  renameSync(made, outfile);
}

await bundleProvider();
