import { readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { gzipSync } from 'node:zlib';
import { build } from 'esbuild';
import { expect, it } from 'vitest';

const sdk = fileURLToPath(new URL('../../../sdk/node', import.meta.url));

it('is as small in a browser as its README says', async () => {
  const { outputFiles, warnings } = await build({
    entryPoints: [`${sdk}/src/decision-client.ts`],
    bundle: true,
    minify: true,
    write: false,
    format: 'esm',
    // A browser has none of Node's modules: an import of one fails the build.
    platform: 'browser',
    target: 'es2022',
    logLevel: 'silent',
  });
  expect(warnings).toEqual([]);
  const bytes = gzipSync(outputFiles[0]?.contents ?? '', { level: 9 }).byteLength;
  const said = /\*\*(\d+\.\d) kB\*\* compressed/.exec(readFileSync(`${sdk}/README.md`, 'utf8'))?.[1];
  // Another zlib may make a few bytes more or less of it.
  expect(Math.abs(bytes / 1000 - Number(said)), `${bytes} bytes, and ${said} kB in the README`).toBeLessThan(0.1);
});
