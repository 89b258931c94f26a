import { describe, expect, it } from 'vitest';
import { filesIn, type GitEntry } from './git-tree.js';

const file = (path: string): GitEntry => ({ mode: '100644', name: `#${path}`, path });
/** A link; its content is its target. */
const link = (path: string, target: string): GitEntry => ({ mode: '120000', name: target, path });
const read = (...entries: GitEntry[]) =>
  filesIn(
    entries,
    (name) => name,
    (path) => `main:${path}`,
  );

describe('filesIn', () => {
  it('takes what a folder would be read with', () => {
    const names = [
      'b.yaml',
      'a/b.yml',
      '.hidden.yaml',
      '.github/x.yaml',
      'node_modules/x.yaml',
      't.test.yaml',
      'README.md',
    ];
    expect(read(...names.map(file))).toEqual([
      { path: 'a/b.yml', name: '#a/b.yml' },
      { path: 'b.yaml', name: '#b.yaml' },
    ]);
  });

  it('follows links to files and folders, through others, inside the tree', () => {
    const entries = [
      file('real/x.yaml'),
      link('one.yaml', 'real/x.yaml'),
      link('a/folder', '../real'),
      link('two.yaml', 'a/folder/../folder/x.yaml'),
      link('README', 'NONE.md'),
    ];
    expect(() => read(...entries)).toThrow(
      'main:README is a link to "NONE.md", which the tree does not hold: remove it.',
    );
    expect(read(...entries.slice(0, 4)).map(({ path, name }) => `${path} ${name}`)).toEqual([
      'a/folder/x.yaml #real/x.yaml',
      'one.yaml #real/x.yaml',
      'real/x.yaml #real/x.yaml',
      'two.yaml #real/x.yaml',
    ]);
  });

  it.each<[string, GitEntry[], string]>([
    ['a link out of the tree', [link('x.yaml', '../other/x.yaml')], 'leads out of the tree'],
    ['an absolute link', [link('folder', '/etc')], 'leads out of the tree'],
    ['a broken link', [link('x.yaml', 'y.yaml')], 'is a link to "y.yaml"'],
    ['a link to itself', [link('x.yaml', 'x.yaml')], 'or round'],
    ['a link to a folder above', [file('a/x.yaml'), link('a/b', '..')], 'is a link in a circle'],
    ['a submodule', [{ mode: '160000', name: 'c0ffee', path: 'team' }], 'main:team is a submodule'],
  ])('refuses %s', (_, entries, message) => {
    expect(() => read(...entries)).toThrow(message);
  });

  it('leaves links alone that are no records', () => {
    expect(read(file('x.yaml'), link('README.md', '../README.md'))).toHaveLength(1);
  });
});
