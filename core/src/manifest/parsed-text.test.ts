import { describe, expect, it } from 'vitest';
import { PARSING, packNodes, unpackNodes } from './pack-nodes.js';
import { parseText } from './parse-text.js';
import { parsedText } from './parsed-text.js';

const TEXTS: [what: string, text: string][] = [
  ['nothing', ''],
  ['scalars', '[a, "b", \'c\', 1, 1.0, 1e3, 0x1F, 0o17, 010, -0, +1, .inf, -.inf, .nan, true, False, null, ~, ]'],
  ['quotes that hide something', '["a\\nb", "\\ud800", \'it\'\'s\', "", \'\', "a\n b"]'],
  ['texts over several lines', 'a: one\n  two\n\n  three\nb: |\n  x\n   y\nc: >-\n  x\n  y\n'],
  ['characters of two units', '🙂: "🙂🙂"\n? é\n: 🙂'],
  ['tags', '[!!str 1, !!int "5", !!float 1, !!null x, !!bool true, !!str , !!str a\n b]'],
  ['tags that mean nothing here', '[!x 1, !!binary aGk=, !y [1]]'],
  ['aliases', 'a: &a { x: &b [1] }\nb: *a\nc: [*b, *a, &c d, *c]\n<<: *a\n*c : 1'],
  ['an anchor that is set anew', 'a: &a 1\nb: *a\nc: &a 2\nd: *a\n'],
  ['an anchor that is set anew within itself', 'a: &a [1, &a 2]\nb: *a\n'],
  ['keys of every form', '? [a]\n: 1\n? { b: 1 }\n: 2\n? \n: 3\n4: 5\nnull: 6\n'],
  ['empty values', 'a:\nb: # nothing\n\nc: { d, e: }\nf:\n  -\n  - \n'],
  ['several documents', 'a: &a 1\n---\nb: 2\n--- \n...\n---\n[c]\n'],
  ['many items, far apart', `[${Array.from({ length: 300 }, (_, at) => `${' '.repeat(at)}${at}`).join(',')}]`],
];

describe('nodes that were packed', () => {
  it.each(TEXTS)('are the same again: %s', (_, text) => {
    const { roots, shared } = parseText(text);
    const again = unpackNodes(structuredClone(packNodes(roots, shared, text)), text);
    expect(again).toEqual(roots);
  });

  it('are one where aliases make them one', () => {
    const text = 'a: &a [1]\nb: *a\n';
    const { roots, shared } = parseText(text);
    const [root] = unpackNodes(packNodes(roots, shared, text), text);
    expect(root?.type === 'map' && root.pairs[0]?.value).toBe(root?.type === 'map' && root.pairs[1]?.value);
  });
});

describe('what is found for a text', () => {
  it('has another number whenever it changes: raise PARSING with this', () => {
    const found = [...TEXTS.map(([, text]) => text), '\uFEFFa: "', 'a: {\n', 'a: *b\n', 'a: \u0007'].map(parsedText);
    expect({
      PARSING,
      found: found.map(({ bytes, texts, refused }) => [
        Buffer.from(bytes).toString('hex'),
        JSON.stringify(texts),
        refused,
      ]),
    }).toMatchSnapshot();
  });
});
