import { describe, expect, it } from 'vitest';
import { diagnosticMessage, type Path } from './diagnostics.js';
import type { Attributes } from './schema.js';

const description = '';
const text = { type: 'string' as const, description };
const attributes: Attributes = {
  name: text,
  labels: { type: { map: 'string' }, description },
  author: { nested: 'single', attributes: { name: text }, description },
  parts: { nested: 'list', attributes: { text }, description },
  covers: { nested: 'set', attributes: { what: text }, description },
};

describe('diagnostics as the protocol writes them', () => {
  it.each<[string, Path, object[] | undefined, string]>([
    ['nowhere', [], undefined, 'detail'],
    ['an attribute', ['name'], [{ attribute_name: 'name' }], 'detail'],
    ['an element of a list', ['parts', 1], [{ attribute_name: 'parts' }, { element_key_int: 1 }], 'detail'],
    ['a key of a map', ['labels', 'k'], [{ attribute_name: 'labels' }, { element_key_string: 'k' }], 'detail'],
    [
      'an attribute of a nested object, said in words',
      ['author', 'name'],
      [{ attribute_name: 'author' }],
      'detail\n\nAt author.name.',
    ],
    [
      'an attribute inside an element, said in words',
      ['parts', 0, 'text'],
      [{ attribute_name: 'parts' }, { element_key_int: 0 }],
      'detail\n\nAt parts[0].text.',
    ],
    [
      'an element of a set, said in words',
      ['covers', 2, 'what'],
      [{ attribute_name: 'covers' }],
      'detail\n\nAt covers[2].what.',
    ],
    ['what the schema does not know', ['nothing'], [], 'detail\n\nAt nothing.'],
  ])('point at %s', (_name, path, steps, detail) => {
    const message = diagnosticMessage(attributes, { severity: 'error', summary: 'summary', detail: 'detail', path });
    expect(message.attribute?.steps).toEqual(steps);
    expect(message).toMatchObject({ severity: 1, summary: 'summary', detail });
  });

  it('say a path once that the detail begins with', () => {
    const detail = 'parts[0].text: "" must not be empty.';
    const diagnostic = { severity: 'error', summary: 'summary', detail, path: ['parts', 0, 'text'] } as const;
    expect(diagnosticMessage(attributes, diagnostic).detail).toBe(detail);
  });
});
