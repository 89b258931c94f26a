import { readdirSync, readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { expect, it } from 'vitest';
import { serviceProvider } from '../resources/service-provider.js';
import { referencePages } from './pages.js';

const folder = (name: string) => fileURLToPath(new URL(`../../../${name}/`, import.meta.url));
const pages = () => referencePages((path) => readFileSync(`${folder('examples')}${path}`, 'utf8'));

it('the committed reference pages are those of the schema: "npm run docs -w provider" writes them', () => {
  const committed = readdirSync(folder('docs'), { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile())
    .map((entry) => `${entry.parentPath}/${entry.name}`.replaceAll('//', '/').slice(folder('docs').length));
  const made = pages();
  expect(committed.sort()).toEqual(made.map(({ path }) => path).sort());
  for (const { path, text } of made) expect(readFileSync(`${folder('docs')}${path}`, 'utf8'), path).toBe(text);
});

it('there is a mock of every resource, since "override_during" of a mock_provider applies only to those', () => {
  const mocks = readFileSync(`${folder('mocks')}service.tfmock.hcl`, 'utf8');
  const mocked = [...mocks.matchAll(/^mock_resource "(\w+)" \{/gm)].map(([, type]) => type);
  expect(mocked.sort()).toEqual(Object.keys(serviceProvider({}).resources).sort());
});

it('every example is on a page', () => {
  const read: string[] = [];
  referencePages((path) => {
    read.push(path);
    return 'to = x\nid = "y"';
  });
  const files = readdirSync(folder('examples'), { recursive: true, encoding: 'utf8' }).filter((name) =>
    name.endsWith('.tf'),
  );
  expect(files.sort()).toEqual(read.sort());
});

it('pages link every nested object to its section', () => {
  for (const { path, text } of pages()) {
    const targets = [...text.matchAll(/\(#([^)]+)\)/g)].map(([, target]) => target);
    const anchors = [...text.matchAll(/<a id="([^"]+)">/g)].map(([, anchor]) => anchor);
    expect(targets.sort(), path).toEqual(anchors.sort());
  }
});
