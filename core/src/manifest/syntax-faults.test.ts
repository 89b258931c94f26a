import { describe, expect, it } from 'vitest';
import { faultTable, read, V } from '../../testing/fault-table.js';
import { faultText } from './manifest.js';

const TOO_DEEP = 'This line is indented too deep: it reads as more of the value above. Indent it like its neighbours.';
const UNLIKE_NEXT =
  'This line is indented otherwise than the next one of its mapping or list. Indent it like its neighbours.';

describe('a text that is not YAML', () => {
  faultTable([
    [
      'says where a quote is not closed',
      `${V}roles: { a: { description: "x } }\n`,
      ['a.yaml:2:28: The quote that opens here is not closed: add the closing ".'],
    ],
    [
      'says where a quote is not closed, and nothing of the brackets around it',
      `${V}groups:\n  a: {description: "unterminated}\n\n\n`,
      ['a.yaml:3:20: The quote that opens here is not closed: add the closing ".'],
    ],
    [
      'says where a single quote is not closed',
      `${V}stack: 'b\ngroups: {}`,
      ["a.yaml:2:8: The quote that opens here is not closed: add the closing '."],
    ],
    [
      'says where a bracket is not closed by its indentation',
      `${V}groups: {\na: {}\n}\n`,
      [`a.yaml:2:9: ${unclosed('{')}`],
    ],
    [
      'says which of several brackets are not closed',
      `${V}groups:\n  a: { members:\n   [user/a, user/b }\n  b: {}\n`,
      [`a.yaml:3:6: ${unclosed('{')}`, `a.yaml:4:4: ${unclosed('[')}`],
    ],
    ['says where a list at the top is not closed', '[1, [2]\n\n', [`a.yaml:1:1: ${unclosed('[')}`]],
    [
      'asks for spaces where a tab indents',
      `${V}groups:\n\ta: {}\n`,
      ['a.yaml:3:1: Tabs are not allowed as indentation. Indent with spaces.'],
    ],
    [
      'asks for the colon of a key',
      `${V}groups\nsubjects: {}\n`,
      ['a.yaml:2:1: Implicit keys need to be on a single line. Is a colon missing behind a key?'],
    ],
    [
      'says once where the indentation goes astray',
      `${V}groups:\n  a: {}\n b: {}\n c: {}\nsubjects: {}\n`,
      ['a.yaml:4:1: All mapping items must start at the same column. Indent it like its neighbours.'],
    ],
    ...[3, 5, 6].map((indent): [string, string, string[]] => [
      `says where the first line of a mapping is indented by ${indent} in place of 4`,
      `${V}groups:\n  g:\n${' '.repeat(indent)}description: x\n    members: [user/a]\nsubjects:\n  user/a: {}\n`,
      [`a.yaml:4:${indent + 1}: ${UNLIKE_NEXT}`],
    ]),
    [
      'says where the first line of a list is indented too deep',
      `${V}groups:\n  g:\n    members:\n       - user/a\n      - user/b\n      - user/c\n`,
      [`a.yaml:5:8: ${UNLIKE_NEXT}`],
    ],
    [
      'says where the first line of a mapping stands beside its key',
      `${V}groups:\n  g:\n  description: x\n    members: []\n    roles: []\n`,
      [`a.yaml:4:3: ${UNLIKE_NEXT}`],
    ],
    [
      'says once where a line is indented too deep, and nothing of quotes',
      `${V}roles:\n  a:\n    description: x\n      more: y\n      most: z\n    last: w\n  b:\n    description: x\n     more: y\n`,
      [5, 10].map((line, at) => `a.yaml:${line}:${7 - at}: ${TOO_DEEP}`),
    ],
    [
      'says of the line after it that it is indented otherwise',
      `version: 1\ngroups:\n  g:\n    members:\n    - user/a\n     - user/b\n   - user/c\n`,
      ['a.yaml:7:1: A block sequence may not be used as an implicit map key. Indent it like its neighbours.'],
    ],
    [
      'asks for quotes where one line holds two colons',
      `${V}roles: \n  a:\n    description: see: this\n`,
      ['a.yaml:4:18: Nested mappings are not allowed in compact mappings. Put a text that holds ": " in quotes.'],
    ],
    [
      'says once where it is lost',
      `${V}groups:\n  a { members: [] }\n  b: {}\n  c: {}\nsubjects: {}\n`,
      ['a.yaml:3:19: Unexpected flow-map-end token in YAML stream: "}". Is a colon or a bracket missing before it?'],
    ],
    [
      'knows a merge conflict',
      `${V}groups:\n<<<<<<< HEAD\n  a: {}\n=======\n  b: {}\n>>>>>>> theirs\n`,
      ['a.yaml:3:1: Git has left the two sides of a merge conflict here: keep what is right, and remove its marks.'],
    ],
    [
      'asks for a comma between what stands in braces',
      `${V}roles: { a: { description: x } b: {} }\n`,
      [
        'a.yaml:2:32: Unexpected scalar at node end. Put the whole value in quotes, not a part of it; between values, is a comma missing?',
      ],
    ],
    [
      'asks for quotes around a text that begins with quotes',
      `${V}policies:\n  p:\n    condition: "a" in context.b\n`,
      [
        'a.yaml:4:20: Unexpected scalar at node end. Put the whole value in quotes, not a part of it; between values, is a comma missing?',
      ],
    ],
    [
      'asks for quotes around a star',
      `${V}policies: { p: { actions: [*] } }\n`,
      [
        'a.yaml:2:28: Alias cannot be an empty string. A value that begins with "*" is an alias in YAML: put it in quotes if the text is meant.',
      ],
    ],
    [
      'asks for quotes around an exclamation mark',
      `${V}policies:\n  p:\n    condition: !has(context.x)\n`,
      [
        'a.yaml:3:3: policy/p: effect: is missing: write one of ALLOW, DENY.',
        'a.yaml:4:16: Unresolved tag: !has(context.x). A value that begins with "!" is a tag in YAML: put it in quotes if the text is meant.',
      ],
    ],
    [
      'goes on after a tag that is not known',
      `${V}roles:\n  a: { description: !!binary aGk= }\n  b: { descripton: x, members: !x [1] }\nsubjects: { user/a: { properties: { x: !!str 1, y: !y 010 } } }\n`,
      [
        `a.yaml:3:21: ${unresolved('tag:yaml.org,2002:binary')}`,
        'a.yaml:4:8: role/b: the key "descripton" is not known: did you mean "description"?',
        'a.yaml:4:23: role/b: the key "members" is not known: write one of includes, from_requests, shared_with, description, assigned_to, policies.',
        `a.yaml:4:32: ${unresolved('!x')}`,
        `a.yaml:5:52: ${unresolved('!y')}`,
      ],
    ],
    [
      'asks for quotes around a colon',
      `${V}roles:\n  a:\n    description: foo: bar\n`,
      ['a.yaml:4:18: Nested mappings are not allowed in compact mappings. Put a text that holds ": " in quotes.'],
    ],
    [
      'asks for quotes around a reserved sign',
      `${V}roles:\n  a:\n    description: @x\n`,
      ['a.yaml:4:18: Plain value cannot start with reserved character @. Put the value in quotes.'],
    ],
    [
      'reports every document and file',
      [`${V}---\na: [\n---\nb: {\n`, 'c: "'],
      [
        `a.yaml:3:4: ${unclosed('[')}`,
        `a.yaml:5:4: ${unclosed('{')}`,
        'b.yaml:1:4: The quote that opens here is not closed: add the closing ".',
      ],
    ],
    [
      'refuses control characters',
      `${V}roles:\n  a: { description: "\u0000" }\n`,
      ['a.yaml:3:22: The control character U+0000 is not allowed in YAML: remove it, or save the file as UTF-8.'],
    ],
    [
      'refuses half a character, which an escape may say and no service would keep',
      `${V}groups: { "\\uD800": {} }\nsubjects: { user/a: { name: "\\uD83D\\uDE00", properties: { a: ["x\\uDC00"] } } }\n`,
      [
        'a.yaml:2:11: groups: a key holds a lone surrogate (like "\\ud800"), which is no character: write the character itself.',
        'a.yaml:3:63: subject/user/a: properties: holds a lone surrogate (like "\\ud800"), which is no character: write the character itself.',
      ],
    ],
    [
      'refuses what is not UTF-8',
      `${V}roles:\n  \ufffd: {}\n`,
      ['a.yaml:3:3: The file is not valid UTF-8: save it as UTF-8.'],
    ],
    [
      'refuses YAML 1.1',
      '%YAML 1.1\n---\nversion: 1\n',
      ['a.yaml:1:1: %YAML 1.1 gives words like "yes" another meaning: remove the line, YAML 1.2 is read.'],
    ],
    [
      'refuses an alias without an anchor',
      `${V}groups:\n  a: *x\n`,
      ['a.yaml:3:6: The alias *x has no anchor &x before it: add it, or put the value in quotes.'],
    ],
    [
      'refuses an alias within its own anchor',
      `${V}subjects: { user/a: { properties: { x: &x [1, *x] } } }\n`,
      ['a.yaml:2:47: The alias *x stands inside its own anchor.'],
    ],
    [
      'refuses depth in brackets',
      `${V}groups: ${'['.repeat(100_000)}`,
      ['a.yaml:2:72: Nested deeper than 64 levels: flatten it.'],
    ],
    [
      'refuses depth by indentation',
      `${V}groups:\n${lines(3000, (n) => `${' '.repeat(n + 1)}a:\n`)}`,
      ['a.yaml:65:65: Nested deeper than 64 levels: flatten it.'],
    ],
    [
      'refuses depth of lists',
      `${V}groups:\n ${'- '.repeat(3000)}x`,
      ['a.yaml:3:127: Nested deeper than 64 levels: flatten it.'],
    ],
  ]);

  it('refuses a file beyond the bound', () => {
    const [fault] = read(`${V}#${'x'.repeat(9 * 1024 * 1024)}`).faults;
    expect(fault?.detail).toBe('The file has 9437196 characters, more than the 8388608 allowed: split it.');
  });

  it('refuses aliases that stand for too much, without writing them out', () => {
    const letters = [...'bcdefghij'];
    const bomb = letters.map(
      (name, index) => `      ${name}: &${name} [${Array(10).fill(`*${'abcdefghij'[index]}`).join(', ')}]\n`,
    );
    const text = `${V}subjects:\n  user/a:\n    properties:\n      a: &a [1, 2, 3, 4, 5, 6, 7, 8, 9, 0]\n${bomb.join('')}`;
    expect(read(text).faults.map(faultText)).toEqual([
      'a.yaml:9:42: Aliases stand for more than 100000 values, or too deep ones: write fewer of them.',
    ]);
  });

  it('does not report what is mentioned as missing where it may be declared in what could not be read', () => {
    const groups = `${V}groups: { g: { members: [user/alice, user/alyce] } }\n`;
    expect(read(groups, 'subjects:\n  user/alice: {\n').faults.map(faultText)).toEqual([
      'a.yaml:2:38: group_membership/g//subject/user/alyce: Subject "user/alyce" does not exist: declare it, correct the name, or list it under "external" if another stack declares it.',
      `b.yaml:2:15: ${unclosed('{')}`,
    ]);
  });
});

function lines(count: number, line: (number: number) => string): string {
  return Array.from({ length: count }, (_, index) => line(index)).join('');
}

function unclosed(opens: '{' | '['): string {
  const closes = opens === '{' ? '}' : ']';
  return `The ${opens} that opens here is not closed: add the closing ${closes}, and indent what stands between deeper than the line that opens it.`;
}

function unresolved(tag: string): string {
  return `Unresolved tag: ${tag}. A value that begins with "!" is a tag in YAML: put it in quotes if the text is meant.`;
}
