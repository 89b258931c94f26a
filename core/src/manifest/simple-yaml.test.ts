import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { composeYaml } from './compose.js';
import { parseSimpleYaml } from './simple-yaml.js';
import type { YamlNode } from './yaml-node.js';

/** A node without where collections end, which nothing depends on. */
function outline(node: YamlNode): unknown {
  const { type, start } = node;
  if (node.type === 'map') return { type, start, pairs: node.pairs.map(({ key, value }) => [key, value].map(outline)) };
  if (node.type === 'list') return { type, start, items: node.items.map(outline) };
  return node;
}

/** What the full parser makes of a text, and what it finds wrong with it. */
function full(text: string): unknown {
  const faults: string[] = [];
  const roots = composeYaml(text, (offset, detail) => faults.push(`${offset}: ${detail}`));
  return { roots: roots.map(outline), faults };
}

/** Pieces that make YAML, and nearly YAML, when they are strung together. */
const piece = fc.oneof(
  { weight: 3, arbitrary: fc.constantFrom('a', 'b', 'key', '1', 'x y', 'user/alice', 'é', '🙂') },
  {
    weight: 5,
    arbitrary: fc.constantFrom(': ', ':\n', '\n', '\n  ', '\n    ', ' ', '\n- ', '\n  - ', '- ', ', ', '\n '),
  },
  {
    weight: 2,
    arbitrary: fc.constantFrom('[', ']', '{', '}', '"', "'", '[]', '{}', '"q"', "'q'", '{ a: 1 }', '[x, y]'),
  },
  {
    weight: 1,
    arbitrary: fc.constantFrom(
      ...[
        '#',
        ' # c',
        '#c\n',
        ':',
        ',',
        '-',
        '?',
        '? ',
        '|',
        '|\n',
        '>-\n',
        '&x ',
        '*x',
        '!t ',
        '%',
        '@',
        '`',
        '<<: ',
        '=',
      ],
      ...[
        'null',
        '~',
        'true',
        'False',
        '010',
        '0x1F',
        '0o17',
        '-0',
        '1e3',
        '.5',
        '1.',
        '.inf',
        '-.INF',
        '.nan',
        '+1',
        '0x',
        '0b1',
      ],
      ...[
        '---',
        '\n---\n',
        '...',
        '\\',
        '\\"',
        "''",
        '\t',
        '\r\n',
        '\u00a0',
        '\u2028',
        '\ufeff',
        '(',
        ')',
        '$',
        '..',
        '--',
        '- - ',
        'a:b',
      ],
    ),
  },
);
const soup = fc.array(piece, { maxLength: 30 }).map((pieces) => pieces.join(''));

/** Texts of the usual shape, with a slip now and then. */
const line = fc
  .tuple(
    fc.constantFrom('', '  ', '    ', '      ', ' '),
    fc.constantFrom('', '', '', '- '),
    fc.constantFrom('a', 'b', 'name', '"c d"', '1', 'x/y', "'e'", 'null'),
    fc.constantFrom(': ', ':', ':  ', ' : ', ''),
    fc.oneof(
      fc.constantFrom('', '', 'text', 'two words', '12', '[a, b]', '{ a: 1, "b": [c] }', '"q: #"', '-1', '- x', 'a: b'),
      piece,
    ),
    fc.constantFrom('', '', '', ' ', ' # note', '#note'),
  )
  .map((parts) => parts.join(''));
const page = fc.array(line, { maxLength: 12 }).map((lines) => `${lines.join('\n')}\n`);

describe('parseSimpleYaml', () => {
  it.each([
    ['block mappings and lists', 'a:\n  b: 1\n  c:\n  - x\n  - d: y\n    e: z\n  f:\n    - g\n'],
    ['brackets on one line', 'a: { b: [c, "d", 1.5], e: {} }\nf: []\n'],
    ['comments and empty values', '# top\n\na: # none\nb: x # y\n'],
    ['a document mark at the start', '---\na: b\n'],
    ['scalars of every type', 'a: null\nb: ~\nc: true\nd: 010\ne: 0x1F\nf: 1e3\ng: .inf\nh: -0\ni: 2027-01-31\n'],
  ])('reads %s as the full parser does', (_, text) => {
    const node = parseSimpleYaml(text);
    expect(node).toBeDefined();
    expect({ roots: node && [outline(node)], faults: [] }).toEqual(full(text));
  });

  it.each([
    ['nothing at all', ''],
    ['several documents', 'a: 1\n---\nb: 2\n'],
    ['anchors and aliases', 'a: &x 1\nb: *x\n'],
    ['blocks of text', 'a: |\n  b\n'],
    ['texts that go on in the next line', 'a: b\n  c\n'],
    ['escapes', 'a: "\\n"\n'],
    ['tabs', 'a:\tb\n'],
    ['depth', `a: ${'['.repeat(40)}${']'.repeat(40)}\n`],
    ['faults', 'a: [b\n'],
  ])('leaves %s to the full parser', (_, text) => {
    expect(parseSimpleYaml(text)).toBeUndefined();
  });

  it.each([
    ['any text', soup],
    ['lines of the usual shape', page],
  ])('reads %s as the full parser does, or not at all', (_, texts) => {
    fc.assert(
      fc.property(texts, (text) => {
        const node = parseSimpleYaml(text);
        if (node !== undefined) expect({ roots: [outline(node)], faults: [] }).toEqual(full(text));
      }),
      { numRuns: Number(process.env.RUNS ?? 2000) },
    );
  });
});
