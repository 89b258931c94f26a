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

const scalar = fc.constantFrom(
  ...[
    'text',
    'two words',
    'user/alice',
    '12',
    '-1',
    '010',
    '1.5',
    'true',
    'null',
    '~',
    '2027-01-31',
    '"q: #"',
    "'{}'",
    'é',
    'a:b',
    'x#y',
  ],
  ...[
    '.inf',
    '0x1F',
    '(a) && b == "c"',
    'a, b',
    '-x',
    '<',
    'a  b',
    '""',
    '"x\\n"',
    '"\\""',
    '"\\x41"',
    "'it''s'",
    'b: c',
  ],
);
const key = fc.constantFrom(
  'a',
  'b',
  'name',
  'c d',
  'x/y',
  '1',
  '"e f"',
  "'g'",
  'null',
  '-h',
  '"i:j"',
  'k(l)',
  'm:n',
  "'o''p'",
);
const margin = fc.constantFrom('', '', '', '', ' ', ' # note', '  # [', '#');

/** YAML of the usual shape: a block of lines at an indentation. */
function block(draw: fc.GeneratorValue, indent: string, depth: number): string {
  const inList = draw(fc.boolean);
  const lines = Array.from({ length: draw(fc.integer, { min: 1, max: 3 }) }, () => {
    const start = `${indent}${inList ? '-' : `${draw(() => key)}:`}`;
    const kind = draw(fc.integer, { min: 0, max: 9 });
    if (kind < 3 && depth < 3) {
      const deeper = draw(fc.constantFrom, '  ', '    ', ' ', '') as string;
      return `${start}${draw(() => margin)}\n${block(draw, indent + deeper, depth + 1)}`;
    }
    if (kind < 4 && inList && depth < 3) return `${start} ${block(draw, `${indent}  `, depth + 1).trimStart()}`;
    if (kind < 6) return `${start} ${flow(draw, 0)}${draw(() => margin)}\n`;
    return `${start}${kind < 9 ? ' ' : ''}${kind < 9 ? draw(() => scalar) : ''}${draw(() => margin)}\n`;
  });
  return lines.join(draw(fc.constantFrom, '', '', '\n', `${indent}# note\n`, '   \n') as string);
}

function flow(draw: fc.GeneratorValue, depth: number): string {
  const space = draw(fc.constantFrom, '', ' ') as string;
  const inMap = draw(fc.boolean);
  const items = Array.from({ length: draw(fc.integer, { min: 0, max: 3 }) }, () => {
    const value = depth < 2 && draw(fc.boolean) ? flow(draw, depth + 1) : draw(() => scalar);
    return inMap ? `${draw(() => key)}: ${value}` : value;
  });
  const inner = `${space}${items.join(`${draw(fc.constantFrom, '', ' ') as string},${space}`)}${space}`;
  return inMap ? `{${inner}}` : `[${inner}]`;
}

const page = fc.gen().map((draw) => block(draw, '', 0));
const slip = fc
  .tuple(page, fc.nat(), fc.nat({ max: 3 }), fc.oneof(piece, fc.constant('')))
  .map(([text, at, cut, put]) => {
    const place = text.length === 0 ? 0 : at % text.length;
    return text.slice(0, place) + put + text.slice(place + cut);
  });

describe('parseSimpleYaml', () => {
  it.each([
    ['block mappings and lists', 'a:\n  b: 1\n  c:\n  - x\n  - d: y\n    e: z\n  f:\n    - g\n'],
    ['brackets on one line', 'a: { b: [c, "d", 1.5], e: {} }\nf: []\n'],
    ['comments and empty values', '# top\n\na: # none\nb: x # y\n'],
    ['a document mark at the start', '---\na: b\n'],
    ['quotes with escapes', 'a: "x\\n\\u00e9\\""\nb: \'it\'\'s\'\n"c:d": e:f\ng:h: i\n'],
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
    ['escapes that JSON has not', 'a: "\\x41"\n'],
    ['tabs', 'a:\tb\n'],
    ['depth', `a: ${'['.repeat(40)}${']'.repeat(40)}\n`],
    ['faults', 'a: [b\n'],
  ])('leaves %s to the full parser', (_, text) => {
    expect(parseSimpleYaml(text)).toBeUndefined();
  });

  it.each([
    ['any text', soup],
    ['pages of the usual shape', page],
    ['pages with a slip', slip],
  ])('reads %s as the full parser does, or not at all', (_, texts) => {
    fc.assert(
      fc.property(texts, (text) => {
        const node = parseSimpleYaml(text);
        if (node !== undefined) expect({ roots: [outline(node)], faults: [] }).toEqual(full(text));
      }),
      { numRuns: 2000 },
    );
  });
});
