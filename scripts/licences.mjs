/** Licences of the packages that are within a bundle. */
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';

const root = fileURLToPath(new URL('..', import.meta.url));
const LICENCE = /^(licen[cs]e|copying|notice)/i;

/** The folders of the packages in a bundle, by what esbuild says of it. */
export function packagesIn({ inputs }) {
  const folder = /^(.*node_modules\/(?:@[^/]+\/)?[^/]+)\/(?!.*node_modules\/)/;
  return [...new Set(Object.keys(inputs).flatMap((path) => folder.exec(path)?.[1] ?? []))].sort();
}

/** The name, the version and the licence of each package, with the text that it comes with, and further texts. */
export function licencesOf(folders, ...more) {
  const texts = folders.map((folder) => {
    const { name, version, license } = JSON.parse(readFileSync(join(root, folder, 'package.json'), 'utf8'));
    const files = readdirSync(join(root, folder)).filter((file) => LICENCE.test(file));
    const contents = files.map((file) => readFileSync(join(root, folder, file), 'utf8').trim());
    return [`${name} ${version}: ${license}`, ...contents].join('\n\n');
  });
  return `${[...texts, ...more].join(`\n\n${'='.repeat(80)}\n\n`)}\n`;
}
